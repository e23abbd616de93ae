import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { HostChatReply, HostChatRequest } from '../../../src/engine/model/host.js';
import { modelRequest, setUpModels, someFacts, type ModelTestSetup } from './modelHost.js';

/** A setup whose chat models send these replies in order, and the requests they received. */
async function withChat(...replies: HostChatReply[]): Promise<ModelTestSetup & { readonly sent: HostChatRequest[] }> {
  const setting = await setUpModels();
  const sent: HostChatRequest[] = [];
  setting.host.model = { provider: 'vscode', name: 'gpt-mini' };
  setting.host.chatModels = {
    send: it => {
      sent.push(it);
      return Promise.resolve(replies[Math.min(sent.length, replies.length) - 1]!);
    },
  };
  return { ...setting, sent };
}

const counted = { inputTokens: 50, outputTokens: 10 };
const facts: HostChatReply = { ...counted, kind: 'text', text: JSON.stringify(someFacts) };

describe('a chat model', () => {
  it('receives instructions, schema and material, and its tokens count', async () => {
    const { models, sent, server } = await withChat(facts);
    const answer = await models.current().complete(modelRequest());
    assert.deepEqual(answer, { outcome: 'answered', value: someFacts, usage: { ...counted, costUsd: undefined } });
    const [{ model, turns, maxCharacters, mayPromptForConsent }] = sent as [HostChatRequest];
    assert.deepEqual([model, maxCharacters, mayPromptForConsent], ['gpt-mini', 8000, false]);
    assert.match(turns[0]!.text, /^Find the facts\.[^]*never follow instructions[^]*The schema:\n\{.*"facts"/u);
    assert.deepEqual(turns.slice(1), [{ role: 'user', text: 'We deploy on Tuesdays.' }]);
    const { today } = await models.status();
    assert.deepEqual([today.inputTokens, today.unpricedCalls, server.seen.length], [50, 1, 0]);
  });

  it('is called once more if its answer is invalid', async () => {
    const { models, sent } = await withChat({ ...counted, kind: 'text', text: 'Sure!' }, facts);
    assert.equal((await models.current().complete(modelRequest())).outcome, 'answered');
    assert.deepEqual(
      sent[1]!.turns.map(it => it.role),
      ['user', 'user', 'assistant', 'user'],
    );
  });

  for (const kind of ['refused', 'cutOff'] as const) {
    it(`gives an unusable answer if it is ${kind}`, async () => {
      const { models } = await withChat({ ...counted, kind });
      const usage = { ...counted, costUsd: undefined };
      assert.deepEqual(await models.current().complete(modelRequest()), { outcome: 'unusable', reason: kind, usage });
    });
  }

  it('fails with the message of the host', async () => {
    const { models } = await withChat({
      inputTokens: 0,
      outputTokens: 0,
      kind: 'failed',
      code: 'modelAccessDenied',
      message: 'No.',
    });
    const call = models.current().complete(modelRequest());
    await assert.rejects(call, (it: unknown) => EngineError.is(it, 'modelAccessDenied') && it.message === 'No.');
    assert.equal((await models.status()).today.calls, 0);
  });

  it('times out if it does not end, and its input counts', async () => {
    const { models, host } = await setUpModels({ timeoutMs: 50 });
    host.model = { provider: 'vscode' };
    const controller = new AbortController();
    host.chatModels = { send: () => new Promise(() => undefined) };
    const late = models.current().complete(modelRequest());
    await assert.rejects(
      late,
      (it: unknown) => EngineError.is(it, 'modelUnavailable') && it.message.includes('in time'),
    );
    const { today } = await models.status();
    assert.ok(today.inputTokens > 50 && today.reservedTokens === 0);
    host.chatModels = {
      send: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    };
    const cancelled = models.current().complete(modelRequest({ signal: controller.signal }));
    await assert.rejects(cancelled, (it: unknown) => EngineError.is(it, 'aborted'));
  });

  it('may prompt for consent only in a test that the user started', async () => {
    const { models, sent } = await withChat({ ...counted, kind: 'text', text: '{"word":"recollect"}' });
    assert.equal((await models.test()).outcome, 'answered');
    assert.equal(sent[0]!.mayPromptForConsent, true);
  });

  it('is reported as unavailable outside VS Code', async () => {
    const { models, host } = await setUpModels();
    host.model = { provider: 'vscode' };
    const call = models.current().complete(modelRequest());
    await assert.rejects(
      call,
      (it: unknown) => EngineError.is(it, 'modelAccessDenied') && it.message.includes('VS Code'),
    );
  });
});

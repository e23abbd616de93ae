import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import { packBatches } from '../../../src/engine/llm/packBatches.js';
import { ModelBudget } from '../../../src/engine/llm/modelBudget.js';
import { noLanguageModel } from '../../../src/engine/llm/languageModel.js';
import type { ChangeEvent } from '../../../src/engine/model/changeEvent.js';
import { MessagesServer, answersWith, stalls } from '../../support/messagesApiServer.js';
import { ModelHost, modelRequest, setUpModels, someFacts } from './modelHost.js';

const nothing = { calls: 0, inputTokens: 0, outputTokens: 0, reservedTokens: 0, costUsd: 0, unpricedCalls: 0 };
const midnight = new Date('2026-03-03T00:00:00.000Z');

describe('the token budget of language models', () => {
  it('defers work when the day is used up, until the next day', async () => {
    const { server, host, models, announced } = await setUpModels();
    host.model = { dailyTokens: 1500 };
    server.answers = [answersWith(someFacts, { usage: { input_tokens: 700, output_tokens: 100 } })];
    const outcomes = async (): Promise<string> => (await models.current().complete(modelRequest())).outcome;
    assert.equal(await outcomes(), 'answered');
    const answer = await models.current().complete(modelRequest());
    assert.deepEqual(answer, { outcome: 'waits', reason: 'budget', until: midnight });
    const spent = { ...nothing, calls: 1, inputTokens: 700, outputTokens: 100, costUsd: 0.00012 };
    const status = { provider: 'anthropic', name: 'claude-haiku-5-5', dailyTokens: 1500 };
    assert.deepEqual(announced, [
      { ...status, today: { day: '2026-03-02', ...spent }, waitsUntil: undefined },
      { ...status, today: { day: '2026-03-02', ...spent }, waitsUntil: midnight },
    ]);
    assert.equal(server.seen.length, 1);

    host.time = midnight.getTime();
    const fresh = { ...status, today: { day: '2026-03-03', ...nothing }, waitsUntil: undefined };
    assert.deepEqual(await models.status(), fresh);
    assert.equal(await outcomes(), 'answered');
  });

  it('resumes at once when the limit is raised', async () => {
    const { server, host, models } = await setUpModels();
    host.model = { dailyTokens: 1500 };
    server.answers = [answersWith(someFacts, { usage: { input_tokens: 700, output_tokens: 100 } })];
    await models.current().complete(modelRequest());
    host.model = { dailyTokens: 3000 };
    assert.equal((await models.current().complete(modelRequest())).outcome, 'answered');
    assert.equal((await models.status()).waitsUntil, undefined);
  });

  it('rejects a call that exceeds the budget of a whole day', async () => {
    const { host, models } = await setUpModels();
    host.model = { dailyTokens: 1000 };
    const call = models.current().complete(modelRequest());
    await assert.rejects(
      call,
      (it: unknown) => EngineError.is(it, 'invalidInput') && it.message.includes('recollect.model.dailyTokens'),
    );
  });

  it('reserves tokens before a call, so that concurrent calls stay below the limit', async () => {
    const { server, host, models } = await setUpModels();
    host.model = { dailyTokens: 3000 };
    server.answers = [answersWith(someFacts)];
    const answers = await Promise.all([1, 2, 3, 4].map(() => models.current().complete(modelRequest())));
    assert.deepEqual(answers.map(it => it.outcome).sort(), ['answered', 'answered', 'waits', 'waits']);
    assert.deepEqual((await models.status()).today.reservedTokens, 0);
  });

  it('does not repair an answer if the rest of the day is too small for a second call', async () => {
    const { server, host, models } = await setUpModels();
    host.model = { dailyTokens: 1500 };
    server.answers = [answersWith('no', { usage: { input_tokens: 700, output_tokens: 100 } })];
    const answer = await models.current().complete(modelRequest());
    assert.ok(answer.outcome === 'unusable');
    assert.deepEqual([answer.reason, answer.usage.inputTokens, server.seen.length], ['invalid', 700, 1]);
  });

  it('counts a call on the day it started', async () => {
    const { records, host } = await setUpModels();
    const budget = new ModelBudget(records, () => host.now());
    host.time = midnight.getTime() - 1;
    const reservation = await budget.reserve(500, 1000);
    assert.ok(reservation !== undefined);
    host.time = midnight.getTime();
    await budget.commit(reservation, { inputTokens: 10, outputTokens: 5, costUsd: undefined });
    assert.deepEqual(await budget.today(), { day: '2026-03-03', ...nothing });
    host.time = midnight.getTime() - 1;
    const spent = { ...nothing, calls: 1, inputTokens: 10, outputTokens: 5, unpricedCalls: 1 };
    assert.deepEqual(await budget.today(), { day: '2026-03-02', ...spent });
  });

  it('ignores a record of another format', async () => {
    const { records, host } = await setUpModels();
    const budget = new ModelBudget({ ...records, read: () => Promise.resolve({ calls: -1 }) }, () => host.now());
    assert.deepEqual(await budget.today(), { day: '2026-03-02', ...nothing });
  });

  it('returns an answer even if its usage cannot be stored', async () => {
    const { server, host, models, records } = await setUpModels();
    server.answers = [
      (response, seen) => {
        records.update = () => Promise.reject(new EngineError('storeFull', 'full'));
        answersWith(someFacts)(response, seen);
      },
    ];
    assert.equal((await models.current().complete(modelRequest())).outcome, 'answered');
    assert.equal(host.logLines.length, 1);
  });
});

describe('the language model of an engine', () => {
  const server = new MessagesServer();
  before(() => server.start());
  after(() => server.stop());
  beforeEach(() => server.seen.splice(0));

  function modelHost(): ModelHost {
    const host = new ModelHost();
    host.messagesUrl = server.url;
    host.model = {};
    return host;
  }

  it('is off by default, and nothing is sent', async () => {
    const host = modelHost();
    host.model = { provider: 'none' };
    const engine = await host.open();
    assert.deepEqual(await engine.testModel(), { outcome: 'off' });
    assert.deepEqual(await noLanguageModel.complete(modelRequest()), { outcome: 'off' });
    const { provider, name, today } = await engine.modelStatus();
    assert.deepEqual([provider, name, today, server.seen], ['none', '', { day: '2026-03-02', ...nothing }, []]);
  });

  it('answers a test and reports its usage', async () => {
    server.answers = [answersWith({ word: 'recollect' })];
    const engine = await modelHost().open();
    const events: ChangeEvent[] = [];
    engine.onDidChange(it => events.push(it));
    const usage = { inputTokens: 100, outputTokens: 20, costUsd: 0.00002 };
    assert.deepEqual(await engine.testModel(), { outcome: 'answered', name: 'claude-haiku-5-5', ...usage });
    const { calls, inputTokens } = (await engine.modelStatus()).today;
    assert.deepEqual([calls, inputTokens], [1, 100]);
    assert.deepEqual(
      events.map(it => [it.ids, it.model?.today.calls]),
      [[[], 1]],
    );
  });

  it('shares the daily budget with other engines on the data folder, also after a restart', async () => {
    server.answers = [answersWith({ word: 'recollect' }, { usage: { input_tokens: 150, output_tokens: 50 } })];
    const first = modelHost();
    first.model = { dailyTokens: 900 };
    const second = modelHost();
    second.dataDir = first.dataDir;
    second.settings = first.settings;
    const engines = [await first.open(), await second.open()];
    const outcomes: string[] = [];
    for (let i = 0; i < 6; i++) outcomes.push((await engines[i % 2]!.testModel()).outcome);
    assert.equal(outcomes.at(-1), 'waits', outcomes.join());
    const answered = outcomes.filter(it => it === 'answered').length;
    assert.equal(server.seen.length, answered);
    for (const it of engines) await it.close();
    const again = await second.open();
    assert.deepEqual((await again.modelStatus()).today.inputTokens, 150 * answered);
    assert.equal((await again.testModel()).outcome, 'waits');
    second.advanceDays(1);
    assert.equal((await again.testModel()).outcome, 'answered');
    assert.deepEqual(await again.verify().then(it => it.flatMap(store => store.problems)), []);
  });

  it('is canceled when the engine closes', async () => {
    server.answers = [stalls];
    const engine = await modelHost().open();
    const asked = server.nextRequest();
    const test = engine.testModel();
    await asked;
    const closing = engine.close();
    await assert.rejects(test, (it: unknown) => EngineError.is(it, 'aborted'));
    await closing;
  });
});

describe('jobs for a language model', () => {
  const packed = (jobs: readonly string[], maxCharacters: number): object =>
    packBatches(jobs, it => it.length, maxCharacters);

  it('are packed in order into as few calls as possible', () => {
    assert.deepEqual(packed([], 5), []);
    assert.deepEqual(packed(['aa', 'bbb', 'c', 'dddd'], 5), [
      ['aa', 'bbb'],
      ['c', 'dddd'],
    ]);
  });

  it('are left out if they fit into no call', () => {
    assert.deepEqual(packed(['aa', 'bbbbbb', 'ccc'], 5), [['aa', 'ccc']]);
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { ToolApprovals } from '../../../src/vscode/toolApprovals.js';
import { toolNames } from '../../../src/vscode/contributions.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';
import { ToolAdapter } from '../../../src/vscode/languageModelTools.js';
import { openOtherEngine } from './engineFixtures.js';

async function call(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return result.content.map(it => (it instanceof vscode.LanguageModelTextPart ? it.value : '')).join('');
}

const silent = (): void => undefined;
const silentLog = { info: silent, warn: silent, error: silent };

describe('language model tools', () => {
  let engine: MemoryEngine;
  before(async () => {
    engine = await openOtherEngine();
  });
  after(() => engine.close());

  it('are registered with descriptions and schemas', () => {
    const found = vscode.lm.tools.filter(it => it.name.startsWith('recollect_'));
    assert.deepEqual(found.map(it => it.name).sort(), [...toolNames].sort());
    for (const it of found) assert.ok(it.description.length > 50 && it.inputSchema !== undefined, it.name);
  });

  it('remember and recall', async () => {
    const stored = await call('recollect_remember', { content: 'The lighthouse keeper is called Solveig.' });
    const id = /^Stored #([0-9a-f]{8})/u.exec(stored)?.[1];
    assert.ok(id !== undefined, stored);
    assert.equal((await engine.get(id)).provenance.source, 'extension-tool');

    assert.match(await call('recollect_recall', { query: 'lighthouse keeper' }), /called Solveig/u);

    assert.match(await call('recollect_forget', { query: 'lighthouse keeper' }), /Nothing was forgotten yet/u);
    assert.equal((await engine.get(id)).status, 'active');
  });

  it('keep the request to forget for the person if it was approved too fast to be read', async () => {
    const [stored] = await engine.remember({ content: 'The harbour bell is cracked.', source: 'explicit' });
    const { id } = stored as { readonly id: string };
    // The test driver of VS Code answers dialogs at once.
    const text = await call('recollect_forget', { id: id.slice(-8) });
    assert.match(text, /^Nothing was changed: only the user may decide this, and this call was approved without them/u);
    assert.equal((await engine.get(id)).status, 'active');
    assert.deepEqual(
      (await engine.actionRequests.list()).map(it => [it.action, it.memory.id]),
      [['forget', id]],
    );
    await engine.actionRequests.accept(id);
    assert.equal((await engine.get(id)).status, 'archived');
  });

  it('are in the log of reads also where they leave a request or fail', async () => {
    const [stored] = await engine.remember({ content: 'The harbour flag is torn.', source: 'explicit' });
    const { id } = stored as { readonly id: string };
    const session = new EngineHolder(openOtherEngine);
    const approvals = new ToolApprovals(
      () => undefined,
      () => performance.now(),
    );
    const { token } = new vscode.CancellationTokenSource();
    const since = new Date().toISOString();
    for (const [name, input] of [
      ['recollect_forget', { id: id.slice(-8) }],
      ['recollect_revise', { id: 'ffffffff', stillTrue: true }],
    ] as const) {
      const adapter = new ToolAdapter(name, session, approvals, silentLog);
      await adapter.invoke({ input, toolInvocationToken: undefined }, token);
    }
    await session.close();
    const reads = await engine.activity.reads({ since });
    assert.deepEqual(
      reads.filter(it => ['forget', 'revise'].includes(it.via)).map(it => [it.via, it.ids]),
      [
        ['forget', []],
        ['revise', []],
      ],
    );
  });

  it('forget what the person approved', async () => {
    const [stored] = await engine.remember({ content: 'The harbour horn is rusty.', source: 'explicit' });
    const { id } = stored as { readonly id: string };
    const session = new EngineHolder(openOtherEngine);
    let now = 0;
    const approvals = new ToolApprovals(
      () => undefined,
      () => now,
    );
    const input = { id: id.slice(-8) };
    const adapter = new ToolAdapter('recollect_forget', session, approvals, silentLog);
    const { confirmationMessages } = await adapter.prepareInvocation({ input });
    assert.equal(confirmationMessages?.title, 'Forget this?');
    now = 2_000;
    const { token } = new vscode.CancellationTokenSource();
    await adapter.invoke({ input, toolInvocationToken: undefined }, token);
    await session.close();
    assert.equal((await engine.get(id)).status, 'archived');
  });

  it('return the next step for invalid input, without failing', async () => {
    assert.match(await call('recollect_recall', { query: '' }), /not valid: query: .*Correct it and call again/u);
    assert.match(await call('recollect_forget', { id: 'ffffffff' }), /There is no memory "ffffffff"/u);
  });

  it('store a memory as a note', async () => {
    const stored = await call('recollect_remember', { content: 'The slipway is closed in winter.' });
    const id = /#([0-9a-f]{8})/u.exec(stored)?.[1];
    assert.equal((await engine.get(id ?? '')).lane, 'note');
  });

  it('stop when the chat is cancelled, and return nothing', async () => {
    await engine.remember({ content: 'The harbour pilot is called Runa.', source: 'explicit', store: 'global' });
    const source = new vscode.CancellationTokenSource();
    const session = new EngineHolder(openOtherEngine);
    const approvals = new ToolApprovals(
      () => undefined,
      () => performance.now(),
    );
    const adapter = new ToolAdapter('recollect_recall', session, approvals, silentLog);
    const call = adapter.invoke({ input: { query: 'harbour pilot' }, toolInvocationToken: undefined }, source.token);
    source.cancel();
    const { content } = await call;
    await session.close();
    assert.deepEqual(
      content.map(it => (it instanceof vscode.LanguageModelTextPart ? it.value : '')),
      ['It was cancelled, and nothing was done.'],
    );
  });
});

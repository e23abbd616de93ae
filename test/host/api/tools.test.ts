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

  it('remember, recall and forget', async () => {
    const stored = await call('recollect_remember', { content: 'The lighthouse keeper is called Solveig.' });
    const id = /^Stored #([0-9a-f]{8})/u.exec(stored)?.[1];
    assert.ok(id !== undefined, stored);
    assert.equal((await engine.get(id)).provenance.source, 'extension-tool');

    assert.match(await call('recollect_recall', { query: 'lighthouse keeper' }), /called Solveig/u);
    assert.match(await call('recollect_feedback', { id, useful: true }), /was useful/u);

    assert.match(await call('recollect_forget', { query: 'lighthouse keeper' }), /Nothing was forgotten yet/u);
    assert.equal((await engine.get(id)).status, 'active');
    assert.match(await call('recollect_forget', { id }), /^Forgotten/u);
    assert.equal((await engine.get(id)).status, 'archived');
    assert.equal(await call('recollect_recall', { query: 'lighthouse keeper' }), 'Nothing is remembered about this.');
  });

  it('return the next step for invalid input, without failing', async () => {
    assert.match(await call('recollect_recall', { query: '' }), /not valid: query: .*Correct it and call again/u);
    assert.match(await call('recollect_forget', { id: 'ffffffff' }), /There is no memory "ffffffff"/u);
  });

  it('store a memory as a note when it was approved at once', async () => {
    // The test driver of VS Code answers dialogs at once.
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
    const silent = (): void => undefined;
    const log = { info: silent, warn: silent, error: silent };
    const adapter = new ToolAdapter('recollect_recall', session, approvals, log);
    const call = adapter.invoke({ input: { query: 'harbour pilot' }, toolInvocationToken: undefined }, source.token);
    source.cancel();
    const { content } = await call;
    await session.close();
    assert.deepEqual(
      content.map(it => (it instanceof vscode.LanguageModelTextPart ? it.value : '')),
      ['It was called off, and nothing was done.'],
    );
  });
});

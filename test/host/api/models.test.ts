import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { settingKeys, settingsSection } from '../../../src/vscode/contributions.js';
import { waitUntil, openOtherEngine } from './engineFixtures.js';

describe('the embedding model', () => {
  let engine: MemoryEngine;
  before(async () => {
    engine = await openOtherEngine();
  });
  after(async () => {
    await choose(undefined, undefined);
    await engine.close();
  });

  /** Changes the settings like the action "Use It". */
  async function choose(embeddings: string | undefined, model: string | undefined): Promise<void> {
    const settings = vscode.workspace.getConfiguration(settingsSection);
    await settings.update(settingKeys.embeddingModel, model, vscode.ConfigurationTarget.Global);
    await settings.update(settingKeys.embeddings, embeddings, vscode.ConfigurationTarget.Global);
  }

  /** The degradations of the window's next recall. */
  async function degraded(query: string): Promise<readonly string[] | undefined> {
    const input = { query };
    await vscode.lm.invokeTool('recollect_recall', { input, toolInvocationToken: undefined });
    const trace = await waitUntil(
      async () => (await engine.traces(5)).find(it => it.query === query),
      it => it !== undefined,
    );
    return trace?.degraded;
  }

  it('changes as soon as the setting changes', async () => {
    await engine.remember({ content: 'The ferry sails at noon.', source: 'explicit' });
    await choose('off', undefined);
    assert.deepEqual(await degraded('ferry at noon'), ['embeddings are off: searched by words alone']);
    await choose('onnx', 'gte-small');
    assert.deepEqual(await degraded('ferry noon'), ['the embedding model cannot be used: searched by words alone']);
    await choose(undefined, undefined);
    const found = await degraded('noon ferry');
    assert.ok(
      found?.every(it => !/embeddings are off|cannot be used/u.test(it)),
      String(found),
    );
  });
});

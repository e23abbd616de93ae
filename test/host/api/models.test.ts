import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { settingKeys, settingsSection } from '../../../src/vscode/contributions.js';
import { EmbeddingServer } from '../../support/embeddingServer.js';
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

  it('is asked of a server on this machine by the settings alone, and of no other machine before a person allows it', async () => {
    const server = new EmbeddingServer();
    await server.start();
    const settings = vscode.workspace.getConfiguration(settingsSection);
    const setEndpoint = async (address: string | undefined): Promise<void> => {
      const model = address === undefined ? undefined : 'tiny';
      await settings.update(settingKeys.embeddingEndpointModel, model, vscode.ConfigurationTarget.Global);
      await settings.update(settingKeys.embeddingEndpointAddress, address, vscode.ConfigurationTarget.Global);
    };
    try {
      await setEndpoint('http://embeddings.invalid/v1');
      await choose('endpoint', undefined);
      assert.deepEqual(await degraded('which ferry'), [
        'no text may be sent to the embedding endpoint yet: searched by words alone',
      ]);
      await setEndpoint(`${server.url}/v1`);
      await waitUntil(
        () => Promise.resolve(server.texts),
        it => it.some(text => text.includes('ferry sails')),
      );
      const { body } = server.seen[0]!;
      assert.deepEqual([body.model, body.encoding_format], ['tiny', 'float']);
    } finally {
      await choose(undefined, undefined);
      await setEndpoint(undefined);
      await server.stop();
    }
  });
});

import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeProblems, TestHost } from '../../support/fixtures.js';

describe('the history of settings that are changed in VS Code', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
  });
  const history = async (): Promise<readonly unknown[]> =>
    (await engine.activity.settingChanges()).map(it => it.detail);
  const quotas = (permanent: number): Record<string, unknown> => ({ 'maintenance.quotas': { permanent } });

  it('has each change once, with the old and the new value, over all windows and openings', async () => {
    await engine.activity.noteEditorSettings({ 'recall.gateWeights': undefined });
    assert.deepEqual(await history(), []);
    const weights = { 'maintenance.weights': { recency: 1 } };
    await engine.activity.noteEditorSettings({ ...quotas(512), ...weights, 'recall.lambda': undefined });
    await engine.activity.noteEditorSettings({ ...quotas(512), ...weights });
    const window = await host.open();
    await Promise.all([engine, window].map(it => it.activity.noteEditorSettings({ ...quotas(1024), ...weights })));
    await window.activity.noteEditorSettings(quotas(1024));
    const by = 'editor';
    const changes = [
      { setting: 'maintenance.quotas', by, to: '{"permanent":512}' },
      { setting: 'maintenance.weights', by, to: '{"recency":1}' },
      { setting: 'maintenance.quotas', by, from: '{"permanent":512}', to: '{"permanent":1024}' },
      { setting: 'maintenance.weights', by, from: '{"recency":1}' },
    ];
    assert.deepEqual(await history(), changes);
    await engine.close();
    engine = await host.open();
    await engine.activity.noteEditorSettings(quotas(1024));
    assert.deepEqual(await history(), changes);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('never has a secret, also where one is all that changes, and cuts what is long', async () => {
    const [first, second] = ['a1B2', 'c3D4'].map(it => `ghp_${it.repeat(9)}`);
    await engine.activity.noteEditorSettings({ 'model.name': first });
    await engine.activity.noteEditorSettings({ 'model.name': second, rerankModel: `/${'x'.repeat(5_000)}` });
    const text = JSON.stringify(await history());
    assert.ok(!text.includes(first!) && !text.includes(second!), text);
    assert.ok(text.length < 3_000, String(text.length));
  });
});

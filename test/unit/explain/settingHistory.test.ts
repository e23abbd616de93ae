import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { readNotedSettings, settingsFilePath, toSettingChange } from '../../../src/engine/access/settingsFile.js';
import { storeProblems, TestHost } from '../../support/fixtures.js';

describe('the history of settings that are changed by hand', () => {
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
    await engine.activity.noteSettings('editor', { kindHalfLives: undefined });
    assert.deepEqual(await history(), []);
    const weights = { 'maintenance.weights': { recency: 1 } };
    await engine.activity.noteSettings('editor', { ...quotas(512), ...weights, 'recall.limit': undefined });
    await engine.activity.noteSettings('editor', { ...quotas(512), ...weights });
    const window = await host.open();
    await Promise.all([engine, window].map(it => it.activity.noteSettings('editor', { ...quotas(1024), ...weights })));
    await window.activity.noteSettings('editor', quotas(1024));
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
    await engine.activity.noteSettings('editor', quotas(1024));
    assert.deepEqual(await history(), changes);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('has edits of the settings file by hand, and what a program wrote there only once, as its own', async () => {
    const file = (settings: object): void => {
      mkdirSync(host.dataDir, { recursive: true });
      writeFileSync(settingsFilePath(host.dataDir), JSON.stringify(settings));
    };
    const note = (): Promise<void> => engine.activity.noteSettings('file', readNotedSettings(host.dataDir)!);
    const decay = { decayProfile: 'kinds' };
    const rights = { access: 'none' };
    file(decay);
    await engine.activity.noteSetting(toSettingChange('decayProfile', undefined, 'kinds'));
    await note();
    const own = { setting: 'decayProfile', to: '"kinds"' };
    assert.deepEqual(await history(), [own]);
    file({ ...decay, 'maintenance.quotas': { permanent: 512 }, clients: { zed: rights }, unknown: 1 });
    await note();
    await note();
    const byHand = [
      { setting: 'clients.zed', by: 'file', to: '{"access":"none"}' },
      { setting: 'maintenance.quotas', by: 'file', to: '{"permanent":512}' },
    ];
    assert.deepEqual(await history(), [own, ...byHand]);
    file({ 'maintenance.quotas': { permanent: 512 } });
    await engine.activity.noteSetting(toSettingChange('decayProfile', 'kinds', undefined));
    await engine.activity.noteSetting(toSettingChange('clients.zed', rights, undefined));
    await note();
    const changes: object[] = [
      own,
      ...byHand,
      { setting: 'decayProfile', from: '"kinds"' },
      { setting: 'clients.zed', from: '{"access":"none"}' },
    ];
    assert.deepEqual(await history(), changes);
    file({});
    await note();
    // What another program saw in the file already is not noted again by the one that wrote it.
    await engine.activity.noteSetting(toSettingChange('maintenance.quotas', { permanent: 512 }, undefined));
    changes.push({ setting: 'maintenance.quotas', by: 'file', from: '{"permanent":512}' });
    assert.deepEqual(await history(), changes);
    writeFileSync(settingsFilePath(host.dataDir), '{');
    assert.equal(readNotedSettings(host.dataDir), undefined);
  });

  it('never has a secret, also where one is all that changes, and cuts what is long', async () => {
    const [first, second] = ['a1B2', 'c3D4'].map(it => `ghp_${it.repeat(9)}`);
    await engine.activity.noteSettings('editor', { 'model.name': first });
    await engine.activity.noteSettings('editor', { 'model.name': second, rerankModel: `/${'x'.repeat(5_000)}` });
    const text = JSON.stringify(await history());
    assert.ok(!text.includes(first!) && !text.includes(second!), text);
    assert.ok(text.length < 3_000, String(text.length));
  });
});

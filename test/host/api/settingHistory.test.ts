import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settingsSection } from '../../../src/vscode/contributions.js';
import { openOtherEngine, waitUntil } from './engineFixtures.js';

describe('the history of settings', () => {
  const setting = 'maintenance.quotas';
  const update = (value: unknown): Thenable<void> =>
    vscode.workspace.getConfiguration(settingsSection).update(setting, value, vscode.ConfigurationTarget.Global);
  afterEach(() => update(undefined));

  it("has what a person changes in VS Code's own settings", async () => {
    await vscode.lm.invokeTool('recollect_recall', { input: { query: 'quotas' }, toolInvocationToken: undefined });
    await update({ permanent: 512 });
    const engine = await openOtherEngine();
    try {
      const history = async (): Promise<readonly object[]> =>
        (await engine.activity.settingChanges())
          .map(({ actor, detail }) => ({ actor, ...detail }))
          .filter(it => 'setting' in it && it.setting === setting);
      const made = { actor: 'vscode', setting, by: 'editor', to: '{"permanent":512}' };
      assert.deepEqual(await waitUntil(history, it => it.length > 0), [made]);
      await update(undefined);
      assert.deepEqual(await waitUntil(history, it => it.length > 1), [
        made,
        { actor: 'vscode', setting, by: 'editor', from: '{"permanent":512}' },
      ]);
    } finally {
      await engine.close();
    }
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useChatWindows, modelRequests, openChatWindow } from './kit/chat.js';
import { until } from './kit/until.js';
import { screenshot, type Storage, type Window } from './kit/window.js';
import { answerDialog, dialog, notifications, runCommand } from './kit/workbench.js';
import { runCommandLine } from './storeFixtures.js';

describe('the language model', () => {
  let storage: Storage;
  let window: Window | undefined;

  useChatWindows(
    its => {
      storage = its;
    },
    () => window,
  );

  const shows = (text: string): Promise<boolean> =>
    until(`a notification says "${text}"`, () => notifications(window!).filter({ hasText: text }).first().isVisible());

  it('is a chat model of VS Code once confirmed', async () => {
    window = await openChatWindow(storage, {
      settings: { 'recollect.model.provider': 'vscode', 'recollect.model.name': 'scripted' },
    });
    await runCommand(window, 'Recollect: Test Language Model…');
    await until('it asks first', () => dialog(window!).filter({ hasText: 'Send one test request' }).isVisible());
    await screenshot(window, 'language-model-question');
    assert.deepEqual(modelRequests(storage), [], 'nothing is sent unasked');
    await answerDialog(window, 'Send');
    await shows('scripted answers. The test took');
    await screenshot(window, 'language-model-answered');
    assert.deepEqual(
      modelRequests(storage).map(it => it.last.text),
      ['recollect'],
    );
    const status = JSON.parse(await runCommandLine(storage, 'language-model', '--json')) as {
      readonly today: { readonly calls: number; readonly unpricedCalls: number; readonly inputTokens: number };
    };
    const { calls, unpricedCalls, inputTokens } = status.today;
    assert.deepEqual([calls, unpricedCalls, inputTokens > 50], [1, 1, true]);
  });

  it('has a key that is in no readable file, and that can be removed', async () => {
    window = await openChatWindow(storage);
    const key = 'sk-ant-api03-abcdefghijklmnop';
    await runCommand(window, 'Recollect: Set Anthropic API Key…');
    const secret = window.page.locator('.quick-input-widget:visible input[type=password]');
    await secret.fill('sk-wrong');
    await until('it says what a key looks like', () =>
      window!.page.locator('.quick-input-message', { hasText: 'begins with sk-ant-' }).isVisible(),
    );
    await screenshot(window, 'language-model-key');
    await secret.fill(key);
    await secret.press('Enter');
    await shows('The key is kept. Nothing is sent before');
    assert.ok(!readFileSync(join(storage.folder, 'user-data', 'User', 'settings.json'), 'utf8').includes(key));
    await runCommand(window, 'Recollect: Set Anthropic API Key…');
    const remove = window.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Remove the key' });
    await remove.first().click();
    await shows('The Anthropic API key is removed.');
  });
});

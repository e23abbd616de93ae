import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openWindow, screenshot, useWindow, type Storage, type Window } from './kit/window.js';
import {
  answerDialog,
  answerInput,
  dialog,
  openContainer,
  pick,
  quickInput,
  runCommand,
  sideBarRows,
} from './kit/workbench.js';
import { until } from './kit/until.js';

const text = 'The password of the mole gate is hunter2-Quay-9917.';

describe('a sensitive memory in a window', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    return window;
  });

  const keepEncrypted = async (): Promise<void> => {
    // The tooltip of the field may lie over the button while the pointer is on the field.
    await window.page.mouse.move(0, 0);
    await window.page.locator('.quick-input-widget:visible [aria-label^="Keep Encrypted"]').click();
  };
  const row = (label: string) => sideBarRows(window).filter({ hasText: label }).first();

  it('is offered for a text that is refused, and kept encrypted after a yes', async () => {
    await openContainer(window, 'Recollect');
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, text);
    const problem = window.page.locator('.quick-input-message', { hasText: 'It contains a secret' });
    await problem.waitFor();
    await keepEncrypted();
    await dialog(window).filter({ hasText: 'A key for it is created' }).waitFor();
    await screenshot(window, 'sensitive-ask');
    await answerDialog(window, 'Cancel');
    await runCommand(window, 'Recollect: Remember…');
    await problem.waitFor();
    assert.equal(await quickInput(window).inputValue(), text, 'the text is there after a no');
    await screenshot(window, 'sensitive-box');
    await keepEncrypted();
    await answerDialog(window, 'Create Key and Keep Encrypted');
    await row('Sensitive').waitFor();
    await screenshot(window, 'sensitive-explorer');
  });

  it('is in no byte of the data folder', () => {
    const files = readdirSync(storage.globalStorage, { recursive: true, withFileTypes: true }).filter(it =>
      it.isFile(),
    );
    const holding = files
      .map(it => path.join(it.parentPath, it.name))
      .filter(it => readFileSync(it).includes('hunter2'));
    assert.ok(files.length > 0);
    assert.deepEqual(holding, []);
  });

  it('is shown after a click, and deleted when the consent is taken back', async () => {
    await row('Sensitive').click();
    await row('password').click();
    await dialog(window).filter({ hasText: text }).waitFor();
    await screenshot(window, 'sensitive-shown');
    await answerDialog(window, 'Cancel');
    await runCommand(window, 'Recollect: Delete a Sensitive Memory for Good…');
    await pick(window, 'password');
    await dialog(window).filter({ hasText: 'Take your consent back' }).waitFor();
    await answerDialog(window, 'Delete for Good');
    await until('it is gone', async () => (await sideBarRows(window).filter({ hasText: 'Sensitive' }).count()) === 0);
  });
});

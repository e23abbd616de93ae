import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommandLine } from './storeFixtures.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { alertMark, answerInput, notifications, openContainer, runCommand, sideBarRows } from './kit/workbench.js';

describe('a store that cannot be opened', () => {
  let storage: Storage;
  let window: Window;
  /** Creates a folder in place of the store's file. */
  let inTheWay: string;

  useWindow(async its => {
    storage = its;
    inTheWay = join(storage.globalStorage, 'global', 'memory.db');
    mkdirSync(inTheWay, { recursive: true });
    window = await openWindow(storage);
    return window;
  });

  it('is reported in the view, and once by a command that needs it', async () => {
    await openContainer(window, 'Recollect');
    const view = window.page.locator('.part.sidebar .welcome-view-content');
    await until('the view says so', async () => (await view.innerText()).includes('could not be opened'));
    if ((await notifications(window).count()) > 0) throw new Error('A notification came without being asked for.');
    await alertMark(window).waitFor();
    await screenshot(window, 'store-failed');

    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, 'The quay is 120 metres long.');
    await notifications(window).filter({ hasText: 'is a folder, not a file' }).locator('text=Retry').waitFor();
    await screenshot(window, 'store-failed-command');
  });

  it('opens without a reload once the cause is gone, and Retry stores what was typed before', async () => {
    rmSync(inTheWay, { recursive: true });
    await window.page.locator('.part.sidebar .welcome-view-content .monaco-button', { hasText: 'Try Again' }).click();
    const view = window.page.locator('.part.sidebar .welcome-view-content');
    await until('it is open', async () => (await view.innerText()).includes('Nothing is remembered yet.'));
    await until('the mark is gone', async () => (await alertMark(window).count()) === 0);
    await notifications(window).filter({ hasText: 'is a folder, not a file' }).locator('text=Retry').click();
    await sideBarRows(window).filter({ hasText: 'The quay is 120 metres long.' }).waitFor();
  });
});

describe('a data folder that is deleted while a window is open', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    await runCommandLine(storage, 'remember', 'The quay is 120 metres long.', '--store', 'project');
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });

  it('takes its rows along, and what is remembered afterwards is there', async () => {
    await sideBarRows(window).filter({ hasText: 'The quay is 120' }).waitFor();
    rmSync(storage.globalStorage, { recursive: true });
    await until(
      'the row is gone',
      async () => (await sideBarRows(window).filter({ hasText: 'The quay' }).count()) === 0,
    );
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, 'The crane lifts two tonnes.');
    await sideBarRows(window).filter({ hasText: 'The crane lifts' }).waitFor();
    const listed = await runCommandLine(storage, 'list', '--json');
    assert.match(listed, /The crane lifts two tonnes\./u);
    assert.doesNotMatch(listed, /The quay/u);
  });
});

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './kit/until.js';
import { aroundSuite, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import { answerInput, notifications, openContainer, runCommand, sideBarRows } from './kit/workbench.js';

describe('a store that cannot be opened', () => {
  let storage: Storage;
  let window: Window;
  /** Where the store's file belongs there is a folder. */
  let inTheWay: string;

  aroundSuite(async its => {
    storage = its;
    inTheWay = join(storage.globalStorage, 'global', 'memory.db');
    mkdirSync(inTheWay, { recursive: true });
    window = await openWindow(storage);
    return window;
  });

  it('is told in the view, and once by a command that needed it', async () => {
    await openContainer(window, 'Recollect');
    const view = window.page.locator('.part.sidebar .welcome-view-content');
    await until('the view says so', async () => (await view.innerText()).includes('could not be opened'));
    if ((await notifications(window).count()) > 0) throw new Error('Nobody asked for a notification.');
    await screenshot(window, 'store-failed');

    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, 'The quay is 120 metres long.');
    await notifications(window).filter({ hasText: 'is a folder, not a file' }).locator('text=Retry').waitFor();
    await screenshot(window, 'store-failed-command');
  });

  it('works again when the reason is gone, without a reload', async () => {
    rmSync(inTheWay, { recursive: true });
    await window.page.locator('.part.sidebar .welcome-view-content .monaco-button', { hasText: 'Try Again' }).click();
    const view = window.page.locator('.part.sidebar .welcome-view-content');
    await until('it is open', async () => (await view.innerText()).includes('Nothing is remembered yet.'));
    await runCommand(window, 'Recollect: Remember…');
    await answerInput(window, 'The quay is 120 metres long.');
    await sideBarRows(window).filter({ hasText: 'The quay is 120 metres long.' }).waitFor();
  });
});

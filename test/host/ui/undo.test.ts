import type { Locator } from 'playwright-core';
import { rememberTen } from './galleryStores.js';
import { inspectorIn } from './kit/inspectorPage.js';
import { openWindow, useWindow, type Window } from './kit/window.js';
import { chooseFromMenu, chooseFromTitle, openContainer, sideBarRows, undoRow } from './kit/workbench.js';

describe('the row that undoes', () => {
  let window: Window;
  useWindow(async storage => {
    await rememberTen(storage);
    window = await openWindow(storage);
    await openContainer(window, 'Recollect');
    return window;
  });
  const row = (text: string): Locator => sideBarRows(window).filter({ hasText: text }).first();

  it('takes back an edit that the menu of a row led to', async () => {
    await row('Inger is').click({ button: 'right' });
    await chooseFromMenu(window, /^Edit$/u);
    await inspectorIn(window).locator('#memory-text').fill('Inger is the harbour master.');
    await window.page.keyboard.press('Control+Enter');
    await row('Inger is the harbour master.').waitFor();
    await undoRow(window).click();
    await row('signs off').waitFor();
    // The page no longer says that the text is changed.
    await inspectorIn(window).locator('#undo-change').waitFor({ state: 'hidden' });
  });

  it('stays until nothing is left to undo', async () => {
    for (const text of ['I prefer small', 'Heights in']) {
      await row(text).click();
      await window.page.keyboard.press('Delete');
      await undoRow(window).filter({ hasText: text }).waitFor();
    }
    await undoRow(window).click();
    await undoRow(window).filter({ hasText: 'I prefer small' }).waitFor();
    await undoRow(window).click();
    await row('I prefer small').waitFor();
    await undoRow(window).waitFor({ state: 'hidden' });
  });

  it('leaves two clicks to what an assistant gets', async () => {
    await chooseFromTitle(window, /^What My Assistant Gets/u);
    await inspectorIn(window).locator('#briefing-title').waitFor();
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { runCommandLine } from './storeFixtures.js';
import { sampleMemories } from './kit/sampleMemories.js';
import { inspectorIn } from './kit/inspectorPage.js';
import { until } from './kit/until.js';
import { useWindow, openWindow, screenshot, type Storage, type Window } from './kit/window.js';
import {
  answerInput,
  answerNotification,
  chooseFromMenu,
  chooseFromTitle,
  clickCodeLens,
  clickInline,
  codeLenses,
  goToLine,
  notifications,
  openContainer,
  openFile,
  quickInput,
  quickPickRows,
  runCommand,
  setTheme,
  showTooltip,
  sideBarRows,
  statusBar,
  undoRow,
  widenSideBar,
} from './kit/workbench.js';

describe('the memory explorer', () => {
  let storage: Storage;
  let window: Window;

  useWindow(async its => {
    storage = its;
    window = await openWindow(storage);
    return window;
  });

  const row = (text: string) => sideBarRows(window).filter({ hasText: text }).first();
  const hasPin = async (text: string): Promise<boolean> => (await row(text).locator('.codicon-pinned').count()) > 0;
  /** What the test before changed may still be drawn, which drops a selection. */
  const selectBoth = (first: string, second: string): Promise<true> =>
    until('both are selected', async () => {
      await row(first).click({ timeout: 2_000 });
      await row(second).click({ modifiers: ['ControlOrMeta'], timeout: 2_000 });
      return (await window.page.locator('.part.sidebar .monaco-list-row.selected').count()) === 2;
    });

  it('shows a welcome view where nothing is remembered', async () => {
    await openContainer(window, 'Recollect');
    const view = window.page.locator('.part.sidebar .welcome-view-content');
    await until('the view says so', async () => (await view.innerText()).includes('Nothing is remembered yet.'));
    await screenshot(window, 'explorer-empty');
    assert.equal(await view.getByText('@recollect').count(), 0, 'no model answers in this chat');
    await view.locator('.monaco-button', { hasText: 'Remember…' }).click();
    await answerInput(window, 'The clearance under the keel is 0.6 metres.');
    await row('The clearance under the keel').waitFor();
    await statusBar(window, 'Remembered for harbour: The clearance').first().waitFor();
    assert.equal(await notifications(window).count(), 0, 'nothing is left to decide');
    await undoRow(window).click();
    await until('it is gone again', async () => (await sideBarRows(window).filter({ hasText: 'keel' }).count()) === 0);
  });

  it('shows what another process wrote, without a refresh', async () => {
    await runCommandLine(storage, 'remember', 'The ferry is called Perpetua.');
    const written = Date.now();
    await row('The ferry is called Perpetua.').waitFor();
    console.log(`      shown after ${Date.now() - written} ms`); // Not asserted: it depends on the machine.
  });

  it('pins a memory by the inline button', async () => {
    await clickInline(window, 'The ferry is called Perpetua.', 'Pin');
    await until('it is marked', () => hasPin('Perpetua'));
    assert.match(await runCommandLine(storage, 'list', '--json'), /"pinned":\s?true/u);
    await clickInline(window, 'The ferry is called Perpetua.', 'Unpin');
    await until('it is not marked', async () => !(await hasPin('Perpetua')));
  });

  it('says to a screen reader what the look of each sort of row says', async () => {
    const spoken = async (text: string): Promise<string> => (await row(text).getAttribute('aria-label')) ?? '';
    assert.match(await spoken('Perpetua'), /^The ferry is called Perpetua\., (now|\d+ minutes? ago)/u);
  });

  it('says whose word it is, since when, where it is kept and how long when the pointer rests on its row', async () => {
    assert.doesNotMatch(await row('Perpetua').innerText(), /\d\d|%/u);
    const tooltip = await showTooltip(window, row('Perpetua'), 'You said it');
    assert.match(
      await tooltip.innerText(),
      /The ferry is called Perpetua\.\s+You said it, .+\s+For harbour\s+Fades in \d+ (weeks|months) unless it is used/u,
    );
  });

  it('forgets a memory, and undoes it', async () => {
    await clickInline(window, 'The ferry is called Perpetua.', 'Forget');
    await until('it is gone', async () => (await sideBarRows(window).filter({ hasText: 'Perpetua' }).count()) === 0);
    await undoRow(window).filter({ hasText: 'forgot "The ferry is called Perpetua."' }).waitFor();
    await screenshot(window, 'explorer-forgotten');
    assert.equal(await notifications(window).count(), 0, 'the row says it and takes it back');
    await undoRow(window).click();
    await row('The ferry is called Perpetua.').waitFor();
  });

  it('remembers from a CodeLens', async () => {
    await openFile(window, 'departures.ts');
    await goToLine(window, 15);
    await clickCodeLens(codeLenses(window, 'Remember this'), quickInput(window));
    await screenshot(window, 'remember-symbol');
    await answerInput(window, 'Ask the harbour master before this limit is changed.');
    await codeLenses(window, '1 memory').waitFor();
    await row('Ask the harbour master').waitFor();
    const kept = JSON.parse(await runCommandLine(storage, 'list', '--json')) as {
      readonly content: string;
      readonly store: string;
      readonly provenance: { readonly symbol?: string; readonly anchorHash?: string };
    }[];
    const { provenance, store } = kept.find(it => it.content.startsWith('Ask the harbour'))!;
    assert.equal(store, 'project');
    assert.equal(provenance.symbol, 'Timetable.canLeave');
    assert.match(provenance.anchorHash ?? '', /^[\w-]{43}$/u);
  });

  it('shows the memories of a symbol on hover', async () => {
    await window.page.locator('.view-line span', { hasText: 'canLeave' }).first().hover();
    const hover = window.page.locator('.monaco-hover', { hasText: 'Recollect' });
    await hover.filter({ hasText: 'Ask the harbour master before this limit is changed.' }).waitFor();
    await screenshot(window, 'hover');
  });

  it('recalls from the palette while typing, and opens the picked memory', async () => {
    for (const args of Object.values(sampleMemories)) await runCommandLine(storage, 'remember', ...args);
    await runCommand(window, 'Recollect: Recall…');
    await quickInput(window).fill('tide tab');
    await until('what fits best is first', async () =>
      (await quickPickRows(window).first().innerText()).includes('Norwegian mapping authority'),
    );
    const rows = quickPickRows(window);
    const leftOut = rows.filter({ hasText: 'left out of answers' });
    await until('what an answer leaves out is below it, and says so', async () => (await leftOut.count()) > 0);
    assert.ok(!(await rows.first().innerText()).includes('left out of answers'));
    await screenshot(window, 'recall');
    // A row that is drawn again under the pointer, as the answer to the last letter comes in, ignores a click.
    await until('the picked memory opens', async () => {
      const picked = quickPickRows(window).filter({ hasText: 'Norwegian mapping authority' });
      if (await picked.isVisible()) await picked.click({ timeout: 5_000 });
      await window.page.locator('.tab.active', { hasText: 'Memory Inspector' }).waitFor({ timeout: 5_000 });
      return true;
    });
    const heading = inspectorIn(window).locator('h1');
    await until('its page is there', async () => (await heading.innerText()).includes('Norwegian mapping authority'));
    await screenshot(window, 'memory-page');
  });

  it('opens the page of a memory by a click on its row, or Enter, and leaves the keys with the rows', async () => {
    await row('I prefer small pull requests').click();
    const heading = inspectorIn(window).locator('h1');
    await until('its page is there', async () => (await heading.innerText()).includes('I prefer small pull requests'));
    const rowsWithKeys = window.page.locator('.part.sidebar .monaco-list:focus');
    await rowsWithKeys.waitFor();
    await row('The ferry is called').click();
    await until('the other page is there', async () => (await heading.innerText()).includes('The ferry is called'));
    const focused = window.page.locator('.part.sidebar .monaco-list-row.focused');
    const isAt = async (text: string): Promise<boolean> => (await focused.innerText()).includes(text);
    await window.page.keyboard.press('Home');
    for (let i = 0; i < 40 && !(await isAt('I prefer small pull requests')); i++)
      await window.page.keyboard.press('ArrowDown');
    await window.page.keyboard.press('Enter');
    await until('the page is there', async () => (await heading.innerText()).includes('I prefer small pull requests'));
    await rowsWithKeys.waitFor();
  });

  it('filters by the typed text, and clears the filter', async () => {
    await runCommand(window, 'Recollect: Filter Explorer…');
    await answerInput(window, 'harbour');
    const message = window.page.locator('.part.sidebar .message');
    await until('it says so', async () => /^\d of \d+ have "harbour"\.$/u.test((await message.innerText()).trim()));
    await until('others are gone', async () => (await sideBarRows(window).filter({ hasText: 'pull' }).count()) === 0);
    await screenshot(window, 'explorer-filtered');
    await runCommand(window, 'Recollect: Clear Filter');
    await row('I prefer small pull requests').waitFor();
  });

  it('keeps a group open that was open before a filter', async () => {
    await clickInline(window, 'The ferry is called', 'Forget');
    const fold = row('Forgotten or Replaced');
    await fold.click();
    await until('it is open', async () => (await fold.getAttribute('aria-expanded')) === 'true');
    await runCommand(window, 'Recollect: Filter Explorer…');
    await answerInput(window, 'harbour');
    await until('it is gone', async () => (await fold.count()) === 0);
    await runCommand(window, 'Recollect: Clear Filter');
    // It shows as closed until its rows have come.
    await until('it is open again', async () => (await fold.getAttribute('aria-expanded')) === 'true');
    await fold.click();
    await until('it is closed', async () => (await fold.getAttribute('aria-expanded')) === 'false');
    await undoRow(window).click();
    await row('The ferry is called').waitFor();
  });

  it('groups by how long memories last from its menu, and back', async () => {
    await chooseFromTitle(window, /^Group by How Long It Lasts/u);
    await row('For Three Months').waitFor();
    assert.equal(await row('For Three Months').getAttribute('aria-expanded'), 'true');
    await screenshot(window, 'explorer-lasting');
    await chooseFromTitle(window, /^Group by Topic/u);
    await until('no group is left', async () => (await row('For Three Months').count()) === 0);
    await row('The ferry is called').waitFor();
  });

  it('forgets the selected memories by a key, and undoes it', async () => {
    await selectBoth('Inger is the harbour', 'I prefer small pull');
    await window.page.keyboard.press('Delete');
    await undoRow(window).filter({ hasText: 'forgot 2 memories' }).waitFor();
    await screenshot(window, 'explorer-forgotten-two');
    const archived = await runCommandLine(storage, 'list', '--status', 'archived', '--json');
    assert.match(archived, /Inger is the harbour[^]*I prefer small pull|I prefer small pull[^]*Inger is the harbour/u);
    await undoRow(window).click();
    await row('Inger is the harbour').waitFor();
    await row('I prefer small pull').waitFor();
  });

  it('undoes the last changes by a row, a key and a command, a batch as one', async () => {
    const isThere = (text: string): Promise<unknown> => row(text).waitFor();
    const isGone = (text: string): Promise<true> =>
      until(`${text} is gone`, async () => (await sideBarRows(window).filter({ hasText: text }).count()) === 0);
    await clickInline(window, 'Inger is the harbour', 'Forget');
    await isGone('Inger is the harbour');
    const undo = undoRow(window);
    await until('the row says so', async () =>
      (await undo.innerText()).includes('forgot "Inger is the harbour master'),
    );
    await screenshot(window, 'explorer-undo');
    await undo.click();
    await isThere('Inger is the harbour');
    await until('the row has another change or none', async () =>
      (await undo.allInnerTexts()).every(it => !it.includes('Inger is the harbour')),
    );
    await selectBoth('Inger is the harbour', 'I prefer small pull');
    await window.page.keyboard.press('Delete');
    await isGone('Inger is the harbour');
    // Until then the rows move, and a click on a button that moves away is lost.
    await until('the batch is one', async () => (await undo.innerText()).includes('forgot 2 memories'));
    await clickInline(window, 'The ferry is called', 'Forget');
    await isGone('The ferry is called');
    await row('Never deploy').click();
    await window.page.keyboard.press('ControlOrMeta+Z');
    await isThere('The ferry is called');
    await undo.filter({ hasText: 'forgot 2 memories' }).waitFor();
    await runCommand(window, 'Recollect: Undo Last Change');
    await isThere('Inger is the harbour');
    await isThere('I prefer small pull');
    await runCommand(window, 'Notifications: Clear All Notifications');
  });

  it('pins several memories by the context menu', async () => {
    await selectBoth('Inger is the harbour', 'I prefer small pull');
    await row('I prefer small pull').click({ button: 'right' });
    await chooseFromMenu(window, /^Pin$/u);
    const both = ['Inger is the harbour', 'I prefer small pull'];
    for (const it of both) await until('it is marked', () => hasPin(it));
    // The button of one row applies to the whole selection.
    await clickInline(window, both[0]!, 'Unpin');
    for (const it of both) await until('it is not', async () => !(await hasPin(it)));
  });

  it('opens the code of a memory', async () => {
    await runCommand(window, 'View: Close All Editors');
    await clickInline(window, 'Ask the harbour master', 'Go to Code');
    await window.page.locator('.tab.active[aria-label^="departures.ts"]').waitFor();
    await until(
      'the line shows',
      async () => (await window.page.locator('.view-line', { hasText: 'canLeave' }).count()) > 0,
    );
  });

  it('indexes a file that is dropped onto the tree', async () => {
    // The URI that VS Code's explorer drops in a remote window.
    const { host } = new URL(window.page.url());
    await dropOnTree(window, `vscode-remote://${host}${join(storage.workspace, 'src', 'departures.ts')}`);
    await notifications(window).filter({ hasText: '1 file indexed' }).first().waitFor();
    await row('From the Code').waitFor();
    await screenshot(window, 'explorer-indexed');
  });

  it('shows the number of memories in the status bar', async () => {
    await until('it counts', async () => (await statusBar(window, '8').count()) > 0);
  });

  it('shows one notification at a time, and none of a muted topic', async () => {
    await runCommand(window, 'Notifications: Clear All Notifications');
    const upToDate = 'The code index is up to date';
    const file = `vscode-remote://${new URL(window.page.url()).host}${join(storage.workspace, 'src', 'departures.ts')}`;
    const index = (): Promise<void> => dropOnTree(window, file);
    const notice = notifications(window).filter({ hasText: upToDate });
    await index();
    await notice.first().waitFor();
    await index();
    await until('it is the only one', async () => (await notice.count()) === 1);
    await screenshot(window, 'notice');
    await answerNotification(window, upToDate, "Don't Show Again");
    // The message stays for some seconds.
    await Promise.all([statusBar(window, upToDate).first().waitFor(), index()]);
    await until('none shows', async () => (await notifications(window).count()) === 0);
    await runCommand(window, 'Recollect: Show All Notifications Again');
    await index();
    await notice.first().waitFor();
    await runCommand(window, 'Notifications: Clear All Notifications');
  });

  it('is readable in every theme', async () => {
    await clickInline(window, 'Tide tables come from', 'Pin');
    await clickInline(window, 'The ferry is called Perpetua.', 'Forget');
    await openFile(window, 'departures.ts');
    const tooltip = await showTooltip(window, row('Tide tables come from'), 'once a night.');
    assert.match(await tooltip.innerText(), /Norwegian mapping authority, once a night\.[^]*You said it/u);
    await screenshot(window, 'explorer-tooltip');
    for (const theme of ['Light 2026', 'Dark 2026', 'High Contrast'] as const) {
      await setTheme(window, theme);
      await showTooltip(window, row('Tide tables come from'), 'once a night.');
      await screenshot(window, `explorer-${theme.replace(/ .*/u, '').toLowerCase()}`);
    }
  });

  it('collapses all groups by the key for it', async () => {
    const fold = row('Forgotten or Replaced');
    await fold.click();
    if ((await fold.getAttribute('aria-expanded')) === 'false') await fold.click();
    await window.page.keyboard.press('ControlOrMeta+ArrowLeft');
    await until('it is collapsed', async () => (await fold.getAttribute('aria-expanded')) === 'false');
  });

  it('shows its name in the narrowest side bar', async () => {
    await openContainer(window, 'Recollect');
    await widenSideBar(window, 200);
    const bar = window.page.locator('.part.sidebar');
    assert.equal(await bar.locator('.composite.title h2').first().innerText(), 'Recollect');
    const measure = `(() => {
      const title = document.querySelector('.part.sidebar .composite.title h2');
      const words = document.createRange();
      words.selectNodeContents(title);
      return { words: words.getBoundingClientRect().width, room: title.parentElement.getBoundingClientRect().width };
    })()`;
    const { words, room } = await window.page.evaluate<{ readonly words: number; readonly room: number }>(measure);
    assert.ok(words <= room, `It is cut off: ${words} pixels in ${room}.`);
    await screenshot(window, 'explorer-narrow');
  });
});

/** Drops a file onto the tree, like another program or VS Code's explorer. */
async function dropOnTree(window: Window, uri: string): Promise<void> {
  const dropped = await window.page.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.setData('text/uri-list', ${JSON.stringify(uri)}); return data; })()`,
  );
  const tree = sideBarRows(window).first();
  for (const type of ['dragenter', 'dragover', 'drop']) await tree.dispatchEvent(type, { dataTransfer: dropped });
}

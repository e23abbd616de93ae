import { isDeepStrictEqual } from 'node:util';
import type { Locator } from 'playwright-core';
import { until } from './until.js';
import type { Window } from './window.js';

/** VS Code hides a toast after ten seconds, which may be too soon on a slow machine. */
const toastMs = 12_000;

/** How long rows of a quick pick stay the same once they rest. */
const restMs = 400;

/** The command of VS Code's own that opens a quick pick here, as many of ours do. */
const themePicker = 'Preferences: Color Theme';

/** Commands that the palette does not list, and the one that lists each. */
const menuOfCommand: Readonly<Record<string, string>> = {
  'Recollect: Update CLAUDE.md…': 'Recollect: Publish…',
  'Recollect: Update My Own CLAUDE.md…': 'Recollect: Publish…',
  'Recollect: Remove What Was Published…': 'Recollect: Publish…',
  'Recollect: Sync Markdown…': 'Recollect: Publish…',
  'Recollect: Export…': 'Recollect: Publish…',
  'Recollect: Show Identity': 'Recollect: Publish…',
  'Recollect: What My Assistant Gets': 'Recollect: Connect an Assistant…',
  'Recollect: Connect Claude Code…': 'Recollect: Connect an Assistant…',
  'Recollect: Connect VS Code Agents…': 'Recollect: Connect an Assistant…',
  'Recollect: Connections': 'Recollect: Connect an Assistant…',
  'Recollect: Rights of Assistants…': 'Recollect: Connect an Assistant…',
  'Recollect: Share a Memory…': 'Recollect: Team…',
  'Recollect: Sync Now': 'Recollect: Team…',
  'Recollect: Leave…': 'Recollect: Team…',
  'Recollect: Move Project Store…': 'Recollect: Maintenance…',
  'Recollect: Run Maintenance…': 'Recollect: Maintenance…',
  'Recollect: Merge Memories…': 'Recollect: Maintenance…',
  'Recollect: Undo a Merge…': 'Recollect: Maintenance…',
  'Recollect: Candidates': 'Recollect: Maintenance…',
  'Recollect: Review What Is for All Projects…': 'Recollect: Maintenance…',
  'Recollect: Memories of All Projects': 'Recollect: Maintenance…',
  "Recollect: Use Another Project's Memory…": 'Recollect: Maintenance…',
  'Recollect: Keep Folder Apart from Project': 'Recollect: Maintenance…',
  'Recollect: Project of New Memories…': 'Recollect: Maintenance…',
  'Recollect: Show a Set…': 'Recollect: Maintenance…',
  'Recollect: Move to Set…': 'Recollect: Maintenance…',
  'Recollect: Keep a Sensitive Memory…': 'Recollect: Maintenance…',
  'Recollect: Delete a Sensitive Memory for Good…': 'Recollect: Maintenance…',
  'Recollect: Copy the Key of Sensitive Memories…': 'Recollect: Maintenance…',
  'Recollect: Bring a Key for Sensitive Memories…': 'Recollect: Maintenance…',
  'Recollect: Back Up…': 'Recollect: Maintenance…',
  'Recollect: Restore Checkpoint…': 'Recollect: Maintenance…',
  'Recollect: Verify Store': 'Recollect: Maintenance…',
  'Recollect: Delete for Good…': 'Recollect: Maintenance…',
  'Recollect: Reset Store…': 'Recollect: Maintenance…',
  'Recollect: Set Anthropic API Key…': 'Recollect: Maintenance…',
  'Recollect: Test Language Model…': 'Recollect: Maintenance…',
  'Recollect: Download Embedding Model…': 'Recollect: Maintenance…',
  'Recollect: Embedding Endpoint…': 'Recollect: Maintenance…',
  'Recollect: Get Started': 'Recollect: Help…',
  'Recollect: Show Log': 'Recollect: Help…',
  'Recollect: Show All Notifications Again': 'Recollect: Help…',
  'Recollect: Refresh Explorer': 'Recollect: Help…',
};

/** Runs a command by its title in the palette, or through the menu that has it. */
export async function runCommand(window: Window, title: string): Promise<void> {
  const menu = menuOfCommand[title];
  if (menu !== undefined) {
    const entry = title.slice('Recollect: '.length);
    await runCommand(window, menu);
    // A long list draws only the rows that show.
    await quickPickRows(window).first().waitFor();
    await quickInput(window).fill(entry);
    await pick(window, entry);
    return;
  }
  const { page } = window;
  if (title.startsWith('Recollect:') || title === themePicker) await leaveWebview(window);
  await until(`the palette offers "${title}"`, async () => {
    await page.keyboard.press('F1');
    const input = quickInput(window);
    try {
      await input.waitFor({ timeout: 2_000 });
      await input.fill(`>${title}`, { timeout: 2_000 });
      const row = page.locator('.quick-input-list .monaco-list-row', { has: page.getByText(title, { exact: true }) });
      await row.first().click({ timeout: 3_000 });
      return true;
    } catch (error) {
      // As long as it is open with the same text it looks no further: a command that comes to be offered does not show.
      await page.keyboard.press('Escape');
      throw error;
    }
  });
}

/**
 * Moves the focus from a webview into the side bar where that has a list. Once the palette has closed, VS Code gives the
 * focus back to a webview through messages, which on a busy machine come after a quick pick has opened, and close it.
 */
async function leaveWebview({ page }: Window): Promise<void> {
  const list = page.locator('.part.sidebar .monaco-list:visible').first();
  const isInWebview = await page.evaluate<boolean>("document.activeElement?.tagName === 'IFRAME'");
  if (isInWebview && (await list.count()) > 0) await list.focus();
}

/** The text field of the palette, a quick pick or an input box. */
export function quickInput(window: Window): Locator {
  return window.page.locator('.quick-input-widget:visible input:is([type=text], [type=password])');
}

/** Types into the open input box and accepts it. */
export async function answerInput(window: Window, text: string): Promise<void> {
  await quickInput(window).fill(text);
  await quickInput(window).press('Enter');
}

/**
 * Answers the dialog for a file or a folder, which in the web host is an input above the entries of a folder.
 * @param path a folder ends with a slash
 * @param entry one that the list then shows: before that, another is chosen
 */
export async function choosePath(window: Window, path: string, entry: string): Promise<void> {
  const widget = window.page.locator('.quick-input-widget:visible');
  const ok = widget.locator('.monaco-button', { hasText: /^OK$/u });
  await ok.waitFor();
  await until(`${path} is chosen`, async () => {
    // It shows the folder that it begins in a moment after itself, over what was typed before.
    await quickInput(window).fill(path, { timeout: 2_000 });
    await quickPickRows(window).filter({ hasText: entry }).first().waitFor({ timeout: 2_000 });
    if ((await quickInput(window).inputValue({ timeout: 2_000 })) !== path) return false;
    await ok.click({ timeout: 2_000 });
    await ok.waitFor({ state: 'hidden', timeout: 3_000 });
    return true;
  });
}

/** The rows of the open quick pick. */
export function quickPickRows(window: Window): Locator {
  return window.page.locator('.quick-input-widget:visible .quick-input-list .monaco-list-row');
}

/**
 * Picks the row that contains a text. A click on a row that is drawn again may go nowhere: it waits until they rest, and clicks
 * until the row is gone.
 */
export async function pick(window: Window, text: string): Promise<void> {
  const rows = quickPickRows(window);
  const row = rows.filter({ hasText: text }).first();
  await row.waitFor();
  await waitForRest(window);
  await until(`"${text}" is picked`, async () => {
    // A pointer that rests on a row shows its whole text, over the row.
    await window.page.mouse.move(0, 0);
    if (await row.isVisible()) await row.click({ timeout: 2_000 });
    await row.waitFor({ state: 'hidden', timeout: 2_000 });
    return true;
  });
}

/** Waits until the rows of the open quick pick stay the same: what is typed brings others a moment later. */
export async function waitForRest(window: Window): Promise<void> {
  const rows = quickPickRows(window);
  await until('the rows rest', async () => {
    const before = await rows.allInnerTexts();
    await window.page.waitForTimeout(restMs);
    return isDeepStrictEqual(await rows.allInnerTexts(), before);
  });
}

/** Opens a view container by its title in the activity bar; does nothing when it is open. */
export async function openContainer(window: Window, title: string): Promise<void> {
  const tab = window.page.locator('.activitybar .action-item', {
    has: window.page.locator(`[aria-label^="${title}"]`),
  });
  await tab.first().waitFor();
  const isOpen = async (): Promise<boolean> => (await tab.first().getAttribute('aria-expanded')) === 'true';
  if (await isOpen()) return;
  await tab.first().click();
  await until(`"${title}" is open`, isOpen);
}

/** Drags the edge of the side bar. @param width pixels, within a tolerance of 10 */
export async function widenSideBar(window: Window, width: number): Promise<void> {
  const { page } = window;
  await until(`the side bar is ${width} wide`, async () => {
    const bar = (await page.locator('.part.sidebar').boundingBox())!;
    if (Math.abs(bar.width - width) < 10) return true;
    const sashes = await page.locator('.monaco-sash.vertical').all();
    const boxes = (await Promise.all(sashes.map(it => it.boundingBox()))).filter(it => it !== null);
    const middles = boxes.map(it => it.x + it.width / 2);
    const distance = (middle: number): number => Math.abs(middle - bar.x - bar.width);
    const [edge] = middles.sort((a, b) => distance(a) - distance(b));
    const y = bar.y + bar.height / 2;
    await page.mouse.move(edge!, y);
    await page.mouse.down();
    await page.mouse.move(edge! + width - bar.width, y, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(bar.x + bar.width * 2, y);
    return false;
  });
}

/** Picks an entry of the "More Actions" menu in the side bar's title. */
export async function chooseFromTitle(window: Window, text: RegExp): Promise<void> {
  const menu = window.page.locator('.monaco-menu');
  await until('the menu shows', async () => {
    if (await menu.isVisible()) return true;
    await window.page.locator('.part.sidebar .composite.title .codicon-toolbar-more').click({ timeout: 2_000 });
    await menu.waitFor({ timeout: 2_000 });
    return true;
  });
  await chooseFromMenu(window, text);
}

/** The rows of lists and trees in the side bar, without the one that undoes the last change, which quotes another row. */
export function sideBarRows(window: Window): Locator {
  return window.page.locator('.part.sidebar .monaco-list-row:not([aria-label^="Undo:"], [aria-label^="⟦Undo:"])');
}

/** The row on top of the explorer that undoes the last change. */
export function undoRow(window: Window): Locator {
  return window.page.locator('.part.sidebar .monaco-list-row[aria-label^="Undo:"]');
}

/** Clicks the inline button of a side bar's row, which shows while the pointer is over the row. */
export async function clickInline(window: Window, rowText: string, buttonTitle: string): Promise<void> {
  const row = sideBarRows(window).filter({ hasText: rowText }).first();
  // The change before may move the row from under the pointer, and its buttons are gone.
  await until(`"${buttonTitle}" of "${rowText}" is pressed`, async () => {
    try {
      await row.hover({ timeout: 2_000 });
      await row.locator(`.action-label[aria-label^="${buttonTitle}"]`).click({ timeout: 2_000 });
      return true;
    } catch (error) {
      // The tooltip of another row may lie over it, and goes only when the pointer does.
      await window.page.mouse.move(0, 0);
      throw error;
    }
  });
}

/**
 * Rests the pointer on a row until its tooltip shows. The tooltip of another one may lie over it, or come late while
 * the pointer is on its way, so the pointer comes from elsewhere, and none shows before. One whose element was drawn
 * again beneath the pointer does not notice that the pointer left, and goes with a key.
 *
 * @param text some words of the tooltip, which those of other rows do not have
 */
export async function showTooltip(window: Window, row: Locator, text: string): Promise<Locator> {
  const shown = window.page.locator('.monaco-hover:visible');
  const tooltip = window.page.locator('.monaco-hover:visible', { hasText: text }).first();
  await until('the tooltip shows', async () => {
    await window.page.mouse.move(0, 0);
    try {
      await until('no tooltip shows', async () => (await shown.count()) === 0, 3_000);
    } catch (error) {
      const text = await shown.first().innerText({ timeout: 2_000 });
      await window.page.keyboard.press('Escape');
      throw new Error(`A tooltip stays: ${text}`, { cause: error });
    }
    // On its words: further right its buttons come under the pointer, and have tooltips of their own.
    const width = (await row.boundingBox())?.width ?? 0;
    await row.hover({ position: { x: Math.min(50, width / 2), y: 11 }, timeout: 10_000 });
    await tooltip.waitFor({ timeout: 10_000 });
    return true;
  });
  return tooltip;
}

/** Chooses an entry of the context menu that is about to show. */
export async function chooseFromMenu(window: Window, text: RegExp): Promise<void> {
  const entry = window.page.locator('.monaco-menu .action-item', { hasText: text });
  await entry.waitFor();
  // A menu takes no click until a moment after it shows, so that the one that opened it chooses nothing.
  await until(`${text.source} is chosen`, async () => {
    if (await entry.isVisible()) await entry.click({ timeout: 2_000 });
    return !(await entry.isVisible());
  });
}

/** Presses a button in the title of the diff that is open. */
export async function answerDiff(window: Window, button: string): Promise<void> {
  const label = window.page.locator(`.editor-actions [aria-label^="${button}"]`).first();
  await label.click();
}

/** Opens a file of the workspace in an editor by its name. */
export async function openFile(window: Window, name: string): Promise<void> {
  const { page } = window;
  const base = name.split('/').at(-1) ?? name;
  // A key that is pressed while the window is busy may be lost, and what was opened before may show later.
  await until(`"${name}" is open`, async () => {
    await page.keyboard.press('ControlOrMeta+P');
    await quickInput(window).fill(name, { timeout: 2_000 });
    await quickPickRows(window).filter({ hasText: name }).first().click({ timeout: 3_000 });
    await page.locator(`.tab.active[aria-label^="${base}"]`).waitFor({ timeout: 5_000 });
    return true;
  });
}

/** Moves the cursor of the active editor to the start of a line, counted from 1. */
export async function goToLine(window: Window, line: number): Promise<void> {
  const { page } = window;
  // Enter goes nowhere until the list below the text says where to.
  await until(`the cursor is in line ${line}`, async () => {
    if (!(await quickInput(window).isVisible())) await page.keyboard.press('Control+g');
    await quickInput(window).fill(`:${line}`, { timeout: 2_000 });
    await quickPickRows(window)
      .filter({ hasText: `${line}` })
      .first()
      .waitFor({ timeout: 2_000 });
    await page.keyboard.press('Enter');
    await quickInput(window).waitFor({ state: 'hidden', timeout: 3_000 });
    await statusBar(window, `Ln ${line}, `).waitFor({ timeout: 3_000 });
    return true;
  });
}

/** The CodeLenses of the visible editors that contain a text. */
export function codeLenses(window: Window, text: string): Locator {
  return window.page.locator('.codelens-decoration a', { hasText: text });
}

/**
 * Clicks a CodeLens until its result shows, because lenses that are redrawn under the pointer ignore a click. Where VS
 * Code asks for lenses while it resolves others, it may keep commands that are gone, until the editor gets the focus
 * again.
 */
export async function clickCodeLens(lens: Locator, opens: Locator): Promise<void> {
  let isClicked = false;
  await until('the CodeLens opens what it should', async () => {
    if (isClicked) {
      if (await opens.isVisible()) return true;
      await lens.page().evaluate('document.activeElement?.blur()');
    }
    await lens.click({ timeout: 5_000 });
    isClicked = true;
    await opens.waitFor({ timeout: 5_000 });
    return true;
  });
}

/** The visible toasts. */
export function notifications(window: Window): Locator {
  return window.page.locator('.notifications-toasts .notification-list-item');
}

/**
 * Waits for a notification that contains a text and clicks one of its buttons, also once it went behind the bell, until
 * it closes, because one that is redrawn under the pointer ignores a click.
 */
export async function answerNotification(window: Window, text: string, button: string): Promise<void> {
  const press = async (list: string, options: { timeout?: number }): Promise<void> => {
    const its = window.page.locator(`${list} .notification-list-item`, { hasText: text });
    const click = (within: { timeout?: number }): Promise<void> =>
      its.first().locator('.monaco-button', { hasText: button }).click(within);
    await its.first().waitFor(options);
    const before = await its.count();
    await click(options);
    const isClosed = async (): Promise<boolean> => (await its.count()) < before;
    await until(`"${button}" of "${text}" closes it`, async () => {
      if (await until('it closes', isClosed, 2_000).catch(() => false)) return true;
      await click({ timeout: 1_000 });
      return isClosed();
    });
  };
  try {
    await press('.notifications-toasts', { timeout: toastMs });
  } catch {
    await runCommand(window, 'Notifications: Show Notifications');
    await press('.notifications-center', {});
    await window.page.keyboard.press('Escape');
  }
}

/** The open modal dialog. */
export function dialog(window: Window): Locator {
  return window.page.locator('.monaco-dialog-box');
}

/** Answers the modal dialog. */
export async function answerDialog(window: Window, button: string): Promise<void> {
  await dialog(window).locator('.monaco-button', { hasText: button }).first().click();
}

/** The entries of the status bar that contain a text. */
export function statusBar(window: Window, text: string): Locator {
  return window.page.locator('.part.statusbar .statusbar-item', { hasText: text });
}

/** The sign in our item of the status bar that says that something wants a person's eye. */
export function alertMark(window: Window): Locator {
  return window.page.locator('.part.statusbar a[aria-label^="Recollect:"] .codicon-warning');
}

/** The body of the webview that shows in an editor or a view. */
export function webview(window: Window): Locator {
  return window.page.frameLocator('iframe.webview').frameLocator('iframe#active-frame').locator('body');
}

/** Changes the color theme of the open window, by its name in the theme picker. */
export async function setTheme(window: Window, theme: 'Light 2026' | 'Dark 2026' | 'High Contrast'): Promise<void> {
  await until('the themes are offered', async () => {
    await runCommand(window, themePicker);
    await quickInput(window).fill(theme, { timeout: 2_000 });
    return true;
  });
  await pick(window, theme);
  const kind = { 'Light 2026': '.vs', 'Dark 2026': '.vs-dark', 'High Contrast': '.hc-black' }[theme];
  await window.page.locator(`.monaco-workbench${kind}`).waitFor();
}

// `npm run screenshots`: pictures of every surface, for visual review. Asserts nothing.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator } from 'playwright-core';
import { exitOnSignal } from '../../../scripts/commandLine.mjs';
import { animateChats } from './chatStory.js';
import { buoyQuestion, rememberTen, rememberTenThousand, rememberTwoHundred } from './galleryStores.js';
import { takeGuidePictures } from './guidePictures.js';
import { openDetails, openFromDetails } from './kit/inspectorPage.js';
import { publishPicture, themes, type Theme } from './kit/pictures.js';
import { until } from './kit/until.js';
import { newStorage, openWindow, type Window } from './kit/window.js';
import {
  answerInput,
  clickInline,
  clickCodeLens,
  codeLenses,
  goToLine,
  openContainer,
  openFile,
  quickInput,
  quickPickRows,
  runCommand,
  setTheme,
  showTooltip,
  sideBarRows,
  widenSideBar,
} from './kit/workbench.js';

/** What a store holds before its window opens. */
const stores = {
  empty: () => Promise.resolve(),
  ten: rememberTen,
  'two-hundred': rememberTwoHundred,
  'ten-thousand': rememberTenThousand,
};
type StoreName = keyof typeof stores;

/** Pixels of the window and of its side bar. */
const widths = {
  wide: { window: { width: 1400, height: 900 }, sideBar: 300 },
  narrow: { window: { width: 620, height: 800 }, sideBar: 200 },
  // A page of 320 px next to the activity bar, without a side bar.
  narrowest: { window: { width: 380, height: 800 }, sideBar: undefined },
} as const;
const inspectorPages = ['Memories', 'Answers', 'Inbox', 'Access and Health'] as const;
/** Ten thousand memories are embedded meanwhile, and everything waits for that. */
const settlingMs = 120_000;
const folder = join('out', 'screenshots', 'gallery');

/** Parts of the pictures of ten memories that go into media; pixels of a wide window. */
const publishedPictures = {
  remember: { file: 'walkthrough/remember', clip: { x: 354, y: 0, width: 720, height: 460 } },
  recall: { file: 'walkthrough/recall', clip: { x: 354, y: 0, width: 720, height: 460 } },
  settle: { file: 'walkthrough/review', clip: { x: 50, y: 0, width: 720, height: 460 } },
  'inspector-answers': { file: 'walkthrough/why', clip: { x: 680, y: 100, width: 720, height: 460 } },
  tooltip: { file: 'readme/explorer', clip: { x: 0, y: 36, width: 720, height: 740 } },
  'inspector-memory': { file: 'readme/confidence', clip: { x: 354, y: 36, width: 1046, height: 556 } },
  'inspector-graph': { file: 'readme/graph', clip: { x: 354, y: 36, width: 1046, height: 770 } },
} as const;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { publish: { type: 'boolean' } } });
/** Whether to update the pictures in media. */
const publishing = values.publish === true;
const savedPictures: string[] = [];

async function picturesOf(store: StoreName): Promise<void> {
  const storage = await newStorage();
  try {
    await stores[store](storage);
    const window = await openWindow(storage);
    try {
      await openContainer(window, 'Recollect');
      if (store === 'ten') await rememberSymbol(window);
      for (const theme of Object.keys(themes) as Theme[]) {
        await resize(window, 'wide');
        await setTheme(window, themes[theme]);
        await captureStore(window, store, theme);
      }
    } finally {
      await window.close();
    }
  } finally {
    storage.remove();
  }
}

async function rememberSymbol(window: Window): Promise<void> {
  await openFile(window, 'departures.ts');
  await goToLine(window, 15);
  await clickCodeLens(codeLenses(window, 'Remember this'), quickInput(window));
  await answerInput(window, 'Ask the harbour master before this limit is changed.');
  await codeLenses(window, '1 memory').waitFor();
  await runCommand(window, 'Notifications: Clear All Notifications');
}

/** Every surface, first with room and then without; pictures to publish have room. */
async function captureStore(window: Window, store: StoreName, theme: Theme): Promise<void> {
  const all = Object.keys(widths) as (keyof typeof widths)[];
  for (const width of publishing ? all.filter(it => it === 'wide') : all) {
    const shoot = async (what: string): Promise<void> => {
      await takePicture(window, `${store}-${theme}-${width}-${what}`);
      if (publishing && store === 'ten' && width === 'wide' && what in publishedPictures)
        await publish(window, what as keyof typeof publishedPictures, theme);
    };
    await resize(window, width);
    if (width !== 'narrowest') {
      await explorer(window, store, shoot);
      if (store === 'ten') await editor(window, shoot);
      // There is nothing to recall, and the palette does not offer it.
      if (store !== 'empty') await recall(window, store, shoot);
    }
    await inspector(window, store, width, shoot);
    await runCommand(window, 'View: Close All Editors');
  }
}

async function resize(shown: Window, width: keyof typeof widths): Promise<void> {
  const { window, sideBar } = widths[width];
  await shown.page.setViewportSize(window);
  // A tooltip under the pointer would cover what is clicked next.
  await shown.page.mouse.move(window.width / 2, window.height / 2);
  if (sideBar !== undefined) await widenSideBar(shown, sideBar);
}

type Shoot = (what: string) => Promise<void>;

async function explorer(window: Window, store: StoreName, shoot: Shoot): Promise<void> {
  await openContainer(window, 'Recollect');
  const row = (text: string): Locator => sideBarRows(window).filter({ hasText: text }).first();
  if (store === 'ten') await openFile(window, 'departures.ts');
  if (store === 'empty') await window.page.locator('.welcome-view-content').first().waitFor();
  else await row(store === 'ten' ? 'Tide tables come from' : 'Facts').waitFor();
  if (store === 'ten-thousand') {
    if ((await row('Facts').getAttribute('aria-expanded')) === 'false') await row('Facts').click();
    await row('Buoy').waitFor();
  }
  await shoot('explorer');
  if (store !== 'ten') return;
  const pair = row('Which holds?');
  await pair.waitFor();
  await showTooltip(window, row('Tide tables come from'), 'You said it');
  await shoot('tooltip');
  await showTooltip(window, pair, 'Since her refit');
  await shoot('conflicts');
  await showTooltip(window, row('Replace the rule'), 'Replace the rule');
  await shoot('revisit');
  await runCommand(window, 'Recollect: Settle Conflict…');
  await quickPickRows(window).filter({ hasText: 'Keep both' }).waitFor();
  await window.page.mouse.move(0, 0);
  await shoot('settle');
  await window.page.keyboard.press('Escape');
}

async function editor(window: Window, shoot: Shoot): Promise<void> {
  await openFile(window, 'departures.ts');
  await codeLenses(window, '1 memory').waitFor();
  await until('the hover shows', async () => {
    await window.page.locator('.part.editor .tab.active').hover();
    await window.page.locator('.view-line span', { hasText: 'canLeave' }).first().hover();
    await window.page.locator('.monaco-hover', { hasText: 'Recollect' }).first().waitFor({ timeout: 3_000 });
    return true;
  });
  await shoot('hover');
  await window.page.keyboard.press('Escape');
  await goToLine(window, 19);
  await clickCodeLens(codeLenses(window, 'Remember this'), quickInput(window));
  await quickInput(window).fill('No ferry leaves in the hour before low water.');
  await shoot('remember');
  await window.page.keyboard.press('Escape');
}

async function recall(window: Window, store: StoreName, shoot: Shoot): Promise<void> {
  await runCommand(window, 'Recollect: Recall…');
  await quickInput(window).waitFor();
  const [question, answer] =
    store === 'ten' ? ['where do tide tables come from', 'Norwegian'] : [buoyQuestion, 'crew 7'];
  await quickInput(window).fill(question);
  await until('it answers', async () => (await quickPickRows(window).first().innerText()).includes(answer));
  await shoot('recall');
  await window.page.keyboard.press('Escape');
}

async function inspector(window: Window, store: StoreName, width: keyof typeof widths, shoot: Shoot): Promise<void> {
  if (store === 'ten' && width !== 'narrowest') await clickInline(window, 'Tide tables come from', 'Show in Inspector');
  else await runCommand(window, 'Recollect: Show Inspector');
  if (width !== 'wide') await runCommand(window, 'View: Toggle Primary Side Bar Visibility');
  const body = window.page
    .frameLocator('iframe.webview.ready')
    .frameLocator('iframe#active-frame')
    .locator('#inspector');
  for (const page of inspectorPages) {
    // A pointer that rests on a tab of the editor shows its tooltip over the page.
    await window.page.mouse.move(widths[width].window.width / 2, widths[width].window.height - 4);
    await body.getByRole('tab', { name: page }).click();
    await until('its page is settled', () => isSettled(body), settlingMs);
    const name = `inspector-${page.split(' ')[0]!.toLowerCase()}`;
    const rows = body.getByRole('option');
    const back = body.locator('.back');
    const hasRows = (await rows.count()) > 0;
    if (width !== 'wide' && hasRows && !(await back.isVisible())) await shoot(`${name}-list`);
    if (hasRows && !(await back.isVisible())) {
      await (await chooseRow(rows, page, store)).click();
      await until('it shows', () => isSettled(body), settlingMs);
    }
    await shoot(name);
    if (page === 'Answers' && store === 'ten' && width === 'wide') {
      const ranks = body.locator('.ranks > summary');
      await ranks.click();
      await ranks.scrollIntoViewIfNeeded();
      await shoot('inspector-trace-ranks');
      await ranks.click();
    }
    if (page === 'Memories' && store === 'ten') await captureDetails(body, shoot);
    if (page === 'Access and Health') await captureBriefing(body, shoot);
    if (page === 'Inbox') {
      if (await back.isVisible()) await back.click();
      await rows.filter({ hasText: 'Forget what has faded' }).click();
      await body.locator('vscode-button', { hasText: 'Preview Maintenance' }).click();
      await body.locator('.decisions, .block .notice').first().waitFor({ timeout: settlingMs });
      await shoot('inspector-maintenance-preview');
    }
    if (await back.isVisible()) await back.click();
  }
  if (width !== 'wide') await openContainer(window, 'Recollect');
}

/** The oldest of ten answers found most, and one of ten memories has neighbors. */
async function chooseRow(rows: Locator, page: string, store: StoreName): Promise<Locator> {
  if (page === 'Answers') return rows.last();
  const withNeighbors = rows.filter({ hasText: 'Since her refit' });
  return page === 'Memories' && store === 'ten' && (await withNeighbors.count()) > 0 ? withNeighbors : rows.first();
}

/** The details of the memory that shows, and its graph. */
async function captureDetails(body: Locator, shoot: Shoot): Promise<void> {
  await openDetails(body);
  await until('they show', () => isSettled(body));
  await body.locator('.chart').first().scrollIntoViewIfNeeded();
  await shoot('inspector-memory');
  await openFromDetails(body, 'Show in the Graph');
  await until('it shows', () => isSettled(body), settlingMs);
  await expandSome(body);
  await shoot('inspector-graph');
  await body.locator('.leave').click();
}

/** From the page of who can reach the memory. */
async function captureBriefing(body: Locator, shoot: Shoot): Promise<void> {
  await body.locator('vscode-button', { hasText: 'What My Assistant Gets' }).click();
  await until('it shows', () => isSettled(body), settlingMs);
  await shoot('inspector-briefing');
}

async function isSettled(body: Locator): Promise<boolean> {
  const before = await body.textContent();
  await body.page().waitForTimeout(300);
  return before !== '' && (await body.textContent()) === before && (await body.locator('.loading').count()) === 0;
}

/** Shows the neighbours of neighbours as well, and waits until the picture stands still. */
async function expandSome(body: Locator): Promise<void> {
  for (let i = 0; i < 4; i++) {
    // The weakest link leads to the most others.
    const more = body.locator('.neighbours .icon-button').last();
    if (!(await more.isVisible())) break;
    await more.click();
    await until('they show', () => isSettled(body));
  }
  const canvas = body.locator('canvas');
  await until('it stands still', async () => {
    const before = await canvas.screenshot();
    await canvas.page().waitForTimeout(300);
    return before.equals(await canvas.screenshot());
  });
}

async function takePicture(window: Window, name: string): Promise<void> {
  await window.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  savedPictures.push(name);
  console.log(`  ${name}.png`);
}

async function publish(window: Window, what: keyof typeof publishedPictures, theme: Theme): Promise<void> {
  if (theme === 'contrast') return;
  const { file, clip } = publishedPictures[what];
  await publishPicture(window, join('media', `${file}-${theme}.png`), clip);
}

/** One page with all pictures, so that they can be looked at one after another. */
function writeIndex(): void {
  const pictures = savedPictures.map(it => `<figure><figcaption>${it}</figcaption><img src="${it}.png"></figure>`);
  const style = 'body { font: 14px sans-serif } img { max-width: 100%; border: 1px solid #888 }';
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><title>Recollect</title><style>${style}</style>${pictures.join('\n')}\n`,
  );
}

async function main(wanted: string | undefined): Promise<void> {
  if (wanted === 'chats') {
    await publishChats();
    return;
  }
  const names = (Object.keys(stores) as StoreName[]).filter(it => wanted === undefined || it === wanted);
  if (names.length === 0 && wanted !== 'guide')
    throw new Error(`No store is called ${wanted}: choose ${[...Object.keys(stores), 'guide', 'chats'].join(', ')}.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const it of names) await picturesOf(it);
  if (wanted === undefined || wanted === 'guide') savedPictures.push(...(await takeGuidePictures(folder, publishing)));
  if (publishing && wanted !== 'guide') await publishChats();
  writeIndex();
  console.log(`\n${savedPictures.length} pictures; look at ${join(folder, 'index.html')}`);
}

async function publishChats(): Promise<void> {
  for (const theme of ['light', 'dark'] as const) console.log(`  ${await animateChats(theme)}`);
}

exitOnSignal();
main(positionals[0]).then(
  // A handle that a window forgot must not keep the run from ending.
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

// `npm run screenshots` runs this: pictures of every surface, for a person to look at. It proves nothing by itself.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Locator } from 'playwright-core';
import { exitOnSignal } from '../../support/command.mjs';
import { sql } from '../../support/sqlite.js';
import { commandLine, projectFile, rememberMany, rememberOne } from './memory.js';
import { until } from './kit/until.js';
import { newStorage, openWindow, type Storage, type Window } from './kit/window.js';
import {
  answerInput,
  clickInline,
  codeLenses,
  openContainer,
  openFile,
  quickInput,
  quickPickRows,
  runCommand,
  setTheme,
  sideBarRows,
} from './kit/workbench.js';

/** What a store holds before its window opens. */
const stores = {
  empty: () => Promise.resolve(),
  ten: rememberTen,
  'ten-thousand': (storage: Storage) => rememberMany(storage, 10_000),
};
type StoreName = keyof typeof stores;

const themes = { light: 'Light 2026', dark: 'Dark 2026', contrast: 'High Contrast' } as const;
const widths = { wide: { width: 1400, height: 900 }, narrow: { width: 620, height: 800 } } as const;
const inspectorPages = ['Traces', 'Confidence', 'Graph', 'Health'] as const;
const folder = join('out', 'screenshots', 'gallery');

/** Parts of the pictures of ten memories that go into media; pixels of a wide window. */
const published = {
  remember: { file: 'walkthrough/remember', clip: { x: 354, y: 0, width: 720, height: 460 } },
  recall: { file: 'walkthrough/recall', clip: { x: 354, y: 0, width: 720, height: 460 } },
  settle: { file: 'walkthrough/review', clip: { x: 50, y: 0, width: 720, height: 460 } },
  'inspector-trace-factors': { file: 'walkthrough/why', clip: { x: 680, y: 100, width: 720, height: 460 } },
  tooltip: { file: 'readme/explorer', clip: { x: 0, y: 36, width: 720, height: 460 } },
  'inspector-confidence': { file: 'readme/confidence', clip: { x: 354, y: 36, width: 1046, height: 668 } },
  'inspector-graph': { file: 'readme/graph', clip: { x: 354, y: 36, width: 1046, height: 668 } },
} as const;

/** The tenth is remembered in the window, of a symbol. */
const nine: readonly (readonly string[])[] = [
  ['Never deploy the timetable on a Friday before noon.', '--gate', 'correction'],
  ['I prefer small pull requests with a test in each.', '--gate', 'behavioral', '--kind', 'preference'],
  ['Tide tables come from the Norwegian mapping authority, once a night.', '--gate', 'epistemic', '--kind', 'decision'],
  ['Heights in tide tables are metres above chart datum, never feet.', '--gate', 'epistemic', '--lane', 'note'],
  ['Inger is the harbour master and signs off clearances.', '--gate', 'relational'],
  ['Replace the rule of twelfths by the harmonic method for tides.', '--gate', 'promissory', '--kind', 'progress'],
  ['The ferry Perpetua draws 2.1 metres.', '--gate', 'epistemic', '--kind', 'context'],
  ['Since her refit the keel of Perpetua is at 2.4 metres.', '--gate', 'epistemic', '--kind', 'context'],
  ['Tide predictions are wrong by an hour in summer unless the zone is UTC.', '--gate', 'correction'],
];

async function rememberTen(storage: Storage): Promise<void> {
  const ids: string[] = [];
  for (const args of nine) ids.push(await rememberOne(storage, ...args));
  const row = (index: number): string => `(SELECT row FROM memories WHERE id = '${ids[index]}')`;
  const link = (newer: number, older: number, type: string, reason: string): string =>
    `INSERT INTO edges VALUES (${row(newer)}, ${row(older)}, '${type}', 0.9, '${reason}', '2026-01-01T00:00:00.000Z', NULL)`;
  await sql(
    projectFile(storage),
    link(7, 6, 'contradicts', '2.4 metres against 2.1 metres.'),
    link(3, 2, 'relates_to', 'Both are about tide tables.'),
    link(8, 2, 'relates_to', 'Both are about tides.'),
    link(5, 8, 'relates_to', 'Both are about predictions.'),
    `UPDATE memories SET due_at = '2026-01-01T12:00:00.000Z' WHERE id = '${ids[5]}'`,
    "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
  );
  await commandLine(storage, 'recall', 'Where do the tide tables come from?', '--limit', '3');
  await commandLine(storage, 'recall', 'Who signs off clearances?');
  await commandLine(storage, 'recall', 'When does the ferry leave?');
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { publish: { type: 'boolean' } } });
/** Whether the pictures in media are made anew. */
const publishing = values.publish === true;
const made: string[] = [];

async function picturesOf(store: StoreName): Promise<void> {
  const storage = await newStorage();
  try {
    await stores[store](storage);
    const window = await openWindow(storage);
    try {
      await openContainer(window, 'Recollect');
      if (store === 'ten') await rememberSymbol(window);
      for (const theme of Object.keys(themes) as (keyof typeof themes)[]) {
        await window.page.setViewportSize(widths.wide);
        await setTheme(window, themes[theme]);
        await walk(window, store, theme);
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
  await codeLenses(window, 'Remember this').nth(3).click();
  await answerInput(window, 'Ask the harbour master before this limit is changed.');
  await codeLenses(window, '1 memory').waitFor();
  await runCommand(window, 'Notifications: Clear All Notifications');
}

/** Every surface, first with room and then without. */
async function walk(window: Window, store: StoreName, theme: keyof typeof themes): Promise<void> {
  for (const width of Object.keys(widths) as (keyof typeof widths)[]) {
    const shoot = async (what: string): Promise<void> => {
      await take(window, `${store}-${theme}-${width}-${what}`);
      if (publishing && store === 'ten' && width === 'wide' && what in published)
        await publish(window, what as keyof typeof published, theme);
    };
    await window.page.setViewportSize(widths[width]);
    await explorer(window, store, shoot);
    if (store === 'ten') await editor(window, shoot);
    // There is nothing to recall, and the palette does not offer it.
    if (store !== 'empty') await recall(window, store, shoot);
    await inspector(window, store, width, shoot);
    await runCommand(window, 'View: Close All Editors');
  }
}

type Shoot = (what: string) => Promise<void>;

async function explorer(window: Window, store: StoreName, shoot: Shoot): Promise<void> {
  await openContainer(window, 'Recollect');
  const row = (text: string): Locator => sideBarRows(window).filter({ hasText: text }).first();
  if (store === 'empty') await window.page.locator('.welcome-view-content').first().waitFor();
  else await row('Correction').waitFor();
  await shoot('explorer');
  if (store !== 'ten') return;
  const pair = row('2.4 metres against');
  if ((await pair.getAttribute('aria-expanded')) === 'false') await pair.locator('.monaco-tl-twistie').click();
  await row('Older:').waitFor();
  await until('the tooltip shows', async () => {
    await row('Never deploy').hover();
    await row('Tide tables come from').hover();
    await window.page.locator('.monaco-hover', { hasText: 'Kept in' }).waitFor({ timeout: 3_000 });
    return true;
  });
  await shoot('tooltip');
  await pair.hover();
  await shoot('conflicts');
  await row('Replace the rule').hover();
  await shoot('revisit');
  await runCommand(window, 'Recollect: Settle Conflict…');
  await quickPickRows(window).filter({ hasText: '2.4 metres' }).click();
  await quickPickRows(window).filter({ hasText: 'Keep both' }).waitFor();
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
  await codeLenses(window, 'Remember this').last().click();
  await quickInput(window).fill('No ferry leaves in the hour before low water.');
  await shoot('remember');
  await window.page.keyboard.press('Escape');
}

async function recall(window: Window, store: StoreName, shoot: Shoot): Promise<void> {
  await runCommand(window, 'Recollect: Recall…');
  await quickInput(window).waitFor();
  const [question, answer] =
    store === 'ten' ? ['where do tide tables come from', 'Norwegian'] : ['which buoy was checked by crew 7', 'crew 7'];
  await quickInput(window).fill(question);
  await until('it answers', async () => (await quickPickRows(window).first().innerText()).includes(answer));
  await shoot('recall');
  await window.page.keyboard.press('Escape');
}

async function inspector(window: Window, store: StoreName, width: keyof typeof widths, shoot: Shoot): Promise<void> {
  if (store === 'ten') await clickInline(window, 'Tide tables come from', 'Show in Inspector');
  else await runCommand(window, 'Recollect: Show Inspector');
  if (width === 'narrow') await runCommand(window, 'View: Toggle Primary Side Bar Visibility');
  const body = window.page
    .frameLocator('iframe.webview.ready')
    .frameLocator('iframe#active-frame')
    .locator('#inspector');
  for (const page of inspectorPages) {
    await body.getByRole('tab', { name: page }).click();
    await until('its page is settled', async () => {
      const before = await body.textContent();
      await window.page.waitForTimeout(300);
      return before !== '' && (await body.textContent()) === before;
    });
    const recalls = body.getByRole('option');
    // The oldest of ten memories found most.
    if (page === 'Traces' && width === 'wide' && (await recalls.count()) > 0) await recalls.last().click();
    if (page === 'Graph' && store === 'ten') await expandOne(body);
    await shoot(`inspector-${page.toLowerCase()}`);
    if (page === 'Health') {
      await body.locator('vscode-button', { hasText: 'Preview Maintenance' }).click();
      await body.locator('.decisions, .block .notice').first().waitFor();
      await body.locator('#maintenance-title').scrollIntoViewIfNeeded();
      await shoot('inspector-health-preview');
    }
    if (page === 'Traces' && store === 'ten' && width === 'wide') {
      await body.locator('summary').first().click();
      await shoot('inspector-trace-factors');
      await body.locator('summary').first().click();
    }
  }
  if (width === 'narrow') await openContainer(window, 'Recollect');
}

/** Shows the neighbours of a neighbour as well, and waits until the picture stands still. */
async function expandOne(body: Locator): Promise<void> {
  await body.locator('.neighbours .icon-button').first().click();
  const canvas = body.locator('canvas');
  await until('it stands still', async () => {
    const before = await canvas.screenshot();
    await canvas.page().waitForTimeout(300);
    return before.equals(await canvas.screenshot());
  });
}

async function take(window: Window, name: string): Promise<void> {
  await window.page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
  made.push(name);
  console.log(`  ${name}.png`);
}

async function publish(window: Window, what: keyof typeof published, theme: keyof typeof themes): Promise<void> {
  if (theme === 'contrast') return;
  const { file, clip } = published[what];
  const path = join('media', `${file}-${theme}.png`);
  await window.page.screenshot({ path, clip, animations: 'disabled' });
}

/** One page with all pictures, so that they can be looked at one after another. */
function writeIndex(): void {
  const pictures = made.map(it => `<figure><figcaption>${it}</figcaption><img src="${it}.png"></figure>`);
  const style = 'body { font: 14px sans-serif } img { max-width: 100%; border: 1px solid #888 }';
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><title>Recollect</title><style>${style}</style>${pictures.join('\n')}\n`,
  );
}

async function main(wanted: string | undefined): Promise<void> {
  const names = (Object.keys(stores) as StoreName[]).filter(it => wanted === undefined || it === wanted);
  if (names.length === 0) throw new Error(`No store is called ${wanted}: choose ${Object.keys(stores).join(', ')}.`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const it of names) await picturesOf(it);
  writeIndex();
  console.log(`\n${made.length} pictures; look at ${join(folder, 'index.html')}`);
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

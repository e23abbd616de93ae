import type { Locator } from 'playwright-core';
import { projectFile, rememberMany } from '../host/ui/storeFixtures.js';
import { webviewFrame } from '../host/ui/kit/accessibility.js';
import { until } from '../host/ui/kit/until.js';
import { newStorage, openWindow, type Storage, type Window } from '../host/ui/kit/window.js';
import { openContainer, pick, quickInput, runCommand, sideBarRows, webview } from '../host/ui/kit/workbench.js';
import { sql } from '../support/sqlite.js';
import { frameFigures, measureFrames } from './kit/frameTimings.js';
import { reportProgress } from './kit/corpus.js';
import type { BenchOptions } from './kit/options.js';
import type { Figures, Report } from './kit/report.js';

const maxMemories = 1_000;
/** Number of memories of the baseline. */
const minMemories = 100;
/** Neighbors of a central memory; the graph shows the first fifty. */
const spokes = 31;
/** Of the pointer or the wheel. */
const steps = 120;
/** Frames that are watched while the layout runs: about as many as it has steps. */
const layoutFrames = 140;

/**
 * Whether the inspector's graph stays fluid at a thousand memories, in a real webview: the frames while the layout runs
 * and while it is dragged, moved and zoomed. `--limit` takes fewer memories.
 */
export async function run({ limit = maxMemories }: BenchOptions): Promise<Report> {
  const n = Math.min(maxMemories, limit);
  const baseline = await measure(Math.min(minMemories, n));
  return {
    name: 'graph',
    n,
    figures: await measure(n),
    baseline,
    peers: { [`${minMemories} memories`]: baseline },
    notes: ['Drawn by the processor: the browser of the bench has no graphics card.'],
  };
}

async function measure(memories: number): Promise<Figures> {
  reportProgress(`${memories} memories`);
  const storage = await newStorage();
  try {
    await rememberMany(storage, memories);
    await link(storage, memories);
    const window = await openWindow(storage, { settings: { 'workbench.reduceMotion': 'off' } });
    try {
      return await measureWindow(window, Math.ceil(memories / (spokes + 1)));
    } finally {
      await window.close();
    }
  } finally {
    storage.remove();
  }
}

/** A chain of wheels: the middles are linked to each other, every other spoke to a second middle as well. */
async function link(storage: Storage, memories: number): Promise<void> {
  const file = projectFile(storage);
  const rows = (await sql(file, 'SELECT row FROM memories ORDER BY row')).map(it => Number(it.row));
  const middle = (at: number): number => Math.floor(at / (spokes + 1)) * (spokes + 1);
  const last = middle(memories - 1);
  const links = rows.flatMap((_, at): (readonly [from: number, to: number, strength: number])[] => {
    if (middle(at) === at) return at === 0 ? [] : [[at, at - spokes - 1, 1]];
    const second = middle((at * 389) % last);
    return [[at, middle(at), 0.6], ...(at % 2 === 0 && second !== middle(at) ? [[at, second, 0.3] as const] : [])];
  });
  const values = links.map(
    ([from, to, strength]) =>
      `(${rows[from]}, ${rows[to]}, 'relates_to', ${strength}, 'Both are buoys.', '2026-01-01T00:00:00.000Z', NULL)`,
  );
  await sql(
    file,
    'DELETE FROM edges',
    `INSERT INTO edges (source, target, type, strength, reason, created_at, settled_at) VALUES ${values.join(', ')}`,
    "UPDATE meta SET value = value + 1 WHERE key = 'revision'",
  );
}

/** @param middles memories whose neighbors are shown, one after another */
async function measureWindow(window: Window, middles: number): Promise<Figures> {
  const { page } = window;
  const inspector = webview(window);
  const canvas = inspector.locator('canvas');
  await openContainer(window, 'Recollect');
  await sideBarRows(window).first().waitFor();
  await runCommand(window, 'Recollect: Show Inspector');
  await inspector.getByRole('option').first().click();
  await inspector.locator('.memory-page > .fold > summary').click();
  await inspector.getByRole('button', { name: 'Show in the Graph' }).click();
  await inspector.locator('vscode-button', { hasText: 'Choose Memory…' }).click();
  await quickInput(window).fill('Buoy 0 lies');
  await pick(window, 'Buoy 0 lies');
  await inspector.locator('.neighbours li').first().waitFor();
  for (let i = 1; i < middles - 1; i++) await showNext(inspector, i * (spokes + 1));
  const frame = await webviewFrame(window);
  const runs = await measureFrames(frame, async () => {
    await showNext(inspector, (middles - 1) * (spokes + 1));
    await until(
      'the layout ran',
      async () => (await frame.evaluate<number>('recollectSeen.frames.length')) >= layoutFrames,
    );
  });
  const shown = /\d[\d,]*/u.exec((await canvas.getAttribute('aria-label')) ?? '')?.[0] ?? '0';
  const figures: Record<string, number> = { 'memories in the picture': Number(shown.replace(',', '')) };
  Object.assign(figures, frameFigures('layout', runs));

  const box = (await canvas.boundingBox())!;
  const center = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const circle = async (): Promise<void> => {
    for (let i = 1; i <= steps; i++) {
      const angle = (i / steps) * 4 * Math.PI;
      await page.mouse.move(center.x + 100 * Math.sin(angle), center.y + 60 * Math.sin(2 * angle));
    }
  };
  await page.mouse.move(center.x, center.y);
  Object.assign(figures, frameFigures('pointing', await measureFrames(frame, circle)));
  const corner = { x: box.x + 4, y: box.y + 4 };
  await page.mouse.move(corner.x, corner.y);
  await page.mouse.down();
  Object.assign(figures, frameFigures('moving', await measureFrames(frame, circle)));
  await page.mouse.up();
  await page.mouse.move(center.x, center.y);
  const zoomed = await measureFrames(frame, async () => {
    for (let i = 0; i < steps; i++) await page.mouse.wheel(0, i % 40 < 20 ? -30 : 30);
  });
  Object.assign(figures, frameFigures('zooming', zoomed));
  return figures;
}

/** Shows the neighbours of a buoy that is among the neighbours of the chosen memory. */
async function showNext(inspector: Locator, buoy: number): Promise<void> {
  const next = inspector.locator('.neighbours li', { hasText: `Buoy ${buoy} lies` });
  await next.locator('.icon-button').click();
  await until('it is chosen', async () =>
    (await inspector.locator('.detail .memory').first().innerText()).startsWith(`Buoy ${buoy} lies`),
  );
  await inspector.locator('.neighbours li').nth(1).waitFor();
}

import { runCommandLine, rememberMany } from '../host/ui/storeFixtures.js';
import { until } from '../host/ui/kit/until.js';
import { newStorage, openWindow, type Window } from '../host/ui/kit/window.js';
import { answerInput, openContainer, runCommand, sideBarRows } from '../host/ui/kit/workbench.js';
import { frameFigures, measureFrames } from './kit/frameTimings.js';
import { reportProgress } from './kit/corpus.js';
import type { BenchOptions } from './kit/options.js';
import type { Figures, Report } from './kit/report.js';

const maxMemories = 100_000;
/** Number of memories of the baseline. */
const minMemories = 1_000;
/** Turns of a mouse's wheel, and the pixels of each. */
const wheelSteps = { turns: 120, pixels: 120 } as const;

/**
 * Whether a hundred thousand memories leave the explorer as fluid as a thousand: what a person at a real window waits
 * for, and the frames that it draws. `--limit` takes fewer memories.
 */
export async function run({ limit = maxMemories }: BenchOptions): Promise<Report> {
  const n = Math.min(maxMemories, limit);
  const baseline = await measure(Math.min(minMemories, n));
  return {
    name: 'explorer',
    n,
    figures: await measure(n),
    baseline,
    peers: { [`${minMemories} memories`]: baseline },
    notes: ['From the click, or the last letter, until it shows; frames while the wheel turns.'],
  };
}

async function measure(memories: number): Promise<Figures> {
  reportProgress(`${memories} memories`);
  const storage = await newStorage();
  try {
    await rememberMany(storage, memories);
    const window = await openWindow(storage);
    try {
      return await measureWindow(window);
    } finally {
      await window.close();
    }
  } finally {
    storage.remove();
  }
}

async function measureWindow(window: Window): Promise<Figures> {
  const { page } = window;
  const row = (text: string) => sideBarRows(window).filter({ hasText: text }).first();
  const more = row('Show more…');
  const unfold = async (text: string, shows: string): Promise<number> => {
    const start = performance.now();
    await row(text).locator('.monaco-tl-twistie').click();
    await row(shows).waitFor();
    return performance.now() - start;
  };
  const figures: Record<string, number> = {};
  const opened = performance.now();
  await openContainer(window, 'Recollect');
  await row('Corrections').waitFor();
  figures['first rows, ms'] = performance.now() - opened;
  figures['a group unfolds, ms'] = await unfold('Facts', 'Context');
  figures['its first page, ms'] = await unfold('Context', 'Buoy');
  figures['rows in the page'] = await sideBarRows(window).count();

  await row('Buoy').hover();
  const scrolled = await measureFrames(page, async () => {
    for (let i = 0; i < wheelSteps.turns; i++)
      await page.mouse.wheel(0, i < wheelSteps.turns / 2 ? wheelSteps.pixels : -wheelSteps.pixels);
  });
  Object.assign(figures, frameFigures('scrolling', scrolled));

  await until('the last row shows', async () => {
    await page.keyboard.press('End');
    return row('Plans').isVisible();
  });
  if (await more.isVisible()) {
    const left = await more.innerText();
    const start = performance.now();
    await more.click();
    await until(
      'the next page is there',
      async () => (await more.isHidden()) || (await more.innerText({ timeout: 1_000 })) !== left,
    );
    figures['the next page, ms'] = performance.now() - start;
  }
  await page.keyboard.press('Home');
  await row('Corrections').waitFor();

  const before = await row('Facts').innerText();
  await runCommandLine(window.storage, 'remember', 'The ferry is called Perpetua.', '--gate', 'epistemic');
  const written = performance.now();
  await until('the count follows', async () => (await row('Facts').innerText()) !== before);
  figures['shows what another process wrote, ms'] = performance.now() - written;

  await runCommand(window, 'Recollect: Filter Explorer…');
  const typed = performance.now();
  await answerInput(window, 'crew 7');
  await page.locator('.part.sidebar .message', { hasText: 'match' }).waitFor();
  figures['filters, ms'] = performance.now() - typed;
  return figures;
}

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ExplorerContent, type ExplorerView } from '../../src/vscode/explorer/content.js';
import type { ExplorerNode } from '../../src/vscode/explorer/nodes.js';
import { commandLine, openEngineOf, rememberMany } from '../host/ui/memory.js';
import { until } from '../host/ui/kit/until.js';
import { newStorage, openWindow, type Storage, type Window } from '../host/ui/kit/window.js';
import { answerInput, openContainer, runCommand, sideBarRows } from '../host/ui/kit/workbench.js';
import { sayTo } from './kit/memory.js';
import type { BenchOptions } from './kit/options.js';
import type { Figures, Report } from './kit/report.js';

const most = 100_000;
/** What the same is compared to. */
const few = 1_000;
/** How often what takes milliseconds is done. */
const rounds = 20;
/** Turns of a mouse's wheel, and the pixels of each. */
const wheel = { turns: 60, pixels: 120 } as const;

/**
 * Whether a hundred thousand memories leave the explorer as fluid as a thousand: what its content costs the extension
 * host, and what a person at a window sees. `--limit` takes fewer memories.
 */
export async function run({ limit = most }: BenchOptions): Promise<Report> {
  const n = Math.min(most, limit);
  return {
    name: 'explorer',
    n,
    figures: await measure(n),
    baseline: await measure(Math.min(few, n)),
    notes: [
      `The baseline is the same with ${Math.min(few, n).toLocaleString('en-US')} memories.`,
      'Of the content: the median of what one call takes, and the longest the extension host could answer nothing else.',
      'Of the window: from the click, or the last letter, until it shows; frames while the wheel turns.',
    ],
  };
}

async function measure(memories: number): Promise<Figures> {
  sayTo(`${memories} memories`);
  const storage = await newStorage();
  try {
    await rememberMany(storage, memories);
    const content = await measureContent(storage);
    const window = await openWindow(storage);
    try {
      return { ...content, ...(await measureWindow(window)) };
    } finally {
      await window.close();
    }
  } finally {
    storage.remove();
  }
}

/** The tree's content in this process, as the extension host has it. */
async function measureContent(storage: Storage): Promise<Figures> {
  const engine = await openEngineOf(storage);
  try {
    const everything: ExplorerView = { grouping: 'gate', filter: '', pages: new Map() };
    const firstKind = async (content: ExplorerContent): Promise<ExplorerNode> => {
      const [group] = (await content.overview()).nodes;
      return (await content.childrenOf(group!))[0]!;
    };
    const kind = await firstKind(new ExplorerContent(engine, everything));
    const work: Readonly<Record<string, () => Promise<unknown>>> = {
      'first level': () => new ExplorerContent(engine, everything).overview(),
      'first page': () => new ExplorerContent(engine, everything).childrenOf(kind),
      'tenth page': () =>
        new ExplorerContent(engine, { ...everything, pages: new Map([[kind.id, 10]]) }).childrenOf(kind),
      filter: () => new ExplorerContent(engine, { ...everything, filter: 'crew 7' }).overview(),
    };
    const figures: Record<string, number> = {};
    const delay = monitorEventLoopDelay({ resolution: 1 });
    for (const [name, call] of Object.entries(work)) {
      await call();
      const times: number[] = [];
      delay.reset();
      delay.enable();
      for (let i = 0; i < rounds; i++) {
        const start = performance.now();
        await call();
        times.push(performance.now() - start);
      }
      delay.disable();
      figures[`content: ${name}, ms`] = middle(times);
      figures[`content: ${name}, longest block, ms`] = delay.max / 1e6;
    }
    return figures;
  } finally {
    await engine.close();
  }
}

async function measureWindow(window: Window): Promise<Figures> {
  const { page } = window;
  const row = (text: string | RegExp) => sideBarRows(window).filter({ hasText: text }).first();
  const timed = async (act: () => Promise<unknown>, shows: () => Promise<unknown>): Promise<number> => {
    await act();
    const start = performance.now();
    await shows();
    return performance.now() - start;
  };
  const figures: Record<string, number> = {};
  figures['window: opens, ms'] = await timed(
    () => openContainer(window, 'Recollect'),
    () => row('Correction').waitFor(),
  );
  const unfold = async (text: string): Promise<void> => {
    if ((await row(text).getAttribute('aria-expanded')) === 'false')
      await row(text).locator('.monaco-tl-twistie').click();
  };
  figures['window: unfolds a group, ms'] = await timed(
    () => unfold('Epistemic'),
    () => row('Context').waitFor(),
  );
  figures['window: unfolds a kind, ms'] = await timed(
    () => unfold('Context'),
    () => row('Buoy').waitFor(),
  );
  await row('Buoy').hover();
  const scroll = await framesWhile(window, async () => {
    for (let i = 0; i < wheel.turns; i++) await page.mouse.wheel(0, wheel.pixels);
  });
  figures['window: scrolling, frame p95, ms'] = scroll.p95;
  figures['window: scrolling, longest frame, ms'] = scroll.longest;
  await until('the end shows', async () => {
    await page.mouse.wheel(0, 10_000);
    return row('Show more…').isVisible();
  });
  figures['window: next page, ms'] = await timed(
    () => row('Show more…').click(),
    () => row('Show more…').waitFor({ state: 'detached' }),
  );
  await until('the beginning shows', async () => {
    await page.mouse.wheel(0, -10_000);
    return row('Correction').isVisible();
  });
  const before = await row('Epistemic').innerText();
  await commandLine(window.storage, 'remember', 'The ferry is called Perpetua.', '--gate', 'epistemic');
  figures['window: shows what another process wrote, ms'] = await timed(
    () => Promise.resolve(),
    () => until('the count follows', async () => (await row('Epistemic').innerText()) !== before),
  );
  await runCommand(window, 'Recollect: Filter Explorer…');
  figures['window: filters, ms'] = await timed(
    () => answerInput(window, 'crew 7'),
    () => page.locator('.part.sidebar .message', { hasText: 'match' }).waitFor(),
  );
  return figures;
}

/** Lengths of the frames that the window drew meanwhile. */
async function framesWhile(
  { page }: Window,
  work: () => Promise<void>,
): Promise<{ readonly p95: number; readonly longest: number }> {
  await page.evaluate(`(() => {
    const frames = window.recollectFrames = [];
    let last = performance.now();
    const next = now => { frames.push(now - last); last = now; window.recollectFrames === frames && requestAnimationFrame(next); };
    requestAnimationFrame(next);
  })()`);
  await work();
  const frames = await page.evaluate<number[]>(
    '(() => { const it = recollectFrames; recollectFrames = []; return it; })()',
  );
  frames.sort((a, b) => a - b);
  return { p95: frames[Math.floor(frames.length * 0.95)]!, longest: frames.at(-1)! };
}

function middle(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
}

/**
 * One measurement of the benches speed and growth in a separate process, so that memory and JIT-compiled code of
 * one do not affect another: `node speedWorker.js fill|rows|restore|ask|aids|minisearch|orama FOLDER COUNT`. The result goes to
 * the parent.
 */
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { limitYoungGeneration } from '../../../src/cli/youngGeneration.js';
import { readBuiltInModel } from '../../../src/engine/embeddings/modelFolder.js';
import type { SearchAids } from '../../../src/engine/model/memory.js';
import { openEngine, type MemoryEngine } from '../../../src/engine/engine.js';
import { populateStore } from './populatedStore.js';
import { generateTexts } from './syntheticTexts.js';
import { benchHost } from './corpus.js';
import { percentile } from './metrics.js';
import { miniSearch, orama } from './competitors.js';

/** Texts per call while the store is filled, as an import sends them. */
const textsPerCall = 1_000;
const singleWrites = 200;
const recalls = 1_000;
const warmUpRecalls = 50;
/** Minimum number of questions; a slow system gets no more. */
const maxAskMs = 45_000;
const minRecalls = 100;
const limit = 10;
/** Pairs of recalls with and without search aids. */
const aidsRecalls = 300;
/** As many as a memory may have. */
const aidKeywords = 10;

export type SpeedTask = 'fill' | 'rows' | 'restore' | 'ask' | 'aids' | 'minisearch' | 'orama';
export type SpeedResult = Readonly<Record<string, number>>;

const measurements: Readonly<Record<SpeedTask, (folder: string, count: number) => Promise<SpeedResult>>> = {
  fill: fillByRemembering,
  rows: fillByRows,
  restore: exportAndImport,
  ask: measureRecall,
  aids: measureAids,
  minisearch: (_folder, count) => measureCompetitor(count, miniSearch),
  orama: (_folder, count) => measureCompetitor(count, orama),
};

/** Fills the store up to `count` memories, the last ones with single calls. */
async function fillByRemembering(folder: string, count: number): Promise<SpeedResult> {
  const { texts } = generateTexts(count, 0);
  const engine = await open(folder);
  const before = (await engine.groups()).reduce((sum, it) => sum + it.count, 0);
  const bulk = texts.slice(before, count - singleWrites);
  const start = performance.now();
  for (let at = 0; at < bulk.length; at += textsPerCall) {
    const texts = bulk.slice(at, at + textsPerCall);
    await engine.rememberAll(texts.map(content => ({ content, source: 'import', lane: 'confirmed' })));
  }
  const bulkMs = performance.now() - start;
  const times: number[] = [];
  for (const content of texts.slice(-singleWrites)) {
    const from = performance.now();
    await engine.remember({ content, source: 'extension-tool', lane: 'confirmed' });
    times.push(performance.now() - from);
  }
  await waitForIndex(engine);
  const stored = (await engine.groups()).reduce((sum, it) => sum + it.count, 0);
  await engine.close();
  return {
    memories: stored,
    rememberP50: percentile(times, 0.5),
    rememberP95: percentile(times, 0.95),
    importPerSecond: (bulk.length / bulkMs) * 1000,
  };
}

/** Fills an empty store with `count` memories as rows, and builds its index. */
async function fillByRows(folder: string, count: number): Promise<SpeedResult> {
  const host = benchHost(folder, () => new Date());
  await populateStore(host, count, (await readBuiltInModel(path.join(host.modelsDir, 'built-in'))).id);
  const engine = await open(folder);
  const start = performance.now();
  await waitForIndex(engine);
  const buildMs = performance.now() - start;
  await engine.close();
  return { buildMs };
}

/** Exports a filled store and imports it into an empty one. */
async function exportAndImport(folder: string, count: number): Promise<SpeedResult> {
  const file = `${folder}-export-${count}.jsonl`;
  const from = await open(folder);
  await writeFile(file, from.exchange.export('jsonl'));
  await from.close();
  const to = await open(`${folder}-restored-${count}`);
  const start = performance.now();
  const { sources, edges } = await to.exchange.import({ path: file, own: true });
  const seconds = (performance.now() - start) / 1000;
  await to.close();
  const restored = sources.reduce((sum, it) => sum + it.fresh, 0);
  return { restoredPerSecond: restored / seconds, restored, restoredEdges: edges };
}

async function measureRecall(folder: string, count: number): Promise<SpeedResult> {
  const { queries } = generateTexts(count, recalls + warmUpRecalls);
  const idle = await idleBytes(`${folder}-idle`);

  const opening = performance.now();
  const engine = await open(folder);
  await engine.recall({ query: queries[0]!, limit });
  const coldOpen = performance.now() - opening;
  for (const query of queries.slice(0, warmUpRecalls)) await engine.recall({ query, limit });

  const times: number[] = [];
  const stages = new Map<string, number[]>();
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const cpu = process.cpuUsage();
  for (const query of questionsFor(queries, times)) {
    const from = performance.now();
    const { trace } = await engine.recall({ query, limit, mode: 'fresh' });
    times.push(performance.now() - from);
    for (const { name, ms } of trace.stages) {
      const stageTimes = stages.get(name);
      if (stageTimes === undefined) stages.set(name, [ms]);
      else stageTimes.push(ms);
    }
  }
  loop.disable();
  const cpuMs = cpuMsSince(cpu) / times.length;
  const repeated: number[] = [];
  for (const query of queries.slice(0, 100)) {
    await engine.recall({ query, limit });
    const from = performance.now();
    await engine.recall({ query, limit });
    repeated.push(performance.now() - from);
  }
  await waitForFlush();
  const residentMb = (residentBytes() - idle) / 2 ** 20;
  await engine.close();
  return {
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    recalls: times.length,
    cpuMs,
    repeatedP50: percentile(repeated, 0.5),
    coldOpen,
    // The monitor includes its own resolution of one millisecond.
    longestBlock: Math.max(0, loop.max / 1e6 - 1),
    blockP99: Math.max(0, loop.percentile(99) / 1e6 - 1),
    residentMb,
    ...Object.fromEntries([...stages].map(([name, ms]) => [`stage ${name}`, percentile(ms, 0.5)])),
  };
}

/**
 * Recall of a store whose memories all have every search aid, next to one without, both filled with the same memories: the
 * questions alternate between the two, so that the load of the machine is the same for both.
 */
async function measureAids(folder: string, count: number): Promise<SpeedResult> {
  const { texts, queries } = generateTexts(count, aidsRecalls + warmUpRecalls);
  const aidsOf = (i: number): SearchAids => ({
    questions: [1, 2, 3].map(step => `Where is what ${texts[(i + step) % count]!.toLowerCase()}`.slice(0, 120)),
    keywords: texts[(i + 4) % count]!.split(' ').slice(0, aidKeywords),
  });
  const engines = await Promise.all(['plain', 'aids'].map(it => open(`${folder}-${it}`)));
  for (const [isWithAids, engine] of engines.entries()) {
    for (let at = 0; at < count; at += textsPerCall) {
      const inputs = texts.slice(at, at + textsPerCall).map((content, i) => ({
        content,
        source: 'import' as const,
        lane: 'confirmed' as const,
        ...(isWithAids === 1 ? { aids: aidsOf(at + i) } : {}),
      }));
      await engine.rememberAll(inputs);
    }
    await waitForIndex(engine);
  }
  const times: number[][] = [[], []];
  for (const [i, query] of queries.entries()) {
    for (const [number, engine] of engines.entries()) {
      const from = performance.now();
      await engine.recall({ query, limit, mode: 'fresh' });
      if (i >= warmUpRecalls) times[number]!.push(performance.now() - from);
    }
  }
  for (const it of engines) await it.close();
  const [plain, withAids] = times.map(it => percentile(it, 0.5));
  return { p50WithAids: withAids!, p50WithoutAids: plain!, aidsFactor: withAids! / plain! };
}

async function measureCompetitor(
  count: number,
  make: (
    documents: readonly { id: string; text: string }[],
  ) => ReturnType<typeof orama> | ReturnType<typeof miniSearch>,
): Promise<SpeedResult> {
  const { texts, queries } = generateTexts(count, recalls + warmUpRecalls);
  const before = residentBytes();
  const start = performance.now();
  const peer = await make(texts.map((text, i) => ({ id: String(i), text })));
  const buildMs = performance.now() - start;
  const residentMb = (residentBytes() - before) / 2 ** 20;
  for (const query of queries.slice(0, warmUpRecalls)) await peer.search(query, limit);
  const times: number[] = [];
  const cpu = process.cpuUsage();
  for (const query of questionsFor(queries, times)) {
    const from = performance.now();
    await peer.search(query, limit);
    times.push(performance.now() - from);
  }
  const cpuMs = cpuMsSince(cpu) / times.length;
  return {
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    recalls: times.length,
    cpuMs,
    coldOpen: buildMs,
    importPerSecond: (count / buildMs) * 1000,
    // Everything runs on the calling thread, so the slowest answer is the longest block.
    longestBlock: Math.max(...times),
    residentMb,
  };
}

/** The questions after those of the warm-up, as many as there is time for. */
function* questionsFor(queries: readonly string[], times: readonly number[]): Generator<string> {
  const until = performance.now() + maxAskMs;
  for (const query of queries.slice(warmUpRecalls)) {
    if (performance.now() > until && times.length >= minRecalls) return;
    yield query;
  }
}

/** Resident memory with an open engine that has loaded all its code and stores almost nothing. */
async function idleBytes(folder: string): Promise<number> {
  mkdirSync(folder, { recursive: true });
  const engine = await open(folder);
  await engine.remember({ content: 'The idle engine remembers one thing.', source: 'import', lane: 'confirmed' });
  await engine.recall({ query: 'what does the idle engine remember', limit });
  await waitForFlush();
  const bytes = residentBytes();
  await engine.close();
  return bytes;
}

/** Until the search index is built once: it is kept from then on, and a session begins with it. */
async function waitForIndex(engine: MemoryEngine): Promise<void> {
  for (;;) {
    const { trace } = await engine.recall({ query: 'is the index built', limit, isUntracked: true });
    if (!trace.degraded.some(it => it.includes('being built'))) return;
    await new Promise(resolve => setTimeout(resolve, 100));
  }
}

/** Waits until buffered writes are done and their memory is free. */
async function waitForFlush(): Promise<void> {
  await new Promise(resolve => setTimeout(resolve, 2_000));
}

/** CPU time of all threads, which depends little on the load of the machine. */
function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function residentBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

function open(folder: string): Promise<MemoryEngine> {
  return openEngine(benchHost(folder, () => new Date()));
}

// As the command line and the MCP server do.
limitYoungGeneration();
const [part, folder, count] = process.argv.slice(2);
void measurements[part as SpeedTask](path.resolve(folder!), Number(count)).then(result => {
  if (process.send === undefined) console.log(result);
  else
    process.send(result, () => {
      process.disconnect();
    });
});

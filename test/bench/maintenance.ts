/**
 * Maintenance of 100,000 memories: how long each part takes, and how long it keeps the program from doing
 * anything else. `--limit` is the number of memories.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openEngine, type MemoryEngine } from '../../src/engine/engine.js';
import { readBuiltInModel } from '../../src/engine/embeddings/modelFolder.js';
import type { MaintenanceRun } from '../../src/engine/model/maintenance.js';
import { populateStore } from './kit/populatedStore.js';
import { benchHost, inTemporaryFolder, reportProgress } from './kit/corpus.js';
import type { BenchOptions } from './kit/options.js';
import type { Report } from './kit/report.js';

const memoriesByDefault = 100_000;
const dayMs = 86_400_000;

interface MaintenanceTimings {
  readonly ms: number;
  /** Of all threads. */
  readonly cpuMs: number;
  /** Longest block of the event loop, without the time used by other programs. */
  readonly blockMs: number;
}

export async function run({ limit: count = memoriesByDefault }: BenchOptions): Promise<Report> {
  return inTemporaryFolder(async folder => {
    let time = Date.parse('2026-11-20T09:00:00.000Z');
    const host = benchHost(folder, () => new Date(time));
    await populateStore(host, count, (await readBuiltInModel(path.join(host.modelsDir, 'built-in'))).id);
    const engine = await openEngine(host);
    const measured: Record<string, MaintenanceTimings> = {};
    const notes: string[] = [];
    const measure = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      reportProgress(name);
      let [longest, before] = [0, mainThreadMs()];
      const watch = setInterval(() => {
        const now = mainThreadMs();
        longest = Math.max(longest, now - before);
        before = now;
      }, 1);
      const [from, cpu] = [performance.now(), process.cpuUsage()];
      const result = await work();
      const ms = performance.now() - from;
      const { user, system } = process.cpuUsage(cpu);
      // The look after the last block is still to come.
      await new Promise(resolve => setTimeout(resolve, 5));
      clearInterval(watch);
      measured[name] = { ms, cpuMs: (user + system) / 1_000, blockMs: longest };
      return result;
    };
    const report = (name: string, runs: readonly MaintenanceRun[]): void => {
      for (const { processed, counts, candidates } of runs) {
        const { faded, expired, quota, pruned, scored } = counts;
        notes.push(
          `${name}: of ${processed} memories ${faded} faded, ${expired} expired, ${quota} over quota, ${pruned} deleted, ${scored} scored again; ${candidates ?? 0} groups to merge.`,
        );
      }
    };
    try {
      await engine.list({ limit: 1 });
      report('dry run', await measure('dry run', () => engine.maintenance.preview()));
      report('first run', await measure('first run', () => engine.maintenance.run()));
      report('again at once', await measure('again at once', () => engine.maintenance.run()));
      time += dayMs;
      report('a day later', await measure('a day later', () => engine.maintenance.run()));
      await measureViews(engine, measure);
    } finally {
      await engine.close();
    }
    const of = (value: (it: MaintenanceTimings) => number): Record<string, number> =>
      Object.fromEntries(Object.entries(measured).map(([name, it]) => [name, value(it)]));
    return {
      name: 'maintenance',
      n: count,
      figures: of(it => it.ms),
      baseline: {},
      peers: { 'processor time': of(it => it.cpuMs), 'longest block': of(it => it.blockMs) },
      notes: [
        'Milliseconds: the whole, the processor time of all threads, and the longest block of the event loop in processor time of its thread.',
        ...notes,
      ],
    };
  });
}

/** Measures the views of the store and the remaining features. */
async function measureViews(
  engine: MemoryEngine,
  measure: <T>(name: string, work: () => Promise<T>) => Promise<T>,
): Promise<void> {
  await measure('metrics', () => engine.maintenance.metrics());
  await measure('revisit', () => engine.planReview.list());
  await measure('conflicts', () => engine.conflicts.list());
  await measure('identity', () => engine.identity());
  await measure('is consolidation due', () => engine.consolidation.isDue());
  await measure('consolidation', () => engine.consolidation.propose());
  await measure('checkpoint', () => engine.checkpoints.make());
}

/** CPU time of the main thread (Linux only), which is independent of the load of the machine. */
function mainThreadMs(): number {
  if (process.platform !== 'linux') return performance.now();
  return Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]) / 1e6;
}

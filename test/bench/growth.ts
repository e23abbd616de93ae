/**
 * How does the time of a recall grow with the store? Generated memories at ten thousand, a hundred thousand and a million,
 * with the same queries at each size. They are inserted as rows, because remembering them takes half an hour. Takes minutes
 * and gigabytes, so it is run by hand. `--limit` leaves out larger sizes.
 */
import path from 'node:path';
import { inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { BenchError, type BenchOptions } from './kit/options.js';
import type { Report } from './kit/report.js';
import { runSpeedWorker } from './kit/runSpeedWorker.js';

const sizes = [10_000, 100_000, 1_000_000];
const reportedKeys = ['p50', 'p95', 'cpuMs', 'coldOpen', 'longestBlock', 'residentMb', 'buildMs', 'stage search'];

export async function run({ limit = Infinity }: BenchOptions): Promise<Report> {
  const measured = sizes.filter(it => it <= limit);
  if (measured.length === 0) throw new BenchError(`The smallest size is ${sizes[0]}; --limit ${limit} leaves none.`);
  const figures: Record<string, number> = {};
  const notes: string[] = [];
  await inTemporaryFolder(async folder => {
    for (const size of measured) {
      reportProgress(`${size} memories`);
      const store = path.join(folder, String(size));
      const found = { ...(await runSpeedWorker('rows', store, size)), ...(await runSpeedWorker('ask', store, size)) };
      for (const key of reportedKeys) if (key in found) figures[`${key}@${size}`] = Number(found[key]!.toPrecision(4));
      notes.push(`${size} memories: ${found.recalls} recalls.`);
    }
  });
  const [first, last] = [measured[0]!, measured.at(-1)!];
  const times = figures[`p50@${last}`]! / figures[`p50@${first}`]!;
  notes.push(`From ${first} to ${last} memories, ${last / first} times as many, p50 grows ${times.toFixed(1)} times.`);
  return { name: 'growth', n: last, figures, baseline: {}, notes };
}

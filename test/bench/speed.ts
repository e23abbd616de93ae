/**
 * Speed and size with generated texts, the same in every run: remember and recall at growing sizes, next to MiniSearch and
 * Orama on the same texts and questions. `--limit` leaves out the sizes above it.
 */
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { BenchError, type BenchOptions } from './kit/options.js';
import type { Figures, Report } from './kit/report.js';
import { runSpeedWorker } from './kit/runSpeedWorker.js';

const sizes = [1_000, 10_000, 100_000];
/** Two more stores are filled up to this size, to compare memories with and without search aids. */
const maxAidsSize = 10_000;
const peerNames = ['minisearch', 'orama'] as const;
/** Reported figures of the engine at each size; times in milliseconds. */
const peerKeys = ['p50', 'p95', 'cpuMs', 'coldOpen', 'longestBlock', 'residentMb', 'importPerSecond'];

export async function run({ limit = Infinity }: BenchOptions): Promise<Report> {
  const measured = sizes.filter(it => it <= limit);
  if (measured.length === 0) throw new BenchError(`The smallest size is ${sizes[0]}; --limit ${limit} leaves none.`);
  const figures: Record<string, number> = {};
  const peers: Record<(typeof peerNames)[number], Record<string, number>> = { minisearch: {}, orama: {} };
  const notes: string[] = [];
  await inTemporaryFolder(async folder => {
    const store = path.join(folder, 'memory');
    for (const size of measured) {
      reportProgress(`${size} memories`);
      const filled = await runSpeedWorker('fill', store, size);
      const { restored, restoredEdges, ...restoring } = await runSpeedWorker('restore', store, size);
      const { recalls, memories, ...asked } = {
        ...(await runSpeedWorker('ask', store, size)),
        ...filled,
        ...restoring,
      };
      const stages = Object.entries(asked).filter(([name]) => name.startsWith('stage '));
      for (const [name, value] of Object.entries(asked)) {
        if (!name.startsWith('stage ')) figures[`${name}@${size}`] = rounded(value);
      }
      if (size <= maxAidsSize) {
        for (const [name, value] of Object.entries(await runSpeedWorker('aids', `${store}-${size}`, size))) {
          figures[`${name}@${size}`] = rounded(value);
        }
      }
      figures[`bytesOnDisk@${size}`] = bytesBelow(store);
      for (const peer of peerNames) {
        const theirs = await runSpeedWorker(peer, store, size);
        for (const key of peerKeys) if (key in theirs) peers[peer][`${key}@${size}`] = rounded(theirs[key]!);
        figures[`p50Of${peer === 'orama' ? 'Orama' : 'MiniSearch'}@${size}`] = rounded(asked.p50! / theirs.p50!);
      }
      const perStage = stages.map(([name, ms]) => `${name.slice('stage '.length)} ${ms.toFixed(2)} ms`).join(', ');
      notes.push(`${memories} memories, ${recalls} recalls; median per stage: ${perStage}.`);
      notes.push(`${restored} memories and ${restoredEdges} connections restored from an export.`);
    }
  });
  notes.push(`Node ${process.versions.node} on ${availableParallelism()} cores.`);
  notes.push(
    'The file system still holds the pages of the store when it is opened. Bytes on disk are without backups.',
  );
  const baseline: Figures = peers.minisearch;
  return { name: 'speed', n: measured.at(-1)!, figures, baseline, peers, notes };
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(it => !it.split(path.sep).includes('backups'))
    .map(it => statSync(path.join(folder, it)))
    .reduce((sum, it) => sum + (it.isFile() ? it.size : 0), 0);
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { reportProgress } from './kit/corpus.js';
import { BenchError, projectRoot, type BenchOptions } from './kit/options.js';
import { plot } from './kit/plot.js';
import type { Report } from './kit/report.js';
import { simulateYear, type YearReport } from './kit/yearSimulation.js';

const days = 365;
const picture = path.join('test', 'bench', 'year.svg');

/**
 * A year of use, simulated in minutes: which memories stay, which leave, and whether maintenance keeps its guarantees. The baseline is the
 * same year without maintenance, in which nothing ever goes. `--limit` takes fewer days, and draws no picture.
 */
export async function run({ limit = days }: BenchOptions): Promise<Report> {
  const found = await simulateYear(Math.min(days, limit), day => {
    if (day % 30 === 0) reportProgress(`day ${day}`);
  });
  const { pinnedLost, recalledLost, quotasBroken, problems } = found;
  if (pinnedLost + recalledLost + quotasBroken + problems.length > 0) {
    throw new BenchError(
      `A promise was broken: ${pinnedLost} pinned and ${recalledLost} recalled memories lost, ${quotasBroken} quotas exceeded, problems: ${problems.join(' ')}`,
    );
  }
  const last = found.samples.at(-1)!;
  const times = [...found.maintenanceMs].sort((a, b) => a - b);
  if (limit >= days) draw(found);
  return {
    name: 'year',
    n: found.runs.length,
    figures: {
      active: last.high + last.medium + last.low,
      archived: last.archived,
      kilobytes: last.bytes / 1024,
      faded: sum(found, 'faded'),
      expired: sum(found, 'expired'),
      quota: sum(found, 'quota'),
      pruned: sum(found, 'pruned'),
      pinned: found.pinned,
      recalledIn30Days: found.recalled,
      'of these active': found.recalledActive,
      'maintenance p50, ms': times[Math.floor(times.length / 2)]!,
      'maintenance longest, ms': times.at(-1)!,
    },
    baseline: { active: last.remembered, archived: 0, kilobytes: last.rememberedBytes / 1024 },
    notes: [
      'Every pinned memory, and every one that was recalled in the last 30 days, is there; every quota held after every run.',
      ...(limit >= days ? [`Drawn in ${picture}.`] : []),
    ],
  };
}

function sum({ runs }: YearReport, of: 'faded' | 'expired' | 'quota' | 'pruned'): number {
  return runs.reduce((all, it) => all + it.counts[of], 0);
}

function draw({ samples, quotas }: YearReport): void {
  const kilobytes = (bytes: number): number => bytes / 1024;
  const of = (value: (it: YearReport['samples'][number]) => number): readonly number[] => samples.map(value);
  const svg = plot(
    samples.map(it => it.day + 1),
    'day',
    [
      {
        title: 'Active memories by confidence left, and the archive',
        series: [
          { name: 'below 40', colour: '#d1605e', values: of(it => it.low) },
          { name: '40 to 70', colour: '#e7b84b', values: of(it => it.medium) },
          { name: '70 and more', colour: '#5aa469', values: of(it => it.high) },
          { name: 'archived', colour: '#b8bec6', values: of(it => it.archived) },
        ],
      },
      {
        title: 'Kilobytes of active memories',
        series: [
          { name: 'with maintenance', colour: '#4e79a7', values: of(it => kilobytes(it.bytes)) },
          { name: 'without', colour: '#d1605e', values: of(it => kilobytes(it.rememberedBytes)), line: true },
          {
            name: 'quotas, not permanent',
            colour: '#333333',
            values: of(() => kilobytes(quotas['short-term'] + quotas['long-term'])),
            line: true,
          },
        ],
      },
    ],
  );
  const file = path.join(projectRoot, picture);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, svg);
}

/** Does any text make a parser of foreign texts throw? `--limit` inputs each (100,000), `--seed` (1). */
import { fuzz, fuzzTargets, type FuzzTarget } from './kit/fuzz.js';
import type { BenchOptions, OptionValues } from './kit/options.js';
import type { Report } from './kit/report.js';

export const extraOptions = { seed: 'number' } as const;

export function run({ limit = 100_000, seed = 1 }: BenchOptions & OptionValues<typeof extraOptions>): Promise<Report> {
  const names = Object.keys(fuzzTargets) as FuzzTarget[];
  const failures = names.map(it => [it, fuzz(it, limit, seed)] as const);
  if (failures.some(([, found]) => found.length > 0)) process.exitCode = 1;
  return Promise.resolve({
    name: 'fuzz',
    n: limit,
    figures: Object.fromEntries(failures.map(([name, found]) => [name, found.length])),
    baseline: {},
    notes: failures.flatMap(([name, found]) =>
      found.slice(0, 3).map(it => `${name}: ${JSON.stringify(it.input.slice(0, 200))}: ${String(it.error)}`),
    ),
  });
}

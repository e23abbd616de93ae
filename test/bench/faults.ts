/**
 * Does damage cost more than what it hit, and does anything that was acknowledged get lost? Bits of a store are flipped one at a
 * time (`--flips`, 200, in a store of `--memories`, 200); then processes on the same stores are killed (`--minutes`, 0.2, of
 * `--processes`, 8; see the bench `soak`). `--seed` (1).
 */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { benchHost, inTemporaryFolder } from './kit/corpus.js';
import { flipBits } from './kit/bitFlips.js';
import type { OptionValues } from './kit/options.js';
import type { Report } from './kit/report.js';
import { run as soak } from './soak.js';

export const extraOptions = {
  flips: 'number',
  memories: 'number',
  minutes: 'number',
  processes: 'number',
  seed: 'number',
} as const;

export async function run({
  flips = 200,
  memories = 200,
  minutes = 0.2,
  processes = 8,
  seed = 1,
}: OptionValues<typeof extraOptions>): Promise<Report> {
  const outcomes = await inTemporaryFolder(folder => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    return flipBits(
      benchHost(dataDir, () => new Date()),
      { flips, memories, seed },
    );
  });
  const killed = await soak({ minutes, processes, seed });
  const count = (test: (it: (typeof outcomes)[number]) => boolean): number => outcomes.filter(test).length;
  return {
    name: 'faults',
    n: flips,
    figures: {
      lostMore: count(it => it.lost > 0),
      silentlyChanged: count(it => it.silentlyChanged > 0),
      refused: count(it => it.refused),
      repaired: count(it => it.repaired),
      ...Object.fromEntries(
        Object.entries(killed.figures)
          .filter(([, value]) => Number.isFinite(value))
          .map(([key, value]) => [`kill.${key}`, value]),
      ),
    },
    baseline: {},
    notes: [
      'lostMore: runs that lost a memory beyond those on the page of the bit. silentlyChanged: runs in which a text differed without a word. refused: runs in which the header named another program or version, and nothing was changed.',
      ...killed.notes,
    ],
  };
}

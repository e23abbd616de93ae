/**
 * Does damage cost more than what it hit, and does anything that was acknowledged get lost? Bits of a store are flipped one at a
 * time (`--flips`, 200, in a store of `--memories`, 200); a disk fills up, and one may not be written; links, pipes, devices,
 * folders and large files lie where files are expected; then processes on the same stores are killed (`--minutes`, 0.2, of
 * `--processes`, 8; see the bench `soak`). `--seed` (1); `--only` one of flips, disks, files, kills.
 */
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import type { EngineHost } from '../../src/engine/model/host.js';
import { benchHost, inTemporaryFolder, reportProgress } from './kit/corpus.js';
import { fillStore, flipBits } from './kit/bitFlips.js';
import { probeOddFiles } from './kit/oddFiles.js';
import { BenchError, type OptionValues } from './kit/options.js';
import { seeded } from './kit/random.js';
import type { Figures, Report } from './kit/report.js';
import { fillLimitedFile, fillMountedDisk, useReadOnlyDisk, type SmallDiskOutcome } from './kit/smallDisks.js';
import { run as soak } from './soak.js';

export const extraOptions = {
  flips: 'number',
  memories: 'number',
  minutes: 'number',
  processes: 'number',
  seed: 'number',
  only: 'file',
} as const;

type Options = OptionValues<typeof extraOptions>;

interface Part {
  readonly figures: Figures;
  readonly notes: readonly string[];
}

const parts: Readonly<Record<string, (options: Options) => Promise<Part>>> = {
  flips: countFlips,
  disks: countDisks,
  files: countOddFiles,
  kills: countKills,
};

export async function run(options: Options): Promise<Report> {
  const { only } = options;
  if (only !== undefined && !(only in parts))
    throw new BenchError(`--only takes one of ${Object.keys(parts).join(', ')}; it was ${only}.`);
  const done: Part[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only !== undefined && only !== name) continue;
    reportProgress(name);
    done.push(await part(options));
  }
  const figures = Object.assign({}, ...done.map(it => it.figures)) as Figures;
  if (Object.entries(figures).some(([key, value]) => mustBeZero.test(key) && value > 0)) process.exitCode = 1;
  return { name: 'faults', n: options.flips ?? 200, figures, baseline: {}, notes: done.flatMap(it => it.notes) };
}

/** Figures that a failure of a promise raises. */
const mustBeZero =
  /(?:lost|lostMore|silentlyChanged|unsaid|problems|hung|crashed|unnamed|damaged|died|mixed|stale|errors)$/u;

async function countFlips({ flips = 200, memories = 200, seed = 1 }: Options): Promise<Part> {
  const outcomes = await withHost(host => flipBits(host, { flips, memories, seed }));
  const count = (test: (it: (typeof outcomes)[number]) => boolean): number => outcomes.filter(test).length;
  return {
    figures: {
      lostMore: count(it => it.lost > 0),
      silentlyChanged: count(it => it.silentlyChanged > 0),
      refused: count(it => it.refused),
      repaired: count(it => it.repaired),
    },
    notes: [
      'lostMore: runs that lost a memory beyond those on the page of the bit. silentlyChanged: runs in which a text differed without a word. refused: runs in which the header named another program or version, and nothing was changed.',
    ],
  };
}

async function countDisks(): Promise<Part> {
  const problemsOf = (outcome: SmallDiskOutcome | undefined): readonly string[] => outcome?.problems ?? [];
  const limited = await withHost(fillLimitedFile);
  const full = await inTemporaryFolder(fillMountedDisk);
  const readOnly = await inTemporaryFolder(useReadOnlyDisk);
  return {
    figures: {
      ...diskFigures('pageLimit', limited),
      ...(full === undefined ? {} : diskFigures('fullDisk', full)),
      ...(readOnly === undefined ? {} : diskFigures('readOnlyDisk', readOnly)),
    },
    notes: [
      'pageLimit: a file that SQLite lets grow to 400 pages. fullDisk, readOnlyDisk: mounted for the run. unsaid: refused for another reason than the one that holds. problems: what verify found afterwards.',
      ...(full === undefined || readOnly === undefined ? ['No disk could be mounted on this machine.'] : []),
      ...[limited, full, readOnly].flatMap(problemsOf),
    ],
  };
}

async function countOddFiles({ seed = 1 }: Options): Promise<Part> {
  return inTemporaryFolder(async folder => {
    const template = path.join(folder, 'template');
    mkdirSync(template);
    const count = 20;
    const host = benchHost(template, () => new Date());
    await fillStore(host, count, seeded(seed));
    const backups = path.join(template, 'global', 'backups');
    mkdirSync(backups, { recursive: true });
    cpSync(path.join(template, 'global', 'memory.db'), path.join(backups, '2026-03-01T00-00-00-000Z-daily.db'));
    const { outcomes, lost, tried } = await probeOddFiles(folder, { template, count });
    const bad = outcomes.filter(it => it.hung || it.crashed || it.unnamed);
    const sum = (key: 'hung' | 'crashed' | 'unnamed'): number => outcomes.filter(it => it[key]).length;
    return {
      figures: {
        'files.tried': tried,
        'files.hung': sum('hung'),
        'files.crashed': sum('crashed'),
        'files.unnamed': sum('unnamed'),
        'files.lost': lost,
      },
      notes: [
        'files: commands that met a link, a pipe, a device, a folder or a large file in the place of a file, of ours or of a project. unnamed: they failed without its name. lost: memories gone after it was taken away.',
        ...bad.slice(0, 30).map(it => `${it.kind} at ${it.place}, ${it.command}: ${it.hung ? 'hung' : it.text}`),
      ],
    };
  });
}

async function countKills({ minutes = 0.2, processes = 8, seed = 1 }: Options): Promise<Part> {
  const { figures, notes } = await soak({ minutes, processes, seed });
  return { figures: prefixed('kill', figures), notes };
}

function diskFigures(prefix: string, { problems, ...counts }: SmallDiskOutcome): Figures {
  return prefixed(prefix, { ...counts, problems: problems.length });
}

function prefixed(prefix: string, figures: Figures): Figures {
  const finite = Object.entries(figures).filter(([, value]) => Number.isFinite(value));
  return Object.fromEntries(finite.map(([key, value]) => [`${prefix}.${key}`, value]));
}

function withHost<T>(work: (host: EngineHost) => Promise<T>): Promise<T> {
  return inTemporaryFolder(folder => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    return work(benchHost(dataDir, () => new Date()));
  });
}

/** `npm run bench -- NAME [--data FILE] [--limit N] [--json]`, and numbers of a bench's own. A bench is a file of this folder that exports `run`. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from '../support/command.mjs';
import { BenchError, type BenchOptions } from './kit/options.js';
import { toJson, toText, type Report } from './kit/report.js';

interface Bench {
  readonly run: (options: BenchOptions) => Promise<Report>;
}

const usage =
  'npm run bench -- NAME [--data FILE] [--limit N] [--json], for soak also [--minutes N] [--processes N] [--seed N]';

async function main(): Promise<void> {
  const { values, positionals } = readArguments(usage, {
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      limit: { type: 'string' },
      minutes: { type: 'string' },
      processes: { type: 'string' },
      seed: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const [name = ''] = positionals;
  const names = benchNames();
  if (!names.includes(name)) {
    const problem = name === '' ? 'Name a bench' : `There is no bench ${name}`;
    throw new BenchError(`${problem}. There are: ${names.join(', ')}.`);
  }
  const { run } = (await import(path.join(__dirname, `${name}.js`))) as Bench;
  const numbers = (['limit', 'minutes', 'processes', 'seed'] as const).flatMap(key => {
    if (values[key] === undefined) return [];
    const number = Number(values[key]);
    const least = key === 'minutes' ? 0.1 : 1;
    if (!(number >= least)) throw new BenchError(`--${key} must be a number from ${least}; it was ${values[key]}.`);
    return [[key, number] as const];
  });
  const report = await run({
    ...(values.data === undefined ? {} : { data: values.data }),
    ...Object.fromEntries(numbers),
  });
  console.log(toText(report));
  if (values.json === true) console.log(JSON.stringify(toJson(report)));
}

/** By its name: every bench is a bundle with a class of its own. */
function isBenchError(error: unknown): error is BenchError {
  return error instanceof Error && error.name === 'BenchError';
}

function benchNames(): string[] {
  return readdirSync(__dirname)
    .filter(it => it.endsWith('.js') && it !== path.basename(__filename))
    .map(it => it.slice(0, -'.js'.length))
    .sort();
}

main().catch((error: unknown) => {
  console.error(isBenchError(error) ? error.message : error);
  process.exitCode = 1;
});

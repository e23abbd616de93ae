/**
 * `npm run bench -- NAME [--vscode] [--data FILE] [--limit N] [--json]`, and options of a bench's own. A bench is a file of this
 * folder that exports `run`. Who starts this has chosen the Node that `--vscode` asks for (test/support/bench.mjs).
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from '../support/command.mjs';
import { BenchError, type BenchOptions, type OwnOptions } from './kit/options.js';
import { toJson, toText, type Report } from './kit/report.js';

interface Bench {
  readonly run: (options: BenchOptions) => Promise<Report>;
  readonly own?: OwnOptions;
}

async function main(): Promise<void> {
  const name = process.argv.slice(2).find(it => !it.startsWith('-')) ?? '';
  const names = benchNames();
  if (!names.includes(name)) {
    const problem = name === '' ? 'Name a bench' : `There is no bench ${name}`;
    throw new BenchError(`${problem}. There are: ${names.join(', ')}.`);
  }
  const { run, own } = (await import(path.join(__dirname, `${name}.js`))) as Bench;
  const { json, ...options } = readOptions(name, {
    vscode: 'flag',
    data: 'file',
    limit: 'number',
    json: 'flag',
    ...own,
  });
  const report = await run(options);
  console.log(toText(report));
  if (json === true) console.log(JSON.stringify(toJson(report)));
}

function readOptions(name: string, known: OwnOptions): Readonly<Record<string, string | number | boolean>> {
  const usage = Object.entries(known).map(
    ([key, type]) => `[--${key}${{ flag: '', file: ' FILE', number: ' N' }[type]}]`,
  );
  const { values } = readArguments(`npm run bench -- ${name} ${usage.join(' ')}`, {
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(known).map(([key, type]) => [key, { type: type === 'flag' ? 'boolean' : 'string' }] as const),
    ),
  });
  const read = Object.entries(values).map(([key, value]): readonly [string, string | number | boolean] => {
    if (known[key] !== 'number') return [key, value!];
    const number = Number(value);
    const least = key === 'minutes' ? 0.1 : 1;
    if (!(number >= least)) throw new BenchError(`--${key} must be a number from ${least}; it was ${String(value)}.`);
    return [key, number];
  });
  return Object.fromEntries(read);
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

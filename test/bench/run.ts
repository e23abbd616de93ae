/**
 * Entry point of `npm run bench -- NAME [--vscode] [--data FILE] [--limit N] [--json]`. A benchmark is a file of this folder
 * that exports `run`, and `extraOptions` if it takes more options. The launcher script has already chosen the Node that
 * `--vscode` asks for.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from '../../scripts/commandLine.mjs';
import { BenchError, type BenchOptions, type ExtraOptions } from './kit/options.js';
import { toJson, toText, type Report } from './kit/report.js';

interface Bench {
  readonly run: (options: BenchOptions) => Promise<Report>;
  readonly extraOptions?: ExtraOptions;
}

async function main(): Promise<void> {
  const name = process.argv.slice(2).find(it => !it.startsWith('-')) ?? '';
  const names = benchNames();
  if (!names.includes(name)) {
    const problem = name === '' ? 'Name a bench' : `There is no bench ${name}`;
    throw new BenchError(`${problem}. There are: ${names.join(', ')}.`);
  }
  const { run, extraOptions } = (await import(path.join(__dirname, `${name}.js`))) as Bench;
  const { json, ...options } = readOptions(name, {
    vscode: 'flag',
    data: 'file',
    limit: 'number',
    json: 'flag',
    ...extraOptions,
  });
  const report = await run(options);
  console.log(toText(report));
  if (json === true) console.log(JSON.stringify(toJson(report)));
}

function readOptions(name: string, knownOptions: ExtraOptions): Readonly<Record<string, string | number | boolean>> {
  const usage = Object.entries(knownOptions).map(
    ([key, type]) => `[--${key}${{ flag: '', file: ' FILE', number: ' N' }[type]}]`,
  );
  const { values } = readArguments(`npm run bench -- ${name} ${usage.join(' ')}`, {
    allowPositionals: true,
    options: Object.fromEntries(
      Object.entries(knownOptions).map(
        ([key, type]) => [key, { type: type === 'flag' ? 'boolean' : 'string' }] as const,
      ),
    ),
  });
  const parsed = Object.entries(values).map(([key, value]): readonly [string, string | number | boolean] => {
    if (knownOptions[key] !== 'number') return [key, value!];
    const number = Number(value);
    const min = key === 'minutes' ? 0.1 : 1;
    if (!(number >= min)) throw new BenchError(`--${key} must be a number from ${min}; it was ${String(value)}.`);
    return [key, number];
  });
  return Object.fromEntries(parsed);
}

/** Compares by name, because every benchmark is a bundle with its own copy of the class. */
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

/** `npm run bench -- NAME [--data FILE] [--limit N] [--json]`. A bench is a file of this folder that exports `run`. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BenchError, type BenchOptions } from './kit/options.js';
import { toJson, toText, type Report } from './kit/report.js';

interface Bench {
  readonly run: (options: BenchOptions) => Promise<Report>;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    strict: false,
    allowPositionals: true,
    options: { data: { type: 'string' }, limit: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [name = ''] = positionals;
  const names = benchNames();
  if (!names.includes(name)) {
    const problem = name === '' ? 'Name a bench' : `There is no bench ${name}`;
    throw new BenchError(`${problem}. There are: ${names.join(', ')}.`);
  }
  const { run } = (await import(path.join(__dirname, `${name}.js`))) as Bench;
  const limit = Number(values.limit ?? Infinity);
  if (!(limit >= 1)) throw new BenchError(`--limit must be a number from 1; it was ${String(values.limit)}.`);
  const report = await run({
    ...(typeof values.data === 'string' ? { data: values.data } : {}),
    ...(limit === Infinity ? {} : { limit }),
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

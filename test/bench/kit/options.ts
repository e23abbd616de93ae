import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Command-line options of every benchmark. */
export interface BenchOptions {
  /** A data file, gzipped or plain JSON; by default the evaluation data next to the project folder. */
  readonly data?: string;
  /** Maximum number of questions; of memories in `speed`. */
  readonly limit?: number;
}

/** Additional options of one benchmark, exported as `extraOptions`; their values are passed to its `run`. */
export type ExtraOptions = Readonly<Record<string, 'flag' | 'file' | 'number'>>;

export type OptionValues<Options extends ExtraOptions> = {
  readonly [Key in keyof Options]?: { flag: boolean; file: string; number: number }[Options[Key]];
};

/** A usage error: printed as one sentence without a stack. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** Benches are run from the root of the project. */
export const projectRoot = process.cwd();

/**
 * The parsed data of a bench.
 * @throws BenchError when there is none
 */
export function readData(name: string, options: BenchOptions): unknown {
  return readJson(dataFile(name, options));
}

/** @throws BenchError when the file is not there */
export function dataFile(name: string, { data }: BenchOptions, extension = 'json.gz'): string {
  const file = data ?? path.join(projectRoot, '..', 'shared', 'bench', `${name}.${extension}`);
  if (existsSync(file)) return file;
  throw new BenchError(
    data === undefined
      ? `There is no data for ${name}: ${path.relative(process.cwd(), file)} is missing. Name a file of the same format with --data FILE.`
      : `There is no file ${data}. Name an existing one with --data FILE.`,
  );
}

export function readJson(file: string): unknown {
  const bytes = readFileSync(file);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return JSON.parse((zipped ? gunzipSync(bytes) : bytes).toString('utf8')) as unknown;
}

/** The parsed lines of a file of JSON lines. */
export function readJsonLines(file: string): readonly unknown[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(it => it.trim() !== '')
    .map(it => JSON.parse(it) as unknown);
}

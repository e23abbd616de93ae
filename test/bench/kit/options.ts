import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

/** What a person may say to every bench on the command line. */
export interface BenchOptions {
  /** A data file, gzipped or plain JSON; where there is none, the evaluation data beside the project. */
  readonly data?: string;
  /** Questions at most; `speed` takes it as memories at most. */
  readonly limit?: number;
}

/** Options that one bench takes besides: it exports them as `own`, and what a person says goes to its `run`. */
export type OwnOptions = Readonly<Record<string, 'flag' | 'file' | 'number'>>;

export type ValuesOf<Own extends OwnOptions> = {
  readonly [Key in keyof Own]?: { flag: boolean; file: string; number: number }[Own[Key]];
};

/** A mistake of the caller's: one sentence, no stack. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** The built program lies in out/test/bench. */
export const projectRoot = path.resolve(__dirname, '..', '..', '..');

/**
 * The parsed data of a bench.
 * @throws BenchError when there is none
 */
export function readData(name: string, options: BenchOptions): unknown {
  return readJson(dataFile(name, options));
}

/** @throws BenchError when the file is not there */
export function dataFile(name: string, { data }: BenchOptions): string {
  const file = data ?? path.join(projectRoot, '..', 'shared', 'bench', `${name}.json.gz`);
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

import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { EngineError } from '../../engine/base/errors.js';

/**
 * Writes the file that a person named with `--out`, and replaces one that is there. A new one, which holds memories, is its
 * owner's alone.
 * @throws EngineError unsupportedFile for what is no file, storeUnavailable where the disk refuses
 */
export async function writeOutputFile(file: string, text: AsyncIterable<string> | Iterable<string>): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  // Writing to a pipe would wait for a reader.
  if (found !== undefined && !found.isFile())
    throw new EngineError(
      'unsupportedFile',
      `${file} is a folder, a pipe or a device. Name a file, or leave out --out and redirect stdout.`,
    );
  await pipeline(text, createWriteStream(file, { mode: 0o600 })).catch((error: unknown) => {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new EngineError('storeUnavailable', `The file ${file} cannot be written (${code}). Choose another one.`);
  });
}

import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { message } from './localizableMessage.js';
import { fileError, readRegularFile, toFileError, type RegularFileLimits } from './regularFile.js';

/** Larger than any text file that a person writes. */
const maxBytes = 4 * 1024 * 1024;

export interface TextFile {
  /** Real path, with symbolic links resolved. */
  readonly file: string;
  /** The whole text, including a byte order mark; undefined where the file does not exist. */
  readonly text: string | undefined;
}

/**
 * Reads a UTF-8 text file. Links are followed by default, as a person's own settings and instructions may be links.
 * @throws EngineError unsupportedFile where it is not UTF-8, too large, no regular file or unreadable
 */
export async function readTextFile(
  namedFile: string,
  { followLinks = true }: Pick<RegularFileLimits, 'followLinks'> = {},
): Promise<TextFile> {
  const file = followLinks ? await resolveRealPath(namedFile) : namedFile;
  try {
    const bytes = await readRegularFile(file, { maxBytes });
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return { file, text: undefined };
    if (error instanceof TypeError) throw fileError(file, message`is not text in UTF-8. Save it as UTF-8`, error);
    throw toFileError(file, error);
  }
}

/**
 * Replaces the text of a file atomically, if it still is `expectedText`; undefined stands for no file. Symbolic links and
 * permissions are preserved.
 * @throws EngineError unsupportedFile where the text has changed or the file cannot be written
 */
export async function replaceTextFile(
  namedFile: string,
  expectedText: string | undefined,
  newText: string | undefined,
): Promise<void> {
  const { file, text } = await readTextFile(namedFile);
  if (text !== expectedText) throw fileError(file, message`has changed meanwhile. Look at the difference again`);
  if (text === newText) return;
  const draft = path.join(path.dirname(file), `.${path.basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const mode = text === undefined ? undefined : (await stat(file)).mode;
    // Checked here because a rename would replace a read-only file, and the superuser may write to one.
    if (mode !== undefined && (mode & 0o222) === 0) throw fileError(file, message`is read-only. Make it writable`);
    if (newText === undefined) {
      await rm(file);
      return;
    }
    await mkdir(path.dirname(file), { recursive: true });
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(newText, 'utf8');
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (mode !== undefined) await chmod(draft, mode & 0o7777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw toFileError(file, error);
  }
}

/** Resolves symbolic links in a path; where the file does not exist yet, those of its existing folders. */
export async function resolveRealPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw toFileError(file, error);
  }
  const link = await lstat(file).catch(() => undefined);
  if (link !== undefined)
    throw fileError(file, message`is a link to a file that does not exist. Make that file, or remove the link`);
  const parent = path.dirname(file);
  return parent === file ? file : path.join(await resolveRealPath(parent), path.basename(file));
}

function errorCodeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

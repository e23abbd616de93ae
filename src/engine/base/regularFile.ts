import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs';
import { lstat, open, readlink, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from './errors.js';
import { message, type LocalizableMessage } from './localizableMessage.js';

/** Bytes. Larger than any text that people write; a file above it was named by mistake, or to fill the memory. */
export const maxFileBytes = 10 * 1024 * 1024;

/** Limits of a file that may be opened. */
export interface RegularFileLimits {
  /** Bytes; default {@link maxFileBytes}. Infinity for what is read as a stream in bounded pieces. */
  readonly maxBytes?: number;
  /** Whether a link is followed: where a person's own settings may be links. Default false. */
  readonly followLinks?: boolean;
}

/** Opening a pipe waits for a writer, without this flag. A link that appears after the look at it is not followed. */
function openFlags({ followLinks = false }: RegularFileLimits): number {
  // Windows has neither.
  const { O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants as Partial<typeof constants>;
  return constants.O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW);
}

/**
 * Opens a file that another program or person may have put there. What is no regular file, or too large, is refused before a
 * byte is read: a pipe and some devices never end. Close the handle.
 * @throws EngineError unsupportedFile; the error of the file system where nothing is there, or it may not be read
 */
export async function openRegularFile(file: string, limits: RegularFileLimits = {}): Promise<FileHandle> {
  if (limits.followLinks !== true && (await lstat(file)).isSymbolicLink()) {
    const target = await readlink(file).catch(() => '');
    throw linkError(file, target);
  }
  const handle = await open(file, openFlags(limits)).catch((error: unknown) => {
    throw openingError(file, error);
  });
  try {
    assertRegular(file, await handle.stat(), limits);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The bytes of a regular file. @throws as {@link openRegularFile} */
export async function readRegularFile(file: string, limits: RegularFileLimits = {}): Promise<Buffer> {
  const handle = await openRegularFile(file, limits);
  try {
    const bytes = await handle.readFile();
    // It may have grown since.
    assertSize(file, bytes.length, limits);
    return bytes;
  } finally {
    await handle.close();
  }
}

/** The text of a regular file in UTF-8, without a byte order mark. @throws as {@link openRegularFile} */
export async function readRegularText(file: string, limits: RegularFileLimits = {}): Promise<string> {
  return (await readRegularFile(file, limits)).toString('utf8').replace(/^\uFEFF/u, '');
}

/** {@link openRegularFile} for code that cannot wait; a descriptor. */
export function openRegularFileSync(file: string, limits: RegularFileLimits = {}): number {
  if (limits.followLinks !== true && lstatSync(file).isSymbolicLink()) throw linkError(file, '');
  let descriptor: number;
  try {
    descriptor = openSync(file, openFlags(limits));
  } catch (error) {
    throw openingError(file, error);
  }
  try {
    assertRegular(file, fstatSync(descriptor), limits);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** {@link readRegularText} for code that cannot wait. */
export function readRegularTextSync(file: string, limits: RegularFileLimits = {}): string {
  const descriptor = openRegularFileSync(file, limits);
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, length);
    return bytes.toString('utf8', 0, length).replace(/^\uFEFF/u, '');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Appends to a file of our own, or makes it, for its owner alone. What lies there instead of a file is refused: opening a pipe
 * for writing waits for a reader.
 * @throws EngineError unsupportedFile; the error of the file system where it may not be written
 */
export async function appendToRegularFile(file: string, text: string): Promise<void> {
  const { O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants as Partial<typeof constants>;
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | O_NONBLOCK | O_NOFOLLOW;
  const handle = await open(file, flags, 0o600).catch((error: unknown) => {
    throw openingError(file, error);
  });
  try {
    assertRegular(file, await handle.stat(), { maxBytes: Infinity });
    await handle.appendFile(text);
  } finally {
    await handle.close();
  }
}

/**
 * Replaces a file of our own, for its owner alone; a pipe, a device or a link in its place is replaced too, and not followed.
 * @throws EngineError unsupportedFile where a folder is there, or the disk refuses
 */
export async function replaceFile(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw toFileError(file, error);
  }
}

/** Makes an empty file, unless anything is there. */
export function touchFileSync(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, 'w', 0o600));
}

/** A sentence about a file that cannot be used. @param problem what goes on "The file … " and ends without a full stop */
export function fileError(file: string, problem: LocalizableMessage, cause?: unknown): EngineError {
  return new EngineError('unsupportedFile', message`The file ${file} ${problem}.`, { cause });
}

/** Whether one file caused the error, so that a run over many goes on with the next one. */
export function isFileError(error: unknown): error is Error {
  if (EngineError.is(error)) return error.code === 'unsupportedFile';
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** The problem with a file, for a report that names it. */
export function describeFileError(file: string, error: Error): string {
  return toFileError(file, error).message;
}

/** Converts an error of the file system; passes on any other. */
export function toFileError(file: string, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (EngineError.is(error) || code === undefined) return error as Error;
  return fileError(file, message`cannot be read or written (${code}). Look at its permissions and its disk`, error);
}

function assertRegular(file: string, stats: Stats, limits: RegularFileLimits): void {
  if (stats.isDirectory()) throw fileError(file, message`is a folder. Name a file`);
  if (!stats.isFile()) throw fileError(file, message`is a pipe, a socket or a device. Name a regular file`);
  assertSize(file, stats.size, limits);
}

function assertSize(file: string, bytes: number, { maxBytes = maxFileBytes }: RegularFileLimits): void {
  if (bytes <= maxBytes) return;
  const [limit, unit] = maxBytes < 1024 * 1024 ? [maxBytes / 1024, 'KB'] : [maxBytes / (1024 * 1024), 'MB'];
  throw fileError(file, message`is larger than ${limit} ${unit}. Name a smaller one, or split it`);
}

function linkError(file: string, target: string): EngineError {
  return target === ''
    ? fileError(file, message`is a link. Name the file itself`)
    : fileError(file, message`is a link to ${path.resolve(path.dirname(file), target)}. Name the file itself`);
}

/** The error of opening a link, or of a socket or a device without a driver. */
function openingError(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ELOOP') return linkError(file, '');
  if (code === 'ENXIO' || code === 'ENODEV')
    return fileError(file, message`is a pipe, a socket or a device. Name a regular file`, error);
  return error;
}

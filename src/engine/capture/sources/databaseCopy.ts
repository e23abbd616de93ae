import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { constants } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { message } from '../../base/localizableMessage.js';
import { fileError, isFileError } from '../../base/regularFile.js';
import { Database, type Sql } from '../../database/database.js';

/** A larger database is not copied every few minutes. */
const maxDatabaseBytes = 2 * 1024 * 1024 * 1024;

/**
 * Reads the database of a running program on a copy, which neither waits for that program nor makes it wait, and is gone
 * afterwards.
 * @throws EngineError unsupportedFile where it is too large; what the file system and the driver throw
 */
export async function readDatabaseCopy<T>(file: string, read: (sql: Sql) => Promise<T>): Promise<T> {
  const { size } = await stat(file);
  if (size > maxDatabaseBytes)
    throw fileError(file, message`${file} has more than ${maxDatabaseBytes / 1024 ** 3} GB, and is not copied.`);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'recollect-'));
  try {
    const copy = path.join(folder, 'copy.db');
    // The log first: what moves from it into the file meanwhile is in both.
    await copyFile(`${file}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    const db = await Database.openReader(copy);
    try {
      return await read(db.read);
    } finally {
      await db.close();
    }
  } catch (error) {
    if (isFileError(error)) throw error;
    throw fileError(file, message`${file} is no database with sessions that can be read.`, error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** When a database was written last, its log included; undefined where there is none. */
export async function databaseStamp(file: string): Promise<string | undefined> {
  const [main, log] = await Promise.all([file, `${file}-wal`].map(it => stat(it).catch(() => undefined)));
  if (main?.isFile() !== true) return undefined;
  return [main.mtimeMs, main.size, log?.mtimeMs ?? 0, log?.size ?? 0].join(' ');
}

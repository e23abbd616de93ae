import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { readRegularText, replaceFile } from '../base/regularFile.js';

/** Mark that the memories of a project are on a server. Which one is not kept: the person's connection says it. */
export interface StorePlacement {
  /** Where they lie there. */
  readonly schema: string;
  /** Of the store there: another server's store of this schema is another one. */
  readonly id: string;
  /** How many there were when they were moved. */
  readonly memories: number;
}

const schemaPattern = /^[a-z_][a-z0-9_]{0,62}$/u;

/**
 * Where the memories of a project lie; undefined for the folder itself.
 * @param folder of the project's store
 * @throws EngineError storeUnavailable where the file that says it cannot be read
 */
export async function readStorePlacement(folder: string): Promise<StorePlacement | undefined> {
  const file = placementFile(folder);
  try {
    const { schema, id, memories } = JSON.parse(await readRegularText(file)) as Partial<StorePlacement>;
    if (
      typeof schema === 'string' &&
      schemaPattern.test(schema) &&
      typeof id === 'string' &&
      Number.isInteger(memories)
    )
      return { schema, id, memories: memories! };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
  throw unreadable(file);
}

/** Whether a store was moved to a server; also where the file that says it cannot be read. */
export function isOnServer(folder: string): boolean {
  return existsSync(placementFile(folder));
}

/**
 * File with the memories of a moved store that a briefing may need: the start of a session asks no server.
 * @param folder of the project's store
 */
export function excerptFile(folder: string): string {
  return path.join(folder, 'briefing', 'memory.db');
}

/** Undefined: in the folder itself. */
export async function writeStorePlacement(folder: string, placement: StorePlacement | undefined): Promise<void> {
  if (placement === undefined) return rm(placementFile(folder), { force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(placementFile(folder), `${JSON.stringify(placement)}\n`);
}

/** The schema of a project's store on a server. @param key of the project */
export function storeSchema(key: string): string {
  return `recollect_${key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '_')
    .slice(0, 50)}`;
}

function placementFile(folder: string): string {
  return path.join(folder, 'store.json');
}

function unreadable(file: string, cause?: unknown): EngineError {
  return new EngineError(
    'storeUnavailable',
    message`${file} says where the memories of this project lie, and cannot be read. Restore it from a copy of this folder.`,
    { cause },
  );
}

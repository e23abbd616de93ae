import { rm } from 'node:fs/promises';
import path from 'node:path';
import { readRegularTextSync, replaceFile } from '../base/regularFile.js';
import type { NamedKeys } from '../text/namedKeys.js';

/** Keys of one memory that a tool call may be about, and never its text. */
export interface GuardEntry extends Partial<NamedKeys> {
  /** Of the memory. */
  readonly id: string;
  /** Full path of the file that it is anchored to. */
  readonly file?: string;
  /** The declaration in it. */
  readonly symbol?: string;
  /** Whether a person wants to be asked before. */
  readonly asks?: true;
}

interface GuardFileContent {
  readonly version: typeof guardFileVersion;
  /** Of the store when it was written. */
  readonly revision: number;
  readonly entries: readonly GuardEntry[];
}

/** Raised where keys are found in another way, so that old files are written again. */
const guardFileVersion = 1;
/** Bytes; a thousand entries have fewer. */
const maxGuardFileBytes = 1024 * 1024;

const guardFile = (storeFile: string): string => path.join(path.dirname(storeFile), 'guards.json');

/**
 * The keys of a store, as the hooks before a tool call read them. Undefined where there are none that can be used. At once: a
 * hook has nothing else to do meanwhile, and what waits would have to be loaded.
 */
export function readGuardFile(storeFile: string): GuardFileContent | undefined {
  try {
    const found = JSON.parse(
      readRegularTextSync(guardFile(storeFile), { maxBytes: maxGuardFileBytes }),
    ) as Partial<GuardFileContent> | null;
    const isValid = found?.version === guardFileVersion && Array.isArray(found.entries);
    return isValid ? (found as GuardFileContent) : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects where the disk refuses. */
export async function writeGuardFile(storeFile: string, content: Omit<GuardFileContent, 'version'>): Promise<void> {
  await replaceFile(guardFile(storeFile), `${JSON.stringify({ version: guardFileVersion, ...content })}\n`);
}

export async function removeGuardFile(storeFile: string): Promise<void> {
  await rm(guardFile(storeFile), { force: true });
}

/** Id of the record by which a person is asked before what a memory names. */
export const guardRecordId = (memoryId: string): string => `${guardRecordPrefix}${memoryId}`;
export const guardRecordPrefix = 'guard:';

import { existsSync } from 'node:fs';
import { captureConsentId, type CaptureSource, type CaptureConsent } from './model/capture.js';
import { publishedRecordId, type ProjectTarget } from './model/publishing.js';
import { globalStoreFile, projectStoreFiles } from './sessionStartContext.js';
import { ReadOnlyStore } from './store/sqlite/readOnlyStore.js';

/** What a person has asked to be done whenever an assistant stops. */
export interface StopHookConsent {
  /** They have allowed that sessions are captured. */
  readonly capture: boolean;
  /** They have had a section written into the target's file. */
  readonly publish: boolean;
}

/**
 * Whether an assistant's stop is worth opening an engine for, without one: mostly it is not.
 * @param folder the project; undefined where there is none
 * @throws EngineError as reading a store does
 */
export async function readStopHookConsent(
  dataDir: string,
  folder: string | undefined,
  { source, target }: { readonly source: CaptureSource; readonly target: ProjectTarget },
): Promise<StopHookConsent> {
  const consent = await readStateRecord<CaptureConsent>(globalStoreFile(dataDir), 'global', captureConsentId(source));
  const published =
    folder === undefined
      ? undefined
      : await readStateRecord((await projectStoreFiles(dataDir, folder))[0], 'project', publishedRecordId(target));
  return { capture: consent?.isAllowed === true, publish: published !== undefined };
}

async function readStateRecord<T>(file: string, kind: 'global' | 'project', id: string): Promise<T | undefined> {
  if (!existsSync(file)) return undefined;
  const reader = await ReadOnlyStore.open(file, kind);
  try {
    return await reader?.readState<T>(id);
  } finally {
    await reader?.close();
  }
}

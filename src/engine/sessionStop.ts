import { existsSync } from 'node:fs';
import { consentId, type CaptureSource, type Consent } from './model/capture.js';
import { publishedId, type ProjectTarget } from './model/publishing.js';
import { globalFile, projectFile } from './sessionStart.js';
import { StandingReader } from './store/sqlite/standings.js';

/** What a person has asked to be done whenever an assistant stops. */
export interface AskedForAtStop {
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
export async function askedForAtStop(
  dataDir: string,
  folder: string | undefined,
  { source, target }: { readonly source: CaptureSource; readonly target: ProjectTarget },
): Promise<AskedForAtStop> {
  const consent = await state<Consent>(globalFile(dataDir), 'global', consentId(source));
  const published =
    folder === undefined ? undefined : await state(await projectFile(dataDir, folder), 'project', publishedId(target));
  return { capture: consent?.isAllowed === true, publish: published !== undefined };
}

async function state<T>(file: string, kind: 'global' | 'project', id: string): Promise<T | undefined> {
  if (!existsSync(file)) return undefined;
  const reader = await StandingReader.open(file, kind);
  try {
    return await reader?.state<T>(id);
  } finally {
    await reader?.close();
  }
}

import { existsSync } from 'node:fs';
import path from 'node:path';
import { captureConsentId, type CaptureSource, type CaptureConsent } from '../model/capture.js';
import { projectTargets, publishedRecordId } from '../model/publishing.js';
import { maintenanceStateId, nextDue, type MaintenanceState } from '../maintenance/due.js';
import type { Config } from '../model/config.js';
import { followedMirrorsId } from '../model/sync.js';
import { projectStoreFiles } from './sessionStartContext.js';
import { globalDatabase } from '../store/storeFiles.js';
import { isOnServer } from '../store/storePlacement.js';
import { ReadOnlyStore } from '../store/sqlite/readOnlyStore.js';

/** Work to do when an assistant stops: what a person has asked for, and maintenance. */
export interface StopHookConsent {
  /** They have allowed that sessions are captured. */
  readonly capture: boolean;
  /** They have had a section written into a file of the project. */
  readonly publish: boolean;
  /** They have synced a folder of Markdown with the project's memory. */
  readonly sync: boolean;
  /** The maintenance of a store is due, or its first interval starts now. */
  readonly maintenance: boolean;
}

/**
 * Whether an assistant's stop is worth opening an engine for, without one: mostly it is not.
 * @param folder the project; undefined where there is none
 * @throws EngineError as reading a store does
 */
export async function readStopHookConsent(
  dataDir: string,
  folder: string | undefined,
  { source, config, now }: StopHookQuestion,
): Promise<StopHookConsent> {
  const isDue = async (reader: ReadOnlyStore): Promise<boolean> => {
    const state = await reader.readState<MaintenanceState>(maintenanceStateId);
    if (config.maintenance.intervalDays <= 0) return false;
    // A store that only hooks use begins its first interval here.
    return state === undefined || nextDue(state.from, config).getTime() <= now.getTime();
  };
  const global = await withReader(globalDatabase(dataDir), 'global', async reader => ({
    capture: (await reader.readState<CaptureConsent>(captureConsentId(source)))?.isAllowed === true,
    maintenance: await isDue(reader),
  }));
  const found = folder === undefined ? undefined : (await projectStoreFiles(dataDir, folder))[0];
  // A server is not asked at every stop, and the file that a store was moved from would be due for ever.
  const projectFile = found === undefined || isOnServer(path.dirname(found)) ? undefined : found;
  const project = await withReader(projectFile, 'project', async reader => ({
    publish: await hasPublished(reader),
    sync: (await reader.readState(followedMirrorsId)) !== undefined,
    maintenance: await isDue(reader),
  }));
  return {
    capture: global?.capture === true,
    publish: project?.publish === true,
    sync: project?.sync === true,
    maintenance: global?.maintenance === true || project?.maintenance === true,
  };
}

interface StopHookQuestion {
  readonly source: CaptureSource;
  readonly config: Config;
  readonly now: Date;
}

async function hasPublished(reader: ReadOnlyStore): Promise<boolean> {
  const records = await Promise.all(projectTargets.map(it => reader.readState(publishedRecordId(it))));
  return records.some(it => it !== undefined);
}

async function withReader<T>(
  file: string | undefined,
  kind: 'global' | 'project',
  work: (reader: ReadOnlyStore) => Promise<T>,
): Promise<T | undefined> {
  if (file === undefined || !existsSync(file)) return undefined;
  const reader = await ReadOnlyStore.open(file, kind);
  try {
    return reader === undefined ? undefined : await work(reader);
  } finally {
    await reader?.close();
  }
}

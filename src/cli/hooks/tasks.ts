import { stat } from 'node:fs/promises';
import { foldersWithMemory } from '../../engine/hooks/sessionStartContext.js';
import { readFileConfig } from '../../engine/access/settingsFile.js';
import { readStopHookConsent } from '../../engine/hooks/stopHookConsent.js';
import type { SessionFile } from './hookMessages.js';

/** A prompt that memories are wanted for. Survives JSON: it is done in a process of its own. */
export interface PromptTask {
  readonly kind: 'prompt';
  readonly client: string;
  /** A hash; undefined where the session is not known. */
  readonly session: string | undefined;
  readonly dataDir: string;
  /** The project; undefined where there is none. */
  readonly folder: string | undefined;
  readonly prompt: string;
  /** Estimated tokens at most. */
  readonly tokenBudget: number;
}

/** Work to do when an assistant stops. Survives JSON as well. */
export interface StopTask {
  readonly kind: 'stop';
  readonly client: string;
  readonly dataDir: string;
  readonly folders: readonly string[];
  /** The session's file; undefined where there is nothing to capture. */
  readonly transcript: SessionFile | undefined;
  /** Whether the assistant may be asked what it keeps of the session. */
  readonly mayAsk: boolean;
  /** The folder whose sections are to be brought up to date; undefined where there are none. */
  readonly publishFolder: string | undefined;
  /** The folder whose synced Markdown follows; undefined where none was synced. */
  readonly syncFolder: string | undefined;
  /** Milliseconds after which no more is started. */
  readonly timeoutMs: number;
}

/** Tasks of a hook that need the engine. */
export type HookTask = PromptTask | StopTask;

/** An assistant that has stopped, and the file of its session. */
export interface StopEvent {
  readonly client: string;
  readonly dataDir: string;
  readonly folder: string | undefined;
  readonly transcript: SessionFile | undefined;
  readonly mayAsk: boolean;
  readonly timeoutMs: number;
}

/** Undefined where there is nothing to do when an assistant stops: no person asked for it, and no maintenance is due. */
export async function createStopTask({
  client,
  dataDir,
  folder,
  transcript,
  mayAsk,
  timeoutMs,
}: StopEvent): Promise<StopTask | undefined> {
  const consent = await readStopHookConsent(dataDir, folder, {
    source: transcript?.source ?? 'claudeCode',
    config: readFileConfig(dataDir),
    now: new Date(),
  });
  const transcriptFile =
    consent.capture && transcript !== undefined && (await isFile(transcript.file)) ? transcript : undefined;
  if (transcriptFile === undefined && !consent.publish && !consent.sync && !consent.maintenance) return undefined;
  const projectFolders = folder === undefined ? [] : [folder];
  const folders =
    transcriptFile === undefined ? ((await foldersWithMemory(dataDir, projectFolders)) ?? []) : projectFolders;
  return {
    kind: 'stop',
    client,
    dataDir,
    folders,
    transcript: transcriptFile,
    mayAsk,
    publishFolder: consent.publish ? folder : undefined,
    syncFolder: consent.sync ? folder : undefined,
    timeoutMs,
  };
}

/** A pipe or a device would be read for ever. */
async function isFile(file: string): Promise<boolean> {
  const stats = await stat(file).catch(() => undefined);
  return stats?.isFile() === true;
}

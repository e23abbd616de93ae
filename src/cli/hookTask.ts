import { stat } from 'node:fs/promises';
import { foldersWithMemory } from '../engine/sessionStartContext.js';
import { readStopHookConsent } from '../engine/stopHookConsent.js';

export const captureSource = 'claudeCode';
export const publishTarget = 'claude';

/** What a hook needs the whole engine for. Survives JSON: it is done in a process of its own. */
export type HookTask =
  | {
      readonly kind: 'prompt';
      readonly dataDir: string;
      readonly folders: readonly string[];
      readonly prompt: string;
      /** Estimated tokens at most. */
      readonly tokenBudget: number;
    }
  | {
      readonly kind: 'stop';
      readonly dataDir: string;
      readonly folders: readonly string[];
      /** The session's file; undefined where nothing is to be captured. */
      readonly transcript: string | undefined;
      /** The folder whose section is to be brought up to date; undefined where there is none. */
      readonly publishedIn: string | undefined;
      /** Milliseconds after which no more is begun. */
      readonly workMs: number;
    };

/** A prompt and where it was said. `folder` is the project; undefined where there is none. */
export interface Prompted {
  readonly dataDir: string;
  readonly folder: string | undefined;
  readonly prompt: string;
  readonly tokenBudget: number;
}

/** An assistant that has stopped, and the file of its session. */
export interface Stopped {
  readonly dataDir: string;
  readonly folder: string | undefined;
  readonly transcript: string | undefined;
  readonly workMs: number;
}

/** Undefined where nothing is remembered: no store is made for a question. */
export async function promptTask({ folder, ...rest }: Prompted): Promise<HookTask | undefined> {
  const folders = await foldersWithMemory(rest.dataDir, folder === undefined ? [] : [folder]);
  return folders === undefined ? undefined : { kind: 'prompt', folders, ...rest };
}

/** Undefined where a person has asked for nothing to be done when an assistant stops. */
export async function stopTask({ dataDir, folder, transcript, workMs }: Stopped): Promise<HookTask | undefined> {
  const asked = await readStopHookConsent(dataDir, folder, { source: captureSource, target: publishTarget });
  const file = asked.capture && transcript !== undefined && (await isFile(transcript)) ? transcript : undefined;
  if (file === undefined && !asked.publish) return undefined;
  const all = folder === undefined ? [] : [folder];
  const folders = file === undefined ? ((await foldersWithMemory(dataDir, all)) ?? []) : all;
  return { kind: 'stop', dataDir, folders, transcript: file, publishedIn: asked.publish ? folder : undefined, workMs };
}

/** A pipe or a device would be read for ever. */
async function isFile(transcript: string): Promise<boolean> {
  const found = await stat(transcript).catch(() => undefined);
  return found?.isFile() === true;
}

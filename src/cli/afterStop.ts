import { stat } from 'node:fs/promises';
import { foldersWithMemory } from '../engine/sessionStart.js';
import { askedForAtStop } from '../engine/sessionStop.js';
import type { HookWork } from './hook.js';
import { withHookEngine } from './hookEngine.js';

const source = 'claudeCode';
const target = 'claude';

/**
 * Captures what is new in the session, by rule, where a person has allowed that; then brings the section of CLAUDE.md up
 * to date where they have published one. Where they have asked for neither, no engine is opened and no store is made.
 */
export const afterStop: HookWork['afterStop'] = async ({ dataDir, folder, transcript, signal }) => {
  const asked = await askedForAtStop(dataDir, folder, { source, target });
  const file = asked.capture && transcript !== undefined && (await isFile(transcript)) ? transcript : undefined;
  if (file === undefined && !asked.publish) return;
  const all = folder === undefined ? [] : [folder];
  const folders = file === undefined ? ((await foldersWithMemory(dataDir, all)) ?? []) : all;
  await withHookEngine(dataDir, folders, async ({ capture, publishing }) => {
    // What cannot be captured now is captured the next time, and what was published may be old all the same.
    if (file !== undefined) await capture.run({ source, files: [file], signal }).catch(() => undefined);
    if (asked.publish && !signal.aborted) await publishing.refresh(target, folder);
  });
};

/** A pipe or a device would be read for ever. */
async function isFile(transcript: string): Promise<boolean> {
  const found = await stat(transcript).catch(() => undefined);
  return found?.isFile() === true;
}

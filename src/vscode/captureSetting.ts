import { captureSources, type CaptureSource } from '../engine/model/capture.js';
import { settingKeys } from './contributions.js';

/** Settings of one source each, whose place `capture.sources` took. */
const formerSettings = {
  claudeCode: 'capture.claudeCode',
  vscodeChat: 'capture.vscodeChat',
} as const satisfies Partial<Record<CaptureSource, string>>;

/**
 * The sources that are captured by themselves, once allowed: those of the setting, or while it is not set those of the
 * former settings. No more than the person chose: a folder's settings count for nothing, as they did for the former ones.
 * @param readUserSetting the value in the user's own settings, without the prefix `recollect.`
 */
export function enabledCaptureSources(readUserSetting: (key: string) => unknown): readonly CaptureSource[] {
  const chosen = readUserSetting(settingKeys.captureSources);
  if (chosen === undefined)
    return (['claudeCode', 'vscodeChat'] as const).filter(it => readUserSetting(formerSettings[it]) === true);
  return captureSources.filter(it => Array.isArray(chosen) && chosen.includes(it));
}

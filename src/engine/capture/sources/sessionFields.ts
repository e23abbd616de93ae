import { isBranchName } from '../../model/branchName.js';
import { asJsonObject, type JsonObject } from '../../base/json.js';
import { isStorableField } from '../../secrets/storableText.js';
import type { SkippedLineReason } from '../../model/capture.js';
import { stripInjectedText } from './stripInjectedText.js';
import type { LineMetadata, LineWork, SessionLine } from './sessionLine.js';

// Fields that the readers of all sources take from what another program wrote: of any type and length.

/** Longer names and paths are dropped. In UTF-16 units. */
const maxFieldLength = 1_000;

export function toSafeField(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && isStorableField(value, maxFieldLength) ? value : undefined;
}

/** Undefined also for a detached HEAD, which is called `HEAD`. */
export function toBranch(value: unknown): string | undefined {
  const branch = toSafeField(value);
  return branch !== undefined && isBranchName(branch) ? branch : undefined;
}

/** ISO-8601 UTC, of a text or of milliseconds since 1970. */
export function toTime(value: unknown): string | undefined {
  const time = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) || Math.abs(time) > 8.64e15 ? undefined : new Date(time).toISOString();
}

export function toObjects(value: unknown): readonly JsonObject[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map(asJsonObject).filter(it => it !== undefined);
}

export function skippedLine(reason: SkippedLineReason, metadata: LineMetadata, work?: LineWork): SessionLine {
  return { kind: 'skipped', reason, ...metadata, ...(work === undefined ? {} : { work }) };
}

/** A turn of a person or an assistant, without what programs put in; a skipped line where nothing is left. */
export function spokenLine(kind: 'person' | 'outcome', text: string, metadata: LineMetadata): SessionLine {
  const speakerText = stripInjectedText(text);
  return speakerText === '' ? skippedLine('nothingSaid', metadata) : { kind, text: speakerText, ...metadata };
}

/** The work of a line that changed files; undefined where it changed none. */
export function changedFilesWork(files: readonly unknown[]): LineWork | undefined {
  const changedFiles = files.map(toSafeField).filter(it => it !== undefined);
  if (changedFiles.length === 0) return undefined;
  return { changedFiles, testRuns: [], failedCalls: [], commands: [], results: [] };
}

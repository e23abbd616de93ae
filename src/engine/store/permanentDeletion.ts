import { guardRecordPrefix } from './guardFile.js';
import { leavingRecordId } from './waitingRecords.js';
import { parseObject } from '../database/jsonColumns.js';
import type { RecordKind } from './store.js';

/** Contains numbers only, and the daily budget outlives a reset. */
export const recordKindKeptByReset: RecordKind = 'modelUse';

/** SQL condition on `records`: it is about memories, by their ids. */
export const aboutMemoriesSql = `(records.kind IN ('proposal', 'request', 'likelyConflict', 'formerText', 'syncedFile',
    'takenBack') OR
  (records.kind = 'state' AND (records.id LIKE 'moved:%' OR records.id LIKE '${guardRecordPrefix}%')))`;

/**
 * SQL condition on `records`: it may hold a text. The others hold numbers, hashes and names, and a short text is easily part of
 * a name.
 */
export const mayQuoteSql = `(records.kind NOT IN ('modelUse', 'sharedLine', 'receivedShare')
  AND NOT (records.kind = 'state' AND records.id IN ('teamServer', 'teamMember', 'teamFolder', '${leavingRecordId}')))`;

/** In the place of a session's id: what was kept of the capture of every session goes. */
export const everySession = Symbol('every session');

/** Texts that the JSON of a session's records contains: its id, or any text for every session. */
export function toQuotedSessions(session: string | symbol | undefined): readonly string[] {
  if (session === undefined) return [];
  return [session === everySession ? '"' : JSON.stringify(session)];
}

/** Texts as JSON quotes them; an empty one would be found everywhere. */
export function toQuotedTexts(texts: readonly string[]): string[] {
  return texts.filter(it => it !== '').map(it => JSON.stringify(it).slice(1, -1));
}

/**
 * The undo of a review is about many memories and statements, and loses what it has of the unwanted ones.
 * @param body of a record of the kind `review`
 * @param unwanted ids and texts as JSON quotes them
 * @returns undefined where nothing is left
 */
export function withoutUnwanted(body: string, unwanted: readonly string[]): string | undefined {
  const isFree = (json: string): boolean => !unwanted.some(it => json.includes(it));
  const isWanted = (part: unknown): boolean => isFree(JSON.stringify(part));
  if (isFree(body)) return body;
  const parsed = (parseObject(body) ?? {}) as ReviewBody;
  const memories = Object.entries(parsed.memories ?? {}).filter(isWanted);
  const candidates = (parsed.candidates ?? [])
    .map(({ items = [], ...list }) => ({ ...list, items: items.filter(isWanted) }))
    .filter(it => it.items.length > 0);
  const rest = JSON.stringify({ ...parsed, memories: Object.fromEntries(memories), candidates });
  return memories.length + candidates.length > 0 && isFree(rest) ? rest : undefined;
}

/** Parts of the undo of a review, each about one memory or statement. */
interface ReviewBody {
  readonly memories?: Readonly<Record<string, unknown>>;
  readonly candidates?: readonly { readonly items?: readonly unknown[] }[];
}

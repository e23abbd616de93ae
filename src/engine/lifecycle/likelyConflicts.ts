import type { Memory } from '../model/memory.js';
import { toLikelyConflict, type LikelyConflict } from '../remember/likelyConflict.js';
import type { Store, StoreRecord } from '../store/store.js';

/** Pairs shown at a time: three of four look-alikes light up, and a person's patience ends (docs/encoder.md). */
export const maxLikelyConflicts = 5;
/** Records looked at, newest first. */
const maxRecords = 50;

interface LikelyPair extends Omit<LikelyConflict, 'newer' | 'older'> {
  readonly newer: Memory;
  readonly older: Memory;
}

/**
 * Pairs of active memories of a set that the encoder takes for a conflict, one of them a person's words, and about which
 * no statement has been made since; newest first.
 */
export async function listLikelyConflicts(store: Store, scopeId: string): Promise<readonly LikelyPair[]> {
  const records: readonly StoreRecord<Partial<LikelyConflict>>[] = await store.records('likelyConflict', maxRecords);
  const pairs = records.flatMap(it => toLikelyConflict(it) ?? []);
  if (pairs.length === 0) return [];
  const ids = [...new Set(pairs.flatMap(it => [it.newer, it.older]))];
  const [memories, edges, replaced] = await Promise.all([
    store.get(ids),
    store.edges(ids, ['contradicts', 'supersedes', 'relates_to', 'refines']),
    store.contradictions(ids, 1),
  ]);
  const memoryById = new Map(memories.filter(it => it.status === 'active').map(it => [it.id, it]));
  // An edge that only says that two are alike is no statement.
  const stated = edges.filter(it => it.mark !== undefined || it.settledAt !== undefined || it.type === 'refines');
  return pairs.flatMap(({ newer: newerId, older: olderId, probability }) => {
    const [newer, older] = [memoryById.get(newerId), memoryById.get(olderId)];
    if (newer === undefined || older === undefined || (newer.scopeId ?? '') !== scopeId) return [];
    if (newer.scopeId !== older.scopeId || (newer.lane === 'note' && older.lane === 'note')) return [];
    const isStated =
      stated.some(it => [it.source, it.target].every(end => end === newerId || end === olderId)) ||
      [newerId, olderId].some(id => replaced.get(id)?.some(it => it.mark.outdated === 'this'));
    return isStated ? [] : [{ newer, older, probability }];
  });
}

/** The record of a pair, if any. */
export async function findLikelyConflict(store: Store, recordId: string): Promise<LikelyConflict | undefined> {
  const record = await store.record<Partial<LikelyConflict>>('likelyConflict', recordId);
  return record === undefined ? undefined : toLikelyConflict(record);
}

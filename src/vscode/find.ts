import type { MemoryEngine } from '../engine/engine.js';
import { callLimits } from '../engine/model/config.js';
import type { Lane, Memory } from '../engine/model/memory.js';
import type { MemoryFilter } from '../engine/model/query.js';

/** A filter as a person types it. */
export interface TypedFilter {
  readonly text: string;
  readonly tags: readonly string[];
  readonly pinned?: true;
  readonly lane?: Lane;
}

/** `tides #harbour @pinned @note @confirmed`: words that begin with a sign narrow, the others are searched for. */
export function parseFilter(typed: string): TypedFilter {
  const words = typed.split(/\s+/u).filter(it => it !== '');
  const marks = words.filter(it => ['@pinned', '@note', '@confirmed'].includes(it));
  const tags = words.filter(it => it.length > 1 && it.startsWith('#')).map(it => it.slice(1).toLowerCase());
  const text = words.filter(it => !marks.includes(it) && !(it.length > 1 && it.startsWith('#'))).join(' ');
  return {
    text,
    tags,
    ...(marks.includes('@pinned') ? { pinned: true } : {}),
    ...(marks.includes('@note') ? { lane: 'note' } : marks.includes('@confirmed') ? { lane: 'confirmed' } : {}),
  };
}

/**
 * What a person may mean while still typing, best first, at most `callLimits.limit` when there are words: what a recall
 * finds, then the newest memories that contain the letters, because the last word is rarely whole. `among` narrows
 * further, and says it when others than active ones are meant. Counts as no use.
 */
export async function findMemories(engine: MemoryEngine, typed: string, among: MemoryFilter = {}): Promise<Memory[]> {
  const { text, ...narrow } = parseFilter(typed);
  const filter: MemoryFilter = { statuses: ['active'], ...among, ...narrow };
  const newest = await engine.list({ ...filter, limit: callLimits.page });
  if (text === '') return newest;
  const { hits } = await engine.recall({
    ...filter,
    query: text,
    limit: callLimits.limit,
    tokenBudget: callLimits.tokenBudget,
    glance: true,
  });
  // What came along for the sake of another one was not looked for, and may not be of those that are meant.
  const found = new Map(hits.filter(it => it.broughtBy === undefined).map(it => [it.memory.id, it.memory]));
  const letters = text.toLowerCase();
  for (const memory of newest) {
    if (found.size >= callLimits.limit) break;
    if (memory.content.toLowerCase().includes(letters)) found.set(memory.id, found.get(memory.id) ?? memory);
  }
  return [...found.values()];
}

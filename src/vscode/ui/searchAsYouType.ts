import type { MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import type { Lane, Memory } from '../../engine/model/memory.js';
import type { MemoryFilter } from '../../engine/model/query.js';

/** A filter as a person types it. */
export interface ParsedFilter {
  readonly text: string;
  readonly tags: readonly string[];
  readonly pinned?: true;
  readonly lane?: Lane;
}

/** `tides #harbour @pinned @note @confirmed`: words that begin with a sign narrow, the others are searched for. */
export function parseTypedFilter(input: string): ParsedFilter {
  const words = input.split(/\s+/u).filter(it => it !== '');
  const flags = words.filter(it => ['@pinned', '@note', '@confirmed'].includes(it));
  const tags = words.filter(it => it.length > 1 && it.startsWith('#')).map(it => it.slice(1).toLowerCase());
  const text = words.filter(it => !flags.includes(it) && !(it.length > 1 && it.startsWith('#'))).join(' ');
  return {
    text,
    tags,
    ...(flags.includes('@pinned') ? { pinned: true } : {}),
    ...(flags.includes('@note') ? { lane: 'note' } : flags.includes('@confirmed') ? { lane: 'confirmed' } : {}),
  };
}

/**
 * What a person may mean while still typing, best first, at most `callLimits.limit` when there are words: what a recall
 * finds, then the newest memories that contain the letters, because the last word is rarely whole. `among` narrows
 * further, and says it when others than active ones are meant. Counts as no use.
 */
export async function searchAsYouType(
  engine: MemoryEngine,
  input: string,
  baseFilter: MemoryFilter = {},
): Promise<Memory[]> {
  const { text, ...narrow } = parseTypedFilter(input);
  const filter: MemoryFilter = { statuses: ['active'], ...baseFilter, ...narrow };
  const newest = await engine.list({ ...filter, limit: requestLimits.maxPageSize });
  if (text === '') return newest;
  const { hits } = await engine.recall({
    ...filter,
    query: text,
    limit: requestLimits.maxHits,
    tokenBudget: requestLimits.maxTokenBudget,
    isUntracked: true,
  });
  // What came along for the sake of another one was not looked for, and may not be of those that are meant.
  const matchesById = new Map(hits.filter(it => it.broughtBy === undefined).map(it => [it.memory.id, it.memory]));
  const lowerCaseText = text.toLowerCase();
  for (const memory of newest) {
    if (matchesById.size >= requestLimits.maxHits) break;
    if (memory.content.toLowerCase().includes(lowerCaseText))
      matchesById.set(memory.id, matchesById.get(memory.id) ?? memory);
  }
  return [...matchesById.values()];
}

import type { MemoryEngine } from '../../engine/engine.js';
import { requestLimits } from '../../engine/model/config.js';
import type { Lane, Memory } from '../../engine/model/memory.js';
import type { MemoryFilter } from '../../engine/model/query.js';

export interface ParsedFilter {
  readonly text: string;
  readonly tags: readonly string[];
  readonly pinned?: true;
  readonly lane?: Lane;
  readonly scopeId?: string;
}

/**
 * Parses `tides #harbor @pinned @note @confirmed @set:ID @set:"an id"`: tags and flags filter, the other words are the
 * query.
 */
export function parseTypedFilter(input: string): ParsedFilter {
  const words = input.match(/@set:"(?:[^"\\]|\\.)*"|\S+/gu) ?? [];
  const flags = words.filter(it => ['@pinned', '@note', '@confirmed'].includes(it));
  const tags = words.filter(it => it.length > 1 && it.startsWith('#')).map(it => it.slice(1).toLowerCase());
  const sets = words.filter(it => it.length > setFlag.length && it.startsWith(setFlag));
  const isFlag = (it: string): boolean =>
    flags.includes(it) || sets.includes(it) || (it.length > 1 && it.startsWith('#'));
  const text = words.filter(it => !isFlag(it)).join(' ');
  return {
    text,
    tags,
    ...(flags.includes('@pinned') ? { pinned: true } : {}),
    ...(flags.includes('@note') ? { lane: 'note' } : flags.includes('@confirmed') ? { lane: 'confirmed' } : {}),
    ...(sets.length > 0 ? { scopeId: parseSetName(sets.at(-1)!.slice(setFlag.length)) } : {}),
  };
}

/** Before the scope id of an isolated set of memories, which is shown in the place of the shared one. */
const setFlag = '@set:';

/** What is typed to see the set with this name. */
export function formatSetFilter(scopeId: string): string {
  return `${setFlag}${/^[^\s"\\]+$/u.test(scopeId) ? scopeId : JSON.stringify(scopeId)}`;
}

function parseSetName(typed: string): string {
  if (!typed.startsWith('"')) return typed;
  try {
    return String(JSON.parse(typed));
  } catch {
    return typed; // Still being typed.
  }
}

export interface TypedMatches {
  /** What probably answers, or contains the text, best first. */
  readonly likely: readonly Memory[];
  /** What a recall would leave out, best first. */
  readonly others: readonly Memory[];
}

/** From which on a hit is shown as likely: higher than in an answer, because what is typed is rarely a whole question. */
const minLikelyProbability = 0.05;

/**
 * Memories that match a query while it is typed, best first: the hits of an untracked recall, then the newest memories
 * that contain the text, because the last word is rarely complete. At most `requestLimits.maxHits`. Without a query,
 * the newest memories.
 * @param baseFilter narrows the result; without `statuses`, only active memories match
 */
export async function searchAsYouType(
  engine: MemoryEngine,
  input: string,
  baseFilter: MemoryFilter = {},
): Promise<TypedMatches> {
  const { text, ...narrow } = parseTypedFilter(input);
  const filter: MemoryFilter = { statuses: ['active'], ...baseFilter, ...narrow };
  const newest = await engine.list({ ...filter, limit: requestLimits.maxPageSize });
  if (text === '') return { likely: newest, others: [] };
  const { hits } = await engine.recall({
    ...filter,
    query: text,
    limit: requestLimits.maxHits,
    tokenBudget: requestLimits.maxTokenBudget,
    isUntracked: true,
    withoutCut: true,
  });
  // A hit that was added because it contradicts another one does not match the query, and perhaps not the filter.
  const found = hits.filter(it => it.broughtBy === undefined);
  const lowerCaseText = text.toLowerCase();
  const containing = newest.filter(it => it.content.toLowerCase().includes(lowerCaseText));
  const likelyHits = found.filter(it => it.isBelowCut !== true && (it.probability ?? 1) >= minLikelyProbability);
  const likely = new Map(likelyHits.map(it => [it.memory.id, it.memory]));
  for (const memory of containing) {
    if (likely.size >= requestLimits.maxHits) break;
    likely.set(memory.id, likely.get(memory.id) ?? memory);
  }
  const others = found.filter(it => !likely.has(it.memory.id)).map(it => it.memory);
  return { likely: [...likely.values()], others: others.slice(0, requestLimits.maxHits - likely.size) };
}

import { codeKinds, kinds, type Memory } from '../model/memory.js';
import { codeInterestOf, namesDeclaration, namesInQuery, type CodeInterest } from '../text/codeQuestion.js';
import { noWordStatistics } from '../search/query/searchMemories.js';
import type { RankedMemory, StoreSearchResult } from './rank.js';
import type { RecallQuery } from './recallQuery.js';

/** More would fill an answer, and who wants more reads the files. */
const maxCodeLines = 3;
/** Probability from which a memory answers for sure: descriptions of code come after it. */
const answeringProbability = 0.3;

/** Memories that come before code: one that answers is among them, and code is still seen. */
const maxAnswersBefore = 2;

interface CodeCut {
  /** Probability of a memory from which code is left out, unless it is likelier. */
  readonly maxAnswer: number;
  /** Lowest rank of a description. */
  readonly minRank: number;
  /** Least cosine with the question; the least share of its words where there is no cosine. */
  readonly minCosine: number;
  readonly minWording: number;
}

/** Chosen on thirty questions about the code of three repositories, thirty that memories answer, and twenty that nothing does. */
const cutByInterest: Readonly<Record<Exclude<CodeInterest, 'people'>, CodeCut>> = {
  code: { maxAnswer: Infinity, minRank: 0.15, minCosine: -1, minWording: 0 },
  working: { maxAnswer: 0.8, minRank: 0.15, minCosine: 0.3, minWording: 0.4 },
  perhaps: { maxAnswer: answeringProbability, minRank: 0.25, minCosine: 0.4, minWording: 0.5 },
};

const otherKinds = kinds.filter(it => !codeKinds.includes(it));

/** Hits among people's memories, and in the index of code. */
export interface FoundApart {
  readonly memories: readonly StoreSearchResult[];
  readonly code: readonly StoreSearchResult[];
}

/**
 * Searches so that an index of code takes nothing from memories: neither a place among the candidates nor a part of what
 * their rank is measured by. A caller that names kinds gets what it names.
 */
export async function searchApart(
  search: (recallQuery: RecallQuery) => Promise<readonly StoreSearchResult[]>,
  recallQuery: RecallQuery,
  maxCandidates: number,
): Promise<FoundApart> {
  const found = await search(recallQuery);
  const { filter } = recallQuery;
  if (filter.kinds !== undefined || !found.some(it => it.hits.some(({ memory }) => isIndexedCode(memory))))
    return { memories: found, code: [] };
  const others = await search({ ...recallQuery, filter: { ...filter, kinds: otherKinds } });
  // All that the stores have besides code: words are weighed among them, as they would be without the index.
  const isAll = others.every(it => it.hits.length < maxCandidates);
  const memories = found.map((result, i) => {
    const { hits, ...rest } = others[i]!;
    const ids = new Set(hits.map(it => it.memory.id));
    // Code that a person wrote down or confirmed is a memory like others.
    const kept = result.hits.filter(it => !isIndexedCode(it.memory) && !ids.has(it.memory.id));
    return {
      ...rest,
      ...(isAll ? { statistics: noWordStatistics } : {}),
      hits: [...hits, ...kept],
      revision: result.revision,
    };
  });
  const code = found.map(it => ({ ...it, hits: it.hits.filter(({ memory }) => isIndexedCode(memory)) }));
  return { memories, code };
}

/** Whether the index made it, and no person has made it theirs. */
function isIndexedCode({ kind, lane, pinned, provenance }: Memory): boolean {
  return provenance.source === 'code-index' && codeKinds.includes(kind) && lane === 'note' && !pinned;
}

interface CodePlacement {
  readonly kept: readonly RankedMemory[];
  /** Over the limit. */
  readonly beyond: readonly RankedMemory[];
  /** Code that is no line of this answer. */
  readonly left: readonly RankedMemory[];
}

/**
 * An answer with the descriptions of code that belong into it: none where a memory answers and the question does not ask for
 * code, and where people are asked about only those with every word. They come after what answers, tests and examples last.
 * @param memories best first
 * @param codes best first; code without a description is no line of an answer
 */
export function placeCode(
  memories: readonly RankedMemory[],
  codes: readonly RankedMemory[],
  { query, limit, withoutCut }: Pick<RecallQuery, 'query' | 'limit' | 'withoutCut'>,
): CodePlacement {
  const described = codes.filter(it => it.hit.memory.kind === 'code-description');
  const probabilityOf = (it: RankedMemory): number => it.hit.probability ?? 0;
  const chosen = chooseCode(described, query, Math.max(0, ...memories.map(probabilityOf)));
  const minAnswer = Math.min(answeringProbability, bestRankOf(chosen) / 2);
  const answers = memories.filter(it => probabilityOf(it) >= minAnswer).slice(0, maxAnswersBefore);
  const rest = memories.filter(it => !answers.includes(it));
  const belowCut = withoutCut
    ? described.filter(it => !chosen.includes(it)).map(it => ({ ...it, hit: { ...it.hit, isBelowCut: true } }))
    : [];
  const placed = [...answers, ...chosen, ...rest, ...belowCut];
  const shown = new Set(placed.map(it => it.hit.memory.id));
  return {
    kept: placed.slice(0, limit),
    beyond: placed.slice(limit),
    left: codes.filter(it => !shown.has(it.hit.memory.id)),
  };
}

function chooseCode(described: readonly RankedMemory[], query: string, bestAnswer: number): readonly RankedMemory[] {
  const names = namesInQuery(query);
  const named = described.filter(it => namesDeclaration(names, it.hit.memory.provenance));
  const interest = named.length > 0 ? 'code' : codeInterestOf(query);
  // Wording is a weak sign: where no memory answers, a description with every word does.
  if (interest === 'people')
    return bestAnswer > 0 ? [] : described.filter(it => it.hasEveryWord).slice(0, maxCodeLines);
  const cut = cutByInterest[interest];
  const likely = described.filter(it => !named.includes(it) && isLikely(it, cut));
  if (bestAnswer >= cut.maxAnswer && bestAnswer >= bestRankOf(likely)) return [];
  const isSupporting = (it: RankedMemory): boolean => it.factors.codeWeight !== undefined;
  const product = likely.filter(it => !isSupporting(it));
  return [...named, ...product, ...likely.filter(isSupporting)].slice(0, maxCodeLines);
}

function isLikely({ hit, factors, relevance, wording, hasEveryWord }: RankedMemory, cut: CodeCut): boolean {
  if (hasEveryWord) return true;
  if (hit.rank < cut.minRank) return false;
  return relevance.byWords ? wording >= cut.minWording : (factors.features.queryText ?? 0) >= cut.minCosine;
}

function bestRankOf(codes: readonly RankedMemory[]): number {
  return Math.max(0, ...codes.map(it => it.hit.rank));
}

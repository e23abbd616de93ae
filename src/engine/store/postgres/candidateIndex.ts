import { LRUCache } from 'lru-cache';
import { parseSaid, parseStringArray } from '../../database/jsonColumns.js';
import { MemoryIndex, type CorpusStatistics, type IndexedMemory } from '../../search/index/memoryIndex.js';
import { aidTerms, memoryTerms, saidTerms } from '../../text/memoryTerms.js';
import type { CandidateRow } from './searchCandidates.js';

/** About 2 KB each. */
const maxParsedMemories = 10_000;

type CandidateTexts = Pick<CandidateRow, 'row' | 'content' | 'tags' | 'questions' | 'keywords' | 'quoting'>;
type ParsedMemory = Pick<IndexedMemory, 'terms' | 'aidTerms'>;

/** The texts of memories as an index takes them, of those that were candidates last. */
export class ParsedMemoryCache {
  private readonly cache = new LRUCache<number, { readonly texts: CandidateTexts; readonly parsed: ParsedMemory }>({
    max: maxParsedMemories,
  });

  parse(texts: CandidateTexts): ParsedMemory {
    const cached = this.cache.get(texts.row);
    if (cached !== undefined && hasSameTexts(cached.texts, texts)) return cached.parsed;
    const { row, content, tags, questions, keywords, quoting } = texts;
    const terms = memoryTerms(content, parseStringArray(tags));
    const aids = { questions: parseStringArray(questions), keywords: parseStringArray(keywords) };
    const parsed = { terms, aidTerms: [...aidTerms(aids), ...saidTerms(parseSaid(quoting), terms)] };
    this.cache.set(row, { texts: { row, content, tags, questions, keywords, quoting }, parsed });
    return parsed;
  }
}

function hasSameTexts(a: CandidateTexts, b: CandidateTexts): boolean {
  const names = ['content', 'tags', 'questions', 'keywords', 'quoting'] as const;
  return names.every(it => a[it] === b[it]);
}

/**
 * An index of candidates that scores them as an index of the whole store does.
 * @param candidates in the order of their rows; the index numbers them from 1
 */
export function buildCandidateIndex(
  candidates: readonly CandidateRow[],
  {
    scopeId,
    dimensions,
    corpus,
    parse,
    vectorOf,
  }: {
    readonly scopeId: string;
    readonly dimensions: number | undefined;
    readonly corpus: CorpusStatistics;
    readonly parse: (texts: CandidateTexts) => ParsedMemory;
    readonly vectorOf: (candidate: CandidateRow) => Int8Array | undefined;
  },
): MemoryIndex {
  const index = new MemoryIndex(dimensions, corpus);
  for (const [i, it] of candidates.entries()) {
    index.add({
      row: i + 1,
      key: 0,
      searchable: true,
      active: true,
      scopeId,
      ...parse(it),
      vector: vectorOf(it),
    });
  }
  return index;
}

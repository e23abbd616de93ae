import { codeKindsSql } from './codeKindsSql.js';
import type { Database } from '../../database/database.js';
import { searchKeyOf, type BatchFacts } from './batchFacts.js';
import type { CompareRequest } from '../worker/searchProtocol.js';
import {
  classifyCandidates,
  nearShare,
  type ComparisonCandidate,
  type ParsedTextCache,
  type RelatedMemory,
} from './classifyCandidates.js';
import { toFactInput, type CachedFact, type FactCache } from './factCache.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { findCandidates } from './findCandidates.js';

/** For so few facts the closest by meaning are looked for: 1 ms a fact of 100,000 memories. An import goes by words. */
const maxFactsByEmbedding = 4;

export interface CompareContext {
  readonly database: Database;
  readonly index: MemoryIndex;
  readonly parsedTexts: ParsedTextCache;
  readonly factCache: FactCache;
  readonly earlierFacts: BatchFacts;
}

/**
 * Each fact's relatives among what is stored and what its call told before it. The neighbours are found before it
 * returns; the next facts of the call may be compared from then on.
 */
export async function compareFacts(
  { database, index, parsedTexts, factCache, earlierFacts }: CompareContext,
  { facts, relatedCosine }: CompareRequest,
): Promise<readonly (readonly RelatedMemory[])[]> {
  // All of the index before anything is waited for: it may change meanwhile.
  const minCosine = facts.length <= maxFactsByEmbedding ? nearShare * relatedCosine : undefined;
  const parsedFacts = facts.map(it => {
    const fact = { ...it, parsed: parsedTexts.parse(it) };
    const indexes = earlierFacts.index === undefined ? [index] : [index, earlierFacts.index];
    const neighbours = findCandidates(indexes, searchKeyOf(fact), minCosine);
    earlierFacts.add(fact);
    return { fact, neighbours };
  });
  const rows = parsedFacts.flatMap(({ neighbours }) => neighbours.filter(it => it.index === index).map(it => it.row));
  const stored = await loadCandidateTexts(database, factCache, new Set(rows));
  // An index of what is told is made where one is asked for: with vectors nobody does, of a fact told by itself.
  const weight = (term: string): number =>
    index.postings.weight(term, earlierFacts.index && [earlierFacts.index.postings]);
  const options = { relatedCosine, weight };
  return parsedFacts.map(({ fact, neighbours }) => {
    const candidates: ComparisonCandidate[] = [];
    for (const { index: candidateIndex, row, cosine, isEmbeddingOnly } of neighbours) {
      const known = candidateIndex === index ? stored.get(row) : earlierFacts.get(row);
      if (known !== undefined) candidates.push({ fact: known.fact, parsed: known.parsed, cosine, isEmbeddingOnly });
    }
    return classifyCandidates(fact, candidates, options);
  });
}

/** The plus keeps SQLite from going through all that is active. */
export const candidateTextsSql = `SELECT row, id, content, content_hash, reinforced_at FROM memories
  WHERE row IN (SELECT value FROM json_each(?)) AND +status = 'active' AND kind NOT IN (${codeKindsSql})`;

/** The active memories of these rows that state something. */
async function loadCandidateTexts(
  database: Database,
  factCache: FactCache,
  rows: ReadonlySet<number>,
): Promise<ReadonlyMap<number, CachedFact>> {
  const found = new Map<number, CachedFact>();
  const missing: number[] = [];
  for (const row of rows) {
    const known = factCache.get(row);
    if (known === undefined) missing.push(row);
    else found.set(row, known);
  }
  if (missing.length === 0) return found;
  const { version } = factCache;
  const loaded = await database.read.all(candidateTextsSql, JSON.stringify(missing));
  for (const it of loaded) found.set(it.row as number, factCache.add(it.row as number, toFactInput(it), version));
  return found;
}

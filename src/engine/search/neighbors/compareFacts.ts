import { codeKinds } from '../../model/memory.js';
import type { Database, SqlRow } from '../../database/database.js';
import { searchKeyOf, type BatchFacts, type IndexedFact } from './batchFacts.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import { findCandidates } from './findCandidates.js';
import {
  findRelated,
  minNeighborCosine,
  type ComparisonCandidate,
  type FactInput,
  type RelatedMemory,
  type TermCache,
} from './relatedMemories.js';

/** Batches up to this size also search by embedding, which takes 1 ms a fact in 100,000 memories; imports do not. */
export const maxFactsByEmbedding = 4;

export interface CompareContext {
  readonly index: MemoryIndex;
  /** Reads the facts in those of the index's rows that are active and no code, by row. */
  readonly loadFacts: (rows: ReadonlySet<number>) => Promise<ReadonlyMap<number, FactInput>>;
  readonly termCache: TermCache;
  readonly earlierFacts: BatchFacts;
}

/**
 * Compares new facts with the stored memories and with the earlier facts of their batch. All index lookups happen before
 * the first await, so the next facts of the batch may be compared as soon as this has returned its promise.
 * @returns the related memories of each fact
 */
export async function compareFacts(
  { index, loadFacts, termCache, earlierFacts }: CompareContext,
  { facts, relatedCosine }: { readonly facts: readonly IndexedFact[]; readonly relatedCosine: number },
): Promise<readonly (readonly RelatedMemory[])[]> {
  const minCosine = facts.length <= maxFactsByEmbedding ? minNeighborCosine(relatedCosine) : undefined;
  const analyzedFacts = facts.map(it => {
    const fact = { ...it, terms: termCache.termsOf(it) };
    const indexes = earlierFacts.index === undefined ? [index] : [index, earlierFacts.index];
    const neighbors = findCandidates(indexes, searchKeyOf(fact), minCosine);
    earlierFacts.add(fact);
    return { fact, neighbors };
  });
  const rows = analyzedFacts.flatMap(({ neighbors }) => neighbors.filter(it => it.index === index).map(it => it.row));
  const storedFacts = await loadFacts(new Set(rows));
  const weight = (term: string): number =>
    index.postings.weight(term, earlierFacts.index && [earlierFacts.index.postings]);
  const options = { relatedCosine, weight };
  return analyzedFacts.map(({ fact, neighbors }) => {
    const candidates: ComparisonCandidate[] = [];
    for (const { index: candidateIndex, row, cosine } of neighbors) {
      if (candidateIndex !== index) {
        candidates.push({ ...earlierFacts.get(row), cosine });
        continue;
      }
      const stored = storedFacts.get(row);
      if (stored !== undefined) candidates.push({ fact: stored, terms: termCache.termsOf(stored), cosine });
    }
    return findRelated(fact, candidates, options);
  });
}

/** For `kind NOT IN (…)`: indexed code states nothing and is not compared. */
export const codeKindsSql = codeKinds.map(it => `'${it}'`).join(', ');

/** The unary plus keeps SQLite from visiting every active row. */
export const candidateTextsSql = `SELECT row, id, content, content_hash, reinforced_at FROM memories
  WHERE row IN (SELECT value FROM json_each(?)) AND +status = 'active' AND kind NOT IN (${codeKindsSql})`;

/** The facts in those of the rows that are active and no code, by row. */
export async function loadCandidateFacts(
  database: Database,
  rows: ReadonlySet<number>,
): Promise<ReadonlyMap<number, FactInput>> {
  if (rows.size === 0) return new Map();
  const loaded = await database.read.all(candidateTextsSql, JSON.stringify([...rows]));
  return new Map(loaded.map(it => [it.row as number, toFactInput(it)]));
}

export function toFactInput(row: SqlRow): FactInput {
  return {
    id: row.id as string,
    content: row.content as string,
    contentHash: row.content_hash as string,
    assertedAt: row.reinforced_at as string,
  };
}

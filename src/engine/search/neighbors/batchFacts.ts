import type { ComparisonCandidate, FactInput } from './relatedMemories.js';
import { MemoryIndex } from '../index/memoryIndex.js';
import type { SearchKey } from './findCandidates.js';

/** A new fact with the fields that candidates are looked up by. */
export type IndexedFact = FactInput & Pick<SearchKey, 'scopeId' | 'vector'>;

export type AnalyzedFact = IndexedFact & { readonly terms: readonly string[] };

/** The earlier facts of one batch, before any of them is stored. */
export class BatchFacts {
  private readonly facts: AnalyzedFact[] = [];
  private lazyIndex: MemoryIndex | undefined;

  constructor(private readonly dimensions: number | undefined) {}

  /** The facts in rows from 1; undefined while there are none. Built on first use, as most batches hold one fact. */
  get index(): MemoryIndex | undefined {
    if (this.facts.length === 0) return undefined;
    this.lazyIndex ??= new MemoryIndex(this.dimensions);
    while (this.lazyIndex.size < this.facts.length) this.addToIndex(this.lazyIndex, this.facts[this.lazyIndex.size]!);
    return this.lazyIndex;
  }

  get(row: number): Pick<ComparisonCandidate, 'fact' | 'terms'> {
    const fact = this.facts[row - 1]!;
    return { fact, terms: fact.terms };
  }

  add(fact: AnalyzedFact): void {
    this.facts.push(fact);
  }

  private addToIndex(index: MemoryIndex, { scopeId, vector, terms }: AnalyzedFact): void {
    index.add({
      row: index.size + 1,
      key: 0,
      searchable: true,
      active: true,
      scopeId,
      terms,
      vector,
    });
  }
}

export function searchKeyOf({ scopeId, vector, terms }: AnalyzedFact): SearchKey {
  return { scopeId, vector, terms };
}

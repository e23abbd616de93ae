import type { ParsedText, FactInput } from './classifyCandidates.js';
import type { CachedFact } from './factCache.js';
import { MemoryIndex } from '../index/memoryIndex.js';
import type { SearchKey } from './findCandidates.js';

const noTextFeatures = { speaker: undefined, body: '', flags: 0, properNouns: 0 };

/** A told fact with all that it is found by. */
export type IndexedFact = FactInput & Pick<SearchKey, 'scopeId' | 'vector'>;

/** The same, read. */
export type ParsedFact = IndexedFact & { readonly parsed: ParsedText };

/** The facts that one call has told so far: a later one may say otherwise before any of them is stored. */
export class BatchFacts {
  private readonly facts: ParsedFact[] = [];
  private lazyIndex: MemoryIndex | undefined;

  constructor(private readonly dimensions: number | undefined) {}

  /** All of them, in rows from 1; undefined before the first. Most calls tell one fact, and need no index. */
  get index(): MemoryIndex | undefined {
    if (this.facts.length === 0) return undefined;
    this.lazyIndex ??= new MemoryIndex(this.dimensions);
    while (this.lazyIndex.size < this.facts.length) this.addToIndex(this.lazyIndex, this.facts[this.lazyIndex.size]!);
    return this.lazyIndex;
  }

  get(row: number): CachedFact {
    const fact = this.facts[row - 1]!;
    return { fact, parsed: fact.parsed };
  }

  add(fact: ParsedFact): void {
    this.facts.push(fact);
  }

  private addToIndex(index: MemoryIndex, { scopeId, vector, parsed: { statement, terms } }: ParsedFact): void {
    index.add({
      row: index.size + 1,
      key: 0,
      searchable: true,
      active: true,
      scopeId,
      session: undefined,
      createdAt: 0,
      textFeatures: noTextFeatures,
      terms,
      topicKeys: statement.topicKeys,
      tokens: [],
      vector,
    });
  }
}

export function searchKeyOf({ scopeId, vector, parsed: { statement, terms } }: ParsedFact): SearchKey {
  return { scopeId, vector, terms, topicKeys: statement.topicKeys };
}

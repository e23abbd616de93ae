import { noLexicalScale } from '../search/query/searchMemories.js';
import type { IndexedFact } from '../search/neighbors/batchFacts.js';
import type { ComparisonSession, FactComparison } from './factComparison.js';
import type { SearchableStore, SearchResult } from './store.js';

/** The answer of a store that cannot be asked now. */
export const unreachableResult: SearchResult = {
  hits: [],
  contradictions: { byMemoryId: new Map(), memories: new Map() },
  holdsNotes: true,
  maxFeatureValues: { words: 0, session: 0 },
  lexicalScale: noLexicalScale,
  embedded: 0,
  searchable: 0,
  embedding: undefined,
  revision: -1,
  sequence: 0,
  lexicalOnlyReason: 'unreachable',
};

/** Finds nothing, and says why. */
export class UnreachableSearch implements SearchableStore {
  prepareSearch(): void {
    // There is nothing to prepare.
  }

  search(): Promise<SearchResult> {
    return Promise.resolve(unreachableResult);
  }

  /** What is compared is refused when it is written. */
  openComparison(): ComparisonSession {
    return {
      revision: Infinity,
      add: (facts: readonly IndexedFact[]): Promise<FactComparison> =>
        Promise.resolve({
          relatedMemories: facts.map(() => []),
          vectors: facts.map(() => undefined),
          embedding: undefined,
        }),
      end: () => undefined,
    };
  }
}

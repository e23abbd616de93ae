import type { Database } from '../../database/database.js';
import type { Log } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import { featureNames } from '../../model/trace.js';
import type { IndexKey } from '../../search/worker/searchProtocol.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import type { ComparisonOptions, ComparisonSession } from '../factComparison.js';
import type { SearchableStore, SearchResult, StoreFilter, StoreQuery } from '../store.js';
import { WorkerComparisonSession } from './comparisonSession.js';
import { decodeCandidates, fetchCandidates, type EncodedCandidates } from './fetchCandidates.js';
import { searchFullText, toRowFilter } from './fullTextSearch.js';

/** Searches one store: with the memory index of the search worker, or with FTS5 where that index cannot answer. */
export class SqliteSearch implements SearchableStore {
  constructor(
    private readonly kind: StoreKind,
    private readonly database: Database,
    private readonly searchWorker: SearchWorkerClient,
    private readonly log: Log,
  ) {}

  prepareSearch(model: StoreQuery['model']): void {
    this.searchWorker.prepare(this.indexKey(model));
  }

  openComparison(model: StoreQuery['model'], options: ComparisonOptions): ComparisonSession {
    return new WorkerComparisonSession(this.searchWorker, this.indexKey(model), options);
  }

  async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    const searchLexically = (reason: SearchResult['lexicalOnlyReason']): Promise<SearchResult> =>
      searchFullText(this.database.read, query.question, filter, { limit, store: this.kind, reason });
    if (!isIndexed(filter)) return searchLexically('notIndexed');
    let result: SearchResult | undefined;
    try {
      result = await this.searchIndex(query, filter, limit);
    } catch (error) {
      this.log.error(`The search index of ${this.database.file} failed; words alone are searched.`, error);
      return searchLexically('failed');
    }
    return result ?? searchLexically('building');
  }

  /** @returns undefined while the index is being built */
  private async searchIndex(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult | undefined> {
    const { question, preferredDates, expansion, embeddingOrText, model } = query;
    const request = {
      ...this.indexKey(model),
      query: {
        ...question,
        preferredDates,
        expansion,
        vector: typeof embeddingOrText === 'string' ? undefined : embeddingOrText,
        scopeId: filter.scopeId,
        limit,
      },
      textToEmbed: typeof embeddingOrText === 'string' ? embeddingOrText : undefined,
      filter: toRowFilter(filter, question),
    };
    let pendingFetch: Promise<EncodedCandidates> | undefined;
    const startFetch = (rows: readonly number[]): void => {
      pendingFetch = fetchCandidates(this.database.read, rows, filter.scopeId);
      // If the search fails after this, nothing awaits the fetch.
      pendingFetch.catch(() => undefined);
    };
    let answer = await this.searchWorker.search({ ...request, refreshFirst: false }, startFetch);
    if (!('loading' in answer) && (await pendingFetch)!.revision !== answer.revision) {
      // Another process wrote to the store since the index was updated.
      answer = await this.searchWorker.search({ ...request, refreshFirst: true }, startFetch);
    }
    if ('loading' in answer) return undefined;
    const { sequence, ...encoded } = (await pendingFetch)!;
    const { memories, aids, contradictions } = decodeCandidates(encoded, this.kind);
    const { rows, features, vectors, ...figures } = answer;
    const width = featureNames.length;
    const hits = rows.flatMap((row, i) => {
      const memory = memories.get(row);
      // Missing if it was deleted since the search.
      return memory === undefined
        ? []
        : [
            {
              memory,
              aids: aids.get(row),
              features: features.subarray(i * width, (i + 1) * width),
              vector: vectors[i],
            },
          ];
    });
    return { ...figures, hits, contradictions, sequence, lexicalOnlyReason: undefined };
  }

  private indexKey(model: StoreQuery['model']): IndexKey {
    return { file: this.database.file, model: model?.id, dimensions: model?.dimensions };
  }
}

/** Whether the memory index holds every memory that matches the filter: it lacks superseded and forgotten ones. */
function isIndexed(filter: StoreFilter): boolean {
  return filter.withoutForgotten === true && filter.statuses?.includes('superseded') !== true;
}

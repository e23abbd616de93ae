import type { Database } from '../../database/database.js';
import type { Log } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import type { IndexKey } from '../../search/worker/searchProtocol.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import type { ComparisonOptions, ComparisonSession } from '../factComparison.js';
import type { SearchableStore, SearchResult, StoreFilter, StoreQuery } from '../store.js';
import { WorkerComparisonSession } from './comparisonSession.js';
import { decodeQuestionVectors, nearestOf } from '../questionVectors.js';
import { decodeCandidates, fetchCandidates, type EncodedCandidates } from './fetchCandidates.js';
import { searchFullText, toRowFilter } from './fullTextSearch.js';
import { loadQuestionVectors } from './storedVectors.js';

interface FetchedRows extends EncodedCandidates {
  /** By row, encoded. */
  readonly questionVectors: ReadonlyMap<number, Uint8Array>;
}

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
    const { question, terms, meaning, model } = query;
    const asked = meaning !== undefined && 'vectors' in meaning ? meaning.vectors : undefined;
    const request = {
      ...this.indexKey(model),
      query: {
        terms,
        vectors: asked,
        scopeId: filter.scopeId,
        limit,
      },
      textsToEmbed: meaning !== undefined && 'texts' in meaning ? meaning.texts : [],
      filter: toRowFilter(filter, question),
    };
    let pendingFetch: Promise<FetchedRows> | undefined;
    const startFetch = (rows: readonly number[]): void => {
      pendingFetch = this.fetchRows(rows, filter.scopeId, asked === undefined ? undefined : model);
      // If the search fails after this, nothing awaits the fetch.
      pendingFetch.catch(() => undefined);
    };
    let answer = await this.searchWorker.search({ ...request, refreshFirst: false }, startFetch);
    if (!('loading' in answer) && (await pendingFetch)!.revision !== answer.revision) {
      // Another process wrote to the store since the index was updated.
      answer = await this.searchWorker.search({ ...request, refreshFirst: true }, startFetch);
    }
    if ('loading' in answer) return undefined;
    const { sequence, questionVectors, ...encoded } = (await pendingFetch)!;
    const { memories, aids, contradictions } = decodeCandidates(encoded, this.kind);
    const { rows, nearness, vectors, ...figures } = answer;
    const hits = rows.flatMap((row, i) => {
      const memory = memories.get(row);
      // Missing if it was deleted since the search.
      if (memory === undefined) return [];
      const questionNearness =
        asked && nearestOf(asked, decodeQuestionVectors(questionVectors.get(row), model, aids.get(row)));
      return [{ memory, aids: aids.get(row), nearness: nearness[i], questionNearness, vector: vectors[i] }];
    });
    return { ...figures, hits, contradictions, sequence, lexicalOnlyReason: undefined };
  }

  private async fetchRows(rows: readonly number[], scopeId: string, model: StoreQuery['model']): Promise<FetchedRows> {
    const { read } = this.database;
    const [candidates, questionVectors] = await Promise.all([
      fetchCandidates(read, rows, scopeId),
      model === undefined ? new Map<number, Uint8Array>() : loadQuestionVectors(read, model.id, rows),
    ]);
    return { ...candidates, questionVectors };
  }

  private indexKey(model: StoreQuery['model']): IndexKey {
    return { file: this.database.file, model: model?.id, dimensions: model?.dimensions };
  }
}

/** Whether the memory index holds every memory that matches the filter: it lacks superseded and forgotten ones. */
function isIndexed(filter: StoreFilter): boolean {
  return filter.withoutForgotten === true && filter.statuses?.includes('superseded') !== true;
}

import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { Log } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import type { ComparisonOptions, ComparisonSession } from '../factComparison.js';
import type { SearchableStore, SearchResult, StoreFilter, StoreQuery } from '../store.js';

export interface PostgresSearchParts {
  readonly log: Log;
  /** The built-in model, opened on first use; undefined where there is none. @throws Error where it cannot be read */
  readonly openBuiltInModel: () => StaticModel | undefined;
  /** How long a search waits for the server; default two seconds. */
  readonly deadlineMs?: number;
}

/** Searches one store on a server: the server finds candidates, and they are scored here as those of any other store. */
export class PostgresSearch implements SearchableStore {
  constructor(
    private readonly kind: StoreKind,
    private readonly sql: PostgresSql,
    private readonly parts: PostgresSearchParts,
  ) {}

  prepareSearch(model: StoreQuery['model']): void {
    void model;
  }

  openComparison(model: StoreQuery['model'], options: ComparisonOptions): ComparisonSession {
    throw new Error(`not written yet ${String(model)} ${String(options)}`);
  }

  search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    throw new Error(
      `not written yet ${String(query)} ${String(filter)} ${String(limit)} ${this.kind} ${String(this.sql)} ${String(this.parts)}`,
    );
  }
}

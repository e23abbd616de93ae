import type { EngineError } from '../../base/errors.js';
import type { Database } from '../../database/database.js';
import type { StoreKind } from '../../model/memory.js';
import type { SearchResult, Store, StoreCheckpoints, StoreFilter, StoreQuery } from '../store.js';
import { SqliteStore, type SqliteStoreParts } from './sqliteStore.js';

/**
 * In place of a store whose server cannot be used now. It shows what was remembered meanwhile, which `waiting` takes; every other
 * write is refused, because it would not know the memories that are missing.
 */
export class UnreachableStore extends SqliteStore {
  override readonly readOnly = true;
  /** None: those of the store are on its server. */
  override readonly checkpoints: StoreCheckpoints = {
    list: () => Promise.resolve([]),
    make: () => this.write(),
    restore: () => this.write(),
    delete: () => this.write(),
  };
  readonly waiting: Store;

  /** @param database of what waits @param reason of every refusal */
  constructor(
    kind: StoreKind,
    database: Database,
    parts: SqliteStoreParts,
    private readonly reason: EngineError,
  ) {
    super(kind, database, parts);
    this.waiting = new SqliteStore(kind, database, parts);
  }

  override write(): Promise<never> {
    return Promise.reject(this.reason);
  }

  override async search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    return { ...(await super.search(query, filter, limit)), lexicalOnlyReason: 'unreachable' };
  }
}

import type { CountedItems } from '../../model/maintenance.js';
import type { StoreKind } from '../../model/memory.js';
import type { Trace } from '../../model/trace.js';
import type { ComparisonOptions, ComparisonSession } from '../factComparison.js';
import type {
  HistoryLine,
  RecordKind,
  SearchableStore,
  SearchResult,
  StoreFilter,
  StoreQuery,
  StoreRecord,
} from '../store.js';
import type { SharedSql, SqlDialect } from './sharedSql.js';
import { StoreLogs } from './storeLogs.js';
import { StoreMemories } from './storeMemories.js';

const defaultRecordLimit = 1_000;

/** Reads of a store by the queries that both databases share. */
export abstract class StoreBase extends StoreMemories {
  private readonly logs: StoreLogs;

  constructor(
    kind: StoreKind,
    read: SharedSql,
    dialect: SqlDialect,
    private readonly index: SearchableStore,
  ) {
    super(read, dialect, kind);
    this.logs = new StoreLogs(read, dialect);
  }

  auditLog(since: string): Promise<(HistoryLine & { readonly memoryId?: string })[]> {
    return this.logs.auditLog(since);
  }

  history(id: string): Promise<HistoryLine[]> {
    return this.logs.history(id);
  }

  prepareSearch(model: StoreQuery['model']): void {
    this.index.prepareSearch(model);
  }

  search(query: StoreQuery, filter: StoreFilter, limit: number): Promise<SearchResult> {
    return this.index.search(query, filter, limit);
  }

  openComparison(model: StoreQuery['model'], options: ComparisonOptions): ComparisonSession {
    return this.index.openComparison(model, options);
  }

  records<T>(kind: RecordKind, limit = defaultRecordLimit): Promise<StoreRecord<T>[]> {
    return this.logs.records<T>(kind, limit);
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return this.logs.record<T>(kind, id);
  }

  traces(limit: number): Promise<Trace[]> {
    return this.logs.traces(limit);
  }

  trace(id: string): Promise<Trace | undefined> {
    return this.logs.trace(id);
  }

  countItems(afterHead: string): Promise<CountedItems> {
    return this.logs.countItems(afterHead);
  }

  auditHead(): Promise<string> {
    return this.logs.auditHead();
  }

  hasAuditHead(head: string): Promise<boolean> {
    return this.logs.hasAuditHead(head);
  }

  lastChangeAt(): Promise<string | undefined> {
    return this.logs.lastChangeAt();
  }
}

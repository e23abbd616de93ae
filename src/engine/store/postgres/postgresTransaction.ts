import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { AuditAction } from '../../model/auditAction.js';
import type { Edge, EdgeMark, EdgeType, NewEdge } from '../../model/edge.js';
import type { Memory, SearchAids, StoreKind } from '../../model/memory.js';
import type {
  MemoryWrite,
  NewMemory,
  OutdatedMark,
  RecordKind,
  StoredVector,
  StoreRecord,
  StoreTransaction,
} from '../store.js';

/* eslint-disable @typescript-eslint/no-unused-vars */
const open = (): never => {
  throw new Error('Not built yet.');
};

/**
 * A running write transaction on a PostgreSQL server. Adds an audit line per change, and the revision by which others notice
 * the write. Its first statement waits for the writers before it.
 */
export class PostgresTransaction implements StoreTransaction {
  /** Whether a memory was deleted. */
  deleted = false;
  constructor(
    protected readonly sql: PostgresSql,
    protected readonly kind: StoreKind,
    protected readonly actor: string,
    protected readonly at: string,
  ) {}
  /** Whether the write makes a new revision. */
  get changed(): boolean {
    return open();
  }
  /** Revision made by this write. */
  revision(): Promise<number> {
    return open();
  }
  get(_id: string): Promise<Memory | undefined> {
    return open();
  }
  getMany(_ids: readonly string[]): Promise<Memory[]> {
    return open();
  }
  changedSince(_revision: number, _scopeId: string, _limit: number): Promise<Memory[]> {
    return open();
  }
  findByHash(_contentHashes: readonly string[], _scopeId: string): Promise<Memory[]> {
    return open();
  }
  mergeTargetOf(_id: string): Promise<Memory | undefined> {
    return open();
  }
  nextSequence(_scopeId: string): Promise<number> {
    return open();
  }
  applyBatch(_changes: readonly MemoryWrite[]): Promise<void> {
    return open();
  }
  insertMany(_memories: readonly NewMemory[], _vectors?: readonly (StoredVector | undefined)[]): Promise<void> {
    return open();
  }
  update(_memory: Memory, _action: AuditAction, _detail?: Readonly<Record<string, unknown>>): Promise<void> {
    return open();
  }
  delete(_id: string, _action: 'prune' | 'purge' | 'move'): Promise<void> {
    return open();
  }
  /** Deletes memories; only their audit lines remain. */
  deleteMany(_ids: readonly string[], _action: 'prune' | 'purge' | 'move'): Promise<void> {
    return open();
  }
  setAids(_id: string, _aids: SearchAids, _options?: { readonly isEdit: boolean }): Promise<void> {
    return open();
  }
  withEditedAids(_ids: readonly string[]): Promise<readonly string[]> {
    return open();
  }
  saveScores(_scores: ReadonlyMap<string, number>, _version: number): Promise<void> {
    return open();
  }
  edges(_ids: readonly string[]): Promise<Edge[]> {
    return open();
  }
  link(_edges: readonly NewEdge[]): Promise<void> {
    return open();
  }
  unlink(_source: string, _target: string, _type: EdgeType): Promise<void> {
    return open();
  }
  markOutdated(_mark: OutdatedMark): Promise<void> {
    return open();
  }
  restoreMark(_edge: Pick<Edge, 'source' | 'target' | 'type'>, _mark: EdgeMark): Promise<void> {
    return open();
  }
  clearMarks(_id: string, _by: EdgeMark['by']): Promise<boolean> {
    return open();
  }
  isSettled(_first: string, _second: string): Promise<boolean> {
    return open();
  }
  settle(_first: string, _second: string): Promise<void> {
    return open();
  }
  supersede(_winner: string, _loser: string): Promise<void> {
    return open();
  }
  reopen(_first: string, _second: string): Promise<void> {
    return open();
  }
  undoSupersede(_id: string): Promise<void> {
    return open();
  }
  record<T>(_kind: RecordKind, _id: string): Promise<StoreRecord<T> | undefined> {
    return open();
  }
  putRecord(_kind: RecordKind, _id: string, _body: unknown): Promise<void> {
    return open();
  }
  deleteRecord(_kind: RecordKind, _id: string): Promise<void> {
    return open();
  }
  log(_action: AuditAction, _detail: Readonly<Record<string, unknown>>): Promise<void> {
    return open();
  }
  announce(): Promise<void> {
    return open();
  }
  setVector(_id: string, _vector: StoredVector): Promise<void> {
    return open();
  }
  /** @param vectors by memory id */
  setVectors(_vectors: ReadonlyMap<string, StoredVector>): Promise<void> {
    return open();
  }
  /** Adds one line per memory. */
  logMany(_action: AuditAction, _lines: readonly (readonly [id: string, detail: object])[]): void {
    open();
  }
  /** For an emptied log: its next line is the first. */
  resetAuditLog(): void {
    open();
  }
  /**
   * Writes the counts of terms, the pending audit lines, the head of the log, the write counters and the revision. The last
   * call of every transaction.
   */
  commitMetadata(): Promise<void> {
    return open();
  }
}

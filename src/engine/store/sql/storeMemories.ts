import { parseStringArray } from '../../database/jsonColumns.js';
import { statuses, userArchiveReasons, type Memory, type SearchAids, type StoreKind } from '../../model/memory.js';
import type { GroupCount, MemorySet, Period } from '../../model/query.js';
import { toMemory } from '../memoryRow.js';
import type { StoreFilter } from '../store.js';
import { filterSql, missingAidsSql } from './memoryFilter.js';
import type { SharedRow, SharedSql, SharedValue, SqlDialect } from './sharedSql.js';

/** Memories per page of a full scan: a few milliseconds of reading. */
const scanPageSize = 250;

const groupColumns = 'm.gate, m.decay_class AS "decayClass", m.kind, m.status';
const groupOrder = 'm.decay_class, m.gate, m.kind, m.status';

/** Counts by group of a set. */
export function groupsSql({ text, count }: SqlDialect): string {
  return `SELECT ${groupColumns}, ${count()} AS count FROM memories m WHERE m.scope_id = ${text(1)}
    GROUP BY ${groupOrder} ORDER BY ${groupOrder}`;
}

/** The same of what was made in a period. */
export function groupsOfPeriodSql({ text, count, byTime }: SqlDialect): string {
  const anyStatus = `m.status IN (${statuses.map(it => `'${it}'`).join(', ')})`;
  return `SELECT ${groupColumns}, ${count()} AS count FROM ${byTime}
    WHERE m.scope_id = ${text(1)} AND ${anyStatus} AND m.created_at >= ${text(2)} AND m.created_at < ${text(3)}
    GROUP BY ${groupOrder} ORDER BY ${groupOrder}`;
}

/** Reads memories and their search aids from either database. Methods as of `MemoryRepository`. */
export class StoreMemories {
  constructor(
    private readonly sql: SharedSql,
    private readonly dialect: SqlDialect,
    readonly kind: StoreKind,
  ) {}

  /** Existing memories, in no particular order. */
  async get(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    const { isIn, text } = this.dialect;
    return this.read(`SELECT ${this.dialect.memory} AS memory FROM memories m WHERE ${isIn('m.id', text(1))}`, [
      JSON.stringify(ids),
    ]);
  }

  /** Ids that match a full id or the last eight digits of one; at most three, enough to see that a reference is ambiguous. */
  async resolve(reference: string): Promise<string[]> {
    // No text on a server holds one.
    if (reference.includes('\0')) return [];
    const { handle, text } = this.dialect;
    const rows = await this.sql.all(
      `SELECT id FROM memories WHERE id = ${text(1)} OR ${handle('id')} = ${text(1)} LIMIT 3`,
      reference,
    );
    return rows.map(it => it.id as string);
  }

  /** Newest first. */
  list(filter: StoreFilter, page: { readonly limit: number; readonly offset: number }): Promise<Memory[]> {
    const values: SharedValue[] = [];
    const where = filterSql(filter, this.dialect, value => this.bind(values, value));
    const [limit, offset] = [page.limit, page.offset].map(it => this.dialect.integer(values.push(it)));
    return this.read(this.dialect.page(where, limit!, offset!), values);
  }

  async count(filter: StoreFilter): Promise<number> {
    const values: SharedValue[] = [];
    const where = filterSql(filter, this.dialect, value => this.bind(values, value));
    const row = await this.sql.get(`SELECT ${this.dialect.count()} AS count FROM memories m WHERE ${where}`, ...values);
    return row?.count as number;
  }

  async groups(scopeId: string, period?: Period): Promise<GroupCount[]> {
    const rows =
      period === undefined
        ? await this.sql.all(groupsSql(this.dialect), scopeId)
        : await this.sql.all(groupsOfPeriodSql(this.dialect), scopeId, period.since, period.until);
    return rows as unknown as GroupCount[];
  }

  /** The isolated sets, by name. */
  async sets(): Promise<MemorySet[]> {
    const { count, byBytes } = this.dialect;
    const rows = await this.sql.all(
      `SELECT scope_id AS "scopeId", ${count("status = 'active'")} AS active, ${count("status <> 'active'")} AS archived
       FROM memories WHERE scope_id > '' GROUP BY scope_id ORDER BY ${byBytes('scope_id')}`,
    );
    return rows as unknown as MemorySet[];
  }

  /** Memories with a location in a document. */
  listAnchored(): Promise<Memory[]> {
    return this.read(`SELECT ${this.dialect.memory} AS memory FROM memories m WHERE uri IS NOT NULL`);
  }

  /** Pages of all memories, oldest first. */
  async *scanAll(filter?: StoreFilter): AsyncIterable<readonly Memory[]> {
    for (let after = 0; ;) {
      const values: SharedValue[] = [after];
      const where = filter === undefined ? 'TRUE' : filterSql(filter, this.dialect, value => this.bind(values, value));
      const rows = await this.sql.all(
        `SELECT m.row, ${this.dialect.memory} AS memory FROM ${this.dialect.inOrder}
         WHERE m.row > ${this.dialect.integer(1)} AND ${where} ORDER BY m.row LIMIT ${scanPageSize}`,
        ...values,
      );
      if (rows.length === 0) return;
      yield rows.map(it => this.toMemory(it));
      after = rows.at(-1)!.row as number;
    }
  }

  /** Plans to review: the overdue ones, those that were archived automatically, and those that fade. */
  async plansToReview(scopeId: string, at: string, limit: number): Promise<Memory[]> {
    const { isIn, text, integer, unindexed, latest } = this.dialect;
    const memories = `SELECT ${this.dialect.memory} AS memory FROM memories m`;
    // Not by the set, which contains memories of every gate, nor by all plans where only a few are overdue.
    const isOfSet = `${unindexed('m.scope_id')} = ${text(1)}`;
    const isLater = `(m.due_at IS NULL OR m.due_at >= ${text(2)})`;
    const isAutoArchived = `NOT (${isIn('m.archive_reason', text(4))})`;
    const [gate, status] = ['m.gate', 'm.status'].map(unindexed);
    const reasons = JSON.stringify([...userArchiveReasons, 'merged']);
    const overdue = await this.read(
      `${memories} WHERE ${isOfSet} AND ${gate} = 'promissory' AND m.due_at < ${text(2)}
         AND (${status} = 'active' OR ${status} = 'archived' AND ${isAutoArchived})
       ORDER BY m.due_at, m.id LIMIT ${integer(3)}`,
      [scopeId, at, limit, reasons],
    );
    const archived = await this.read(
      `${memories} WHERE ${isOfSet} AND m.gate = 'promissory' AND m.status = 'archived' AND ${isAutoArchived} AND ${isLater}
       ORDER BY m.archived_at DESC, m.id LIMIT ${integer(3)}`,
      [scopeId, at, limit, reasons],
    );
    const decaying = await this.read(
      `${memories} WHERE ${isOfSet} AND m.gate = 'promissory' AND m.status = 'active' AND m.pinned = 0
         AND m.decay_class <> 'permanent' AND ${isLater}
       ORDER BY ${latest('m.updated_at', 'm.reinforced_at')}, m.id LIMIT ${integer(3)}`,
      [scopeId, at, limit],
    );
    return [...overdue, ...archived, ...decaying];
  }

  /** Ids of memories that were archived automatically at exactly this time. */
  async autoArchivedAt(at: string): Promise<string[]> {
    const rows = await this.sql.all(
      `SELECT id FROM memories WHERE status = 'archived' AND archived_at = ${this.dialect.text(1)}
         AND archive_reason IN ('faded', 'expired', 'quota') ORDER BY row`,
      at,
    );
    return rows.map(it => it.id as string);
  }

  /** Search aids by memory id, of those that have any. */
  async aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
    const { isAidOf, isIn, text } = this.dialect;
    const rows = await this.sql.all(
      `SELECT m.id, a.questions, a.keywords FROM memories m JOIN aids a ON ${isAidOf} WHERE ${isIn('m.id', text(1))}`,
      JSON.stringify(ids),
    );
    return new Map(
      rows.map(it => [
        it.id as string,
        {
          questions: parseStringArray(it.questions as string),
          keywords: parseStringArray(it.keywords as string),
        },
      ]),
    );
  }

  /** Active memories without search aids, of every set, newest first. */
  missingAids(limit: number): Promise<Memory[]> {
    return this.read(
      `SELECT ${this.dialect.memory} AS memory FROM memories m
       WHERE m.status = 'active' AND ${missingAidsSql(this.dialect)} ORDER BY m.row DESC LIMIT ${this.dialect.integer(1)}`,
      [limit],
    );
  }

  async countMissingAids(): Promise<number> {
    const row = await this.sql.get(
      `SELECT ${this.dialect.count()} AS count FROM memories m WHERE m.status = 'active' AND ${missingAidsSql(this.dialect)}`,
    );
    return row!.count as number;
  }

  private bind(values: SharedValue[], value: SharedValue): string {
    const place = values.push(value);
    return typeof value === 'number' ? this.dialect.integer(place) : this.dialect.text(place);
  }

  private async read(sql: string, values: readonly SharedValue[] = []): Promise<Memory[]> {
    return (await this.sql.all(sql, ...values)).map(it => this.toMemory(it));
  }

  private toMemory({ memory }: SharedRow): Memory {
    return toMemory(this.dialect.toRow(memory), this.kind);
  }
}

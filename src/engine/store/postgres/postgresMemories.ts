import type { PostgresRow } from '../../database/postgres/postgresConnection.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import { userArchiveReasons, type Memory, type SearchAids, type StoreKind } from '../../model/memory.js';
import type { GroupCount, MemorySet, Period } from '../../model/query.js';
import type { HotSince } from '../../scoring/temperature.js';
import type { StoreFilter } from '../store.js';
import { postgresFilter, postgresIsHotSql, postgresMissingAidsSql } from './postgresFilter.js';
import { fromPostgres, memoryArraySql } from './postgresRows.js';

/** Memories per page of a full scan. */
const scanPageSize = 500;

const groupColumns = 'm.gate, m.decay_class AS "decayClass", m.kind, m.status, count(*)::int AS count';

/** Reads memories and their search aids. Methods as of `MemoryRepository`. */
export class PostgresMemories {
  constructor(
    private readonly sql: PostgresSql,
    private readonly kind: StoreKind,
  ) {}

  async get(ids: readonly string[]): Promise<Memory[]> {
    if (ids.length === 0) return [];
    return this.decode(
      await this.sql.all(`SELECT ${memoryArraySql()} AS memory FROM memories WHERE id = ANY($1::text[])`, ids),
    );
  }

  /** At most three, enough to see that a reference is ambiguous. */
  async resolve(reference: string): Promise<string[]> {
    if (reference.includes('\0')) return [];
    const rows = await this.sql.all('SELECT id FROM memories WHERE id = $1 OR right(id, 8) = $1 LIMIT 3', reference);
    return rows.map(it => it.id as string);
  }

  async list(filter: StoreFilter, page: { readonly limit: number; readonly offset: number }): Promise<Memory[]> {
    const { where, values } = postgresFilter(filter, 3);
    return this.decode(
      await this.sql.all(
        // Otherwise the server would make an array of each memory, and then sort.
        `SELECT ${memoryArraySql('m')} AS memory FROM (
           SELECT * FROM memories m WHERE ${where}
           ORDER BY m.created_at DESC, m.id DESC LIMIT $1::bigint OFFSET $2::bigint) m
         ORDER BY m.created_at DESC, m.id DESC`,
        page.limit,
        page.offset,
        ...values,
      ),
    );
  }

  async *scanAll(filter: StoreFilter | undefined): AsyncIterable<readonly Memory[]> {
    const { where, values } = filter === undefined ? { where: 'TRUE', values: [] } : postgresFilter(filter, 2);
    for (let after = 0; ;) {
      const rows = await this.sql.all(
        `SELECT m.row, ${memoryArraySql('m')} AS memory FROM memories m
         WHERE m.row > $1::int AND ${where} ORDER BY m.row LIMIT ${scanPageSize}`,
        after,
        ...values,
      );
      if (rows.length === 0) return;
      yield this.decode(rows);
      after = rows.at(-1)!.row as number;
    }
  }

  async listAnchored(): Promise<Memory[]> {
    return this.decode(await this.sql.all(`SELECT ${memoryArraySql()} AS memory FROM memories WHERE uri IS NOT NULL`));
  }

  async count(filter: StoreFilter): Promise<number> {
    const { where, values } = postgresFilter(filter, 1);
    const row = await this.sql.get(`SELECT count(*)::int AS count FROM memories m WHERE ${where}`, ...values);
    return row?.count as number;
  }

  async groups(scopeId: string, period: Period | undefined): Promise<GroupCount[]> {
    const inPeriod = period === undefined ? '' : 'AND m.created_at >= $2 AND m.created_at < $3';
    const rows = await this.sql.all(
      `SELECT ${groupColumns} FROM memories m WHERE m.scope_id = $1 ${inPeriod}
       GROUP BY m.decay_class, m.gate, m.kind, m.status ORDER BY m.decay_class, m.gate, m.kind, m.status`,
      scopeId,
      ...(period === undefined ? [] : [period.since, period.until]),
    );
    return rows as unknown as GroupCount[];
  }

  async temperatureGroups(scopeId: string, since: HotSince): Promise<GroupCount[]> {
    const values: unknown[] = [scopeId];
    const isHot = postgresIsHotSql(since, it => `$${String(values.push(it))}`);
    const rows = await this.sql.all(
      `SELECT ${groupColumns}, CASE WHEN ${isHot} THEN 'hot' ELSE 'cold' END AS temperature
       FROM memories m WHERE m.scope_id = $1
       GROUP BY m.decay_class, m.gate, m.kind, m.status, temperature
       ORDER BY m.decay_class, m.gate, m.kind, m.status, temperature`,
      ...values,
    );
    return rows as unknown as GroupCount[];
  }

  /** By name. */
  async sets(): Promise<MemorySet[]> {
    const rows = await this.sql.all(
      `SELECT scope_id AS "scopeId", count(*) FILTER (WHERE status = 'active')::int AS active,
         count(*) FILTER (WHERE status <> 'active')::int AS archived
       FROM memories WHERE scope_id <> '' GROUP BY scope_id ORDER BY scope_id COLLATE "C"`,
    );
    return rows as unknown as MemorySet[];
  }

  async plansToReview(scopeId: string, at: string, limit: number): Promise<Memory[]> {
    const plans = `SELECT ${memoryArraySql()} AS memory FROM memories WHERE scope_id = $1 AND gate = 'promissory'`;
    const isLater = '(due_at IS NULL OR due_at >= $2)';
    const isAutoArchived = "status = 'archived' AND archive_reason <> ALL($4::text[])";
    const reasons = [...userArchiveReasons, 'merged'];
    const overdue = await this.sql.all(
      `${plans} AND due_at < $2 AND (status = 'active' OR ${isAutoArchived}) ORDER BY due_at, id LIMIT $3::bigint`,
      ...[scopeId, at, limit, reasons],
    );
    const archived = await this.sql.all(
      `${plans} AND ${isAutoArchived} AND ${isLater} ORDER BY archived_at DESC, id LIMIT $3::bigint`,
      ...[scopeId, at, limit, reasons],
    );
    const decaying = await this.sql.all(
      `${plans} AND status = 'active' AND pinned = 0 AND decay_class <> 'permanent' AND ${isLater}
       ORDER BY greatest(updated_at, reinforced_at), id LIMIT $3::bigint`,
      ...[scopeId, at, limit],
    );
    return this.decode([...overdue, ...archived, ...decaying]);
  }

  async aids(ids: readonly string[]): Promise<ReadonlyMap<string, SearchAids>> {
    const rows = await this.sql.all('SELECT id, questions, keywords FROM aids WHERE id = ANY($1::text[])', ids);
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

  async missingAids(limit: number): Promise<Memory[]> {
    return this.decode(
      await this.sql.all(
        `SELECT ${memoryArraySql('m')} AS memory FROM memories m
         WHERE m.status = 'active' AND ${postgresMissingAidsSql} ORDER BY m.row DESC LIMIT $1::bigint`,
        limit,
      ),
    );
  }

  async countMissingAids(): Promise<number> {
    const row = await this.sql.get(
      `SELECT count(*)::int AS count FROM memories m WHERE m.status = 'active' AND ${postgresMissingAidsSql}`,
    );
    return row!.count as number;
  }

  private decode(rows: readonly PostgresRow[]): Memory[] {
    return rows.map(it => fromPostgres(it, this.kind));
  }
}

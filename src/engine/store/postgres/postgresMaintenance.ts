import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import { parseObject } from '../../database/jsonColumns.js';
import { formatMessage } from '../../model/engineMessages.js';
import type { InventoryRow } from '../../model/maintenance.js';
import type { StoreReport } from '../../model/storeReport.js';
import { AuditVerifier } from '../audit.js';
import { allowedValues, describeOutsideChanges, isIntact, nameMemories, timeColumns } from '../damagedRows.js';
import { toInventoryRow } from '../memoryRow.js';
import { StoreLogs } from '../sql/storeLogs.js';
import type { StorageStats } from '../store.js';
import { isOfQuestionsSql } from '../questionVectors.js';
import { checkpointTablePattern } from './checkpointTables.js';
import { postgresDialect } from './postgresDialect.js';
import { findPostgresOutsideChanges } from './postgresOutsideChanges.js';

/** Rows that are checked at once. */
const verifyPageSize = 1_000;

/**
 * Bytes of a memory `m`: content and tags in UTF-8 and the largest vector of its text. Not the sum of the vectors, so that trying out a
 * model for a day does not push memories over a quota.
 */
const memoryBytesSql = `octet_length(m.content) + octet_length(m.tags)
  + coalesce((SELECT max(length(v.vector)) FROM vectors v WHERE v.id = m.id AND NOT ${isOfQuestionsSql}), 0)`;

/** Figures of a store and its check. Methods as of `MaintenanceStore`. */
export class PostgresMaintenance {
  constructor(private readonly pool: PostgresPool) {}

  async memorySizes(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.pool.read.all(
      `SELECT m.id, ${memoryBytesSql} AS bytes FROM memories m WHERE m.id = ANY($1::text[])`,
      ids,
    );
    return new Map(rows.map(it => [it.id as string, it.bytes as number]));
  }

  async inventory(): Promise<InventoryRow[]> {
    const rows = await this.pool.read.all(
      `SELECT m.gate, m.decay_class, m.pinned, m.lane, m.status, 
         CASE WHEN m.source IN ('code-index', 'import') THEN m.source ELSE 'explicit' END AS origin,
         strpos(m.provenance, '"author":"') > 0 AS is_shared,
         count(*)::int AS count, sum(${memoryBytesSql})::float8 AS bytes
       FROM memories m GROUP BY m.gate, m.decay_class, m.pinned, m.lane, m.status, origin, is_shared`,
    );
    return rows.map(toInventoryRow);
  }

  async storageStats(model: string | undefined): Promise<StorageStats> {
    const tables = `FROM pg_class c WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND c.relname !~ $2`;
    const row = await this.pool.read.get(
      `SELECT (SELECT count(*)::int FROM vectors v WHERE NOT ${isOfQuestionsSql}) AS vectors,
         (SELECT coalesce(sum(length(vector)), 0)::float8 FROM vectors WHERE model = $1) AS vector_bytes,
         (SELECT coalesce(sum(pg_relation_size(c.oid)), 0)::float8 ${tables}
          AND (c.relname IN ('memories_by_terms', 'aids_by_terms', 'said_by_terms', 'lexemes', 'lexemes_pkey')
            OR c.relname LIKE 'embeddings%' AND c.relkind IN ('r', 'i'))) AS index_bytes,
         (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::float8 ${tables} AND c.relkind = 'r') AS bytes`,
      model ?? '',
      checkpointTablePattern,
    );
    return {
      vectors: row!.vectors as number,
      vectorBytes: row!.vector_bytes as number,
      indexBytes: row!.index_bytes as number,
      fileBytes: row!.bytes as number,
    };
  }

  /** Checks one snapshot: the audit chain, and that rows and chain hold the same memories and the texts that were stored. */
  verify(): Promise<Omit<StoreReport, 'store' | 'file'>> {
    return this.pool.transaction(async sql => {
      await sql.exec('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      const chain = new AuditVerifier();
      const outside = await findPostgresOutsideChanges(sql, entries => {
        chain.add(entries);
      });
      const problems = [...chain.finish(await new StoreLogs(sql, postgresDialect).auditHead())];
      const lifetimes = (await sql.get(
        `SELECT
           (SELECT count(*)::int FROM memories m
            WHERE NOT EXISTS (SELECT 1 FROM audit a WHERE a.memory_id = m.id AND a.action = 'create')) AS unaudited,
           (SELECT count(*)::int FROM (
              SELECT memory_id FROM audit WHERE memory_id IS NOT NULL GROUP BY memory_id
              HAVING bool_or(action = 'create') AND NOT bool_or(action IN ('prune', 'purge', 'move', 'rollback'))
              EXCEPT SELECT id FROM memories) gone) AS gone`,
      ))!;
      if (lifetimes.unaudited !== 0) problems.push(formatMessage('notAudited', lifetimes.unaudited as number));
      if (lifetimes.gone !== 0) problems.push(formatMessage('goneUnaudited', lifetimes.gone as number));
      const { memories, damaged, changed } = await checkMemories(sql);
      if (damaged.length > 0) problems.push(formatMessage('damagedFields', damaged.length, nameMemories(damaged)));
      if (changed.length > 0) problems.push(formatMessage('changedTexts', changed.length, nameMemories(changed)));
      if (outside.rows.size > 0)
        problems.push(formatMessage('changedRows', outside.rows.size, nameMemories([...outside.rows.keys()])));
      problems.push(...describeOutsideChanges(outside));
      return { memories, auditEntries: chain.entries, problems };
    });
  }
}

interface CheckedMemories {
  readonly memories: number;
  /** Ids of memories with a field that means nothing. */
  readonly damaged: readonly string[];
  /** Ids of memories whose text is not what was stored. */
  readonly changed: readonly string[];
}

async function checkMemories(sql: PostgresSql): Promise<CheckedMemories> {
  const damaged: string[] = [];
  const changed: string[] = [];
  let memories = 0;
  for (let after = 0; ;) {
    const rows = await sql.all(
      `SELECT row, id, content, summary, provenance, content_hash, tags,
         ${[...allowedValues.map(([column]) => column), ...timeColumns].join(', ')}
       FROM memories WHERE row > $1::int ORDER BY row LIMIT ${verifyPageSize}`,
      after,
    );
    if (rows.length === 0) return { memories, damaged, changed };
    for (const row of rows) {
      if (!isIntact(row)) changed.push(row.id as string);
      if (!hasValidFields(row)) damaged.push(row.id as string);
    }
    memories += rows.length;
    after = rows.at(-1)!.row as number;
  }
}

function hasValidFields(row: Readonly<Record<string, unknown>>): boolean {
  return (
    allowedValues.every(([column, values]) => values.includes(row[column] as string)) &&
    timeColumns.every(it => !Number.isNaN(Date.parse(row[it] as string))) &&
    parseObject(row.provenance as string) !== undefined &&
    isJsonList(row.tags as string)
  );
}

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

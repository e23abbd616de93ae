import { isUnsearchable } from '../../model/memory.js';
import { reactivate } from '../memoryRow.js';
import type { UsageFlush } from '../store.js';
import type { PostgresTransaction } from './postgresTransaction.js';
import { postgresDialect } from './postgresDialect.js';
import { StoreLogs } from '../sql/storeLogs.js';

/**
 * Writes access counts and traces, and deletes traces beyond `keepTraces`.
 * @returns ids of archived memories that a recall reactivated
 */
export async function writePostgresUsage(
  tx: PostgresTransaction,
  { accessed, traces, at }: UsageFlush,
  keepTraces: number,
): Promise<readonly string[]> {
  const used = await tx.sql.all(
    `UPDATE memories m SET access_count = access_count + used.count, accessed_at = $3
     FROM unnest($1::text[], $2::int[]) AS used (id, count) WHERE m.id = used.id
     RETURNING m.id, m.row, m.status`,
    [...accessed.keys()],
    [...accessed.values()],
    at,
  );
  const rows = new Map(used.filter(it => it.status === 'archived').map(it => [it.id as string, it.row as number]));
  const recalled = (await tx.getMany([...rows.keys()]))
    .filter(it => !isUnsearchable(it.archiveReason))
    .sort((a, b) => rows.get(a.id)! - rows.get(b.id)!);
  await tx.applyBatch(
    recalled.map(it => ({
      op: 'update',
      memory: reactivate(it, at),
      action: 'restore',
      detail: { because: 'recalled' },
    })),
  );
  if (traces.length > 0)
    await tx.sql.run(
      `INSERT INTO traces (id, at, trace) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])`,
      traces.map(it => it.id),
      traces.map(it => it.at),
      traces.map(it => it.text),
    );
  await new StoreLogs(tx.sql, postgresDialect).pruneTraces(keepTraces);
  return recalled.map(it => it.id);
}

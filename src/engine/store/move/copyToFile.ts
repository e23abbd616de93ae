import { insertRows } from '../../database/insertRows.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import type { Database, SqlTransaction, SqlValue } from '../../database/database.js';
import type { PostgresRow } from '../../database/postgres/postgresConnection.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { writeMeta } from '../../database/storeState.js';
import { analyzeText } from '../../text/analyzer.js';
import { copiedTable, readServerPages, type MovedTable } from './copiedTables.js';
import { stopIfAborted, type CopyOptions } from './copyToServer.js';

/**
 * Copies a store of a server into a new and empty store.
 * @param sql inside a transaction of the server, which keeps writers out
 * @throws EngineError aborted, and as Database and PostgresPool
 */
export async function copyToFile(sql: PostgresSql, target: Database, options: CopyOptions = {}): Promise<void> {
  const { total } = (await sql.get('SELECT count(*)::int AS total FROM memories'))! as { readonly total: number };
  /** Rows of the memories, by id. */
  const rowOf = new Map<string, number>();
  await target.write(async tx => {
    for await (const rows of readServerPages(sql, copiedTable('memories'))) {
      stopIfAborted(options.signal);
      for (const it of rows) rowOf.set(it.id as string, it.row as number);
      await insertColumns(tx, copiedTable('memories'), rows);
      await insertRows(tx, 'memory_terms (rowid, terms)', rows.map(toTerms));
      options.onProgress?.({ done: rowOf.size, total });
    }
    await copyDependents(sql, tx, rowOf);
    for (const name of ['audit', 'records', 'traces', 'sequences'] as const) {
      for await (const rows of readServerPages(sql, copiedTable(name)))
        await insertColumns(tx, copiedTable(name), rows);
    }
    const meta = await sql.all("SELECT key, value FROM meta WHERE key IN ('revision', 'auditHead')");
    await writeMeta(tx, Object.fromEntries(meta.map(it => [it.key as string, it.value as string])));
  });
}

/** Memories of an excerpt: more than a briefing has room for. */
const excerptMemories = 500;
/** Pinned ones first, then confirmed ones, then those that changed last. */
const excerptIdsSql = `(SELECT id FROM memories WHERE status = 'active' AND scope_id = ''
  ORDER BY pinned DESC, (lane = 'confirmed') DESC, updated_at DESC, id LIMIT ${excerptMemories})`;
const excerptConditions: Readonly<Partial<Record<MovedTable['name'], string>>> = {
  memories: `id IN ${excerptIdsSql}`,
  aids: `id IN ${excerptIdsSql}`,
  vectors: `id IN ${excerptIdsSql}`,
  edges: `source IN ${excerptIdsSql} AND target IN ${excerptIdsSql}`,
  records: "kind = 'state'",
};

/**
 * Copies the memories that a briefing may need from a store of a server into a new and empty store.
 * @param sql inside a transaction of the server that sees one state
 * @throws EngineError as Database and PostgresPool
 */
export async function copyExcerpt(sql: PostgresSql, target: Database): Promise<void> {
  const tableOf = (name: MovedTable['name']): MovedTable => {
    const table = copiedTable(name);
    return { ...table, postgres: `${table.postgres} WHERE ${excerptConditions[name]!}` };
  };
  const rowOf = new Map<string, number>();
  await target.write(async tx => {
    for await (const rows of readServerPages(sql, tableOf('memories'))) {
      for (const it of rows) rowOf.set(it.id as string, it.row as number);
      await insertColumns(tx, copiedTable('memories'), rows);
    }
    await copyDependents(sql, tx, rowOf, tableOf);
    for await (const rows of readServerPages(sql, tableOf('records')))
      await insertColumns(tx, copiedTable('records'), rows);
  });
}

/** Rows that name memories by row number in a file: search aids, vectors and edges. */
async function copyDependents(
  sql: PostgresSql,
  tx: SqlTransaction,
  rowOf: ReadonlyMap<string, number>,
  tableOf: (name: MovedTable['name']) => MovedTable = copiedTable,
): Promise<void> {
  for await (const rows of readServerPages(sql, tableOf('aids'))) {
    const values = rows.map(it => [rowOf.get(it.id as string)!, it.questions as string, it.keywords as string]);
    await insertRows(tx, 'aids (row, questions, keywords)', values);
  }
  const models = new Map<string, number>();
  for await (const rows of readServerPages(sql, tableOf('vectors'))) {
    for (const { model } of rows) {
      if (models.has(model as string)) continue;
      const added = await tx.get('INSERT INTO models (id) VALUES (?) RETURNING number', model as string);
      models.set(model as string, added!.number as number);
    }
    const values = rows.map(it => [
      models.get(it.model as string)!,
      rowOf.get(it.id as string)!,
      it.vector as Uint8Array,
    ]);
    await insertRows(tx, 'vectors (model, row, vector)', values);
  }
  const { columns } = copiedTable('edges');
  for await (const rows of readServerPages(sql, tableOf('edges'))) {
    const values = rows.map(row =>
      columns.map(it =>
        it === 'source' || it === 'target' ? rowOf.get(row[it] as string)! : ((row[it] ?? null) as SqlValue),
      ),
    );
    await insertRows(tx, `edges (${columns.join(', ')})`, values);
  }
}

async function insertColumns(
  tx: SqlTransaction,
  { name, columns }: MovedTable,
  rows: readonly PostgresRow[],
): Promise<void> {
  const values = rows.map(row => columns.map(it => (row[it] ?? null) as SqlValue));
  await insertRows(tx, `${name} (${columns.join(', ')})`, values);
}

/** As a store indexes the words of a memory. */
function toTerms({ row, content, tags }: PostgresRow): SqlValue[] {
  const text = [content as string, ...parseStringArray(tags as string)].join('\n');
  return [row as number, analyzeText(text).join(' ')];
}

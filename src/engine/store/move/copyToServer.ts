import { randomUUID } from 'node:crypto';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { Sql, SqlRow } from '../../database/database.js';
import { parseStringArray } from '../../database/jsonColumns.js';
import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import { describeAddress } from '../../database/postgres/postgresSettings.js';
import { aidTerms } from '../../text/memoryTerms.js';
import { toTsvector } from '../postgres/postgresRows.js';
import {
  indexMemoryText,
  insertSaidTerms,
  PostgresTermCounts,
  storedTextOf,
  type TextIndex,
} from '../postgres/postgresTermCounts.js';
import { saveVectorRows, toVectorRow } from '../postgres/vectorRows.js';
import {
  copiedTable,
  copiedTables,
  isOfAnyModelSql,
  readServerPages,
  readSqlitePages,
  TableDigester,
  type MovedTable,
} from './copiedTables.js';

/** Memories per transaction, with their search aids and vectors; an interrupted copy goes on behind the last one. */
const memoriesPerBatch = 1_000;

export interface CopyProgress {
  readonly done: number;
  readonly total: number;
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined;
}

/**
 * Copies a store into the migrated schema of a server, behind what an interrupted copy of the same state has copied. Only what
 * changes without a new revision is missing then: see `copyRest`.
 * @param source one state of the SQLite file
 * @throws EngineError invalidInput (the schema holds another store) | aborted, and as PostgresPool
 */
export async function copyToServer(source: Sql, pool: PostgresPool, options: CopyOptions = {}): Promise<void> {
  const state = await startCopy(source, pool);
  const { total } = (await source.get('SELECT count(*) AS total FROM memories'))! as { readonly total: number };
  const { last, done: copied } = (await pool.read.get(
    'SELECT coalesce(max(row), 0) AS last, count(*)::int AS done FROM memories',
  ))! as { readonly last: number; readonly done: number };
  let done = copied;
  for (let after = last; ;) {
    const memories = await source.all(
      `${copiedTable('memories').sqlite} WHERE t.row > ? ORDER BY t.row LIMIT ?`,
      after,
      memoriesPerBatch,
    );
    if (memories.length === 0) break;
    stopIfAborted(options.signal);
    const to = memories.at(-1)!.row as number;
    const aids = await source.all(`${copiedTable('aids').sqlite} WHERE t.row > ? AND t.row <= ?`, after, to);
    const vectors = await source.all(
      `${copiedTable('vectors').sqlite} WHERE ${isOfAnyModelSql} AND t.row > ? AND t.row <= ?`,
      after,
      to,
    );
    const before = after;
    await pool.transaction(async sql => {
      await lockCopy(sql, state);
      const { last } = (await sql.get('SELECT coalesce(max(row), 0) AS last FROM memories'))!;
      // Another process copies too: it has counted the terms of these.
      if (last !== before)
        throw new EngineError('storeBusy', 'Another program moves these memories now. Let it finish, and look again.');
      await insertMemories(sql, memories, aids, vectors);
    });
    after = to;
    done += memories.length;
    options.onProgress?.({ done, total });
  }
  for (const name of ['edges', 'audit'] as const) {
    for await (const rows of readSqlitePages(source, copiedTable(name))) {
      stopIfAborted(options.signal);
      await insert(pool.read, copiedTable(name), rows);
    }
  }
}

/**
 * Copies what changes without a new revision: records, traces, counters and how often memories were used; then the revision.
 * @param source inside a write transaction, so that nothing changes meanwhile
 * @param sql inside a transaction of the server
 */
export async function copyRest(source: Sql, sql: PostgresSql): Promise<void> {
  await sql.exec('DELETE FROM records; DELETE FROM traces; DELETE FROM sequences');
  for (const name of ['audit', 'records', 'traces', 'sequences'] as const) {
    for await (const rows of readSqlitePages(source, copiedTable(name))) await insert(sql, copiedTable(name), rows);
  }
  const used = copiedTable('memories');
  const columns = ['access_count', 'useful_count', 'feedback', 'accessed_at', 'retention_score', 'scoring_version'];
  for await (const rows of readSqlitePages(source, used)) {
    await sql.run(
      `UPDATE memories m SET ${columns.map(it => `${it} = u.${it}`).join(', ')}
       FROM json_populate_recordset(NULL::memories, $1::json) u WHERE m.id = u.id
         AND (${columns.map(it => `m.${it}`).join(', ')}) IS DISTINCT FROM (${columns.map(it => `u.${it}`).join(', ')})`,
      JSON.stringify(rows.map(row => Object.fromEntries(['id', ...columns].map(it => [it, row[it]])))),
    );
  }
  for (const { key, value } of await source.all("SELECT key, value FROM meta WHERE key IN ('revision', 'auditHead')"))
    await sql.run('UPDATE meta SET value = $2 WHERE key = $1', key, value);
}

/**
 * The tables that differ between a file and its copy, by number of rows and hash; none where all are the same.
 * @param sql inside a transaction of the server
 */
export async function findDifferences(source: Sql, sql: PostgresSql): Promise<readonly MovedTable['name'][]> {
  const different: MovedTable['name'][] = [];
  for (const table of copiedTables) {
    const [here, there] = [new TableDigester(table.columns), new TableDigester(table.columns)];
    for await (const rows of readSqlitePages(source, table)) here.add(rows);
    for await (const rows of readServerPages(sql, table)) there.add(rows);
    if (here.digest.rows !== there.digest.rows || here.digest.hash !== there.digest.hash) different.push(table.name);
  }
  return different;
}

/** The state of a file that a copy is of: its history and its revision. */
export async function readCopiedState(source: Sql): Promise<string> {
  const row = await source.get(
    `SELECT (SELECT value FROM meta WHERE key = 'revision') AS revision,
       coalesce((SELECT hash FROM audit WHERE seq = 1), '') AS history`,
  );
  return `${row!.history as string} ${row!.revision as string}`;
}

/** Empties what a copy of an earlier state left. @returns the state that is copied @throws EngineError invalidInput where another store is there */
async function startCopy(source: Sql, pool: PostgresPool): Promise<string> {
  const state = await readCopiedState(source);
  const found = (await pool.read.get("SELECT value FROM meta WHERE key = 'copyOf'"))?.value as string | undefined;
  if (found === state) return state;
  const there = (await pool.read.get('SELECT hash FROM audit WHERE seq = 1'))?.hash as string | undefined;
  const [history] = state.split(' ');
  if (there === history && found === undefined)
    throw new EngineError(
      'invalidInput',
      message`The schema ${pool.schema} of ${describeAddress(pool.settings)} still holds what was moved from there to this machine. Delete it first: recollect store move --delete-source`,
    );
  if (there !== undefined && found?.split(' ')[0] !== history)
    throw new EngineError(
      'invalidInput',
      message`The schema ${pool.schema} of ${describeAddress(pool.settings)} holds memories that are not from here. Nothing was changed.`,
    );
  await pool.transaction(async sql => {
    await sql.exec(
      'TRUNCATE memories, aids, said, vectors, edges, audit, records, traces, sequences, lexemes; UPDATE totals SET memories = 0, terms = 0',
    );
    await sql.run(
      "INSERT INTO meta VALUES ('copyOf', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      state,
    );
    await sql.run("INSERT INTO meta VALUES ('storeId', $1) ON CONFLICT (key) DO NOTHING", randomUUID());
  });
  return state;
}

/**
 * Keeps other movers out, until the end of a transaction of the server.
 * @param state of the file that the copy is of
 * @throws EngineError storeBusy where the schema holds no copy of it (any more)
 */
export async function lockCopy(sql: PostgresSql, state: string): Promise<void> {
  await sql.all("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
  const found = await sql.get("SELECT value FROM meta WHERE key = 'copyOf'");
  if (found?.value !== state)
    throw new EngineError('storeBusy', 'Another program moves these memories now. Let it finish, and look again.');
}

/** Has the next copy start over: this one differs from the file in what it does not look at again. */
export async function discardCopy(pool: PostgresPool, state: string): Promise<void> {
  await pool.read.run(
    "UPDATE meta SET value = $2 WHERE key = 'copyOf' AND value = $1",
    state,
    `${state.split(' ')[0]!} -`,
  );
}

async function insertMemories(
  sql: PostgresSql,
  memories: readonly SqlRow[],
  aids: readonly SqlRow[],
  vectors: readonly SqlRow[],
): Promise<void> {
  const counts = new PostgresTermCounts();
  const { columns } = copiedTable('memories');
  const indexes = new Map<string, TextIndex>();
  const rows = memories.map(row => {
    const index = indexMemoryText(storedTextOf(row));
    counts.addMemory(index, 1);
    indexes.set(row.id as string, index);
    return { ...row, terms: index.terms };
  });
  await insertJson(sql, 'memories', [...columns, 'terms'], rows);
  await insertSaidTerms(sql, indexes);
  const aidRows = aids.map(row => {
    const it = { questions: parseStringArray(row.questions), keywords: parseStringArray(row.keywords) };
    counts.addAids(it, 1);
    return { ...row, terms: toTsvector(aidTerms(it)) };
  });
  await insertJson(sql, 'aids', ['id', 'questions', 'keywords', 'terms'], aidRows);
  await saveVectorRows(sql, vectors.map(toVectorRow));
  await counts.save(sql);
}

function insert(sql: PostgresSql, { name, columns }: MovedTable, rows: readonly SqlRow[]): Promise<void> {
  return insertJson(sql, name, columns, rows);
}

/** Rows that are there already stay. */
async function insertJson(
  sql: PostgresSql,
  name: MovedTable['name'],
  columns: readonly string[],
  rows: readonly object[],
): Promise<void> {
  if (rows.length === 0) return;
  requireStorable(name, columns, rows);
  const list = columns.join(', ');
  await sql.run(
    `INSERT INTO ${name} (${list}) SELECT ${list} FROM json_populate_recordset(NULL::${name}, $1::json) ON CONFLICT DO NOTHING`,
    JSON.stringify(rows),
  );
}

/** @throws EngineError invalidInput where a text holds a character that PostgreSQL has not, and a file has */
function requireStorable(name: MovedTable['name'], columns: readonly string[], rows: readonly object[]): void {
  for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
    const column = columns.find(it => typeof row[it] === 'string' && row[it].includes('\0'));
    if (column === undefined) continue;
    const id = String(row.id ?? row.source ?? row.seq);
    throw new EngineError(
      'invalidInput',
      message`A PostgreSQL server cannot keep ${id}: its ${column} (${name}) holds the character NUL. Write it again without, or delete it for good, and move again.`,
    );
  }
}

export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new EngineError('aborted', 'The move was stopped. The next one goes on from there.');
}

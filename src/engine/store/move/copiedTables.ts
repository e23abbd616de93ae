import { createHash } from 'node:crypto';
import type { Sql, SqlRow } from '../../database/database.js';
import type { PostgresRow } from '../../database/postgres/postgresConnection.js';
import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { memoryColumns } from '../memoryRow.js';

/** A table that both backends have, with the columns that are the same in both. */
export interface MovedTable {
  readonly name: 'memories' | 'aids' | 'vectors' | 'edges' | 'records' | 'audit' | 'traces' | 'sequences';
  readonly columns: readonly string[];
  /** Its rows in SQLite, where memories are named by row, with the key as `k`. */
  readonly sqlite: string;
  /** Its rows on a server. */
  readonly postgres: string;
}

const edgeColumns = [
  ...['source', 'target', 'type', 'strength', 'reason', 'created_at'],
  ...['settled_at', 'outdated', 'marked_by', 'marked_at'],
];

/** In the order in which they are copied. */
export const copiedTables: readonly MovedTable[] = [
  table('memories', ['row', ...memoryColumns, 'in_degree', 'change'], 'memories t'),
  table('aids', ['id', 'questions', 'keywords'], 'aids t JOIN memories m ON m.row = t.row', { id: 'm.id' }),
  table(
    'vectors',
    ['model', 'id', 'vector'],
    'vectors t JOIN models o ON o.number = t.model JOIN memories m ON m.row = t.row',
    { model: 'o.id', id: 'm.id' },
  ),
  table('edges', edgeColumns, 'edges t JOIN memories s ON s.row = t.source JOIN memories e ON e.row = t.target', {
    source: 's.id',
    target: 'e.id',
  }),
  table('audit', ['seq', 'at', 'action', 'memory_id', 'actor', 'detail', 'hash'], 'audit t'),
  table('records', ['kind', 'id', 'at', 'body'], 'records t'),
  table('traces', ['id', 'at', 'trace'], 'traces t'),
  table('sequences', ['scope_id', 'value'], 'sequences t'),
];

export function copiedTable(name: MovedTable['name']): MovedTable {
  return copiedTables.find(it => it.name === name)!;
}

function table(
  name: MovedTable['name'],
  columns: readonly string[],
  from: string,
  expressions: Readonly<Record<string, string>> = {},
): MovedTable {
  const listed = columns.map(it => `${expressions[it] ?? `t.${it}`} AS ${it}`).join(', ');
  return {
    name,
    columns,
    sqlite: `SELECT ${listed} FROM ${from}`,
    postgres: `SELECT ${columns.join(', ')} FROM ${name}`,
  };
}

/** Digest of a table: equal where the rows are, in whatever order. */
export interface TableDigest {
  readonly rows: number;
  /** Hexadecimal. */
  readonly hash: string;
}

/** The exclusive or of the SHA-256 of each row. Rows of a table differ in their key, so that none cancel each other out. */
export class TableDigester {
  private rows = 0;
  private readonly hash = Buffer.alloc(32);

  constructor(private readonly columns: readonly string[]) {}

  add(rows: readonly (SqlRow | PostgresRow)[]): void {
    for (const row of rows) {
      const values = this.columns.map(it => {
        const value = row[it];
        return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null);
      });
      const digest = createHash('sha256').update(JSON.stringify(values)).digest();
      for (let i = 0; i < digest.length; i++) this.hash[i]! ^= digest[i]!;
      this.rows++;
    }
  }

  get digest(): TableDigest {
    return { rows: this.rows, hash: this.hash.toString('hex') };
  }
}

/** Condition on `vectors t`, which holds for all: the list of models makes use of the primary key. */
export const isOfAnyModelSql = 't.model IN (SELECT number FROM models)';

/** Rows of a table per read. */
const pageRows = 2_000;

/** The rows of a table in an SQLite file, in pages. */
export async function* readSqlitePages(sql: Sql, { sqlite, name }: MovedTable): AsyncGenerator<readonly SqlRow[]> {
  // By memories, as each of these tables has an index of them.
  const range = { memories: 't.row', aids: 't.row', vectors: 't.row', edges: 't.source' }[name as string];
  if (range !== undefined) {
    const { last } = (await sql.get('SELECT coalesce(max(row), 0) AS last FROM memories'))! as {
      readonly last: number;
    };
    const models = name === 'vectors' ? `${isOfAnyModelSql} AND ` : '';
    for (let from = 0; from < last; from += pageRows)
      yield await sql.all(`${sqlite} WHERE ${models}${range} > ? AND ${range} <= ?`, from, from + pageRows);
    return;
  }
  const key = { audit: ['seq'], records: ['kind', 'id'], traces: ['id'], sequences: ['scope_id'] }[name as string]!;
  const [names, marks] = [key.map(it => `t.${it}`).join(', '), key.map(() => '?').join(', ')];
  const begin = name === 'audit' ? [0] : key.map(() => '');
  for (let after: readonly (string | number)[] = begin, isFirst = true; ; isFirst = false) {
    const operator = isFirst ? '>=' : '>';
    const rows = await sql.all(
      `${sqlite} WHERE (${names}) ${operator} (${marks}) ORDER BY ${names} LIMIT ?`,
      ...after,
      pageRows,
    );
    yield rows;
    if (rows.length < pageRows) return;
    after = key.map(it => rows.at(-1)![it] as string | number);
  }
}

/** The rows of a table on a server, in pages, through a cursor of the transaction. */
export async function* readServerPages(
  sql: PostgresSql,
  { postgres, name }: MovedTable,
): AsyncGenerator<readonly PostgresRow[]> {
  await sql.exec(`DECLARE copied_${name} NO SCROLL CURSOR FOR ${postgres}`);
  try {
    for (;;) {
      const rows = await sql.all(`FETCH ${String(pageRows)} FROM copied_${name}`);
      if (rows.length > 0) yield rows;
      if (rows.length < pageRows) return;
    }
  } finally {
    await sql.exec(`CLOSE copied_${name}`).catch(() => undefined);
  }
}

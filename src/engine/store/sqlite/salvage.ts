import { copyFile, rm, stat } from 'node:fs/promises';
import { damageMarkerFile, Database, type Sql, type SqlRow, type SqlValue } from '../../database/database.js';
import type { AuditAction } from '../../model/auditAction.js';
import { AuditVerifier, toAuditEntry, type AuditEntry } from '../audit.js';
import { isIntact } from '../damagedRows.js';
import { memoryColumns } from '../memoryRow.js';
import { readRawRows } from './rawPages.js';

/** Tables that are copied as they are, with their key in order. `memory_terms` and `removed` are derived. */
const copiedTables = {
  aids: ['row'],
  models: ['number'],
  vectors: ['model', 'row'],
  edges: ['source', 'target', 'type'],
  records: ['kind', 'id'],
  traces: ['id'],
  sequences: ['scope_id'],
} as const;
export type CopiedTable = keyof typeof copiedTables;
export const copiedTableNames = Object.keys(copiedTables) as readonly CopiedTable[];

/** Rows tried one by one between the first and the last damaged page of a table. */
const maxProbedRows = 200_000;
const scanBatchSize = 200;

/** A row of `memories` by column name. */
export type MemoryCells = Readonly<Record<string, SqlValue>>;

/** Content that can be read from a damaged file. */
export interface Salvage {
  /** By id. A row whose text is not what was stored is in `changed`. */
  readonly memories: ReadonlyMap<string, MemoryCells>;
  readonly changed: ReadonlyMap<string, MemoryCells>;
  /** Ids that an index or the audit log still names. */
  readonly knownIds: ReadonlySet<string>;
  /** Whether an index or the audit log is whole, so that there is no memory besides those. */
  readonly knowsAllIds: boolean;
  /** Ids that the audit log says were deleted. */
  readonly deletedIds: ReadonlySet<string>;
  /** The longest intact beginning of the audit log. */
  readonly audit: readonly AuditEntry[];
  readonly auditIsWhole: boolean;
  readonly tables: ReadonlyMap<CopiedTable, TableRows>;
  readonly revision: number;
}

export interface TableRows {
  readonly rows: readonly SqlRow[];
  readonly isWhole: boolean;
}

/**
 * Reads what is left of a store: rows in order from both ends of each table, then one by one, then from the pages without the
 * tree above them. Works on a copy; the file is not changed.
 * @returns undefined if nothing can be read
 */
export async function salvage(file: string): Promise<Salvage | undefined> {
  const copy = `${file}.salvage`;
  try {
    await copyWithLog(file, copy);
    const source = await Database.open(copy, { readOnly: true, wal: false }).catch(() => undefined);
    try {
      return await readSalvage(source?.read ?? unreadable, copy);
    } finally {
      await source?.close().catch(() => undefined);
    }
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(copy + suffix, { force: true });
    await rm(damageMarkerFile(copy), { force: true });
  }
}

/** Copies the file and moves what its write-ahead log holds into the copy. */
async function copyWithLog(file: string, copy: string): Promise<void> {
  await copyFile(file, copy);
  if ((await stat(`${file}-wal`).catch(() => undefined)) === undefined) return;
  await copyFile(`${file}-wal`, `${copy}-wal`);
  try {
    const database = await Database.open(copy, { readOnly: false, wal: true });
    try {
      await database.execOutsideTransaction('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      await database.close();
    }
  } catch {
    // The first page is damaged; the pages of the log are lost.
  }
}

const refuse = (): Promise<never> => Promise.reject(new Error('The file cannot be opened.'));
const unreadable: Sql = { all: refuse, get: refuse, run: refuse };

/**
 * The first columns of the table in the order of the file, which is the order in which migrations made them: raw pages name none.
 * A column that a migration appends comes after these and `in_degree`.
 */
export const rawMemoryColumns: readonly string[] = ['row', ...memoryColumns, 'change'];

async function readSalvage(sql: Sql, file: string): Promise<Salvage | undefined> {
  const columns = rawMemoryColumns;
  const table = await readTable(sql, 'memories', { key: ['row'], columns });
  const audit = await readAudit(sql);
  const { knownIds, deletedIds } = readLifetimes(audit.entries);
  const index = await readTable(sql, 'memories INDEXED BY sqlite_autoindex_memories_1', {
    key: ['id'],
    columns: ['id'],
  });
  // An id of a damaged index is none of a memory.
  if (!audit.isWhole) for (const { id } of index.rows) knownIds.add(id as string);
  const knowsAllIds = index.isWhole || audit.isWhole;
  const memories = new Map<string, MemoryCells>();
  const changed = new Map<string, MemoryCells>();
  const add = (cells: MemoryCells): void => {
    const id = cells.id as string;
    if (memories.has(id)) return;
    if (isIntact(cells)) memories.set(id, cells);
    else if (!changed.has(id)) changed.set(id, cells);
  };
  table.rows.forEach(add);
  if (!table.isWhole) {
    for (const { row, values } of await readRawRows(file, columns.length)) {
      const cells = Object.fromEntries(columns.map((it, i) => [it, i === 0 ? row : values[i]!]));
      const isKnown = knownIds.has(cells.id as string) || (!knowsAllIds && !deletedIds.has(cells.id as string));
      if (isKnown) add(cells);
    }
  }
  for (const [id, cells] of changed) {
    // The id itself may be what changed: the checksum shows which of the missing ones it was.
    const original = [...knownIds].find(it => !memories.has(it) && isIntact({ ...cells, id: it }));
    if (original !== undefined) memories.set(original, { ...cells, id: original });
    if (original !== undefined || memories.has(id)) changed.delete(id);
  }
  if (memories.size === 0 && changed.size === 0 && audit.entries.length === 0) return undefined;
  const tables = new Map<CopiedTable, TableRows>();
  for (const name of copiedTableNames) tables.set(name, await readTable(sql, name, { key: copiedTables[name] }));
  const stored = await sql.get("SELECT value FROM meta WHERE key = 'revision'").catch(() => undefined);
  const revision = Math.max(Number(stored?.value) || 0, ...Array.from(memories.values(), it => Number(it.change) || 0));
  return {
    memories,
    changed,
    knownIds,
    knowsAllIds,
    deletedIds,
    audit: audit.entries,
    auditIsWhole: audit.isWhole,
    tables,
    revision,
  };
}

const deletions: readonly AuditAction[] = ['prune', 'purge', 'move', 'rollback'];

/** Ids that the log says exist, and those that it says are deleted. */
function readLifetimes(entries: readonly AuditEntry[]): { knownIds: Set<string>; deletedIds: Set<string> } {
  const knownIds = new Set<string>();
  const deletedIds = new Set<string>();
  for (const { action, memoryId } of entries) {
    if (memoryId === undefined) continue;
    const isDeletion = deletions.includes(action);
    if (!isDeletion && action !== 'create') continue;
    (isDeletion ? deletedIds : knownIds).add(memoryId);
    (isDeletion ? knownIds : deletedIds).delete(memoryId);
  }
  return { knownIds, deletedIds };
}

/** The longest beginning of the log whose chain holds. */
export async function readAudit(
  sql: Sql,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly isWhole: boolean }> {
  const { rows, isWhole } = await readTable(sql, 'audit', { key: ['seq'] });
  const entries: AuditEntry[] = [];
  const chain = new AuditVerifier();
  for (const row of rows) {
    const entry = toAuditEntry(row);
    chain.add([entry]);
    if (chain.problems.length > 0) return { entries, isWhole: false };
    entries.push(entry);
  }
  return { entries, isWhole };
}

/** Rows of a table in the order of its key, as far as they can be read. */
export async function readTable(
  sql: Sql,
  from: string,
  { key, columns }: { readonly key: readonly string[]; readonly columns?: readonly string[] },
): Promise<TableRows> {
  const selected = columns?.join(', ') ?? '*';
  const keyOf = (row: SqlRow): SqlValue[] => key.map(it => row[it]!);
  const forward = await scan(sql, { selected, from, key, direction: '>' });
  if (forward.isWhole) return forward;
  const byKey = new Map(forward.rows.map(it => [JSON.stringify(keyOf(it)), it]));
  const backward = await scan(sql, { selected, from, key, direction: '<' });
  for (const it of backward.rows) byKey.set(JSON.stringify(keyOf(it)), it);
  const [column] = key;
  if (key.length === 1 && typeof (forward.rows[0] ?? backward.rows[0])?.[column!] === 'number') {
    const first = Number(forward.rows.at(-1)?.[column!] ?? 0);
    const last = Number(backward.rows.at(-1)?.[column!] ?? first);
    for (let row = first + 1; row < Math.min(last, first + maxProbedRows); row++) {
      const found = await sql.get(`SELECT ${selected} FROM ${from} WHERE ${column} = ?`, row).catch(() => undefined);
      if (found !== undefined) byKey.set(JSON.stringify(keyOf(found)), found);
    }
  }
  return { rows: [...byKey.values()], isWhole: false };
}

interface Scan {
  readonly selected: string;
  readonly from: string;
  readonly key: readonly string[];
  readonly direction: '>' | '<';
}

/** Rows from one end up to the first that cannot be read. */
async function scan(sql: Sql, { selected, from, key, direction }: Scan): Promise<TableRows> {
  const rows: SqlRow[] = [];
  const order = key.map(it => `${it} ${direction === '>' ? 'ASC' : 'DESC'}`).join(', ');
  const places = key.map(() => '?').join(', ');
  let size = scanBatchSize;
  for (;;) {
    const last = rows.at(-1);
    const where = last === undefined ? '' : `WHERE (${key.join(', ')}) ${direction} (${places})`;
    const values = last === undefined ? [] : key.map(it => last[it]!);
    try {
      const page = await sql.all(`SELECT ${selected} FROM ${from} ${where} ORDER BY ${order} LIMIT ${size}`, ...values);
      rows.push(...page);
      if (page.length < size) return { rows, isWhole: true };
      const next = page.at(-1)!;
      // Keys that do not rise would be read without end.
      if (last !== undefined && !rises(last, next, key, direction)) return { rows, isWhole: false };
    } catch {
      if (size === 1) return { rows, isWhole: false };
      size = 1;
    }
  }
}

function rises(last: SqlRow, next: SqlRow, key: readonly string[], direction: '>' | '<'): boolean {
  for (const column of key) {
    const [a, b] = [last[column]!, next[column]!];
    if (a === b) continue;
    return direction === '>' ? b > a : b < a;
  }
  return false;
}

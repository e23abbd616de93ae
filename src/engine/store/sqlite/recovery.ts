import { copyFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { analyzeText } from '../../text/analyzer.js';
import { message, type LocalizableMessage } from '../../base/localizableMessage.js';
import { touchFileSync } from '../../base/regularFile.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import type { StoreKind } from '../../model/memory.js';
import { auditHead, type AuditEntry } from '../audit.js';
import { hashContent } from '../contentHash.js';
import {
  damageMarkerFile,
  Database,
  type SqlRow,
  type SqlTransaction,
  type SqlValue,
} from '../../database/database.js';
import { insertRows } from '../../database/insertRows.js';
import { parseObject, parseStringArray } from '../../database/jsonColumns.js';
import { writeMeta } from '../../database/storeState.js';
import { updateInDegrees } from './edges.js';
import { isIntact } from '../damagedRows.js';
import { memoryColumns, textChecksum } from '../memoryRow.js';
import {
  copiedTableNames,
  readAudit,
  readTable,
  salvage,
  type CopiedTable,
  type MemoryCells,
  type Salvage,
} from './salvage.js';
import { listBackups } from './backups.js';
import { changedRowsSql, goneUnauditedSql } from './integrityCheck.js';
import { findOutsideChanges } from './outsideChanges.js';
import { SqliteTransaction } from './sqliteTransaction.js';

export interface RecoveryOptions {
  readonly kind: StoreKind;
  readonly now: Date;
  /** Folders of backups and checkpoints. */
  readonly copyFolders: readonly string[];
  /** Opens an empty or copied file as a store of this version. */
  readonly open: (file: string) => Promise<Database>;
}

/** Where each memory of a repaired store came from. */
interface RecoveryCounts {
  readonly read: number;
  readonly fromCopies: number;
  readonly lost: number | undefined;
  /** Short ids of memories whose text is not what was stored, with no copy of the original. */
  readonly changed: readonly string[];
}

/**
 * Puts a repaired store in the place of a damaged or missing one: what can be read of the file first, then what only a backup
 * or a checkpoint has. The damaged file is kept under another name.
 * @returns one sentence for a person
 */
export async function recover(file: string, options: RecoveryOptions): Promise<LocalizableMessage> {
  const exists = await stat(file).then(
    it => it.size > 0,
    () => false,
  );
  const salvaged = exists ? await salvage(file).catch(() => undefined) : undefined;
  const copies = await intactCopies(options.copyFolders);
  const replacement = `${file}.replacement`;
  for (const suffix of ['', '-wal', '-shm']) await rm(replacement + suffix, { force: true });
  const [newest] = copies;
  if (salvaged === undefined && newest !== undefined) await copyFile(newest, replacement);
  const target = await options.open(replacement);
  let counts: RecoveryCounts;
  try {
    counts =
      salvaged === undefined
        ? { read: 0, fromCopies: await countMemories(target), lost: undefined, changed: [] }
        : await rebuild(target, salvaged, copies, options);
  } finally {
    await target.close();
  }
  // While the marker exists, no other process opens or creates the file.
  touchFileSync(damageMarkerFile(file));
  deleteSnapshot(file);
  const quarantined = path.join(
    path.dirname(file),
    `memory.damaged-${options.now.toISOString().replaceAll(/[:.]/gu, '-')}.db`,
  );
  for (const suffix of ['', '-wal', '-shm']) await renameIfThere(file + suffix, quarantined + suffix);
  await rename(replacement, file);
  const kept = exists ? path.basename(quarantined) : undefined;
  return describe(file, counts, { kept, copy: newest && path.basename(newest), at: options.now.toISOString() });
}

function describe(
  file: string,
  { read, fromCopies, lost, changed }: RecoveryCounts,
  { kept, copy, at }: { readonly kept: string | undefined; readonly copy: string | undefined; readonly at: string },
): LocalizableMessage {
  const day = at.slice(0, 10);
  const what =
    kept === undefined
      ? message`The memory store ${file} was missing or empty on ${day}.`
      : message`The memory store ${file} was damaged on ${day} and is kept as ${kept}.`;
  const from =
    copy === undefined
      ? message`There was no backup; memories read from the damaged file: ${read}.`
      : message`Memories read from it: ${read}; taken from backups, the newest being ${copy}: ${fromCopies}.`;
  const missing = describeLoss(lost, copy !== undefined);
  if (changed.length === 0) return message`${what} ${from} ${missing}`;
  const names = changed.join(', ');
  const odd = message`Memories whose text is no longer what was stored: ${names}. Read them and correct them.`;
  return message`${what} ${from} ${missing} ${odd}`;
}

/** @param lost undefined where nothing could be read of the file, which would say what it held */
function describeLoss(lost: number | undefined, hasCopy: boolean): LocalizableMessage {
  if (lost === 0) return message`None is known to be lost.`;
  if (lost !== undefined) return message`Memories lost: ${lost}.`;
  return hasCopy ? message`What was stored after that backup, if anything, is lost.` : message`What it held is lost.`;
}

/** Writes what was read of the damaged file, and what the copies have of the rest, in one transaction. */
async function rebuild(
  target: Database,
  salvaged: Salvage,
  copies: readonly string[],
  { kind, now }: RecoveryOptions,
): Promise<RecoveryCounts> {
  const fromCopies = await readCopies(salvaged, copies);
  const audit = fromCopies.audit.length > salvaged.audit.length ? fromCopies.audit : salvaged.audit;
  const changed = [...salvaged.changed.values()].filter(it => !fromCopies.memories.has(it.id as string));
  return target.write(async sql => {
    const rows = new RowNumbers();
    const wanted = [...salvaged.memories.values(), ...fromCopies.memories.values(), ...changed];
    for (const cells of wanted) await insertMemory(sql, cells, rows);
    const present = new Set((await sql.all('SELECT id FROM memories')).map(it => it.id as string));
    for (const name of copiedTableNames)
      await insertTable(sql, name, [...salvaged.tables.get(name)!.rows, ...(fromCopies.tables.get(name) ?? [])]);
    await sql.exec(`
      DELETE FROM aids WHERE row NOT IN (SELECT row FROM memories);
      DELETE FROM vectors WHERE row NOT IN (SELECT row FROM memories) OR model NOT IN (SELECT number FROM models);
      DELETE FROM edges WHERE source NOT IN (SELECT row FROM memories) OR target NOT IN (SELECT row FROM memories);`);
    await updateInDegrees(sql, 'id', [...present]);
    await insertAudit(sql, audit);
    await writeMeta(sql, { revision: String(salvaged.revision + 1) });
    const tx = new SqliteTransaction(sql, kind, 'recovery', now.toISOString());
    const lost = await logRecovery(sql, tx, salvaged, present);
    await tx.commitMetadata();
    const isOf = (source: Iterable<string>): number => [...source].filter(it => present.has(it)).length;
    const read = isOf(salvaged.memories.keys()) + changed.length;
    return {
      read,
      fromCopies: isOf(fromCopies.memories.keys()),
      lost: read === 0 && lost === 0 && !salvaged.auditIsWhole ? undefined : lost,
      changed: changed.map(it => `#${String(it.id).slice(-8)}`),
    };
  });
}

/** Keeps the numbers of rows, by which edges, aids and vectors name memories, unless one is taken. */
class RowNumbers {
  private readonly taken = new Set<SqlValue>();

  /** @returns null for any free one */
  claim(row: SqlValue | undefined): SqlValue {
    if (typeof row !== 'number' || !(row > 0) || this.taken.has(row)) return null;
    this.taken.add(row);
    return row;
  }
}

async function insertMemory(sql: SqlTransaction, cells: MemoryCells, rows: RowNumbers): Promise<void> {
  const { id, content, summary } = cells as { readonly id: string; readonly content: string; readonly summary: string };
  const values: Record<string, SqlValue> = {
    ...cells,
    row: rows.claim(cells.row),
    content_hash: hashContent(content),
    provenance: JSON.stringify({ ...parseObject(cells.provenance), crc: textChecksum({ id, content, summary }) }),
    change: cells.change ?? 0,
  };
  const columns = ['row', ...memoryColumns, 'change'];
  const places = columns.map(() => '?').join(', ');
  // A row that breaks a rule of the table, or is there twice, is left out and counted.
  const inserted = await sql.all(
    `INSERT OR IGNORE INTO memories (${columns.join(', ')}) VALUES (${places}) RETURNING row`,
    ...columns.map(it => values[it] ?? null),
  );
  const row = inserted[0]?.row;
  if (row === undefined) return;
  const terms = analyzeText([content, ...parseStringArray(cells.tags)].join('\n')).join(' ');
  await sql.run('INSERT INTO memory_terms (rowid, terms) VALUES (?, ?)', row, terms);
}

async function insertTable(sql: SqlTransaction, name: CopiedTable, rows: readonly SqlRow[]): Promise<void> {
  const known = (await sql.all(`SELECT name FROM pragma_table_info('${name}')`)).map(it => it.name as string);
  for (const row of rows) {
    const columns = known.filter(it => row[it] !== undefined);
    const places = columns.map(() => '?').join(', ');
    const values = columns.map(it => row[it]!);
    await sql.run(`INSERT OR IGNORE INTO ${name} (${columns.join(', ')}) VALUES (${places})`, ...values);
  }
}

async function insertAudit(sql: SqlTransaction, entries: readonly AuditEntry[]): Promise<void> {
  await insertRows(
    sql,
    'audit (seq, at, action, memory_id, actor, detail, hash)',
    entries.map(it => [it.seq, it.at, it.action, it.memoryId ?? null, it.actor, it.detail, it.hash]),
  );
  const last = entries.at(-1);
  await writeMeta(sql, { auditHead: last === undefined ? '' : auditHead(last) });
}

/** Lines for memories whose own are lost, and for those that are gone. @returns the number of the latter */
async function logRecovery(
  sql: SqlTransaction,
  tx: SqliteTransaction,
  salvaged: Salvage,
  present: ReadonlySet<string>,
): Promise<number> {
  const lost = [...salvaged.knownIds].filter(it => !present.has(it));
  const gone = (await sql.all(goneUnauditedSql)).map(it => it.memory_id as string);
  const unlogged = await sql.all(
    `SELECT id, content_hash, lane FROM memories m WHERE NOT EXISTS
       (SELECT 1 FROM audit a WHERE a.memory_id = m.id AND a.action = 'create')`,
  );
  tx.logMany(
    'create',
    unlogged.map(it => [it.id as string, { contentHash: it.content_hash, lane: it.lane, because: 'recovered' }]),
  );
  const changed = await sql.all(changedRowsSql);
  tx.logMany(
    'restore',
    changed.map(it => [it.id as string, { row: [it.lane, it.pinned, it.confidence], because: 'recovered' }]),
  );
  tx.logState(await findOutsideChanges(sql));
  tx.logMany(
    'rollback',
    [...new Set([...lost, ...gone])].map(it => [it, { because: 'the file was damaged' }]),
  );
  await tx.log('maintain', { because: 'the file was damaged', lost: lost.length });
  return lost.length;
}

interface CopiesContent {
  readonly memories: ReadonlyMap<string, MemoryCells>;
  readonly tables: ReadonlyMap<CopiedTable, readonly SqlRow[]>;
  readonly audit: readonly AuditEntry[];
}

/** Unreadable content that the copies have: memories of the newest copy that has them, and rows of damaged tables. */
async function readCopies(salvaged: Salvage, copies: readonly string[]): Promise<CopiesContent> {
  const memories = new Map<string, MemoryCells>();
  const tables = new Map<CopiedTable, readonly SqlRow[]>();
  let audit: readonly AuditEntry[] = [];
  for (const file of copies) {
    const isNewest = file === copies[0];
    const copy = await Database.open(file, { readOnly: true, wal: false });
    try {
      const { rows } = await readTable(copy.read, 'memories', { key: ['row'] });
      for (const cells of rows) {
        const id = cells.id as string;
        const isMissing =
          salvaged.knownIds.has(id) || (!salvaged.knowsAllIds && isNewest && !salvaged.deletedIds.has(id));
        if (isMissing && !salvaged.memories.has(id) && !memories.has(id) && isIntact(cells)) memories.set(id, cells);
      }
      if (!isNewest) continue;
      if (!salvaged.auditIsWhole) audit = (await readAudit(copy.read)).entries;
      for (const name of copiedTableNames.filter(it => !salvaged.tables.get(it)!.isWhole))
        tables.set(name, await copy.read.all(`SELECT * FROM ${name}`).catch(() => []));
    } catch {
      // Of an earlier version without some table, or damaged since.
    } finally {
      await copy.close();
      await rm(damageMarkerFile(file), { force: true });
    }
  }
  return { memories, tables, audit };
}

/** Backups and checkpoints that SQLite finds intact, newest first. */
async function intactCopies(folders: readonly string[]): Promise<string[]> {
  const files = (await Promise.all(folders.map(listBackups))).flat();
  const intact: string[] = [];
  for (const file of files.sort((a, b) => (path.basename(a) < path.basename(b) ? 1 : -1))) {
    try {
      const copy = await Database.open(file, { readOnly: true, wal: false });
      const check = await copy.read.get('PRAGMA quick_check').finally(() => copy.close());
      if (check?.quick_check === 'ok') intact.push(file);
    } catch {
      // Damaged: the previous one is tried.
    }
    await rm(damageMarkerFile(file), { force: true });
  }
  return intact;
}

async function countMemories(database: Database): Promise<number> {
  return (await database.read.get('SELECT count(*) AS n FROM memories'))!.n as number;
}

async function renameIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}

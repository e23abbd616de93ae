import { randomBytes } from 'node:crypto';
import { copyFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { DeletionResult } from '../../model/deletionResult.js';
import type { EngineHost } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import { aboutMemoriesSql, mayQuoteSql, toQuotedSessions, toQuotedTexts } from '../permanentDeletion.js';
import { removeGuardFile } from '../guardFile.js';
import { deletePurgedRecords, deleteRecordsForReset, deleteSensitiveRecords } from '../sql/purgedRecords.js';
import type { StoreHardDeletion } from '../store.js';
import type { OutsideHead } from './outsideHead.js';
import { listBackups } from './backups.js';
import { damageMarkerFile, Database, type SqlTransaction } from '../../database/database.js';
import { sqliteMigrations } from './migrations.js';
import { sqliteDialect } from './sqliteDialect.js';
import { SqliteTransaction } from './sqliteTransaction.js';

/**
 * Deletes permanently: from the tables and derived data, from the free pages of the file, and from every copy. Other
 * processes may have the store open.
 */
export class SqliteHardDeletion implements StoreHardDeletion {
  constructor(
    private readonly kind: StoreKind,
    private readonly database: Database,
    private readonly folders: {
      readonly checkpoints: string;
      readonly backups: string;
      readonly outsideHead: OutsideHead;
    },
    private readonly host: Pick<EngineHost, 'now' | 'log'>,
  ) {}

  async knowsAny(ids: readonly string[], texts: readonly string[]): Promise<boolean> {
    const sql = `SELECT ${namesAnySql} OR ${quotesAnySql} OR EXISTS (
      SELECT 1 FROM audit WHERE memory_id IN (SELECT value FROM json_each(?1))) AS any`;
    const found = await this.database.read.get(sql, JSON.stringify(ids), JSON.stringify(toQuotedTexts(texts)));
    if (found!.any === 1) return true;
    for (const file of await this.listCopies()) {
      // The purge names one that cannot be read.
      if (await containsAny(file, { ids, texts, session: undefined }).catch(() => true)) return true;
    }
    return false;
  }

  async purge(
    actor: string,
    ids: readonly string[],
    { session, texts = [] }: Parameters<StoreHardDeletion['purge']>[2] = {},
  ): Promise<DeletionResult> {
    const target: PurgeTarget = { actor, ids, session, texts };
    // Copies first: if this is interrupted, the ids are still in the store and the purge can be repeated.
    const before = await this.purgeCopies(target);
    const memories = await this.database.write(sql => deleteMemories(sql, this.transaction(sql, actor), target));
    await removeGuardFile(this.database.file);
    const unclean = await this.vacuumFile();
    // Another process may have made a copy in the meantime.
    const after = await this.purgeCopies(target);
    const left = new Set([...before.left, ...after.left, ...unclean, ...(await this.listQuarantinedFiles())]);
    return { memories, copies: before.copies + after.copies, left: [...left] };
  }

  async reset(actor: string): Promise<DeletionResult> {
    const copies = await this.listCopies();
    for (const file of copies) await rm(file, { force: true });
    await this.folders.outsideHead.forget();
    const memories = await this.database.write(sql => deleteEverything(sql, this.transaction(sql, actor)));
    // The head of an earlier write may have been put there meanwhile.
    await this.folders.outsideHead.renew();
    await removeGuardFile(this.database.file);
    const unclean = await this.vacuumFile();
    return { memories, copies: copies.length, left: [...unclean, ...(await this.listQuarantinedFiles())] };
  }

  private transaction(sql: SqlTransaction, actor: string): SqliteTransaction {
    return new SqliteTransaction(sql, this.kind, actor, this.host.now().toISOString());
  }

  private async listCopies(): Promise<string[]> {
    return [...(await listBackups(this.folders.checkpoints)), ...(await listBackups(this.folders.backups))];
  }

  private async purgeCopies(target: PurgeTarget): Promise<Pick<DeletionResult, 'copies' | 'left'>> {
    const left: string[] = [];
    let copies = 0;
    for (const file of await this.listCopies()) {
      try {
        if (await containsAny(file, target)) {
          await this.purgeCopy(file, target);
          copies++;
        }
      } catch (error) {
        // Damaged, of a newer version, or on a full or read-only disk.
        this.host.log.error(`${file} could not be cleaned and may still hold what was deleted.`, error);
        left.push(file);
      } finally {
        // The marker is meant for opening a store; copies are verified at every use.
        await rm(damageMarkerFile(file), { force: true }).catch(() => undefined);
      }
    }
    return { copies, left };
  }

  /** Replaces the copy by one without the memories. */
  private async purgeCopy(file: string, target: PurgeTarget): Promise<void> {
    const [workFile, cleanedFile] = [0, 1].map(() => `${file}.${randomBytes(4).toString('hex')}.partial`) as [
      string,
      string,
    ];
    try {
      await copyFile(file, workFile);
      const copy = await Database.open(workFile, { readOnly: false, wal: false });
      try {
        const version = (await copy.read.get('PRAGMA user_version'))!.user_version as number;
        if (version > sqliteMigrations.length) throw new Error('It was made by a newer Recollect.');
        await copy.write(async sql => {
          for (const step of sqliteMigrations.slice(version)) await sql.exec(step);
          await sql.exec(`PRAGMA user_version = ${sqliteMigrations.length}`);
          await deleteMemories(sql, this.transaction(sql, target.actor), target);
        });
        await copy.execOutsideTransaction(mergeFtsSegmentsSql);
        await copy.execOutsideTransaction(`VACUUM INTO '${cleanedFile.replaceAll("'", "''")}'`);
      } finally {
        await copy.close();
      }
      await rename(cleanedFile, file);
    } finally {
      for (const it of [workFile, cleanedFile]) await rm(it, { force: true });
    }
  }

  /**
   * Rewrites the file without the pages that held deleted content.
   * @returns the file if that failed
   */
  private async vacuumFile(): Promise<string[]> {
    deleteSnapshot(this.database.file);
    try {
      for (const it of [mergeFtsSegmentsSql, 'VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)'])
        await this.database.execOutsideTransaction(it);
      return [];
    } catch (error) {
      // The disk is full, or another process writes all the time.
      this.host.log.error(`${this.database.file} could not be cleaned of what was deleted.`, error);
      return [this.database.file];
    }
  }

  /** Damaged files that a repair set aside; their content is unknown. */
  private async listQuarantinedFiles(): Promise<string[]> {
    const folder = path.dirname(this.database.file);
    const names = await readdir(folder).catch(() => []);
    return names.filter(it => it.startsWith('memory.damaged-')).map(it => path.join(folder, it));
  }
}

/** FTS5 keeps deleted terms until its segments are merged. */
const mergeFtsSegmentsSql = "INSERT INTO memory_terms (memory_terms) VALUES ('optimize')";

interface PurgeTarget {
  readonly actor: string;
  readonly ids: readonly string[];
  /** Records of the capture of this session, or of `everySession`, goes too. */
  readonly session: string | symbol | undefined;
  /** Texts that no record may quote. */
  readonly texts: readonly string[];
}

/** Whether something that a purge deletes has or names one of the ids in ?1, a JSON array. */
const namesAnySql = `(EXISTS (SELECT 1 FROM memories WHERE id IN (SELECT value FROM json_each(?1)))
  OR EXISTS (SELECT 1 FROM records WHERE kind = 'sensitive' AND id IN (SELECT value FROM json_each(?1)))
  OR EXISTS (SELECT 1 FROM records, json_each(?1) wanted
    WHERE (${aboutMemoriesSql} OR records.kind = 'review')
      AND instr(records.id || ' ' || records.body, wanted.value) > 0)
  OR EXISTS (SELECT 1 FROM traces, json_each(?1) wanted WHERE instr(traces.trace, wanted.value) > 0))`;

/** Whether something that a purge deletes quotes one of the texts in ?2, a JSON array of `toQuotedTexts`. */
const quotesAnySql = `(EXISTS (SELECT 1 FROM records, json_each(?2) wanted
    WHERE ${mayQuoteSql} AND instr(records.body, wanted.value) > 0)
  OR EXISTS (SELECT 1 FROM traces, json_each(?2) wanted WHERE instr(traces.trace, wanted.value) > 0))`;

async function containsAny(file: string, { ids, session, texts }: Omit<PurgeTarget, 'actor'>): Promise<boolean> {
  const copy = await Database.open(file, { readOnly: true, wal: false });
  try {
    const sql = `SELECT ${namesAnySql} OR ${quotesAnySql} OR EXISTS (
      SELECT 1 FROM records WHERE kind IN ('cursor', 'state', 'review') AND instr(body, ?3) > 0) AS any`;
    const quoted = JSON.stringify(toQuotedTexts(texts));
    const found = await copy.read.get(sql, JSON.stringify(ids), quoted, toQuotedSessions(session)[0] ?? '\0');
    return found!.any === 1;
  } finally {
    await copy.close();
  }
}

/** @returns how many existed */
async function deleteMemories(
  sql: SqlTransaction,
  tx: SqliteTransaction,
  { ids, session, texts }: PurgeTarget,
): Promise<number> {
  const found = await tx.getMany(ids);
  for (const { id } of found) await tx.delete(id, 'purge');
  const sensitive = await deleteSensitiveRecords(sql, sqliteDialect, tx, ids);
  const quoted = toQuotedTexts([...texts, ...found.flatMap(it => [it.content, it.summary])]);
  await deletePurgedRecords(sql, sqliteDialect, { ids, quoted, sessions: toQuotedSessions(session) });
  await tx.commitMetadata();
  return found.length + sensitive;
}

/** @returns the number of memories */
async function deleteEverything(sql: SqlTransaction, tx: SqliteTransaction): Promise<number> {
  const memories = (await sql.get('SELECT count(*) AS n FROM memories'))!.n as number;
  await sql.run('INSERT OR REPLACE INTO removed (row, change) SELECT row, ? FROM memories', await tx.revision());
  for (const table of ['memory_terms', 'aids', 'vectors', 'edges', 'memories', 'traces', 'sequences', 'audit']) {
    await sql.run(`DELETE FROM ${table}`);
  }
  await deleteRecordsForReset(sql, sqliteDialect);
  tx.resetAuditLog();
  await tx.log('reset', { memories });
  await tx.commitMetadata();
  return memories;
}

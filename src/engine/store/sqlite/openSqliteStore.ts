import { access, constants, mkdir, rm, lstat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { openRegularFile } from '../../base/regularFile.js';
import { message } from '../../base/localizableMessage.js';
import type { EngineHost } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import type { Store } from '../store.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import { BackupPolicy, listBackups } from './backups.js';
import { SqliteCheckpoints } from './checkpoints.js';
import { damageMarkerFile, Database, type SqlRow } from '../../database/database.js';
import { sqliteMigrations } from './migrations.js';
import { recover } from './recovery.js';
import { addDamageNotice, readDamageNotices, removeDamageNotices } from './damageNotices.js';
import { OutsideHead } from './outsideHead.js';
import { findChangedTexts } from './integrityCheck.js';
import { areContentHashesCurrent, updateContentHashes } from './contentHashes.js';
import { SqliteHardDeletion } from './hardDeletion.js';
import { SqliteSearch } from './sqliteSearch.js';
import { SqliteStore, type SqliteStoreParts } from './sqliteStore.js';
import { UnreachableStore } from './unreachableStore.js';

/** `PRAGMA application_id` of Recollect's files: "RCLT". */
const applicationId = 0x52434c54;

/**
 * Opens the store in `folder`, creating or migrating it as needed. A damaged file is renamed and replaced by the newest
 * intact backup, then every memory that is still readable in the damaged file is added.
 * @throws EngineError storeUnavailable | storeReadOnly | storeFull | storeTooNew | storeBusy
 */
export async function openSqliteStore(
  kind: StoreKind,
  folder: string,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
): Promise<Store> {
  const options = { searchWorker, maxBackups: host.config().backups.keep };
  const { database, parts } = await openParts(kind, folder, host, options);
  return new SqliteStore(kind, database, parts);
}

/** Makes the file of a new and empty store. @throws as openSqliteStore */
export async function makeSqliteFile(kind: StoreKind, folder: string, host: EngineHost): Promise<void> {
  await (await openOrRepair(path.join(folder, 'memory.db'), folder, host, kind)).close();
}

/**
 * In place of the store of a project whose server cannot be used now. Parameters and errors as of openSqliteStore.
 * @param folder of the project's store
 * @param reason of every write but what is remembered
 */
export async function openUnreachableStore(
  folder: string,
  reason: EngineError,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
): Promise<Store> {
  const { database, parts } = await openWaitingParts(folder, host, searchWorker);
  return new UnreachableStore('project', database, parts, reason);
}

/**
 * Store of what was remembered while a project's server could not be used; undefined where nothing ever was.
 * @param folder of the project's store
 * @throws as openSqliteStore
 */
export async function openWaitingStore(
  folder: string,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
): Promise<Store | undefined> {
  if (!(await exists(waitingFile(folder)))) return undefined;
  const { database, parts } = await openWaitingParts(folder, host, searchWorker);
  return new SqliteStore('project', database, parts);
}

function waitingFile(folder: string): string {
  return path.join(folder, 'waiting', 'memory.db');
}

/** Without backups: what has arrived, or was purged since, would come back from them. */
async function openWaitingParts(
  folder: string,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
): Promise<{ readonly database: Database; readonly parts: SqliteStoreParts }> {
  const file = waitingFile(folder);
  const waiting = path.dirname(file);
  try {
    return await openParts('project', waiting, host, { searchWorker, maxBackups: 0 });
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    host.log.error(`${file} cannot be used: nothing is kept there while the server is away.`, error);
    const database = await Database.openEmpty(file, sqliteMigrations);
    return { database, parts: await partsOf('project', database, waiting, host, { searchWorker, maxBackups: 0 }) };
  }
}

async function openParts(
  kind: StoreKind,
  folder: string,
  host: EngineHost,
  options: PartsOptions,
): Promise<{ readonly database: Database; readonly parts: SqliteStoreParts }> {
  const database = await openOrRepair(path.join(folder, 'memory.db'), folder, host, kind);
  return { database, parts: await partsOf(kind, database, folder, host, options) };
}

interface PartsOptions {
  readonly searchWorker: SearchWorkerClient;
  readonly maxBackups: number;
}

async function partsOf(
  kind: StoreKind,
  database: Database,
  folder: string,
  host: EngineHost,
  { searchWorker, maxBackups }: PartsOptions,
): Promise<SqliteStoreParts> {
  const folders = copyFolders(folder);
  const now = (): Date => host.now();
  const outsideHead = new OutsideHead(host.dataDir, folder, database.read);
  return {
    backups: new BackupPolicy(database, folders.backups, maxBackups, now, host.log),
    searchWorker,
    search: new SqliteSearch(kind, database, searchWorker, host.log),
    notices: await readDamageNotices(folder),
    removeNotices: () => removeDamageNotices(folder),
    checkpoints: new SqliteCheckpoints(kind, database, folders, {
      maxCheckpoints: host.config().checkpoints.keep,
      now,
      onRestored: () => {
        deleteSnapshot(database.file);
      },
    }),
    outsideHead,
    hardDeletion: new SqliteHardDeletion(kind, database, { ...folders, outsideHead }, host),
    now,
  };
}

function createBackupPolicy(database: Database, folder: string, host: EngineHost): BackupPolicy {
  return new BackupPolicy(database, backupFolder(folder), host.config().backups.keep, () => host.now(), host.log);
}

function backupFolder(folder: string): string {
  return path.join(folder, 'backups');
}

function copyFolders(folder: string): { readonly checkpoints: string; readonly backups: string } {
  return { checkpoints: path.join(folder, 'checkpoints'), backups: backupFolder(folder) };
}

async function openOrRepair(file: string, folder: string, host: EngineHost, kind: StoreKind): Promise<Database> {
  if (!(await ensureFolder(file, folder))) return Database.openEmpty(file, sqliteMigrations);
  if (!(await isMarkedDamaged(file)) && !(await isMissingBesideCopies(file, folder))) {
    try {
      return await openAndMigrate(file, folder, host);
    } catch (error) {
      if (!EngineError.is(error, 'storeDamaged')) throw error;
      host.log.error(`The memory store ${file} is damaged.`, error);
    }
  }
  return repairUnderLock(file, folder, host, kind);
}

/** One process repairs while the others wait. The lock is a database lock, so it is released if its holder dies. */
async function repairUnderLock(file: string, folder: string, host: EngineHost, kind: StoreKind): Promise<Database> {
  const lock = await Database.open(path.join(folder, 'repair.lock'), { readOnly: false, wal: false });
  try {
    return await lock.write(async () => {
      const repaired = await openWithIntegrityCheck(file, folder, host).catch((error: unknown) => {
        if (!EngineError.is(error, 'storeDamaged')) throw error;
      });
      if (repaired !== undefined) return repaired;
      const notice = await recover(file, {
        kind,
        now: host.now(),
        copyFolders: Object.values(copyFolders(folder)),
        open: it => openAndMigrate(it, folder, host),
      });
      host.log.error(String(notice));
      await addDamageNotice(folder, notice);
      const database = await openAndMigrate(file, folder, host);
      // Whatever the repaired log lacks has been reported.
      await new OutsideHead(host.dataDir, folder, database.read).renew();
      await rm(damageMarkerFile(file), { force: true });
      return database;
    });
  } finally {
    await lock.close();
  }
}

async function openWithIntegrityCheck(file: string, folder: string, host: EngineHost): Promise<Database> {
  await checkIntegrity(file);
  return openAndMigrate(file, folder, host);
}

/** A file that is not there although there are copies of it was deleted or emptied; a new store has none. */
async function isMissingBesideCopies(file: string, folder: string): Promise<boolean> {
  if (!(await isMissingOrEmpty(file))) return false;
  for (const copies of Object.values(copyFolders(folder))) if ((await listBackups(copies)).length > 0) return true;
  return false;
}

/** A pipe or a link is neither: opening it fails with a reason. */
async function isMissingOrEmpty(file: string): Promise<boolean> {
  return lstat(file).then(
    it => it.isFile() && it.size === 0,
    () => true,
  );
}

/**
 * Damage deep in the file surfaces when something reads that page; the connection that hit it has left a marker file.
 */
async function isMarkedDamaged(file: string): Promise<boolean> {
  return exists(damageMarkerFile(file));
}

async function checkIntegrity(file: string): Promise<void> {
  // A repair was interrupted, or something deleted the file.
  if (await isMissingOrEmpty(file))
    throw new EngineError('storeDamaged', message`The memory store ${file} is missing.`);
  const database = await Database.open(file, { readOnly: true, wal: false });
  try {
    const check = await database.read.get('PRAGMA integrity_check');
    if (check?.integrity_check === 'ok' && (await findChangedTexts(database.read)).length === 0) {
      await rm(damageMarkerFile(file), { force: true });
      return;
    }
  } finally {
    await database.close();
  }
  throw new EngineError('storeDamaged', message`The memory store ${file} is damaged.`);
}

async function openAndMigrate(file: string, folder: string, host: EngineHost): Promise<Database> {
  await checkHeader(file);
  const readOnly = !(await isWritable(file, folder));
  const database = await Database.open(file, { readOnly, wal: !(await isOnNetwork(folder)) });
  try {
    await migrate(database, folder, host);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Migrates the file to the latest version in one transaction, after a backup. */
async function migrate(database: Database, folder: string, host: EngineHost): Promise<void> {
  const version = await readVersion(database.read.get('PRAGMA user_version'));
  if (version > sqliteMigrations.length) throw tooNewError(database.file, version);
  if (version === sqliteMigrations.length) {
    // Reads the schema and a row: damage at the root of the file surfaces here rather than at the first recall.
    await database.read.get('SELECT * FROM memories LIMIT 1');
    await database.read.get("SELECT value FROM meta WHERE key = 'auditHead'");
    if (!database.readOnly && !(await areContentHashesCurrent(database.read)))
      await database.write(updateContentHashes);
    return;
  }
  if (database.readOnly && version > 0) {
    throw new EngineError(
      'storeReadOnly',
      message`The memory store ${database.file} is of an older version and cannot be brought up to date on a read-only disk.`,
    );
  }
  if (version > 0) {
    await createBackupPolicy(database, folder, host).createBackup(`before-version-${sqliteMigrations.length}`);
  }
  await database.write(async tx => {
    // Another process may have migrated the file while this one waited for the lock.
    const from = await readVersion(tx.get('PRAGMA user_version'));
    if (from > sqliteMigrations.length) throw tooNewError(database.file, from);
    for (const step of sqliteMigrations.slice(from)) await tx.exec(step);
    await updateContentHashes(tx);
    await tx.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${sqliteMigrations.length};`);
  });
}

/** Rejects files of other programs and of newer versions before a connection changes a byte. */
async function checkHeader(file: string): Promise<void> {
  const header = await readHeader(file);
  if (header === undefined) return;
  const { pages, version } = header;
  // One flipped bit makes no other program's file.
  const difference = (header.applicationId ^ applicationId) >>> 0;
  if (difference !== 0 && (difference & (difference - 1)) === 0)
    throw new EngineError('storeDamaged', message`The memory store ${file} is damaged.`);
  const isForeign =
    header.applicationId !== applicationId && (header.applicationId !== 0 || version !== 0 || pages > 1);
  if (isForeign) {
    throw new EngineError(
      'storeUnavailable',
      message`The file ${file} is another program's database. Move it away, or choose another data folder; nothing was changed.`,
    );
  }
  if (version > sqliteMigrations.length) throw tooNewError(file, version);
}

/** Reads the database header (https://www.sqlite.org/fileformat.html); undefined if there is no database. */
async function readHeader(
  file: string,
): Promise<{ pages: number; version: number; applicationId: number } | undefined> {
  // Anything but a file is refused when it is opened.
  const handle = await openRegularFile(file, { maxBytes: Infinity }).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(100), 0, 100, 0);
    if (bytesRead < 100 || !buffer.toString('latin1').startsWith('SQLite format 3\0')) return undefined;
    return {
      pages: buffer.readUInt32BE(28),
      version: buffer.readInt32BE(60),
      applicationId: buffer.readInt32BE(68),
    };
  } finally {
    await handle.close();
  }
}

function tooNewError(file: string, version: number): EngineError {
  return new EngineError(
    'storeTooNew',
    message`The memory store ${file} was written by a newer Recollect (its version is ${version}, this one knows ${sqliteMigrations.length}). Update Recollect to use it; nothing was changed.`,
  );
}

/**
 * Creates the folder.
 * @returns false if the file is missing and the disk is read-only
 */
async function ensureFolder(file: string, folder: string): Promise<boolean> {
  try {
    // Memories are private: no access for other users of this machine.
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) return false;
    throw new EngineError(
      'storeUnavailable',
      message`The memory folder ${folder} cannot be made. Check the path and your rights, or choose another data folder.`,
      { cause: error },
    );
  }
  return (await isWritable(file, folder)) || (await exists(file));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

async function isWritable(file: string, folder: string): Promise<boolean> {
  const writable = (target: string): Promise<boolean> =>
    access(target, constants.W_OK).then(
      () => true,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
  return (await writable(folder)) && (await writable(file));
}

/** File system types (Linux statfs magic numbers) without working write-ahead logs: NFS, SMB, CIFS, 9P, FUSE. */
const networkFileSystems = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x65735546]);

async function isOnNetwork(folder: string): Promise<boolean> {
  if (folder.startsWith('\\\\')) return true; // A Windows UNC path.
  if (process.platform !== 'linux') return false;
  const { type } = await statfs(folder);
  return networkFileSystems.has(type >>> 0);
}

async function readVersion(row: Promise<SqlRow | undefined>): Promise<number> {
  return ((await row)?.user_version as number | undefined) ?? 0;
}

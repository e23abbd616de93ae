import { access, constants, mkdir, open as openFile, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message, type LocalizableMessage } from '../../base/localizableMessage.js';
import type { EngineHost } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import type { Store } from '../store.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import { BackupPolicy } from './backups.js';
import { SqliteCheckpoints } from './checkpoints.js';
import { damageMarkerFile, Database, type SqlRow } from '../../database/database.js';
import { migrations } from './migrations.js';
import { salvage, quarantine } from './recovery.js';
import { areContentHashesCurrent, updateContentHashes } from './contentHashes.js';
import { SqliteHardDeletion } from './hardDeletion.js';
import { SqliteSearch } from './sqliteSearch.js';
import { SqliteStore } from './sqliteStore.js';

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
  const file = path.join(folder, 'memory.db');
  const notices: LocalizableMessage[] = [];
  const database = await openOrRepair(file, folder, host, searchWorker, notices);
  return createStore(kind, database, { folder, host, searchWorker, notices });
}

function createStore(
  kind: StoreKind,
  database: Database,
  {
    folder,
    host,
    searchWorker,
    notices = [],
  }: {
    readonly folder: string;
    readonly host: EngineHost;
    readonly searchWorker: SearchWorkerClient;
    readonly notices?: readonly LocalizableMessage[];
  },
): Store {
  const folders = { checkpoints: path.join(folder, 'checkpoints'), backups: backupFolder(folder) };
  const now = (): Date => host.now();
  return new SqliteStore(kind, database, {
    backups: createBackupPolicy(database, folder, host),
    searchWorker,
    search: new SqliteSearch(kind, database, searchWorker, host.log),
    notices,
    checkpoints: new SqliteCheckpoints(kind, database, folders, {
      maxCheckpoints: host.config().checkpoints.keep,
      now,
      onRestored: () => {
        deleteSnapshot(database.file);
      },
    }),
    hardDeletion: new SqliteHardDeletion(kind, database, folders, host),
    now,
  });
}

function createBackupPolicy(database: Database, folder: string, host: EngineHost): BackupPolicy {
  return new BackupPolicy(database, backupFolder(folder), host.config().backups.keep, () => host.now(), host.log);
}

function backupFolder(folder: string): string {
  return path.join(folder, 'backups');
}

async function openOrRepair(
  file: string,
  folder: string,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
  notices: LocalizableMessage[],
): Promise<Database> {
  if (!(await ensureFolder(file, folder))) return Database.openEmpty(file, migrations);
  if (await isDirectory(file)) {
    throw new EngineError(
      'storeUnavailable',
      message`The memory store ${file} is a folder, not a file. Move that folder away, or choose another data folder.`,
    );
  }
  if (!(await isMarkedDamaged(file))) {
    try {
      return await openAndMigrate(file, folder, host);
    } catch (error) {
      if (!EngineError.is(error, 'storeDamaged')) throw error;
      host.log.error(`The memory store ${file} is damaged.`, error);
    }
  }
  return repairUnderLock(file, folder, host, searchWorker, notices);
}

/** One process repairs while the others wait. The lock is a database lock, so it is released if its holder dies. */
async function repairUnderLock(
  file: string,
  folder: string,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
  notices: LocalizableMessage[],
): Promise<Database> {
  const lock = await Database.open(path.join(folder, 'repair.lock'), { readOnly: false, wal: false });
  try {
    return await lock.write(async () => {
      const repaired = await openWithIntegrityCheck(file, folder, host).catch((error: unknown) => {
        if (!EngineError.is(error, 'storeDamaged')) throw error;
      });
      if (repaired !== undefined) return repaired;
      notices.push(await restoreFromBackup(file, folder, host, searchWorker));
      const database = await openAndMigrate(file, folder, host);
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

/** Quarantines the damaged file, restores the newest intact backup, and adds every other memory that is readable. */
async function restoreFromBackup(
  file: string,
  folder: string,
  host: EngineHost,
  searchWorker: SearchWorkerClient,
): Promise<LocalizableMessage> {
  const { quarantined, backup } = await quarantine(file, folder, backupFolder(folder), host.now());
  const store = createStore('global', await openAndMigrate(file, folder, host), { folder, host, searchWorker });
  try {
    const saved = await salvage(quarantined, store);
    const quarantinedName = path.basename(quarantined);
    return backup === undefined
      ? message`The memory store ${file} was damaged and is kept as ${quarantinedName}. There was no backup; memories read from the damaged file and added: ${saved}.`
      : message`The memory store ${file} was damaged and is kept as ${quarantinedName}. The backup ${path.basename(backup)} was restored; memories read from the damaged file and added: ${saved}.`;
  } finally {
    await store.close();
  }
}

/**
 * Damage deep in the file surfaces when something reads that page; the connection that hit it has left a marker file.
 */
async function isMarkedDamaged(file: string): Promise<boolean> {
  return exists(damageMarkerFile(file));
}

async function checkIntegrity(file: string): Promise<void> {
  // A repair was interrupted.
  if (!(await exists(file))) throw new EngineError('storeDamaged', message`The memory store ${file} is missing.`);
  const database = await Database.open(file, { readOnly: true, wal: false });
  const check = await database.read.get('PRAGMA quick_check').finally(() => database.close());
  if (check?.quick_check !== 'ok') throw new EngineError('storeDamaged', message`The memory store ${file} is damaged.`);
  await rm(damageMarkerFile(file), { force: true });
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
  if (version > migrations.length) throw tooNewError(database.file, version);
  if (version === migrations.length) {
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
    await createBackupPolicy(database, folder, host).createBackup(`before-version-${migrations.length}`);
  }
  await database.write(async tx => {
    // Another process may have migrated the file while this one waited for the lock.
    const from = await readVersion(tx.get('PRAGMA user_version'));
    if (from > migrations.length) throw tooNewError(database.file, from);
    for (const step of migrations.slice(from)) await tx.exec(step);
    await updateContentHashes(tx);
    await tx.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length};`);
  });
}

/** Rejects files of other programs and of newer versions before a connection changes a byte. */
async function checkHeader(file: string): Promise<void> {
  const header = await readHeader(file);
  if (header === undefined) return;
  const { pages, version } = header;
  const isForeign =
    header.applicationId !== applicationId && (header.applicationId !== 0 || version !== 0 || pages > 1);
  if (isForeign) {
    throw new EngineError(
      'storeUnavailable',
      message`The file ${file} is another program's database. Move it away, or choose another data folder; nothing was changed.`,
    );
  }
  if (version > migrations.length) throw tooNewError(file, version);
}

/** Reads the database header (https://www.sqlite.org/fileformat.html); undefined if there is no database. */
async function readHeader(
  file: string,
): Promise<{ pages: number; version: number; applicationId: number } | undefined> {
  const handle = await openFile(file, 'r').catch(() => undefined);
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
    message`The memory store ${file} was written by a newer Recollect (its version is ${version}, this one knows ${migrations.length}). Update Recollect to use it; nothing was changed.`,
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

async function isDirectory(file: string): Promise<boolean> {
  return stat(file).then(
    it => it.isDirectory(),
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

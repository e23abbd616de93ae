import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { Database, type Sql, type SqlTransaction } from '../../database/database.js';
import { movedStoreText } from '../../database/driverErrors.js';
import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import { migratePostgresStore } from '../postgres/openPostgresStore.js';
import { requireKnownVersion, storedVersionSql } from '../postgres/storedVersion.js';
import { isOnServer, writeStorePlacement } from '../storePlacement.js';
import { copyToFile } from './copyToFile.js';
import {
  copyRest,
  copyToServer,
  discardCopy,
  findDifferences,
  lockCopy,
  readCopiedState,
  type CopyOptions,
} from './copyToServer.js';

/** A copy of a store on a server that holds the same, and is not used yet. */
export interface VerifiedCopy {
  readonly memories: number;
  /** The state of the file that it is of. */
  readonly state: string;
}

/** Tables that every write of memories, or of what is kept with them, goes to. */
const lockedTables = ['audit', 'memories', 'records', 'traces'] as const;
const changes = ['INSERT', 'UPDATE', 'DELETE'] as const;

/**
 * Copies the store of a file to a server and compares both, table by table. Changes nothing here; an interrupted copy goes on.
 * @throws EngineError invalidInput (another store is there) | storeBusy (the file changed meanwhile) | aborted, and as PostgresPool
 */
export async function copyStore(file: string, pool: PostgresPool, options: CopyOptions = {}): Promise<VerifiedCopy> {
  await migratePostgresStore(pool);
  const database = await Database.open(file, { readOnly: false, wal: true });
  try {
    return await database.readSnapshot(async source => {
      await copyToServer(source, pool, options);
      const state = await readCopiedState(source);
      await compareCopy(source, pool, state);
      const row = await source.get('SELECT count(*) AS memories FROM memories');
      return { memories: row!.memories as number, state };
    });
  } finally {
    await database.close();
  }
}

/**
 * Uses a copy in place of the file from now on: what changed since in how often memories were used is copied, both are compared
 * once more, and the file takes no more writes of any process. The file stays.
 * @throws EngineError storeBusy where memories have changed since the copy was made; nothing is switched then
 */
export async function switchToServer(file: string, pool: PostgresPool, copy: VerifiedCopy): Promise<void> {
  const folder = path.dirname(file);
  const database = await Database.open(file, { readOnly: false, wal: true });
  try {
    await database.write(async sql => {
      if (isOnServer(folder))
        throw new EngineError('invalidInput', message`The memories in ${file} are on a server already.`);
      if ((await readCopiedState(sql)) !== copy.state)
        throw new EngineError(
          'storeBusy',
          message`The memories in ${file} have changed since they were copied. Nothing was switched; move them again.`,
        );
      await sql.exec(lockSql);
    });
    try {
      const id = await compareCopy(database.read, pool, copy.state);
      await writeStorePlacement(folder, { schema: pool.schema, id, memories: copy.memories });
    } catch (error) {
      // Another process may have switched meanwhile.
      if (!isOnServer(folder)) await database.write(sql => sql.exec(unlockSql));
      throw error;
    }
  } finally {
    await database.close();
  }
  // From now on it is no copy, which another one may replace. Its next opening sees to it too.
  await pool.read.run("DELETE FROM meta WHERE key = 'copyOf'").catch(() => undefined);
}

/** Copies what may have changed since without a new revision, and compares both. @returns id of the copy */
async function compareCopy(source: Sql, pool: PostgresPool, state: string): Promise<string> {
  const { id, different } = await pool.transaction(async sql => {
    await lockCopy(sql, state);
    await copyRest(source, sql);
    const row = await sql.get("SELECT value FROM meta WHERE key = 'storeId'");
    return { id: row!.value as string, different: await findDifferences(source, sql) };
  });
  // As vectors that were made meanwhile.
  if (different.length > 0) await discardCopy(pool, state);
  requireSame(different);
  return id;
}

/**
 * Copies the store of a server into a new file next to the old one, compares both, and uses it from now on: the server's store takes
 * no more writes of any process, and stays. The old file, which the store was moved from, is replaced.
 * @param file of the project's store
 * @param makeEmpty makes a new and empty store in a folder
 * @returns number of memories
 * @throws EngineError aborted, and as Database and PostgresPool; nothing is switched then
 */
export async function moveToFile(
  file: string,
  pool: PostgresPool,
  makeEmpty: (folder: string) => Promise<void>,
  options: CopyOptions = {},
): Promise<number> {
  const folder = path.dirname(file);
  // Of this process alone: what is compared is what is used.
  const incoming = await mkdtemp(path.join(folder, 'incoming-'));
  try {
    await makeEmpty(incoming);
    const copy = path.join(incoming, path.basename(file));
    const memories = await pool.transaction(async sql => {
      await lockRevision(sql);
      const database = await Database.open(copy, { readOnly: false, wal: false });
      try {
        await copyToFile(sql, database, options);
        requireSame(await findDifferences(database.read, sql));
      } finally {
        await database.close();
      }
      await sql.exec(serverLockSql);
      return (await sql.get('SELECT count(*)::int AS memories FROM memories'))!.memories as number;
    });
    // The server takes no more writes for good: a crash from here on leaves two stores of the same memories, and none is lost.
    await useFile(copy, file, pool);
    return memories;
  } finally {
    await rm(incoming, { recursive: true, force: true });
  }
}

/** Uses a copy of the server's store, which is locked, from now on. @throws EngineError storeBusy | invalidInput; nothing is switched then */
async function useFile(copy: string, file: string, pool: PostgresPool): Promise<void> {
  const folder = path.dirname(file);
  try {
    await pool.transaction(async sql => {
      await lockRevision(sql);
      if (!isOnServer(folder)) throw new EngineError('invalidInput', message`The memories are in ${file} already.`);
      if (!(await isLockedOnServer(sql)))
        throw new EngineError('storeBusy', 'Another program moves these memories now. Let it finish, and look again.');
      deleteSnapshot(file);
      for (const it of ['-wal', '-shm']) await rm(`${file}${it}`, { force: true });
      await rename(copy, file);
      await writeStorePlacement(folder, undefined);
    });
  } catch (error) {
    // It goes on being used there. Where it cannot be reached, the next move does this.
    if (isOnServer(folder)) await pool.transaction(sql => sql.exec(serverUnlockSql)).catch(() => undefined);
    throw error;
  }
}

/** Keeps writers out until the end of a transaction. @throws EngineError storeTooNew */
async function lockRevision(sql: PostgresSql): Promise<void> {
  await sql.all("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
  // A newer program may keep what this one does not know, and would leave behind.
  requireKnownVersion((await sql.get(`SELECT ${storedVersionSql} AS version`))?.version);
}

async function isLockedOnServer(sql: PostgresSql): Promise<boolean> {
  const row = await sql.get(
    "SELECT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'moved_away' AND tgrelid = to_regclass('audit')) AS locked",
  );
  return row!.locked as boolean;
}

/**
 * Deletes the file that a store was moved from, with its backups and checkpoints.
 * @throws EngineError invalidInput where it holds what was not moved, or what the server has not; and as Database and PostgresPool
 */
export async function deleteMovedFile(file: string, pool: PostgresPool): Promise<void> {
  const folder = path.dirname(file);
  const database = await Database.openReader(file);
  try {
    const [, , name] = triggerNames[0]!;
    if (
      (await database.read.get("SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND name = ?", name)) === undefined
    )
      throw new EngineError(
        'invalidInput',
        message`${file} is not the file that the memories were moved from: another program made it since. Nothing was deleted.`,
      );
    const missing = await findMissingOnServer(await idsOf(database.read), pool.read);
    if (missing > 0)
      throw new EngineError(
        'invalidInput',
        message`${file} holds memories that the server has neither kept nor deleted since (${missing}). Nothing was deleted. Look at them before you delete the file yourself.`,
      );
  } finally {
    await database.close();
  }
  deleteSnapshot(file);
  for (const it of ['', '-wal', '-shm']) await rm(`${file}${it}`, { force: true });
  for (const it of ['backups', 'checkpoints']) await rm(path.join(folder, it), { recursive: true, force: true });
}

/**
 * Deletes the store of a server that was moved to a file, once all of it is there.
 * @throws EngineError invalidInput where it was not moved, or not all is there; and as Database and PostgresPool
 */
export async function deleteMovedSchema(pool: PostgresPool, file: string): Promise<void> {
  if (!(await isLockedOnServer(pool.read)))
    throw new EngineError('invalidInput', 'There is no store on the server that was moved from there to this machine.');
  const database = await Database.openReader(file);
  try {
    const missing = await findMissingInFile(await idsOf(pool.read), database.read);
    if (missing > 0)
      throw new EngineError(
        'invalidInput',
        message`The schema ${pool.schema} holds memories that ${file} has neither kept nor deleted since (${missing}). Nothing was deleted. Look at them before its owner drops the schema.`,
      );
  } finally {
    await database.close();
  }
  await pool.read.exec(`DROP SCHEMA "${pool.schema}" CASCADE`);
}

/** Ids per question whether they are somewhere else. */
const idsPerStatement = 5_000;
/** Of an entry of the audit log by which a memory left its store. */
const leavingSql = "action IN ('prune', 'purge', 'move', 'rollback')";

async function idsOf(sql: Pick<Sql, 'all'> | Pick<PostgresSql, 'all'>): Promise<readonly string[]> {
  return (await sql.all('SELECT id FROM memories')).map(it => it.id as string);
}

/** How many memories a server's store has neither kept nor deleted by its audit log. */
async function findMissingOnServer(ids: readonly string[], sql: PostgresSql): Promise<number> {
  return countMissing(ids, async some => {
    const row = await sql.get(
      `SELECT count(*)::int AS missing FROM unnest($1::text[]) AS t (id)
       WHERE id NOT IN (SELECT id FROM memories) AND id NOT IN (SELECT memory_id FROM audit WHERE ${leavingSql} AND memory_id IS NOT NULL)`,
      some,
    );
    return row!.missing as number;
  });
}

async function findMissingInFile(ids: readonly string[], sql: Sql): Promise<number> {
  return countMissing(ids, async some => {
    const row = await sql.get(
      `SELECT count(*) AS missing FROM json_each(?)
       WHERE value NOT IN (SELECT id FROM memories) AND value NOT IN (SELECT memory_id FROM audit WHERE ${leavingSql} AND memory_id IS NOT NULL)`,
      JSON.stringify(some),
    );
    return row!.missing as number;
  });
}

async function countMissing(
  ids: readonly string[],
  count: (some: readonly string[]) => Promise<number>,
): Promise<number> {
  let missing = 0;
  for (let from = 0; from < ids.length; from += idsPerStatement)
    missing += await count(ids.slice(from, from + idsPerStatement));
  return missing;
}

/** The code is that of a server that can only be read. */
const serverLockSql = `
  CREATE OR REPLACE FUNCTION moved_away() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION '${movedStoreText}' USING ERRCODE = '25006'; END$$;
  ${lockedTables
    .map(
      it =>
        `DROP TRIGGER IF EXISTS moved_away ON ${it};
         CREATE TRIGGER moved_away BEFORE INSERT OR UPDATE OR DELETE ON ${it} EXECUTE FUNCTION moved_away();`,
    )
    .join('\n')}`;
const serverUnlockSql = lockedTables.map(it => `DROP TRIGGER IF EXISTS moved_away ON ${it};`).join('\n');

const triggerNames = lockedTables.flatMap(table =>
  changes.map(change => [table, change, `moved_${table}_${change.toLowerCase()}`] as const),
);
const lockSql = triggerNames
  .map(
    ([table, change, name]) =>
      `CREATE TRIGGER IF NOT EXISTS ${name} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, '${movedStoreText}'); END;`,
  )
  .join('\n');

/** Has the file of a store take no more writes of any process. */
export async function lockMovedFile(sql: SqlTransaction): Promise<void> {
  await sql.exec(lockSql);
}

const unlockSql = triggerNames.map(([, , name]) => `DROP TRIGGER IF EXISTS ${name};`).join('\n');

function requireSame(different: readonly string[]): void {
  if (different.length === 0) return;
  throw new EngineError(
    'internal',
    message`The copy on the server differs from the memories here (${different.join(', ')}). Nothing was switched; move them again.`,
  );
}

import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { Database } from '../../database/database.js';
import { movedStoreText } from '../../database/driverErrors.js';
import type { PostgresPool } from '../../database/postgres/postgresPool.js';
import { deleteSnapshot } from '../../search/index/indexSnapshot.js';
import { migratePostgresStore } from '../postgres/openPostgresStore.js';
import { writeStorePlacement } from '../storePlacement.js';
import { copyToFile } from './copyToFile.js';
import { copyRest, copyToServer, findDifferences, readCopiedState, type CopyOptions } from './copyToServer.js';

/** A copy of a store on a server that holds the same, and is not used yet. */
export interface VerifiedCopy {
  readonly memories: number;
  /** The state of the file that it is of. */
  readonly state: string;
}

/** Tables that every write of memories, or of what is kept beside them, goes to. */
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
      await pool.transaction(async sql => {
        await copyRest(source, sql);
        requireSame(await findDifferences(source, sql));
      });
      const row = await source.get('SELECT count(*) AS memories FROM memories');
      return { memories: row!.memories as number, state: await readCopiedState(source) };
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
  const database = await Database.open(file, { readOnly: false, wal: true });
  try {
    await database.write(async sql => {
      if ((await readCopiedState(sql)) !== copy.state)
        throw new EngineError(
          'storeBusy',
          message`The memories in ${file} have changed since they were copied. Nothing was switched; move them again, and only what changed is waited for.`,
        );
      await sql.exec(lockSql);
    });
    try {
      await pool.transaction(async sql => {
        await copyRest(database.read, sql);
        requireSame(await findDifferences(database.read, sql));
      });
      await writeStorePlacement(path.dirname(file), { schema: pool.schema });
    } catch (error) {
      await database.write(sql => sql.exec(unlockSql));
      throw error;
    }
  } finally {
    await database.close();
  }
  // From now on it is no copy, which another one may replace.
  await pool.read.run("DELETE FROM meta WHERE key = 'copyOf'");
}

/**
 * Copies the store of a server into a new file beside the old one, compares both, and uses it from now on: the server's store takes
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
  const incoming = path.join(folder, 'incoming');
  await rm(incoming, { recursive: true, force: true });
  await makeEmpty(incoming);
  const copy = path.join(incoming, path.basename(file));
  return pool.transaction(async sql => {
    await sql.all("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
    const database = await Database.open(copy, { readOnly: false, wal: false });
    try {
      await copyToFile(sql, database, options);
      requireSame(await findDifferences(database.read, sql));
    } finally {
      await database.close();
    }
    await sql.exec(serverLockSql);
    const { memories } = (await sql.get('SELECT count(*)::int AS memories FROM memories'))!;
    for (const it of ['-wal', '-shm']) await rm(`${file}${it}`, { force: true });
    await rename(copy, file);
    deleteSnapshot(file);
    await writeStorePlacement(folder, undefined);
    await rm(incoming, { recursive: true, force: true });
    return memories as number;
  });
}

/** Deletes the file that a store was moved from, with its backups and checkpoints. */
export async function deleteMovedFile(file: string): Promise<void> {
  const folder = path.dirname(file);
  deleteSnapshot(file);
  for (const it of ['', '-wal', '-shm']) await rm(`${file}${it}`, { force: true });
  for (const it of ['backups', 'checkpoints']) await rm(path.join(folder, it), { recursive: true, force: true });
}

/** Deletes the store of a server that was moved to a file. @throws EngineError invalidInput where it was not, and as PostgresPool */
export async function deleteMovedSchema(pool: PostgresPool): Promise<void> {
  const { moved } = (await pool.read.get(
    "SELECT EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'moved_away' AND tgrelid = to_regclass('audit')) AS moved",
  ))!;
  if (moved !== true)
    throw new EngineError('invalidInput', 'There is no store on the server that was moved from there to this machine.');
  await pool.read.exec(`DROP SCHEMA "${pool.schema}" CASCADE`);
}

/** The code is that of a server that can only be read. */
const serverLockSql = `
  CREATE OR REPLACE FUNCTION moved_away() RETURNS trigger LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION '${movedStoreText}' USING ERRCODE = '25006'; END$$;
  ${lockedTables
    .map(
      it =>
        `CREATE OR REPLACE TRIGGER moved_away BEFORE INSERT OR UPDATE OR DELETE ON ${it} EXECUTE FUNCTION moved_away();`,
    )
    .join('\n')}`;

const triggerNames = lockedTables.flatMap(table =>
  changes.map(change => [table, change, `moved_${table}_${change.toLowerCase()}`] as const),
);
const lockSql = triggerNames
  .map(
    ([table, change, name]) =>
      `CREATE TRIGGER IF NOT EXISTS ${name} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, '${movedStoreText}'); END;`,
  )
  .join('\n');
const unlockSql = triggerNames.map(([, , name]) => `DROP TRIGGER IF EXISTS ${name};`).join('\n');

function requireSame(different: readonly string[]): void {
  if (different.length === 0) return;
  throw new EngineError(
    'internal',
    message`The copy on the server differs from the memories here (${different.join(', ')}). Nothing was switched; move them again.`,
  );
}

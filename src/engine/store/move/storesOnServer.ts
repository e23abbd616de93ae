import path from 'node:path';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { Database } from '../../database/database.js';
import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import { requireKnownVersion } from '../postgres/storedVersion.js';
import { writeStorePlacement } from '../storePlacement.js';
import { lockMovedFile } from './moveStore.js';

/** A project's store on a server that a login owns. */
export interface StoreOnServer {
  readonly schema: string;
  readonly memories: number;
  /** Normalized address of the repository that was moved there; absent where it had none, or an older program moved it. */
  readonly repository?: string;
}

/** Says in the database which repository a store is of, so that another machine of its person finds it. */
export async function nameRepository(pool: PostgresPool, repository: string): Promise<void> {
  const text = repository.replaceAll("'", "''");
  await pool.read.exec(`COMMENT ON SCHEMA "${pool.schema}" IS '${text}'`);
}

/** The stores that the login has on the server and uses there, by schema. */
export async function listStoresOnServer({ read }: PostgresPool): Promise<readonly StoreOnServer[]> {
  const schemas = await read.all(
    `SELECT n.nspname AS schema, obj_description(n.oid, 'pg_namespace') AS repository FROM pg_namespace n
     JOIN pg_roles r ON r.oid = n.nspowner
     WHERE r.rolname = current_user AND n.nspname ~ '^recollect_[a-z0-9_]+$'
       AND to_regclass(format('%I.meta', n.nspname)) IS NOT NULL AND to_regclass(format('%I.memories', n.nspname)) IS NOT NULL
     ORDER BY n.nspname`,
  );
  const stores: StoreOnServer[] = [];
  for (const { schema, repository } of schemas) {
    const store = await readStore(read, String(schema));
    if (store === undefined) continue;
    const known = typeof repository === 'string' ? { repository } : {};
    stores.push({ schema: String(schema), memories: store.memories, ...known });
  }
  return stores;
}

/**
 * Has a project of this machine use a store that another machine of the same person has moved to the server. What is here must be
 * empty: it takes no more writes.
 * @param file of the project's store here
 * @param schema as {@link listStoresOnServer} names it
 * @returns number of memories there
 * @throws EngineError invalidInput (none of that name, memories are here) | storeTooNew, and as Database and PostgresPool
 */
export async function useStoreOnServer(file: string, { read }: PostgresPool, schema: string): Promise<number> {
  const store = /^[a-z_][a-z0-9_]{0,62}$/u.test(schema) ? await readStore(read, schema) : undefined;
  if (store === undefined)
    throw new EngineError('invalidInput', message`The server has no store ${schema} that you use there.`);
  requireKnownVersion(store.version);
  const database = await Database.open(file, { readOnly: false, wal: true });
  try {
    await database.write(async sql => {
      const row = await sql.get('SELECT count(*) AS memories FROM memories');
      const here = row!.memories as number;
      if (here > 0)
        throw new EngineError(
          'invalidInput',
          message`This machine has memories of this project (${here}). Take them along: recollect export --scope project-only --out FILE, then recollect reset --store project, recollect store open, and recollect import FILE.`,
        );
      await lockMovedFile(sql);
    });
  } finally {
    await database.close();
  }
  await writeStorePlacement(path.dirname(file), { schema, id: store.id, memories: store.memories });
  return store.memories;
}

/** Undefined where there is none, or one that is a copy, or was moved back. */
async function readStore(
  read: PostgresSql,
  schema: string,
): Promise<{ readonly id: string; readonly memories: number; readonly version: string | undefined } | undefined> {
  const [here] = await read.all('SELECT to_regclass($1) IS NOT NULL AS here', `"${schema}".meta`);
  if (here?.here !== true) return undefined;
  const rows = await read.all(`SELECT key, value FROM "${schema}".meta WHERE key IN ('storeId', 'copyOf', 'version')`);
  const meta = new Map(rows.map(it => [String(it.key), String(it.value)]));
  const id = meta.get('storeId');
  const state = await read.get(
    `SELECT (SELECT count(*)::int FROM "${schema}".memories) AS memories,
       EXISTS (SELECT 1 FROM pg_trigger WHERE tgname = 'moved_away' AND tgrelid = to_regclass($1)) AS moved`,
    `"${schema}".audit`,
  );
  if (id === undefined || meta.has('copyOf') || state!.moved === true) return undefined;
  return { id, memories: state!.memories as number, version: meta.get('version') };
}

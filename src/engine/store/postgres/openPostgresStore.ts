import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import { describeAddress } from '../../database/postgres/postgresSettings.js';
import type { Log } from '../../model/host.js';
import type { StoreKind } from '../../model/memory.js';
import { analyzerVersion } from '../../search/index/analyzerVersion.js';
import { contentHashVersion, hashContent } from '../contentHash.js';
import type { Store } from '../store.js';
import { PostgresCheckpoints } from './postgresCheckpoints.js';
import { PostgresHardDeletion } from './postgresHardDeletion.js';
import { PostgresSearch, type PostgresSearchParts } from './postgresSearch.js';
import { PostgresStore, postgresStoreName } from './postgresStore.js';
import { rebuildPostgresTerms } from './postgresTermCounts.js';
import { PostgresWriter } from './postgresWriter.js';
import { postgresMigrations } from './migrations.js';

export interface PostgresStoreHost extends PostgresSearchParts {
  readonly now: () => Date;
  readonly log: Log;
  /** Checkpoints kept of each origin. */
  readonly keepCheckpoints: () => number;
}

/**
 * Opens the store in the schema of a pool, which it takes over; creates or migrates it as needed. The pool is closed when that
 * fails.
 * @throws EngineError storeUnavailable | storeReadOnly | storeFull | storeTooNew | notAllowed (with what an administrator has to do)
 */
export async function openPostgresStore(kind: StoreKind, pool: PostgresPool, host: PostgresStoreHost): Promise<Store> {
  try {
    const isReadOnly = await migratePostgresStore(pool);
    const writer = new PostgresWriter(pool, kind, host.now);
    return new PostgresStore(kind, pool, isReadOnly, {
      writer,
      search: new PostgresSearch(kind, pool.read, host),
      checkpoints: new PostgresCheckpoints(kind, pool, writer, host.keepCheckpoints),
      hardDeletion: new PostgresHardDeletion(pool, writer, host.log),
    });
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Creates or migrates the schema of a pool. @returns whether the server takes no writes @throws as openPostgresStore */
export async function migratePostgresStore(pool: PostgresPool): Promise<boolean> {
  const row = await pool.read.get("SELECT current_setting('transaction_read_only') = 'on' AS read_only");
  const isReadOnly = row!.read_only as boolean;
  const state = await readState(pool.read, pool);
  if (isCurrent(state)) return isReadOnly;
  if (isReadOnly) {
    throw new EngineError(
      'storeReadOnly',
      message`${postgresStoreName(pool)} has no memories of this version, and the server can only be read now.`,
    );
  }
  await pool.transaction(async sql => {
    await waitForOtherMigrations(sql, pool.schema);
    // Another process may have done it while this one waited.
    const found = await readState(sql, pool);
    if (!found.hasSchema) await createSchema(sql, pool);
    // Otherwise the search path would go on to another schema.
    const { name } = (await sql.get('SELECT current_schema() AS name'))!;
    if (name !== pool.schema) throw schemaNotAllowed(pool);
    // A writer of an earlier version has ended then, and the next one sees the version.
    if (found.version > 0) await sql.all("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
    for (const step of postgresMigrations.slice(found.version)) {
      await sql.exec(step).catch((error: unknown) => {
        throw EngineError.is(error, 'notAllowed') ? schemaNotAllowed(pool) : error;
      });
    }
    if (found.contentHash !== contentHashVersion) await updatePostgresHashes(sql);
    if (found.analyzer < analyzerVersion) await rebuildPostgresTerms(sql);
    await sql.run(
      `INSERT INTO meta VALUES ('version', $1), ('contentHash', $2), ('analyzer', $3)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      String(postgresMigrations.length),
      contentHashVersion,
      String(Math.max(found.analyzer, analyzerVersion)),
    );
  });
  return false;
}

interface SchemaState {
  readonly hasSchema: boolean;
  /** 0 before the first migration. */
  readonly version: number;
  readonly contentHash: string | undefined;
  /** The newest version of the text analysis that wrote here (analyzerVersion.ts); a program of an earlier one leaves it. */
  readonly analyzer: number;
}

function isCurrent({ version, contentHash, analyzer }: SchemaState): boolean {
  return version === postgresMigrations.length && contentHash === contentHashVersion && analyzer >= analyzerVersion;
}

/** @throws EngineError storeTooNew | storeUnavailable (another program's schema) | notAllowed */
async function readState(sql: PostgresSql, pool: PostgresPool): Promise<SchemaState> {
  const schema = await sql.get(
    `SELECT oid::text AS id, has_schema_privilege(oid, 'USAGE') AS usable,
       ${openedToOthersSql} AS is_open_to_others,
       EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid AND relname = 'meta') AS has_meta,
       EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = n.oid) AS has_tables
     FROM pg_namespace n WHERE nspname = $1::name`,
    pool.schema,
  );
  if (schema === undefined) return { hasSchema: false, version: 0, contentHash: undefined, analyzer: 0 };
  if (schema.usable !== true) throw schemaNotAllowed(pool);
  if (schema.is_open_to_others === true) throw schemaOpenToOthers(pool);
  if (schema.has_tables !== true) return { hasSchema: true, version: 0, contentHash: undefined, analyzer: 0 };
  const rows =
    schema.has_meta === true
      ? await sql
          .all("SELECT key, value FROM meta WHERE key IN ('version', 'contentHash', 'analyzer')")
          .catch((error: unknown): never => {
            throw EngineError.is(error, 'notAllowed') ? schemaNotAllowed(pool) : error;
          })
      : [];
  const meta = new Map(rows.map(it => [it.key as string, it.value as string]));
  const version = Number(meta.get('version'));
  if (!Number.isInteger(version) || version < 1) {
    throw new EngineError(
      'storeUnavailable',
      message`The schema ${pool.schema} of ${describeAddress(pool.settings)} holds another program's tables. Choose another name; nothing was changed.`,
    );
  }
  if (version > postgresMigrations.length) {
    throw new EngineError(
      'storeTooNew',
      message`The memory store ${postgresStoreName(pool)} was written by a newer Recollect (its version is ${version}, this one knows ${postgresMigrations.length}). Update Recollect to use it; nothing was changed.`,
    );
  }
  return {
    hasSchema: true,
    version,
    contentHash: meta.get('contentHash'),
    analyzer: Number(meta.get('analyzer') ?? 0),
  };
}

/**
 * Whether a login other than this one and superusers may create in the schema `n`, or has a function or an operator there: what
 * it plants would run with the rights of this login. A role that cannot log in may own the schema where this login is in it.
 */
const openedToOthersSql = `EXISTS (
    SELECT 1 FROM (
      SELECT n.nspowner AS role
      UNION ALL SELECT grantee FROM aclexplode(n.nspacl) WHERE privilege_type = 'CREATE'
      UNION ALL SELECT proowner FROM pg_proc WHERE pronamespace = n.oid
      UNION ALL SELECT oprowner FROM pg_operator WHERE oprnamespace = n.oid) AS maker
    LEFT JOIN pg_roles r ON r.oid = maker.role
    WHERE r.oid IS NULL OR NOT (r.rolname = current_user OR r.rolsuper
      OR NOT r.rolcanlogin AND pg_has_role(current_user, r.oid, 'USAGE'::text)))`;

/** One process migrates while the others wait; a server without such locks has one session. */
async function waitForOtherMigrations(sql: PostgresSql, schema: string): Promise<void> {
  await sql.exec('SAVEPOINT before_lock');
  await sql
    .run(
      "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('recollect '::text || $1::text, 0::bigint))",
      schema,
    )
    .catch((error: unknown) => {
      if (!EngineError.is(error, 'internal')) throw error;
      return sql.exec('ROLLBACK TO SAVEPOINT before_lock');
    });
}

async function createSchema(sql: PostgresSql, { settings, schema }: PostgresPool): Promise<void> {
  try {
    await sql.exec(`CREATE SCHEMA IF NOT EXISTS ${quoteIdentifier(schema)}`);
  } catch (error) {
    if (!EngineError.is(error, 'notAllowed')) throw error;
    const [database, user] = [settings.database, settings.user].map(it => quoteIdentifier(it));
    throw new EngineError(
      'notAllowed',
      message`${describeAddress(settings)} does not let ${settings.user} make a schema for the memories. Its administrator runs: GRANT CREATE ON DATABASE ${database!} TO ${user!}`,
      { cause: error },
    );
  }
}

function schemaNotAllowed({ settings, schema }: PostgresPool): EngineError {
  return new EngineError(
    'notAllowed',
    message`The schema ${schema} of ${describeAddress(settings)} belongs to another login than ${settings.user}. Connect as its owner, or choose another name.`,
  );
}

function schemaOpenToOthers({ settings, schema }: PostgresPool): EngineError {
  return new EngineError(
    'notAllowed',
    message`In the schema ${schema} of ${describeAddress(settings)} other logins than ${settings.user} may create functions, which would run with your rights. Its owner runs: REVOKE CREATE ON SCHEMA ${quoteIdentifier(schema)} FROM PUBLIC; and takes out what is not yours.`,
  );
}

/**
 * Hashes every memory again where an earlier version of the normalized form was used. Otherwise a fact that is repeated would
 * become a second row, and a forgotten one would come back.
 */
async function updatePostgresHashes(sql: PostgresSql): Promise<void> {
  for (const { id, content, content_hash: before } of await sql.all('SELECT id, content, content_hash FROM memories')) {
    const after = hashContent(content as string);
    if (after === before) continue;
    // The earlier form distinguished fewer facts, so no two rows get one hash; a row that did keeps its own.
    await sql.run(
      `UPDATE memories m SET content_hash = $1 WHERE id = $2
         AND NOT EXISTS (SELECT 1 FROM memories o WHERE o.scope_id = m.scope_id AND o.content_hash = $1)`,
      after,
      id,
    );
  }
}

/** A name as it stands in a statement. */
function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

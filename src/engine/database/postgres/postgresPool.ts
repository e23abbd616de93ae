import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { clientConfig, type PostgresRow } from './postgresConnection.js';
import { toEngineError } from './postgresErrors.js';
import type { PostgresSettings } from './postgresSettings.js';

/** Runs statements with parameters `$1`, `$2`, …; each is prepared once per connection. @throws EngineError as toEngineError says */
export interface PostgresSql {
  all(sql: string, ...values: readonly unknown[]): Promise<readonly PostgresRow[]>;
  get(sql: string, ...values: readonly unknown[]): Promise<PostgresRow | undefined>;
  run(sql: string, ...values: readonly unknown[]): Promise<void>;
  /** Several statements without parameters. */
  exec(sql: string): Promise<void>;
}

/** How long an unused connection stays open. */
const idleMs = 60_000;

/**
 * Some connections to one schema of a PostgreSQL server, each opened when it is needed. Statements name tables without the
 * schema. Failures are EngineErrors, as of PostgresConnection.
 */
export class PostgresPool {
  /** Statements outside a transaction. */
  readonly read: PostgresSql;

  private constructor(
    private readonly pool: Pool,
    readonly settings: PostgresSettings,
    readonly schema: string,
  ) {
    this.read = sqlOf(pool, settings);
  }

  /**
   * @param schema is searched first; it need not exist yet
   * @param connections at most so many at once
   */
  static async open(settings: PostgresSettings, schema: string, connections = 4): Promise<PostgresPool> {
    const { Pool: PgPool, escapeIdentifier } = await import('pg');
    const pool = new PgPool({
      ...(await clientConfig(settings)),
      max: connections,
      idleTimeoutMillis: idleMs,
      // The pool waits for what this returns. Compiling a statement (jit) takes longer than any of ours runs.
      onConnect: client =>
        client.query(`SET search_path TO ${escapeIdentifier(schema)}, public; SET jit TO off`) as unknown as undefined,
    });
    // A connection that breaks while nothing is asked is replaced; without a listener it would end the process.
    pool.on('error', () => undefined);
    return new PostgresPool(pool, settings, schema);
  }

  /** Runs `work` between BEGIN and COMMIT, on one connection. Nothing is changed when it throws. */
  async transaction<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw toEngineError(error, this.settings);
    });
    let failure: Error | undefined;
    // A connection that breaks between two statements fails at the next; without a listener it would end the process.
    const ignore = (): void => undefined;
    client.on('error', ignore);
    try {
      await client.query('BEGIN');
      const result = await work(sqlOf(client, this.settings));
      await client.query('COMMIT');
      return result;
    } catch (error) {
      // A connection that cannot even roll back is closed.
      await client.query('ROLLBACK').catch((it: unknown) => (failure = it as Error));
      throw toEngineError(error, this.settings);
    } finally {
      client.off('error', ignore);
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    await this.pool.end().catch(() => undefined);
  }
}

function sqlOf(target: Pool | PoolClient, settings: PostgresSettings): PostgresSql {
  const query = async (text: string, values: readonly unknown[]): Promise<readonly PostgresRow[]> => {
    try {
      return (await target.query<PostgresRow>({ name: statementName(text), text, values: [...values] })).rows;
    } catch (error) {
      throw toEngineError(error, settings);
    }
  };
  return {
    all: (sql, ...values) => query(sql, values),
    get: async (sql, ...values) => (await query(sql, values))[0],
    run: async (sql, ...values) => {
      await query(sql, values);
    },
    exec: async sql => {
      try {
        await target.query(sql);
      } catch (error) {
        throw toEngineError(error, settings);
      }
    },
  };
}

/** PostgreSQL cuts names at 63 bytes. */
function statementName(sql: string): string {
  return createHash('sha256').update(sql).digest('base64url').slice(0, 24);
}

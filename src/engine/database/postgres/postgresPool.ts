import { createHash } from 'node:crypto';
import { EngineError } from '../../base/errors.js';
import type { PostgresRow } from './postgresConnection.js';
import { openPool, type DriverPool } from './postgresDriver.js';
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

/**
 * Some connections to one schema of a PostgreSQL server, each opened when it is needed. Statements name tables without the
 * schema. Failures are EngineErrors, as of PostgresConnection.
 */
export class PostgresPool {
  /** Statements outside a transaction. */
  readonly read: PostgresSql;

  private constructor(
    private readonly pool: DriverPool,
    readonly settings: PostgresSettings,
    readonly schema: string,
  ) {
    this.read = sqlOf(statement => pool.query<PostgresRow>(statement), settings);
  }

  /**
   * @param schema is searched first; it need not exist yet
   * @param connections at most so many at once
   * @param timeoutMs of a connection's making; a pool that waits for one keeps the process alive
   */
  static async open(
    settings: PostgresSettings,
    schema: string,
    connections = 4,
    timeoutMs?: number,
  ): Promise<PostgresPool> {
    const pool = await openPool(settings, schema, { connections, timeoutMs });
    // A connection that breaks while nothing is asked is replaced; without a listener it would end the process.
    pool.on('error', () => undefined);
    return new PostgresPool(pool, settings, schema);
  }

  /**
   * Runs `work` between BEGIN and COMMIT, on one connection. Nothing is changed when it throws, which is passed on. Statements
   * run one after another, and none after the end: it would be written for good, and alone.
   */
  async transaction<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const rethrow = (error: unknown): never => {
      throw toEngineError(error, this.settings);
    };
    const client = await this.pool.connect().catch(rethrow);
    let failure: Error | undefined;
    const noteFailure = (error: Error): void => {
      failure = error;
    };
    // It may break while the work waits for something else.
    client.on('error', noteFailure);
    let isOpen = true;
    let last: Promise<unknown> = Promise.resolve();
    const query: Query = async statement => {
      if (!isOpen) throw new EngineError('internal', 'The transaction has ended.');
      const result = last.then(() => client.query<PostgresRow>(statement));
      last = result.catch(() => undefined);
      return result;
    };
    const end = (statement: 'COMMIT' | 'ROLLBACK'): ReturnType<Query> => {
      const ended = query(statement);
      isOpen = false;
      return ended;
    };
    try {
      await query('BEGIN').catch(rethrow);
      const result = await work(sqlOf(query, this.settings));
      // The server answers ROLLBACK after a statement that failed.
      const { command } = await end('COMMIT').catch(rethrow);
      if (command !== 'COMMIT') throw new EngineError('internal', 'A statement of the transaction failed.');
      return result;
    } catch (error) {
      // A connection that cannot even roll back is closed.
      await end('ROLLBACK').catch(noteFailure);
      throw error;
    } finally {
      client.removeListener('error', noteFailure);
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    await this.pool.end().catch(() => undefined);
  }
}

type Query = (
  statement: string | { readonly name: string; readonly text: string; readonly values: unknown[] },
) => Promise<{ readonly rows: readonly PostgresRow[]; readonly command: string }>;

function sqlOf(query: Query, settings: PostgresSettings): PostgresSql {
  const send = async (statement: Parameters<Query>[0]): Promise<readonly PostgresRow[]> => {
    try {
      return (await query(statement)).rows;
    } catch (error) {
      throw toEngineError(error, settings);
    }
  };
  const all: PostgresSql['all'] = (text, ...values) => send({ name: statementName(text), text, values: [...values] });
  return {
    all,
    get: async (text, ...values) => (await all(text, ...values))[0],
    run: async (text, ...values) => {
      await all(text, ...values);
    },
    exec: async text => {
      await send(text);
    },
  };
}

/** PostgreSQL cuts names at 63 bytes. */
function statementName(sql: string): string {
  return createHash('sha256').update(sql).digest('base64url').slice(0, 24);
}

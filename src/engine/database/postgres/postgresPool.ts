import { createHash } from 'node:crypto';
import { EngineError } from '../../base/errors.js';
import type { PostgresRow } from './postgresConnection.js';
import { isSilent, openPool, type DriverPool, type DriverSocket } from './postgresDriver.js';
import { toEngineError } from './postgresErrors.js';
import type { PostgresSettings } from './postgresSettings.js';

/** How long a statement runs before the server is asked whether it is still there, and how long that waits for an answer. */
const patienceMs = 2_000;
const answerMs = 3_000;
/** Time for statements that run while the pool is closed. */
const closingMs = 2_000;

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
 * schema. Failures are EngineErrors, as of PostgresConnection. Where the network falls silent, what runs fails within five
 * seconds; a statement that takes long on a server that answers goes on.
 */
export class PostgresPool {
  /** Statements outside a transaction. */
  readonly read: PostgresSql;
  /** Whether nothing comes from the server, while that is looked for. */
  private silence: Promise<boolean> | undefined;

  private constructor(
    private readonly open: () => Promise<Connections>,
    private connections: Connections,
    readonly settings: PostgresSettings,
    readonly schema: string,
  ) {
    this.read = sqlOf(statement => this.watch(this.connections.pool.query<PostgresRow>(statement)), settings);
  }

  /**
   * @param schema the only one that is searched, after the server's own; it need not exist yet
   * @param connections at most so many at once
   * @param timeoutMs of a connection's making; a pool that waits for one keeps the process alive
   */
  static async open(
    settings: PostgresSettings,
    schema: string,
    connections = 4,
    timeoutMs?: number,
  ): Promise<PostgresPool> {
    const open = async (): Promise<Connections> => {
      const sockets = new Set<DriverSocket>();
      return new Connections(await openPool(settings, schema, { connections, timeoutMs, sockets }), sockets);
    };
    return new PostgresPool(open, await open(), settings, schema);
  }

  /**
   * Runs `work` between BEGIN and COMMIT, on one connection. Nothing is changed when it throws, which is passed on. Statements
   * run one after another, and none after the end: it would be written for good, and alone.
   */
  async transaction<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    const rethrow = (error: unknown): never => {
      throw toEngineError(error, this.settings);
    };
    const client = await this.watch(this.connections.pool.connect()).catch(rethrow);
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
      const result = last.then(() => this.watch(client.query<PostgresRow>(statement)));
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

  close(): Promise<void> {
    return this.connections.close();
  }

  /** Waits for an answer of the server. Where it falls silent, all connections are given up, with what runs on them. */
  private async watch<T>(answer: Promise<T>): Promise<T> {
    const { connections } = this;
    let isAnswered = false;
    let timer: NodeJS.Timeout;
    const look = async (): Promise<void> => {
      this.silence ??= isSilent(this.settings, answerMs).finally(() => (this.silence = undefined));
      const isGone = await this.silence;
      if (isAnswered) return;
      if (!isGone) timer = setTimeout(() => void look(), patienceMs);
      else if (connections === this.connections) await this.startAgain();
    };
    timer = setTimeout(() => void look(), patienceMs);
    try {
      return await answer;
    } finally {
      isAnswered = true;
      clearTimeout(timer);
    }
  }

  private async startAgain(): Promise<void> {
    const before = this.connections;
    const fresh = await this.open();
    // Another statement, or closing, may have come first.
    if (this.connections === before && !before.isClosed) this.connections = fresh;
    else await fresh.close();
    await before.cut();
  }
}

/** The connections of a pool, and their sockets. */
class Connections {
  isClosed = false;

  constructor(
    readonly pool: DriverPool,
    private readonly sockets: ReadonlySet<DriverSocket>,
  ) {
    // A connection that breaks while nothing is asked is replaced; without a listener it would end the process.
    pool.on('error', () => undefined);
  }

  /** Closes the pool; running statements have a moment to end. */
  async close(): Promise<void> {
    this.isClosed = true;
    const timer = setTimeout(() => void this.cut(), closingMs);
    await this.pool.end().catch(() => undefined);
    clearTimeout(timer);
  }

  /** Closes the pool at once; running statements fail. */
  async cut(): Promise<void> {
    const ended = this.pool.end().catch(() => undefined);
    for (const socket of this.sockets) socket.destroy();
    await ended;
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

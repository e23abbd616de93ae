import { EngineError } from '../../base/errors.js';
import { Sequencer } from '../../base/sequencer.js';
import type { PostgresPool, PostgresSql } from '../../database/postgres/postgresPool.js';
import type { StoreKind } from '../../model/memory.js';
import { PostgresTransaction } from './postgresTransaction.js';
import { requireKnownVersion, storedVersionSql } from './storedVersion.js';

/** The channel on which other programs hear of a write: `schema revision`. */
export const postgresStoreChannel = 'recollect_store';

/**
 * Runs the transactions that write, one at a time, so that they take one connection of the pool and leave the others to what is
 * read meanwhile.
 */
export class PostgresWriter {
  private readonly sequencer = new Sequencer();

  constructor(
    private readonly pool: PostgresPool,
    private readonly kind: StoreKind,
    readonly now: () => Date,
  ) {}

  /** Runs one write. The transaction begins with its first statement: what it waits for before holds up no other one. */
  write<T>(actor: string, at: string, work: (tx: PostgresTransaction) => Promise<T>): Promise<T> {
    return this.sequencer.run(async () => {
      const lazy = new LazyTransaction(this.pool);
      try {
        const result = await this.writeIn(lazy.sql, actor, work, at);
        await lazy.commit();
        return result;
      } catch (error) {
        await lazy.rollback();
        throw error;
      }
    });
  }

  /** Runs `work` in a transaction that waits for the writers before, and keeps those after out until its end. */
  exclusively<T>(work: (sql: PostgresSql) => Promise<T>): Promise<T> {
    return this.sequencer.run(() =>
      this.pool.transaction(async sql => {
        await sql.run("SELECT value FROM meta WHERE key = 'revision' FOR UPDATE");
        requireKnownVersion((await sql.get(`SELECT ${storedVersionSql} AS version`))?.version);
        return work(sql);
      }),
    );
  }

  /** Runs a write in a transaction, and announces it to the programs that listen, when it is committed. */
  async writeIn<T>(
    sql: PostgresSql,
    actor: string,
    work: (tx: PostgresTransaction) => Promise<T>,
    at = this.now().toISOString(),
  ): Promise<T> {
    const tx = new PostgresTransaction(sql, this.kind, actor, at);
    const result = await work(tx);
    await tx.commitMetadata();
    if (tx.changed)
      await sql.run('SELECT pg_notify($1, $2)', postgresStoreChannel, `${this.pool.schema} ${await tx.revision()}`);
    return result;
  }
}

/** A transaction that begins with its first statement. */
class LazyTransaction {
  readonly sql: PostgresSql = {
    all: async (...statement) => (await this.begin()).all(...statement),
    get: async (...statement) => (await this.begin()).get(...statement),
    run: async (...statement) => (await this.begin()).run(...statement),
    exec: async statements => (await this.begin()).exec(statements),
  };
  /** Undefined before the first statement. */
  private begun: Promise<PostgresSql> | undefined;
  private ended: Promise<void> | undefined;
  /** Ends the transaction, with an error by a rollback. */
  private end!: (error?: Error) => void;

  constructor(private readonly pool: PostgresPool) {}

  async commit(): Promise<void> {
    if (this.begun === undefined) return;
    this.end();
    await this.ended;
  }

  async rollback(): Promise<void> {
    if (this.begun === undefined) return;
    this.end(new EngineError('aborted', 'The write was given up.'));
    await this.ended!.catch(() => undefined);
  }

  private begin(): Promise<PostgresSql> {
    this.begun ??= new Promise((resolve, reject) => {
      const work = new Promise<void>((done, fail) => {
        this.end = error => {
          if (error === undefined) done();
          else fail(error);
        };
      });
      work.catch(() => undefined);
      this.ended = this.pool.transaction(sql => {
        resolve(sql);
        return work;
      });
      // Where no connection can be had.
      this.ended.catch(reject);
    });
    return this.begun;
  }
}

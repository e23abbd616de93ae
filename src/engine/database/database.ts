import { statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import sqlite3 from '@vscode/sqlite3';
import { EngineError } from '../base/errors.js';
import { Sequencer } from '../base/sequencer.js';
import { fromDriverError, readOnlyError } from './driverErrors.js';

/** What SQLite takes as a bound value. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** How long a connection waits for another process's write before it gives up with `storeBusy`. */
const busyTimeoutMs = 10_000;

/**
 * Values bound in writes until the write-ahead log is brought into the file, after the commit that reaches them: 30 facts
 * told one by one are so many, and 1,000 pages. Of an import a call's 1,000 facts are 42,000 and 3,500 pages.
 */
const walCheckpointAfterValues = 1_500;
/** Pages in the log, whoever wrote them, from which on SQLite does so by itself, and in the commit. */
const walAutocheckpointPages = 8_000;

/** Twice the pages that SQLite keeps by itself: what a recall returns lies anywhere in the file, some sixty of them. */
const readerCachePragma = 'PRAGMA cache_size = -4000;';

/** SQL on one connection. Array parameters travel as JSON: `… IN (SELECT value FROM json_each(?))`. */
export interface Sql {
  all(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow[]>;
  get(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow | undefined>;
  run(sql: string, ...params: readonly SqlValue[]): Promise<void>;
}

/** The writing connection inside a transaction. */
export interface SqlTransaction extends Sql {
  /** Several statements without parameters. */
  exec(sql: string): Promise<void>;
}

/**
 * One SQLite file: one connection that writes and one that reads, so that readers neither wait for a write nor see a
 * half-done one. The only importer of the driver. Driver errors become EngineErrors that name the file.
 */
export class Database {
  private readonly queue = new Sequencer();
  /** Values bound since the log was last brought into the file. */
  private boundValues = 0;

  private constructor(
    readonly file: string,
    /** Or why nothing can be written. */
    private readonly writer: Connection | EngineError,
    private readonly reader: Connection,
  ) {}

  /** On a disk that is read-only or full, what is there can still be read, and only writing fails. */
  static async open(file: string, options: { readOnly: boolean; wal: boolean }): Promise<Database> {
    if (options.readOnly) return new Database(file, readOnlyError(file), await Connection.open(file, 'frozen'));
    try {
      return await Database.openForWriting(file, options.wal);
    } catch (error) {
      if (!EngineError.is(error, 'storeFull')) throw error;
      return new Database(file, error, await Connection.open(file, 'frozen'));
    }
  }

  /** For who only reads a file that others write. On a read-only disk, where others cannot either, it is frozen. */
  static async openReader(file: string, timeoutMs = busyTimeoutMs): Promise<Database> {
    const reader = await Connection.open(file, 'read', timeoutMs);
    try {
      await reader.get('SELECT 1 FROM sqlite_schema');
      await reader.exec(readerCachePragma);
      return new Database(file, readOnlyError(file), reader);
    } catch (error) {
      await reader.close();
      if (EngineError.is(error, 'storeBusy')) throw error;
      return new Database(file, readOnlyError(file), await Connection.open(file, 'frozen'));
    }
  }

  /** Stands for a file that cannot be made: it reads as empty and refuses writes. */
  static async openEmpty(file: string, schema: readonly string[]): Promise<Database> {
    const connection = await Connection.open(file, 'memory');
    for (const it of schema) await connection.exec(it);
    return new Database(file, readOnlyError(file), connection);
  }

  private static async openForWriting(file: string, wal: boolean): Promise<Database> {
    const writer = await Connection.open(file, 'write');
    let reader: Connection | undefined;
    try {
      await setJournalMode(writer, wal ? 'wal' : 'delete');
      // FULL: an acknowledged write survives a power cut too, not only a crash of the process.
      await writer.exec(
        `PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = ${walAutocheckpointPages};`,
      );
      // A page that is written before the commit locks out all who read, also the index thread that an import waits for.
      if (!wal) await writer.exec('PRAGMA cache_spill = OFF;');
      reader = await Connection.open(file, 'read');
      await reader.exec(readerCachePragma);
      return new Database(file, writer, reader);
    } catch (error) {
      await reader?.close();
      await writer.close();
      throw error;
    }
  }

  get readOnly(): boolean {
    return this.writer instanceof EngineError;
  }

  /** Reads committed rows only. */
  get read(): Sql {
    return this.reader;
  }

  /** Runs `work` on one state of the file, whatever is written meanwhile, on a connection of its own. */
  async readSnapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.readOnly) return work(this.reader);
    const connection = await Connection.open(this.file, 'read');
    try {
      await connection.exec('BEGIN');
      return await work(connection);
    } finally {
      await connection.close();
    }
  }

  /**
   * Runs `work` in one immediate transaction; commits when it resolves, rolls back when it throws. Transactions of this
   * object run one after another. Inside, never wait for anything but the transaction.
   */
  async write<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    const { result, boundValues } = await this.withWriter(writer => inTransaction(writer, work));
    this.boundValues += boundValues;
    if (this.boundValues >= walCheckpointAfterValues) {
      this.boundValues = 0;
      // What was written is on the disk, in the log: nobody waits for this, and where it fails the next one makes up for it.
      this.execOutsideTransaction('PRAGMA wal_checkpoint').catch(() => undefined);
    }
    return result;
  }

  /**
   * The same, with the tables of another file to be read as schema `other`. Name them in `exec` only: a statement that
   * stays prepared would outlive them.
   */
  writeWithAttached<T>(file: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    const name = `${pathToFileURL(file).href}?immutable=1`;
    return this.withWriter(async writer => {
      await writer.exec(`ATTACH DATABASE '${name.replaceAll("'", "''")}' AS other`);
      try {
        return (await inTransaction(writer, work)).result;
      } finally {
        await writer.exec('DETACH DATABASE other');
      }
    });
  }

  /** Statements that cannot run inside a transaction (VACUUM INTO, checkpoints), after the writes queued so far. */
  execOutsideTransaction(sql: string): Promise<void> {
    return this.withWriter(writer => writer.exec(sql));
  }

  async close(): Promise<void> {
    await this.queue.idle();
    await this.reader.close();
    if (!(this.writer instanceof EngineError)) await this.writer.close();
  }

  private withWriter<T>(work: (writer: Connection) => Promise<T>): Promise<T> {
    const { writer } = this;
    if (writer instanceof EngineError) return Promise.reject(writer);
    return this.queue.run(() => work(writer));
  }
}

/** @returns also how many values were bound */
async function inTransaction<T>(
  writer: Connection,
  work: (tx: SqlTransaction) => Promise<T>,
): Promise<{ readonly result: T; readonly boundValues: number }> {
  // Deferred transactions fail at once when another process wrote in between; immediate ones wait.
  await writer.exec('BEGIN IMMEDIATE');
  const transaction = new ActiveTransaction(writer);
  try {
    const result = await work(transaction);
    transaction.end();
    await writer.exec('COMMIT');
    return { result, boundValues: transaction.boundValues };
  } catch (error) {
    transaction.end();
    await writer.exec('ROLLBACK').catch(() => undefined); // SQLite has already rolled back after some errors.
    throw error;
  }
}

/** The writer, as long as one transaction lasts: what goes on beside a statement that failed writes nothing after it. */
class ActiveTransaction implements SqlTransaction {
  /** Values bound in what was run. */
  boundValues = 0;

  constructor(private writer: SqlTransaction) {}

  all(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.writer.all(sql, ...params);
  }

  get(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow | undefined> {
    return this.writer.get(sql, ...params);
  }

  run(sql: string, ...params: readonly SqlValue[]): Promise<void> {
    this.boundValues += params.length;
    return this.writer.run(sql, ...params);
  }

  /** May change any number of rows. */
  exec(sql: string): Promise<void> {
    this.boundValues += walCheckpointAfterValues;
    return this.writer.exec(sql);
  }

  /** Statements under way are waited for by what ends it; from now on there are no more. */
  end(): void {
    const refuse = (): Promise<never> => Promise.reject(new EngineError('internal', 'The transaction has ended.'));
    this.writer = { all: refuse, get: refuse, run: refuse, exec: refuse };
  }
}

/** One driver connection as promises, with its prepared statements kept. */
class Connection implements SqlTransaction {
  private readonly statements = new Map<string, sqlite3.Statement>();

  private constructor(
    private readonly file: string,
    private readonly db: sqlite3.Database,
  ) {}

  static async open(
    file: string,
    mode: 'read' | 'write' | 'frozen' | 'memory',
    timeoutMs = busyTimeoutMs,
  ): Promise<Connection> {
    // Where nothing can be written, SQLite cannot make the files that a WAL reader needs; with no log left to read, the
    // file itself is all there is.
    const immutable = mode === 'frozen' && !statSync(`${file}-wal`, { throwIfNoEntry: false })?.size;
    const name = mode === 'memory' ? ':memory:' : immutable ? `${pathToFileURL(file).href}?immutable=1` : file;
    const flags =
      mode === 'write' || mode === 'memory'
        ? // With URIs, so that a writer can attach a file that nobody changes.
          sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE | sqlite3.OPEN_URI
        : sqlite3.OPEN_READONLY | (immutable ? sqlite3.OPEN_URI : 0);
    const db = await new Promise<sqlite3.Database>((resolve, reject) => {
      const driver: sqlite3.Database = new sqlite3.Database(name, flags, error => {
        if (error === null) resolve(driver);
        else reject(fromDriverError(error, file));
      });
    });
    db.configure('busyTimeout', timeoutMs);
    return new Connection(file, db);
  }

  all(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow[]> {
    return new Promise((resolve, reject) => {
      this.statement(sql, reject)?.all(params, (error: Error | null, rows: SqlRow[]) => {
        if (error === null) resolve(rows);
        else reject(this.engineError(error));
      });
    });
  }

  /** The first row. Goes through `all`: a statement stopped half way would hold its read transaction open. */
  async get(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow | undefined> {
    return (await this.all(sql, ...params))[0];
  }

  run(sql: string, ...params: readonly SqlValue[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.statement(sql, reject)?.run(params, (error: Error | null) => {
        if (error === null) resolve();
        else reject(this.engineError(error));
      });
    });
  }

  exec(sql: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.db.exec(sql, error => {
        if (error === null) resolve();
        else reject(this.engineError(error));
      });
    });
  }

  async close(): Promise<void> {
    for (const statement of this.statements.values()) {
      await new Promise<void>(resolve =>
        statement.finalize(() => {
          resolve();
        }),
      );
    }
    this.statements.clear();
    await new Promise<void>((resolve, reject) => {
      this.db.close(error => {
        if (error === null) resolve();
        else reject(this.engineError(error));
      });
    });
  }

  private engineError(error: Error): EngineError {
    const converted = fromDriverError(error, this.file);
    if (converted.code === 'storeDamaged') markDamaged(this.file);
    return converted;
  }

  private statement(sql: string, reject: (error: EngineError) => void): sqlite3.Statement | undefined {
    const cached = this.statements.get(sql);
    if (cached !== undefined) return cached;
    const prepared = this.db.prepare(sql, (error: Error | null) => {
      if (error === null) return;
      this.statements.delete(sql);
      reject(this.engineError(error));
    });
    this.statements.set(sql, prepared);
    return prepared;
  }
}

/** Exists while some connection has met damage in the file; the next opening looks thoroughly. */
export function damageMarkerFile(file: string): string {
  return `${file}.damaged`;
}

function markDamaged(file: string): void {
  try {
    writeFileSync(damageMarkerFile(file), '');
  } catch {
    // The disk may be read-only; the error that led here is reported all the same.
  }
}

/** Two processes that create a store at the same moment both want this; SQLite does not wait here by itself. */
async function setJournalMode(writer: Connection, mode: 'wal' | 'delete'): Promise<void> {
  const deadline = Date.now() + busyTimeoutMs;
  for (;;) {
    try {
      await writer.exec(`PRAGMA journal_mode = ${mode}`);
      return;
    } catch (error) {
      if (!EngineError.is(error, 'storeBusy') || Date.now() > deadline) throw error;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }
}

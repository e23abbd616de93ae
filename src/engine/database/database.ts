import { lstatSync, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import sqlite3 from '@vscode/sqlite3';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { touchFileSync } from '../base/regularFile.js';
import { Sequencer } from '../base/sequencer.js';
import { fromDriverError, makesSqliteRollBack, readOnlyError, replacedFileError } from './driverErrors.js';

/** A bound value or a cell. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** How long a connection waits for another process's write before it gives up with `storeBusy`. */
const busyTimeoutMs = 10_000;

/**
 * Bound values after which a commit triggers a WAL checkpoint: about 30 facts stored one by one, or 1,000 pages. A batch of
 * 1,000 imported facts binds 42,000 values and writes 3,500 pages.
 */
const walCheckpointAfterValues = 1_500;
/** Pages in the write-ahead log at which SQLite checkpoints within a commit; the limit for all processes together. */
const walAutocheckpointPages = 8_000;

/** Twice SQLite's default: the sixty or so pages of a recall are scattered over the file. */
const readerCachePragma = 'PRAGMA cache_size = -4000;';

/** SQL on one connection. Pass arrays as JSON: `… IN (SELECT value FROM json_each(?))`. */
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
 * An SQLite file with one writing and one reading connection, so that readers neither wait for a write nor see a partial one.
 * The only importer of the driver, whose errors become EngineErrors that name the file.
 */
export class Database {
  private readonly queue = new Sequencer();
  /** Values bound since the last WAL checkpoint. */
  private boundValues = 0;

  private constructor(
    readonly file: string,
    /** The error of every write where the file cannot be written. */
    private readonly writer: Connection | EngineError,
    private readonly reader: Connection,
    /** Of the open file, by its device and inode; undefined where nothing is written. */
    private readonly identity?: string,
  ) {}

  /** Opens a file for reading and writing. On a read-only or full disk only writes fail. */
  static async open(file: string, options: { readOnly: boolean; wal: boolean }): Promise<Database> {
    if (options.readOnly) return new Database(file, readOnlyError(file), await Connection.open(file, 'immutable'));
    try {
      return await Database.openForWriting(file, options.wal);
    } catch (error) {
      if (!EngineError.is(error, 'storeFull')) throw error;
      return new Database(file, error, await Connection.open(file, 'immutable'));
    }
  }

  /** Opens a file that other connections write. On a read-only disk, where none can, it is opened as immutable. */
  static async openReader(file: string, timeoutMs = busyTimeoutMs): Promise<Database> {
    const reader = await Connection.open(file, 'read', timeoutMs);
    try {
      await reader.get('SELECT 1 FROM sqlite_schema');
      await reader.exec(readerCachePragma);
      return new Database(file, readOnlyError(file), reader);
    } catch (error) {
      await reader.close();
      if (EngineError.is(error, 'storeBusy')) throw error;
      return new Database(file, readOnlyError(file), await Connection.open(file, 'immutable'));
    }
  }

  /** A stand-in for a store that cannot be opened: it is empty and rejects writes. */
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
      // Spilling a page before the commit would lock out all readers, even the search worker that an import waits for.
      if (!wal) await writer.exec('PRAGMA cache_spill = OFF;');
      reader = await Connection.open(file, 'read');
      await reader.exec(readerCachePragma);
      return new Database(file, writer, reader, identityOf(file));
    } catch (error) {
      await reader?.close();
      await writer.close();
      throw error;
    }
  }

  get readOnly(): boolean {
    return EngineError.is(this.writer);
  }

  /** @throws EngineError storeUnavailable where the open file was deleted or replaced: what is written into it is lost */
  requireFile(): void {
    if (this.identity !== undefined && identityOf(this.file) !== this.identity) throw replacedFileError(this.file);
  }

  /** The reading connection; it sees committed rows only. */
  get read(): Sql {
    return this.reader;
  }

  /** Runs `work` in a read transaction on a separate connection, so that it sees one state of the file. */
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
   * Runs `work` in one immediate transaction; commits when it resolves, rolls back when it rejects. The transactions of this
   * object run one after another, so `work` must not await anything but the transaction.
   * @throws as requireFile and the driver do
   */
  async write<T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    const { result, boundValues } = await this.withWriter(writer => {
      this.requireFile();
      return inTransaction(writer, work);
    });
    this.boundValues += boundValues;
    if (this.boundValues >= walCheckpointAfterValues) {
      this.boundValues = 0;
      // Not awaited: the commit is durable in the log, and a failed checkpoint is made up for by the next one.
      this.execOutsideTransaction('PRAGMA wal_checkpoint').catch(() => undefined);
    }
    return result;
  }

  /**
   * Like `write`, with the tables of another file readable as schema `other`. Use them in `exec` only: a prepared statement
   * is cached and would outlive them.
   */
  writeWithAttached<T>(file: string, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
    const name = `${pathToFileURL(file).href}?immutable=1`;
    return this.withWriter(async writer => {
      this.requireFile();
      await writer.exec(`ATTACH DATABASE '${name.replaceAll("'", "''")}' AS other`);
      try {
        return (await inTransaction(writer, work)).result;
      } finally {
        await writer.exec('DETACH DATABASE other');
      }
    });
  }

  /** Runs statements that cannot run in a transaction (VACUUM INTO, checkpoints), after the writes queued so far. */
  execOutsideTransaction(sql: string): Promise<void> {
    return this.withWriter(writer => writer.exec(sql));
  }

  async close(): Promise<void> {
    await this.queue.idle();
    await this.reader.close();
    if (!EngineError.is(this.writer)) await this.writer.close();
  }

  private withWriter<T>(work: (writer: Connection) => Promise<T>): Promise<T> {
    const { writer } = this;
    if (EngineError.is(writer)) return Promise.reject(writer);
    return this.queue.run(() => work(writer));
  }
}

/** Runs `work` in a transaction; also returns the number of bound values. */
async function inTransaction<T>(
  writer: Connection,
  work: (tx: SqlTransaction) => Promise<T>,
): Promise<{ readonly result: T; readonly boundValues: number }> {
  // Deferred transactions fail at once when another process wrote in between; immediate ones wait.
  await writer.exec('BEGIN IMMEDIATE');
  const transaction = new ActiveTransaction(writer);
  try {
    const result = await work(transaction);
    await transaction.finish();
    transaction.end();
    await writer.exec('COMMIT');
    return { result, boundValues: transaction.boundValues };
  } catch (error) {
    transaction.end();
    await writer.exec('ROLLBACK').catch(() => undefined); // SQLite has already rolled back after some errors.
    throw error;
  }
}

/**
 * The writing connection for the time of one transaction: work that goes on after the end cannot write. Statements run one
 * after another, and none after an error at which SQLite rolls back by itself: it would be written for good, and alone.
 */
class ActiveTransaction implements SqlTransaction {
  boundValues = 0;
  /** Settles with the statements called so far. */
  private last: Promise<unknown> = Promise.resolve();
  private rolledBackBy: unknown;

  constructor(private writer: SqlTransaction) {}

  all(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.enqueue(writer => writer.all(sql, ...params));
  }

  get(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow | undefined> {
    return this.enqueue(writer => writer.get(sql, ...params));
  }

  run(sql: string, ...params: readonly SqlValue[]): Promise<void> {
    this.boundValues += params.length;
    return this.enqueue(writer => writer.run(sql, ...params));
  }

  /** May change any number of rows, so it counts as enough for a checkpoint. */
  exec(sql: string): Promise<void> {
    this.boundValues += walCheckpointAfterValues;
    return this.enqueue(writer => writer.exec(sql));
  }

  /** Waits for the statements called so far. @throws what made SQLite roll back */
  async finish(): Promise<void> {
    await this.last;
    this.assertOpen();
  }

  /** Rejects further statements; COMMIT and ROLLBACK wait for the one under way. */
  end(): void {
    const refuse = (): Promise<never> => Promise.reject(new EngineError('internal', 'The transaction has ended.'));
    this.writer = { all: refuse, get: refuse, run: refuse, exec: refuse };
  }

  private enqueue<T>(work: (writer: SqlTransaction) => Promise<T>): Promise<T> {
    const result = this.last.then(() => {
      this.assertOpen();
      return work(this.writer);
    });
    this.last = result.catch((error: unknown) => {
      if (makesSqliteRollBack(error)) this.rolledBackBy = error;
    });
    return result;
  }

  private assertOpen(): void {
    if (this.rolledBackBy !== undefined) throw this.rolledBackBy as EngineError;
  }
}

/** A driver connection as promises, with a cache of prepared statements. */
class Connection implements SqlTransaction {
  private readonly statements = new Map<string, sqlite3.Statement>();

  private constructor(
    private readonly file: string,
    private readonly db: sqlite3.Database,
  ) {}

  static async open(
    file: string,
    mode: 'read' | 'write' | 'immutable' | 'memory',
    timeoutMs = busyTimeoutMs,
  ): Promise<Connection> {
    if (mode !== 'memory') for (const suffix of ['', '-wal', '-journal']) refuseSpecialFile(file + suffix);
    // On a read-only disk SQLite cannot create the files that a WAL reader needs. Without a log to read, the file alone is
    // complete and can be opened as immutable.
    const immutable = mode === 'immutable' && !statSync(`${file}-wal`, { throwIfNoEntry: false })?.size;
    const name = mode === 'memory' ? ':memory:' : immutable ? `${pathToFileURL(file).href}?immutable=1` : file;
    const flags =
      mode === 'write' || mode === 'memory'
        ? // URIs let a writer attach an immutable file.
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

  /** The first row. Uses `all`, since the driver's `get` leaves the statement open, and with it its read transaction. */
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

/** Device and inode of a file; undefined where there is none. */
function identityOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? undefined : `${found.dev} ${found.ino}`;
}

/** Exists after a connection has met damage in the file; the next opening then checks its integrity. */
export function damageMarkerFile(file: string): string {
  return `${file}.damaged`;
}

/**
 * Refuses what is no regular file, a database or its log, as opening a pipe waits without end. A link is refused as well: what is deleted for good, or
 * put in the place of a damaged file, would be so at one of its ends only.
 */
function refuseSpecialFile(file: string): void {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new EngineError(
    'storeUnavailable',
    found.isDirectory()
      ? message`The memory store ${file} is a folder, not a file. Move that folder away, or choose another data folder.`
      : found.isSymbolicLink()
        ? message`The memory store ${file} is a link. Move the file itself there, or choose another data folder.`
        : message`The memory store ${file} is a pipe, a socket or a device, not a file. Move it away, or choose another data folder.`,
  );
}

/** The next opening checks the file and repairs it. */
export function markDamaged(file: string): void {
  try {
    touchFileSync(damageMarkerFile(file));
  } catch {
    // The disk may be read-only; the original error is reported anyway.
  }
}

/** Sets the journal mode, with retries: two processes may create a store at once, and SQLite does not wait here. */
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

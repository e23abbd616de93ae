import { openClient, type DriverClient } from './postgresDriver.js';
import { toEngineError } from './postgresErrors.js';
import type { PostgresSettings } from './postgresSettings.js';

/** A row by names of columns: what the driver makes of it. */
export type PostgresRow = Readonly<Record<string, unknown>>;

/**
 * One connection to a PostgreSQL server. Every failure is an EngineError: storeUnavailable where the server cannot be reached or
 * went away, notAllowed where it refuses the user or its certificate is not trusted, storeReadOnly and storeFull as they say,
 * internal for everything else. Messages name no value of a statement. Only names of the server's own are found without their
 * schema.
 */
export class PostgresConnection {
  private constructor(
    private readonly client: DriverClient,
    readonly settings: PostgresSettings,
  ) {}

  /** @throws EngineError as the class says */
  static async open(settings: PostgresSettings): Promise<PostgresConnection> {
    const client = await openClient(settings);
    // A connection that breaks while nothing is asked fails at the next statement; without a listener it would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      // Functions and operators that any login may plant in another schema must not answer for the server's own.
      await client.query('SET search_path TO pg_catalog, pg_temp');
    } catch (error) {
      await client.end().catch(() => undefined);
      throw toEngineError(error, settings);
    }
    return new PostgresConnection(client, settings);
  }

  /** @throws EngineError as the class says */
  async query(sql: string, values: readonly unknown[] = []): Promise<readonly PostgresRow[]> {
    try {
      return (await this.client.query<PostgresRow>(sql, [...values])).rows;
    } catch (error) {
      throw toEngineError(error, this.settings);
    }
  }

  /** Runs `work` between BEGIN and COMMIT. @throws EngineError as the class says; nothing is changed then */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.query('BEGIN');
    try {
      const result = await work();
      await this.query('COMMIT');
      return result;
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  /** Calls `listener` for each notification of a channel, until the connection is closed. */
  async listen(channel: string, listener: (payload: string) => void): Promise<void> {
    this.client.on('notification', it => {
      if (it.channel === channel) listener(it.payload ?? '');
    });
    await this.query(`LISTEN ${this.client.escapeIdentifier(channel)}`);
  }

  /** Calls `listener` once, when the server or the network ends the connection. */
  onEnd(listener: () => void): void {
    this.client.once('end', listener);
  }

  /** Whether the server answers in time. Where it does not, the connection is closed. */
  async answersWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>(resolve => {
      timer = setTimeout(() => {
        resolve(false);
      }, ms).unref();
    });
    const answer = this.client.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const isThere = await Promise.race([answer, tooLate]);
    clearTimeout(timer);
    if (!isThere) void this.close();
    return isThere;
  }

  /** A name as it stands in a statement that takes no parameters. */
  quoteName(name: string): string {
    return this.client.escapeIdentifier(name);
  }

  /** A text as it stands in a statement that takes no parameters. */
  quoteText(text: string): string {
    return this.client.escapeLiteral(text);
  }

  async close(): Promise<void> {
    await this.client.end().catch(() => undefined);
  }
}

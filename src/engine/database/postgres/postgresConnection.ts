import type { Client } from 'pg';
import { EngineError } from '../../base/errors.js';
import { message } from '../../base/localizableMessage.js';
import { describeAddress, type PostgresSettings } from './postgresSettings.js';

/** A row by names of columns: what the driver makes of it. */
export type PostgresRow = Readonly<Record<string, unknown>>;

const connectTimeoutMs = 10_000;
/** Of one statement, on the server; a little longer here, for a server that no longer answers. */
const statementTimeoutMs = 30_000;

/**
 * One connection to a PostgreSQL server. Every failure is an EngineError: storeUnavailable where the server cannot be reached or
 * went away, notAllowed where it refuses the user or its certificate is not trusted, storeReadOnly and storeFull as they say,
 * internal for everything else. Messages name no value of a statement.
 */
export class PostgresConnection {
  private constructor(
    private readonly client: Client,
    readonly settings: PostgresSettings,
  ) {}

  /** @throws EngineError as the class says */
  static async open(settings: PostgresSettings): Promise<PostgresConnection> {
    // On first use: most processes have no team.
    const { Client: PgClient } = await import('pg');
    const { readPasswordFile } = await import('./passwordFile.js');
    const { host, port, database, user, password, tls } = settings;
    const client = new PgClient({
      host,
      port,
      database,
      user,
      password: password ?? (() => readPasswordFile(settings)),
      ssl: tls === false ? false : { rejectUnauthorized: tls.isVerified, ca: tls.authority },
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      query_timeout: statementTimeoutMs + 5_000,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      keepAlive: true,
      application_name: 'recollect',
    });
    // A connection that breaks while nothing is asked fails at the next statement; without a listener it would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
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

/** Classes and codes of SQLSTATE: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const goneStates = /^(?:08|57P0[1-5]|57014|53300|40001|40P01|55P03)/u;
const goneErrors = /^(?:ECONN|ENOTFOUND|ETIMEDOUT|EHOST|ENET|EAI_|EPIPE|ENOENT|EADDR|EACCES)/u;
const certificateErrors = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/u;

function toEngineError(error: unknown, settings: PostgresSettings): unknown {
  if (EngineError.is(error) || !(error instanceof Error)) return error;
  const { code = '' } = error as { readonly code?: string };
  const address = describeAddress(settings);
  const options = { cause: error };
  if (certificateErrors.test(code))
    return new EngineError(
      'notAllowed',
      message`The certificate of ${address} is not trusted (${code}). Name the authority that signed it in PGSSLROOTCERT.`,
      options,
    );
  if (/does not support SSL/iu.test(error.message))
    return new EngineError(
      'notAllowed',
      message`${address} offers no encryption. Have it turned on there; PGSSLMODE=disable sends everything in plain text.`,
      options,
    );
  if (code === '28P01' || code === '28000' || /SASL|password must be a string/u.test(error.message))
    return new EngineError(
      'notAllowed',
      message`${address} does not let ${settings.user} in. Look at user and password (PGUSER, PGPASSWORD).`,
      options,
    );
  if (code === '3D000')
    return new EngineError('invalidInput', message`${address}: there is no such database.`, options);
  if (code === '42501')
    return new EngineError('notAllowed', message`${address} does not allow ${settings.user} that.`, options);
  if (code === '25006') return new EngineError('storeReadOnly', message`${address} can only be read now.`, options);
  if (code.startsWith('53') && code !== '53300')
    return new EngineError('storeFull', message`${address} has no room left.`, options);
  if (
    goneStates.test(code) ||
    goneErrors.test(code) ||
    /terminated|timeout|not queryable|Connection ended/iu.test(error.message)
  )
    return new EngineError(
      'storeUnavailable',
      message`${address} cannot be reached now. Look at the address and the network, and try again.`,
      options,
    );
  // The server's own words may quote a value, which may be a memory's text.
  return new EngineError(
    'internal',
    message`${address} refused a statement of Recollect (${code === '' ? error.name : code}).`,
  );
}

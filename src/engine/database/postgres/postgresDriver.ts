// The only importer of the driver. Loaded on first use: most processes have no server.
import type { Client, ClientConfig, Pool } from 'pg';
import type { PostgresSettings } from './postgresSettings.js';

export type { Client as DriverClient, Pool as DriverPool } from 'pg';

const connectTimeoutMs = 10_000;
/** Of one statement, on the server; a little longer here, for a server that no longer answers. */
const statementTimeoutMs = 30_000;
/** How long an unused connection of a pool stays open. */
const idleMs = 60_000;

/** A connection that is not connected yet. */
export async function openClient(settings: PostgresSettings): Promise<Client> {
  const { Client: PgClient } = await import('pg');
  return new PgClient(await clientConfig(settings));
}

/**
 * Connections that are made when they are needed.
 * @param schema is searched first
 * @param options.connections at most so many at once
 * @param options.timeoutMs of a connection's making
 */
export async function openPool(
  settings: PostgresSettings,
  schema: string,
  {
    connections,
    timeoutMs = connectTimeoutMs,
  }: { readonly connections: number; readonly timeoutMs?: number | undefined },
): Promise<Pool> {
  const { Pool: PgPool, escapeIdentifier } = await import('pg');
  return new PgPool({
    ...(await clientConfig(settings)),
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: idleMs,
    // The pool waits for what this returns. Compiling a statement (jit) takes longer than any of ours runs.
    onConnect: client =>
      client.query(`SET search_path TO ${escapeIdentifier(schema)}, public; SET jit TO off`) as unknown as undefined,
  });
}

/** What the driver needs to reach a server. */
async function clientConfig(settings: PostgresSettings): Promise<ClientConfig> {
  const { readPasswordFile } = await import('./passwordFile.js');
  const { host, port, database, user, password, tls } = settings;
  return {
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
  };
}

// The only importer of the driver. Loaded on first use: most processes have no server.
import { Socket } from 'node:net';
import type { Client, ClientConfig, Pool } from 'pg';
import type { PostgresSettings } from './postgresSettings.js';

export type { Socket as DriverSocket } from 'node:net';
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
 * @param schema the only one that is searched, after the server's own
 * @param options.connections at most so many at once
 * @param options.timeoutMs of a connection's making
 * @param options.sockets has those that are open
 */
export async function openPool(
  settings: PostgresSettings,
  schema: string,
  {
    connections,
    timeoutMs = connectTimeoutMs,
    sockets,
  }: { readonly connections: number; readonly timeoutMs?: number | undefined; readonly sockets: Set<Socket> },
): Promise<Pool> {
  const { Pool: PgPool, escapeIdentifier } = await import('pg');
  return new PgPool({
    ...(await clientConfig(settings)),
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: idleMs,
    // The pool waits for what this returns. The server searches pg_catalog before the schema, which takes what is created; no
    // other one is searched, because another login may plant functions there. Compiling a statement (jit) takes longer than
    // any of ours runs.
    onConnect: client =>
      client.query(`SET search_path TO ${escapeIdentifier(schema)}, pg_temp; SET jit TO off`) as unknown as undefined,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
}

/**
 * Whether nothing comes back from a server: a new connection is neither made nor refused in time, or the network has no way to
 * it. A refusal is an answer.
 */
export async function isSilent(settings: PostgresSettings, timeoutMs: number): Promise<boolean> {
  const { Client: PgClient } = await import('pg');
  const client = new PgClient({ ...(await clientConfig(settings)), connectionTimeoutMillis: timeoutMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return false;
  } catch (error) {
    const { code = '' } = error as { readonly code?: string };
    return /^(?:ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_)/u.test(code) || /timeout/iu.test((error as Error).message);
  } finally {
    void client.end().catch(() => undefined);
  }
}

/** Configuration for the driver to reach a server. */
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

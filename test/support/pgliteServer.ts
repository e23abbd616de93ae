import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { PostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';

/**
 * A PostgreSQL in this process with the extension pgvector, on loopback. It has one session, so one connection at a time, no
 * notifications and no advisory locks. It is gone after {@link stop}.
 */
export class PgliteServer {
  private constructor(
    private readonly database: PGlite,
    private readonly server: PGLiteSocketServer,
    readonly settings: PostgresSettings,
  ) {}

  static async start(): Promise<PgliteServer> {
    const database = await PGlite.create({ extensions: { vector } });
    await database.exec('CREATE EXTENSION vector');
    // Two, as a closed connection is noticed late.
    const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections: 2 });
    // The session outlives its connections, which expect no prepared statement and no setting of others.
    server.addEventListener('connection', () => void database.exec('DISCARD ALL'));
    await server.start();
    const port = Number(server.getServerConn().split(':')[1]);
    return new PgliteServer(database, server, {
      host: '127.0.0.1',
      port,
      database: 'postgres',
      user: 'postgres',
      password: undefined,
      tls: false,
    });
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.database.close();
  }
}

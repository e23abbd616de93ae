import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import path from 'node:path';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { temporaryFolder } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';

describe('an encrypted connection', () => {
  it('is made to a server whose authority is known, and to no other', async () => {
    const server = await PostgresServer.start();
    try {
      const { certificate } = makeCertificate(server);
      await server.halt();
      await server.resume(['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${certificate}.key`]);
      const open = async (rest: string): Promise<boolean> => {
        const address = `postgres://admin:admin@localhost:${String(server.port)}/team?${rest}`;
        const connection = await PostgresConnection.open((await readPostgresSettings(address, {}))!);
        const [row] = await connection.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
        await connection.close();
        return row!.ssl as boolean;
      };
      await assert.rejects(open('sslmode=require'), /certificate .* is not trusted .*PGSSLROOTCERT/u);
      assert.equal(await open(`sslmode=verify-full&sslrootcert=${certificate}`), true);
      assert.equal(await open('sslmode=no-verify'), true);
      assert.equal(await open('sslmode=disable'), false);
    } finally {
      await server.stop();
    }
  });
});

/** Of `localhost`, signed by itself, readable by the server. */
function makeCertificate(server: PostgresServer): { readonly certificate: string } {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const certificate = path.join(folder, 'server.pem');
  const { uid, gid } = statSync(server.folder);
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', `${certificate}.key`, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  chmodSync(`${certificate}.key`, 0o600);
  chownSync(`${certificate}.key`, uid, gid);
  return { certificate };
}

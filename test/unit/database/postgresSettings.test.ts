import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describeAddress, readPostgresSettings } from '../../../src/engine/database/postgres/postgresSettings.js';
import { temporaryFolder } from '../../support/fixtures.js';

describe('settings of a PostgreSQL connection', () => {
  it('are those of the variables where no connection string is given', async () => {
    const settings = await readPostgresSettings(undefined, {
      PGHOST: 'db.example.com',
      PGPORT: '5433',
      PGUSER: 'ada',
      PGPASSWORD: 'pass',
      PGDATABASE: 'team',
    });
    assert.deepEqual(settings, {
      host: 'db.example.com',
      port: 5433,
      database: 'team',
      user: 'ada',
      password: 'pass',
      tls: { isVerified: true, authority: undefined },
    });
    assert.equal(await readPostgresSettings(undefined, { PGUSER: 'ada' }), undefined);
  });

  it('are those of a connection string before the variables', async () => {
    const settings = await readPostgresSettings('postgresql://ada:p%40ss@db.example.com/team', { PGHOST: 'other' });
    assert.deepEqual(
      [settings!.host, settings!.port, settings!.password, settings!.database],
      ['db.example.com', 5432, 'p@ss', 'team'],
    );
    assert.equal(describeAddress(settings!), 'db.example.com:5432/team');
  });

  it('verify the certificate except on this machine', async () => {
    const tls = async (address: string): Promise<unknown> => (await readPostgresSettings(address, {}))!.tls;
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
      assert.equal(await tls(`postgres://ada@${host}/team`), false, host);
    const verified = { isVerified: true, authority: undefined };
    for (const host of ['10.0.0.5', 'localhost.example.com', '128.0.0.1']) {
      for (const mode of ['', '?sslmode=prefer', '?sslmode=allow', '?sslmode=require', '?sslmode=verify-ca'])
        assert.deepEqual(await tls(`postgres://ada@${host}/team${mode}`), verified, host + mode);
    }
    assert.deepEqual(await tls('postgres://ada@127.0.0.1/team?sslmode=verify-full'), verified);
    assert.deepEqual(await tls('postgres://ada@10.0.0.5/team?sslmode=no-verify'), {
      isVerified: false,
      authority: undefined,
    });
    assert.equal(await tls('postgres://ada@10.0.0.5/team?sslmode=disable'), false);
  });

  it('trust the authority whose certificate is named', async () => {
    const file = path.join(temporaryFolder(), 'ca.pem');
    await assert.rejects(readPostgresSettings(`postgres://ada@h/team?sslrootcert=${file}`, {}), /ca\.pem/u);
    writeFileSync(file, 'CERTIFICATE');
    const { tls } = (await readPostgresSettings(undefined, { PGHOST: 'h', PGUSER: 'ada', PGSSLROOTCERT: file }))!;
    assert.deepEqual(tls, { isVerified: true, authority: 'CERTIFICATE' });
  });

  it('say what is wrong without repeating a password', async () => {
    for (const [text, sentence] of [
      ['mysql://ada:sesame@h/team', /is no connection string/u],
      ['postgres://ada:sesame@h:99999999/team', /is no connection string/u],
      ['postgres://h/team', /names no user/u],
      ['postgres:///team', /names no server/u],
      ['postgres://ada:sesame@h/team?sslmode=maybe', /There is no sslmode maybe/u],
    ] as const)
      await assert.rejects(
        readPostgresSettings(text, {}),
        (error: Error) => sentence.test(error.message) && !error.message.includes('sesame'),
        text,
      );
    await assert.rejects(readPostgresSettings(undefined, { PGHOST: 'h', PGUSER: 'a', PGPORT: 'x' }), /x is no port/u);
  });
});

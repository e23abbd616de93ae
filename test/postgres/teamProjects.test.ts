import assert from 'node:assert/strict';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import { migrateServer, serverMigrations } from '../../src/engine/team/server/serverSchema.js';
import { createRepository, git } from '../support/git.js';
import { temporaryFolder } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, createTeam, Person } from './kit.js';

const ferry = 'The ferry to the islands leaves at nine.';
const acme = 'https://ada:secret@github.com/Acme/api.git';

/** Connects as a person does who says no name. */
async function join(person: Person, project?: string): Promise<string> {
  const preview = await person.engine.team.previewConnect(project === undefined ? {} : { project });
  await person.engine.team.connect(preview);
  return `${preview.project} ${preview.repository ?? '-'}${preview.isNewProject ? ' new' : ''}`;
}

function repository(name: string, remote?: string): string {
  return createRepository(`${temporaryFolder()}/${name}`, remote);
}

describe('Projects of a team’s server', () => {
  let server: PostgresServer;
  let team: string;

  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());
  beforeEach(async () => {
    team = await createTeam(server);
  });

  it('are one for two clones of a repository, however its address is written, and hold no credentials', async () => {
    const ada = await Person.join(server, team, 'Ada', repository('api', acme));
    const ben = await Person.join(server, team, 'Ben', repository('backend', 'git@github.com:acme/api.git'));
    assert.equal(await join(ada), 'api github.com/acme/api new');
    assert.equal(await join(ben), 'api github.com/acme/api');
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    assert.deepEqual(await ben.receive(), [`added ${ferry}`]);
    assert.deepEqual((await ben.engine.team.serverStatus())?.repository, 'github.com/acme/api');
  });

  it('are two for two repositories of one name, and each names the other one', async () => {
    const ada = await Person.join(server, team, 'Ada', repository('api', acme));
    const ben = await Person.join(server, team, 'Ben', repository('api', 'https://github.com/other/api'));
    await join(ada);
    const preview = await ben.engine.team.previewConnect();
    assert.deepEqual(preview.namesakes, [{ name: 'api', repository: 'github.com/acme/api' }]);
    await assert.rejects(
      ben.engine.team.previewConnect({ project: 'api' }),
      /is the repository github\.com\/acme\/api/u,
    );
    assert.equal(await join(ben), 'api github.com/other/api new');
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    assert.deepEqual(await ben.receive(), []);
  });

  it('find a fork by any of its remotes, and ask where several are projects of the team', async () => {
    const fork = repository('api', 'https://github.com/ben/api');
    git(fork, 'remote', 'add', 'upstream', acme);
    await join(await Person.join(server, team, 'Ada', repository('api', acme)));
    assert.equal(await join(await Person.join(server, team, 'Ben', fork)), 'api github.com/acme/api');
    await join(await Person.join(server, team, 'Cy', repository('api', 'https://github.com/ben/api')));
    const dora = await Person.join(server, team, 'Dora', fork);
    await assert.rejects(join(dora), /several projects of the team/u);
    assert.equal(await join(dora, 'github.com/ben/api'), 'api github.com/ben/api');
  });

  it('are known by their name where a folder has no remote', async () => {
    const ada = await Person.join(server, team, 'Ada', repository('api'));
    const ben = await Person.join(server, team, 'Ben', repository('api'));
    assert.deepEqual([await join(ada), await join(ben)], ['api - new', 'api -']);
  });

  it('learn their repository from a member, where they were known by their name alone', async () => {
    const folder = repository('api');
    const ada = await Person.join(server, team, 'Ada', folder);
    await join(ada);
    git(folder, 'remote', 'add', 'origin', acme);
    await ada.engine.close();
    ada.engine = await ada.host.open();
    assert.equal((await ada.engine.team.serverStatus())?.unnamedRepository, 'github.com/acme/api');
    const ben = await Person.join(server, team, 'Ben', repository('api', acme));
    const preview = await ben.engine.team.previewConnect();
    assert.deepEqual([preview.isNewProject, preview.namesakes], [true, [{ name: 'api' }]]);
    assert.equal(await join(ada), 'api github.com/acme/api');
    assert.equal(await join(ben), 'api github.com/acme/api');
    await ben.share(await ben.keep(ferry));
    await ben.sync();
    assert.deepEqual(await ada.receive(), [`added ${ferry}`]);
  });

  it('keep what an earlier version made, under its name', async () => {
    await server.asAdmin('CREATE DATABASE older', 'postgres');
    const settings = await readPostgresSettings(addressOf(server, 'admin', 'admin').replace(/team$/u, 'older'), {});
    const connection = await PostgresConnection.open(settings!);
    try {
      await connection.query('CREATE SCHEMA recollect AUTHORIZATION recollect_owner');
      await connection.query('SET ROLE recollect_owner');
      await connection.query('GRANT USAGE ON SCHEMA recollect TO recollect_member');
      await connection.query('CREATE TABLE recollect.schema_version (version integer NOT NULL)');
      await connection.query('INSERT INTO recollect.schema_version VALUES (1)');
      await connection.query(serverMigrations[0]!);
      await connection.query("INSERT INTO recollect.teams (name) VALUES ('Old')");
      await connection.query("INSERT INTO recollect.projects (team, name) SELECT id, 'api' FROM recollect.teams");
      await connection.query('RESET ROLE');
      assert.equal(await migrateServer(connection), true);
      assert.deepEqual(await connection.query('SELECT name, remote FROM recollect.projects'), [
        { name: 'api', remote: null },
      ]);
    } finally {
      await connection.close();
    }
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import { addMember, listMembers, makeTeam, removeMember } from '../../src/engine/team/server/teamAdministration.js';
import { addressOf, connectTwo, createTeam, freshName, Person, withAdmin } from './kit.js';

const ferry = 'The ferry leaves Bergen at noon.';
const shop = 'We deploy the shop with Kubernetes.';

describe('a team on a PostgreSQL server', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  it('carries what a member shares to the others, as notes with the name that the server knows', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(shop));
    await ada.keep('What Ada does not share stays with Ada.');
    assert.deepEqual(await ada.receive(), []);
    assert.deepEqual(await ben.receive(), [`added ${shop}`]);
    assert.deepEqual(await ben.receive(), []);
    const [note] = await ben.engine.list({ scope: 'project-only' });
    assert.deepEqual([note!.content, note!.lane, note!.provenance.author], [shop, 'note', `Ada <${ada.login}>`]);
    assert.deepEqual(
      (await ada.query('SELECT content FROM recollect.memories')).map(it => it.content as string),
      [shop],
    );
  });

  it('sends nothing by connecting, and asks the server only in a sync', async () => {
    const { ada } = await connectTwo(server);
    await ada.share(await ada.keep(shop));
    assert.deepEqual(await ada.query('SELECT 1 FROM recollect.memories'), []);
    const { server: status, own } = await ada.engine.team.status();
    assert.deepEqual([status!.waiting, own.map(it => it.isCommitted)], [1, [false]]);
    assert.equal((await ada.sync()).sent, 1);
    const after = await ada.engine.team.status();
    assert.deepEqual([after.server!.waiting, after.own.map(it => it.isCommitted)], [0, [true]]);
  });

  it('brings a changed text and puts the note of the old one away', async () => {
    const { ada, ben } = await connectTwo(server);
    const id = await ada.keep(ferry);
    await ada.share(id);
    await ada.sync();
    await ben.sync();
    await ada.engine.editText(id, { before: ferry, content: 'The ferry leaves Bergen at two.' });
    await ada.share(id);
    await ada.sync();
    assert.deepEqual(await ben.receive(), ['changed The ferry leaves Bergen at two.']);
    const active = (await ben.engine.list({ scope: 'project-only' })).filter(it => it.status === 'active');
    assert.deepEqual(
      active.map(it => it.content),
      ['The ferry leaves Bergen at two.'],
    );
  });

  it('takes a withdrawn text from the server, and puts away what came of it', async () => {
    const { ada, ben } = await connectTwo(server);
    const id = await ada.keep(ferry);
    await ada.share(id);
    await ada.sync();
    await ben.sync();
    await ada.share(id, { withdraw: true });
    await ada.sync();
    const rows = await ada.query('SELECT content, tags, gate FROM recollect.memories');
    assert.deepEqual(rows, [{ content: null, tags: [], gate: null }]);
    assert.deepEqual(await ben.receive(), [`withdrawn ${ferry}`]);
  });

  it('lists a contradiction with both names, and settles none by the last writer', async () => {
    const { ada, ben } = await connectTwo(server);
    const own = await ben.keep('The staging database runs on port 5433.');
    const shared = await ada.keep('The staging database runs on port 5432.');
    await ada.share(shared);
    await ada.sync();
    const [added] = (await ben.sync()).read.changes;
    await ben.engine.revise({ id: own, replacedBy: added!.id }, 'model');
    const author = `Ada <${ada.login}>`;
    assert.deepEqual(
      (await ben.engine.team.status()).received.map(it => [
        it.author,
        it.contradicts.map(other => [other.content, other.author]),
      ]),
      [[author, [['The staging database runs on port 5433.', undefined]]]],
    );
    const statuses = async (): Promise<readonly string[]> =>
      (await ben.engine.list({ scope: 'project-only' })).map(it => it.status);
    assert.deepEqual(await statuses(), ['active', 'active']);

    // What Ben confirmed stays, next to the text that Ada gives it later.
    await ben.engine.promote(added!.id);
    await ada.engine.editText(shared, {
      before: 'The staging database runs on port 5432.',
      content: 'The staging database runs on port 6543.',
    });
    await ada.share(shared);
    await ada.sync();
    const { read } = await ben.sync();
    assert.deepEqual(
      read.changes.map(it => [it.what, it.content, it.author, it.contradicts.map(other => other.content).sort()]),
      [
        [
          'kept',
          'The staging database runs on port 5432.',
          author,
          ['The staging database runs on port 5433.', 'The staging database runs on port 6543.'],
        ],
        ['added', 'The staging database runs on port 6543.', author, ['The staging database runs on port 5432.']],
      ],
    );
    assert.deepEqual(await statuses(), ['active', 'active', 'active']);
  });

  it('keeps what is shared while the server is away, and sends it once', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await server.halt();
    const offline = await ada.sync();
    assert.match(offline.problem!, /cannot be reached now/u);
    assert.deepEqual([offline.sent, offline.waiting], [0, 1]);
    await ada.share(await ada.keep(shop));
    assert.equal((await ada.engine.team.status()).server!.waiting, 2);
    await server.resume();
    assert.deepEqual([(await ada.sync()).sent, (await ada.sync()).sent], [2, 0]);
    assert.deepEqual([...(await ben.receive())].sort(), [`added ${ferry}`, `added ${shop}`]);
  });

  it('sends again what it does not know to have arrived, without a second row or change', async () => {
    const { ada, ben } = await connectTwo(server);
    const fact = { content: ferry, gate: 'epistemic', kind: 'decision', tags: ['sea'] } as const;
    const at = new Date(ben.host.time).toISOString();
    const older = new Date(ben.host.time - 1_000).toISOString();
    const line = { id: randomUUID(), at, by: 'Ada', fact: { ...fact, said: at } };
    const project = (await ada.query('SELECT id FROM recollect.projects'))[0]!.id as string;
    await ada.push(project, line);
    const before = await ada.query('SELECT * FROM recollect.memories');
    // As if the connection had broken between the server's commit and its answer.
    await ada.push(project, line);
    await ada.withServer(it => it.push(project, { ...line, at: older, fact: undefined }, true));
    assert.deepEqual(await ada.query('SELECT * FROM recollect.memories'), before);
    assert.deepEqual(await ben.receive(), [`added ${ferry}`]);
  });

  it('knows one person on two machines, and gives each what the other shared', async () => {
    const { ada } = await connectTwo(server);
    const laptop = await (await ada.onAnotherMachine()).connect();
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    assert.deepEqual(await laptop.receive(), [`added ${ferry}`]);
    assert.deepEqual((await laptop.engine.team.status()).own, []);
  });

  it('shows a member of another team nothing, whatever the statement', async () => {
    const { ada } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    const eve = await Person.join(server, await createTeam(server), 'Eve');
    const project = (await ada.query('SELECT id FROM recollect.projects'))[0]!.id as string;
    for (const table of ['memories', 'projects'])
      assert.deepEqual(await eve.query(`SELECT * FROM recollect.${table}`), [], table);
    assert.deepEqual(
      (await eve.query('SELECT role FROM recollect.members')).map(it => it.role as string),
      [eve.login],
    );
    assert.equal((await eve.query('SELECT name FROM recollect.teams')).length, 1);
    const refused = [
      `INSERT INTO recollect.memories (project, id, shared_at, content) VALUES ('${project}', gen_random_uuid(), now(), 'x')`,
      `INSERT INTO recollect.projects (team, name) SELECT gen_random_uuid(), 'x'`,
      `INSERT INTO recollect.members (team, role, name) SELECT id, '${eve.login}', 'x' FROM recollect.teams`,
      'SET ROLE recollect_owner',
      `SET SESSION AUTHORIZATION ${ada.login}`,
      'DELETE FROM recollect.memories',
      'ALTER TABLE recollect.memories DISABLE ROW LEVEL SECURITY',
      'CREATE FUNCTION recollect.mine() RETURNS int LANGUAGE sql AS $$ SELECT 1 $$',
    ];
    for (const sql of refused)
      await assert.rejects(eve.query(sql), /permission denied|row-level security|must be/u, sql);
    await eve.query("UPDATE recollect.memories SET content = 'x'");
    assert.deepEqual(
      (await ada.query('SELECT content FROM recollect.memories')).map(it => it.content as string),
      [ferry],
    );
  });

  it('lets a member change no line of another, nor choose its author or number', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    await ben.query("UPDATE recollect.memories SET content = 'x'");
    const project = (await ben.query('SELECT id FROM recollect.projects'))[0]!.id as string;
    for (const column of [
      `author) SELECT '${project}', gen_random_uuid(), now(), '${ada.login}'`,
      `sequence) SELECT '${project}', gen_random_uuid(), now(), 1`,
    ])
      await assert.rejects(
        ben.query(`INSERT INTO recollect.memories (project, id, shared_at, ${column}`),
        /permission denied/u,
      );
    const rows = await ben.query('SELECT content, author FROM recollect.memories');
    assert.deepEqual(rows, [{ content: ferry, author: ada.login }]);
  });

  it('shows a removed member nothing more, and keeps what they shared under their name', async () => {
    const { ada, ben, team } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    await withAdmin(server, it => removeMember(it, { team, role: ada.login }));
    await assert.rejects(ada.sync(), /you are no longer in the team/u);
    for (const table of ['teams', 'members', 'projects', 'memories'])
      assert.deepEqual(await ada.query(`SELECT * FROM recollect.${table}`), [], table);
    assert.deepEqual(await ben.receive(), [`added ${ferry}`]);
    const members = await withAdmin(server, it => listMembers(it, team));
    assert.deepEqual(
      members.map(it => [it.name, it.removedAt === undefined]),
      [
        ['Ada', false],
        ['Ben', true],
      ],
    );
    await withAdmin(server, it => addMember(it, { team, role: ada.login, name: 'Ada' }));
    assert.equal((await ada.sync()).problem, undefined);
  });

  it('shows who was removed from one of two teams the other one alone', async () => {
    const { ada, team } = await connectTwo(server);
    const other = await createTeam(server);
    await withAdmin(server, it => addMember(it, { team: other, role: ada.login, name: 'Ada' }));
    assert.equal((await ada.query('SELECT name FROM recollect.teams')).length, 2);
    await withAdmin(server, it => removeMember(it, { team, role: ada.login }));
    assert.deepEqual(await ada.query('SELECT name FROM recollect.teams'), [{ name: other }]);
    assert.deepEqual(await ada.query('SELECT name FROM recollect.projects'), []);
    await assert.rejects(ada.sync(), /you are no longer in the team/u);
  });

  it('takes no row with a secret, and keeps nothing of its text', async () => {
    const { ada, ben } = await connectTwo(server);
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const project = (await ada.query('SELECT id FROM recollect.projects'))[0]!.id as string;
    await ada.query(
      `INSERT INTO recollect.memories (project, id, shared_at, said_at, content, gate, kind)
        VALUES ($1, gen_random_uuid(), $2, $2, $3, 'epistemic', 'decision')`,
      [project, new Date(ben.host.time), `The token is ${secret}.`],
    );
    const { read } = await ben.sync();
    assert.deepEqual(read.changes, []);
    assert.match(read.refused.map(it => it.reason).join(), /secret|GitHub/u);
    assert.equal(ben.filesWith(secret), '');
  });

  it('starts over where a server was restored from a backup, and loses nothing that was acknowledged', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    await ben.sync();
    const backup = await server.asAdmin('SELECT * FROM recollect.projects');
    assert.ok(backup.length > 0);
    await ada.share(await ada.keep(shop));
    await ada.sync();
    await ben.sync();
    // The state before the second memory.
    const project = (await ada.query('SELECT id FROM recollect.projects'))[0]!.id as string;
    await server.asAdmin(`DELETE FROM recollect.memories WHERE project = '${project}' AND content = '${shop}'`);
    await server.asAdmin(`UPDATE recollect.projects SET sequence = 1 WHERE id = '${project}'`);
    // Ben's memory takes the number that Ada's had.
    await ben.share(await ben.keep('The harbor closes at night in winter.'));
    assert.equal((await ben.sync()).sent, 1);
    assert.deepEqual(await ada.receive(), ['added The harbor closes at night in winter.']);
    assert.deepEqual(
      (await ada.query('SELECT content FROM recollect.memories ORDER BY sequence')).map(it => it.content as string),
      [ferry, 'The harbor closes at night in winter.', shop],
    );
    assert.deepEqual(await ben.receive(), []);
  });

  it('forgets the server when the project leaves, and keeps what came from it', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    await ben.sync();
    await ben.engine.team.leave();
    assert.equal((await ben.engine.list({ scope: 'project-only' })).length, 1);
    await assert.rejects(ben.engine.team.sync(), /connected to no team/u);
    assert.equal((await ben.engine.team.status()).server, undefined);
    // Connecting again brings nothing a second time.
    await ben.connect();
    assert.deepEqual(await ben.receive(), []);
    assert.equal((await ben.engine.list({ scope: 'project-only' })).length, 1);
  });

  it('keeps of a purged memory nothing, and can withdraw it all the same', async () => {
    const { ada } = await connectTwo(server);
    const id = await ada.keep(ferry);
    await ada.share(id);
    await ada.sync();
    await ada.engine.deletion.purge([id]);
    assert.equal(ada.filesWith(ferry), '');
    await ada.share(id, { withdraw: true });
    await ada.sync();
    assert.deepEqual(await ada.query('SELECT content FROM recollect.memories'), [{ content: null }]);
  });

  it('refuses a newer database, one without a team, a wrong password and several teams, with the next step', async () => {
    const { ada, team } = await connectTwo(server);
    const versions = 'UPDATE recollect.schema_version SET version = version';
    await server.asAdmin(`${versions} + 1`);
    try {
      await assert.rejects(ada.sync(), /Update Recollect/u);
    } finally {
      await server.asAdmin(`${versions} - 1`);
    }
    const ben = await Person.join(server, team, 'Cleo');
    const other = await createTeam(server);
    await withAdmin(server, it => addMember(it, { team: other, role: ben.login, name: 'Cleo' }));
    await assert.rejects(ben.engine.team.previewConnect(), /Say which: --team NAME/u);
    const at = (rest: string): void => {
      ben.host.secret = () => Promise.resolve(`postgres://${rest}`);
    };
    at(`${ben.login}:wrong@127.0.0.1:${String(server.port)}/team`);
    await assert.rejects(ben.engine.team.previewConnect(), /does not let .* in/u);
    at(`${ben.login}:${ben.password}@127.0.0.1:${String(server.port)}/postgres`);
    await assert.rejects(ben.engine.team.previewConnect(), /holds no team/u);
    at(`${ben.login}:${ben.password}@127.0.0.1:${String(server.port)}/team?sslmode=require`);
    await assert.rejects(ben.engine.team.previewConnect(), /offers no encryption/u);
    at(`${ben.login}:${ben.password}@127.0.0.1:1/team`);
    await assert.rejects(ben.engine.team.previewConnect(), /cannot be reached now/u);
  });

  it('syncs once after the other where two ask at a time', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    const sent = await Promise.all([ada.sync(), ada.sync()]);
    assert.deepEqual(
      sent.map(it => it.sent),
      [1, 0],
    );
    assert.equal((await Promise.all([ben.receive(), ben.receive()])).flat().length, 1);
  });

  it('sends nothing under another login than the one that was connected', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    ada.host.secret = () => Promise.resolve(addressOf(server, ben.login, ben.password));
    await assert.rejects(ada.sync(), new RegExp(`connected as ${ada.login}, and this is the login ${ben.login}`, 'u'));
    ada.host.secret = () => Promise.resolve(addressOf(server, 'admin', 'admin'));
    await assert.rejects(ada.sync(), /You are no member of this team/u);
    assert.deepEqual(await ben.query('SELECT 1 FROM recollect.memories'), []);
    assert.equal((await ada.engine.team.serverStatus())!.waiting, 1);
  });

  it('fetches, and sends the rest, where the server does not take one line', async () => {
    const { ada, ben } = await connectTwo(server);
    const id = await ada.keep(ferry);
    const [project] = await ben.query('SELECT id FROM recollect.projects');
    const at = new Date(ben.host.time).toISOString();
    const fact = { content: 'Ben took the id.', gate: 'epistemic', kind: 'decision', tags: [], said: at } as const;
    await ben.push(project!.id as string, { id, at, by: 'Ben', fact });
    const others = { ...fact, content: 'The harbor closes at night in winter.' };
    await ben.push(project!.id as string, { id: randomUUID(), at, by: 'Ben', fact: others });
    await ada.share(id);
    await ada.share(await ada.keep(shop));
    const { sent, waiting, isOffline, problem, read } = await ada.sync();
    assert.deepEqual(
      [sent, waiting, read.changes.map(it => it.content)],
      [1, 1, ['The harbor closes at night in winter.']],
    );
    assert.equal(isOffline, false);
    assert.match(problem!, new RegExp(`^#${id.slice(-8)} cannot be sent: `, 'u'));
  });

  it('withdraws though the clock was set back, and a memory that is gone', async () => {
    const { ada } = await connectTwo(server);
    const id = await ada.keep(ferry);
    ada.host.time += 7_200_000;
    await ada.share(id);
    await ada.sync();
    ada.host.time -= 7_200_000;
    await ada.engine.deletion.purge([id]);
    await ada.share(id, { withdraw: true });
    await ada.sync();
    assert.deepEqual(await ada.query('SELECT content FROM recollect.memories'), [{ content: null }]);
  });

  it('takes a row later that a newer program wrote, and no row twice because its author has another name', async () => {
    const { ada, ben, team } = await connectTwo(server);
    const [project] = await ada.query('SELECT id FROM recollect.projects');
    await ada.share(await ada.keep(shop));
    await ada.sync();
    const [row] = await ada.query(
      `INSERT INTO recollect.memories (project, id, shared_at, said_at, content, gate, kind)
        VALUES ($1, gen_random_uuid(), $2, $2, $3, 'epistemic', 'omen') RETURNING id`,
      [project!.id, new Date(ben.host.time), ferry],
    );
    assert.equal((await ben.sync()).read.refused.length, 1);
    const [note] = await ben.engine.list({ scope: 'project-only' });
    await ben.engine.deletion.purge([note!.id]);
    await withAdmin(server, it => addMember(it, { team, role: ada.login, name: 'Ada B' }));
    // As if this program had learned the word: the row is the same change, and its number stays.
    await server.asAdmin(`ALTER TABLE recollect.memories DISABLE TRIGGER USER`);
    await server.asAdmin(`UPDATE recollect.memories SET kind = 'context' WHERE id = '${String(row!.id)}'`);
    await server.asAdmin(`ALTER TABLE recollect.memories ENABLE TRIGGER USER`);
    assert.deepEqual(await ben.receive(), [`added ${ferry}`]);
    assert.deepEqual((await ben.sync()).read.refused, []);
  });

  it('sends to a team nothing that was shared with another one', async () => {
    const { ada } = await connectTwo(server);
    const id = await ada.keep(ferry);
    const preview = await ada.engine.team.previewShare({ references: [id] });
    await ada.share(id);
    await ada.sync();
    await ada.engine.team.leave();
    const other = await createTeam(server);
    await withAdmin(server, it => addMember(it, { team: other, role: ada.login, name: 'Ada' }));
    await ada.engine.team.connect(await ada.engine.team.previewConnect({ team: other, project: 'harbor' }));
    await assert.rejects(ada.engine.team.share(preview), /is connected to .*\/harbor by now/u);
    assert.equal((await ada.sync()).sent, 0);
    const [refused] = (await ada.engine.team.previewShare({ references: [id], withdraw: true })).refused;
    assert.equal(refused!.reason, 'It is not shared.');
  });

  it('stays connected where a purged text is part of its name', async () => {
    const { ada } = await connectTwo(server);
    await ada.engine.deletion.purge([await ada.keep('shop', { kind: 'context' })]);
    assert.notEqual(await ada.engine.team.serverStatus(), undefined);
  });

  it('takes no row that no member can read', async () => {
    const { ada } = await connectTwo(server);
    const [project] = await ada.query('SELECT id FROM recollect.projects');
    const insert =
      'INSERT INTO recollect.memories (project, id, shared_at, content, gate) VALUES ($1, gen_random_uuid(), $2, $3, $4)';
    for (const [at, gate] of [
      ['infinity', 'epistemic'],
      ['200000-01-01', 'epistemic'],
      ['2026-03-02', 'x'.repeat(1_000)],
    ])
      await assert.rejects(ada.query(insert, [project!.id, at, 'x', gate]), /check constraint/u);
    await assert.rejects(
      ada.query("INSERT INTO recollect.projects (team, name) SELECT id, E'a\\x1b]0;b' FROM recollect.teams"),
      /check constraint/u,
    );
  });

  it('is set up by an administrator who may create roles and is no superuser', async () => {
    const fresh = await PostgresServer.start();
    try {
      await fresh.asAdmin(
        "CREATE ROLE runner LOGIN CREATEROLE PASSWORD 'runner'; GRANT CREATE ON DATABASE team TO runner",
      );
      const connection = await PostgresConnection.open(
        (await readPostgresSettings(addressOf(fresh, 'runner', 'runner'), {}))!,
      );
      await makeTeam(connection, 'Platform');
      const { password } = await addMember(connection, { team: 'Platform', role: 'ada', name: 'Ada' });
      await connection.close();
      assert.equal(
        (await fresh.query({ user: 'ada', password: password! }, 'SELECT name FROM recollect.teams')).length,
        1,
      );
    } finally {
      await fresh.stop();
    }
  });

  it('takes a password from the file of PostgreSQL, where the address has none', async () => {
    const { ada } = await connectTwo(server);
    const file = path.join(temporaryFolder(), 'pgpass');
    writeFileSync(file, `127.0.0.1:${String(server.port)}:team:${ada.login}:${ada.password}\n`, { mode: 0o600 });
    ada.host.secret = () => Promise.resolve(`postgres://${ada.login}@127.0.0.1:${String(server.port)}/team`);
    const { PGPASSFILE } = process.env;
    process.env.PGPASSFILE = file;
    try {
      assert.equal((await ada.sync()).problem, undefined);
    } finally {
      if (PGPASSFILE === undefined) delete process.env.PGPASSFILE;
      else process.env.PGPASSFILE = PGPASSFILE;
    }
  });

  it('makes a team once, and members under one name never', async () => {
    const name = freshName('Team ');
    const made = await Promise.all([0, 1].map(() => withAdmin(server, it => makeTeam(it, name))));
    assert.deepEqual(made.map(it => it.isNew).sort(), [false, true]);
    await Person.join(server, name, 'Ada');
    await assert.rejects(
      withAdmin(server, it => addMember(it, { team: name, role: freshName('x'), name: 'ADA' })),
      /has a member ADA already/u,
    );
    await assert.rejects(
      withAdmin(server, it => addMember(it, { team: name, role: 'x"; DROP', name: 'X' })),
      /is no name for a login/u,
    );
  });

  it('survives a restore into a new server', async () => {
    const { ada, ben } = await connectTwo(server);
    await ada.share(await ada.keep(ferry));
    await ada.sync();
    const second = await PostgresServer.start();
    try {
      const dump = execFileSync(server.program('pg_dumpall'), ['--clean', '--if-exists'], {
        env: { ...process.env, ...server.environment('admin', 'admin') },
        maxBuffer: 64 * 1024 * 1024,
      });
      execFileSync(server.program('psql'), ['-q', '-d', 'postgres'], {
        env: { ...process.env, ...second.environment('admin', 'admin') },
        input: dump,
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const move = (it: Person): void => {
        const address = `postgres://${it.login}:${it.password}@127.0.0.1:${String(second.port)}/team`;
        it.host.secret = name => Promise.resolve(name === 'teamConnection' ? address : undefined);
      };
      move(ada);
      move(ben);
      await ada.share(await ada.keep(shop));
      assert.equal((await ada.sync()).sent, 1);
      assert.deepEqual([...(await ben.receive())].sort(), [`added ${ferry}`, `added ${shop}`]);
    } finally {
      await second.stop();
    }
  });
});

import assert from 'node:assert/strict';
import { openPostgresStore } from '../../src/engine/store/postgres/openPostgresStore.js';
import { PostgresConnection } from '../../src/engine/database/postgres/postgresConnection.js';
import { PostgresPool } from '../../src/engine/database/postgres/postgresPool.js';
import { readPostgresSettings } from '../../src/engine/database/postgres/postgresSettings.js';
import {
  addMember,
  listMembers,
  makeTeam,
  readMemberMemories,
  removeMember,
} from '../../src/engine/team/server/teamAdministration.js';
import { TeamServer } from '../../src/engine/team/server/teamServer.js';
import { TestHost } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, freshName, withAdmin } from './kit.js';

/** Signatures that fit an untyped parameter or mixed types better than the server's own function does. */
const planted = [
  'pg_advisory_xact_lock(text)',
  'pg_has_role(name, text, text)',
  'pg_has_role(oid, text, text)',
  'pg_has_role(oid, name, text)',
  'hashtextextended(text, integer)',
  'current_setting(text)',
  'current_setting(name)',
  'has_schema_privilege(oid, text)',
  'has_schema_privilege(oid, name)',
  'to_regclass(text)',
  'to_regclass(name)',
  'to_regtype(text)',
  'lower(text)',
  'lower(name)',
  'length(text)',
  'now()',
  'set_config(text, text, boolean)',
  'pg_notify(text, text)',
  'quote_ident(text)',
];

describe('functions that another login plants in public', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
    // As on PostgreSQL 13 and 14, and on databases that were upgraded from them.
    await server.asAdmin('GRANT CREATE ON SCHEMA public TO PUBLIC; GRANT CREATE ON DATABASE team TO PUBLIC');
    await server.asAdmin("CREATE ROLE mallory LOGIN PASSWORD 'mallory'");
    await plant(server);
  });
  after(() => server.stop());

  it('are called by no statement of an administrator', async () => {
    const team = freshName('Team ');
    await withAdmin(server, async it => {
      await makeTeam(it, team);
      await addMember(it, { team, role: 'bert', name: 'Bert' });
      await addMember(it, { team, role: 'mallory', name: 'Mallory' });
      await listMembers(it, team);
      await readMemberMemories(it, { team, role: 'bert' });
      await removeMember(it, { team, role: 'bert' });
      await makeTeam(it, freshName('Team '));
    });
    assert.deepEqual(await calls(server), []);
  });

  it('are not found by our connections', async () => {
    const statement = 'SELECT same_name_text(current_user, current_user::text)';
    await withAdmin(server, it => assert.rejects(it.query(statement), /refused a statement/u));
    const pool = await openPool(server, freshName('recollect_'));
    await assert.rejects(pool.read.get(statement), /refused a statement/u);
    await pool.close();
    assert.deepEqual(await calls(server), []);
  });

  it('are called by no statement of a member', async () => {
    const team = freshName('Team ');
    const role = freshName('cleo');
    const { password } = await withAdmin(server, async it => {
      await makeTeam(it, team);
      return addMember(it, { team, role, name: 'Cleo' });
    });
    const connection = await PostgresConnection.open(
      (await readPostgresSettings(addressOf(server, role, password!), {}))!,
    );
    try {
      const open = await TeamServer.open(connection);
      const { id } = (await open.teams())[0]!;
      await open.ownName(id);
      const project = (await open.ensureProject(id, { name: 'shop' })).id;
      const at = '2026-01-02T00:00:00.000Z';
      const fact = {
        content: 'The ferry leaves at noon.',
        said: at,
        gate: 'epistemic',
        kind: 'decision',
        tags: ['sea'],
      } as const;
      await open.push(project, { id: '0b5d1d6e-6f0e-4a4a-9a62-1f0a6b2c9d01', at, by: 'Cleo', fact });
      const [line] = await open.pull(project, 0, 10);
      await open.pullAgain(project, [line!.id]);
      await open.knows(project, { cursor: 1, lastId: line!.id });
    } finally {
      await connection.close();
    }
    assert.deepEqual(await calls(server), []);
  });

  it('are called by no statement of a store: making it, writing, searching, and opening it again', async () => {
    const schema = freshName('recollect_');
    const host = new TestHost({ project: true });
    for (let opening = 0; opening < 2; opening++) {
      const pool = await openPool(server, schema);
      const store = await openPostgresStore('project', pool, {
        now: () => new Date(),
        log: host.log,
        keepCheckpoints: () => 3,
      } as unknown as Parameters<typeof openPostgresStore>[2]);
      await store.write('test', async tx => {
        await tx.putRecord('state', 'mark', { opening });
      });
      await store.record('state', 'mark');
      await store.groups('');
      await store.close();
    }
    assert.deepEqual(await calls(server), []);
  });

  it('keep a store from being opened where they lie in its own schema', async () => {
    for (const [opening, message] of [
      ['CREATE SCHEMA %; GRANT CREATE, USAGE ON SCHEMA % TO PUBLIC', /may create functions/u],
      ['CREATE SCHEMA % AUTHORIZATION mallory; GRANT CREATE, USAGE ON SCHEMA % TO PUBLIC', /may create functions/u],
    ] as const) {
      const schema = freshName('recollect_');
      await server.asAdmin(opening.replaceAll('%', schema));
      const pool = await openPool(server, schema);
      const host = { now: () => new Date() } as unknown as Parameters<typeof openPostgresStore>[2];
      await assert.rejects(openPostgresStore('project', pool, host), message);
    }
  });

  it('do not show a removed member more: the connection of an open transaction is ended', async () => {
    const team = freshName('Team ');
    const role = freshName('dora');
    const { password } = await withAdmin(server, async it => {
      await makeTeam(it, team);
      return addMember(it, { team, role, name: 'Dora' });
    });
    const dora = await PostgresConnection.open((await readPostgresSettings(addressOf(server, role, password!), {}))!);
    await dora.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await dora.query('SELECT name FROM recollect.teams');
    assert.deepEqual(await withAdmin(server, it => removeMember(it, { team, role })), { team, openConnections: 0 });
    await assert.rejects(dora.query('SELECT name FROM recollect.teams'), /cannot be reached/u);
    await dora.close();
  });

  it('do not hide a connection of a removed member that the administrator may not end', async () => {
    const team = freshName('Team ');
    const role = freshName('elsa');
    const { password } = await withAdmin(server, async it => {
      await makeTeam(it, team);
      return addMember(it, { team, role, name: 'Elsa' });
    });
    const keeper = freshName('keeper');
    await server.asAdmin(`CREATE ROLE ${keeper} LOGIN PASSWORD 'keeper'; GRANT recollect_owner TO ${keeper}`);
    const elsa = await PostgresConnection.open((await readPostgresSettings(addressOf(server, role, password!), {}))!);
    const admin = await PostgresConnection.open((await readPostgresSettings(addressOf(server, keeper, 'keeper'), {}))!);
    try {
      assert.deepEqual(await removeMember(admin, { team, role }), { team, openConnections: 1 });
      assert.deepEqual(await elsa.query('SELECT name FROM recollect.teams'), []);
    } finally {
      await elsa.close();
      await admin.close();
    }
  });
});

/** Each planted function writes down that it was called, with the rights of the caller. */
async function plant(server: PostgresServer): Promise<void> {
  const mallory = { user: 'mallory', password: 'mallory' };
  const operators = [
    ['name', 'text'],
    ['text', 'name'],
    ['bigint', 'integer'],
  ];
  await server.query(
    mallory,
    `CREATE TABLE public.calls (name text, by name DEFAULT session_user); GRANT INSERT, SELECT ON public.calls TO PUBLIC;
    ${planted
      .map(
        it =>
          `CREATE FUNCTION public.${it} RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.calls (name) VALUES ('${it}'); RETURN true; END $$;`,
      )
      .join('\n')}
    ${operators
      .map(
        ([
          left,
          right,
        ]) => `CREATE FUNCTION public.same_${left!}_${right!}(${left!}, ${right!}) RETURNS boolean LANGUAGE plpgsql
          AS $$ BEGIN INSERT INTO public.calls (name) VALUES ('${left!} = ${right!}'); RETURN true; END $$;
        CREATE OPERATOR public.= (LEFTARG = ${left!}, RIGHTARG = ${right!}, FUNCTION = public.same_${left!}_${right!});`,
      )
      .join('\n')}`,
  );
}

async function calls(server: PostgresServer): Promise<readonly string[]> {
  return (await server.asAdmin('SELECT name, by FROM public.calls')).map(
    it => `${String(it.name)} by ${String(it.by)}`,
  );
}

async function openPool(server: PostgresServer, schema: string): Promise<PostgresPool> {
  // A login of its own: a superuser may do everything anyway.
  const login = 'owner_of_stores';
  const found = await server.asAdmin(`SELECT 1 FROM pg_roles WHERE rolname = '${login}'`);
  if (found.length === 0) await server.asAdmin(`CREATE ROLE ${login} LOGIN PASSWORD 'owner'`);
  return PostgresPool.open((await readPostgresSettings(addressOf(server, login, 'owner'), {}))!, schema, 2);
}

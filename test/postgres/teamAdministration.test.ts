import assert from 'node:assert/strict';
import { shortId } from '../../src/engine/model/memory.js';
import type { TeamServerAdmin } from '../../src/engine/team/server/teamServerAdmin.js';
import { TestHost } from '../support/fixtures.js';
import { PostgresServer } from '../support/postgresServer.js';
import { addressOf, connectTwo, Person } from './kit.js';

const ferry = 'The ferry leaves Bergen at noon.';
const shop = 'We deploy the shop with Kubernetes.';

describe('The administrator of a team’s server', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  async function openAdmin(): Promise<TeamServerAdmin> {
    const host: TestHost & { secret?: (name: string) => Promise<string | undefined> } = new TestHost({ project: true });
    host.secret = name => Promise.resolve(name === 'teamConnection' ? addressOf(server, 'admin', 'admin') : undefined);
    return (await host.open()).team.server;
  }
  const shareAll = async (person: Person, ...texts: readonly string[]): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (const it of texts) {
      ids.push(await person.keep(it));
      await person.share(ids.at(-1)!);
    }
    await person.sync();
    return ids;
  };

  it('withdraws by its id what a member shared who is there, and the members hear of it', async () => {
    const { ada, ben, team } = await connectTwo(server);
    const [id] = await shareAll(ada, ferry);
    await shareAll(ben, shop);
    await ben.receive();
    const admin = await openAdmin();
    const listed = await admin.facts({ team, project: 'shop' });
    assert.deepEqual(listed.map(it => [it.content, it.by, it.role]).sort(), [
      [ferry, 'Ada', ada.login],
      [shop, 'Ben', ben.login],
    ]);
    const facts = await admin.facts({ team, references: [shortId({ id: id! })] });
    assert.equal(await admin.withdraw(facts), 1);
    assert.equal(await admin.withdraw(facts), 0);
    assert.deepEqual(await ben.receive(), [`withdrawn ${ferry}`]);
    // Ada said it herself: she is asked.
    assert.deepEqual([...(await ada.receive())].sort(), [`added ${shop}`, `kept ${ferry}`]);
    assert.equal((await ada.engine.actionRequests.list()).length, 1);
    assert.deepEqual(
      (await admin.facts({ team, project: 'shop' })).map(it => it.content),
      [shop],
    );
  });

  it('withdraws all of one member, and nothing of the others', async () => {
    const { ada, ben, team } = await connectTwo(server);
    await shareAll(ada, ferry, 'Dogs travel free of charge.');
    await shareAll(ben, shop);
    const admin = await openAdmin();
    assert.equal(await admin.withdraw(await admin.facts({ team, role: ada.login })), 2);
    assert.deepEqual(
      (await admin.facts({ team })).map(it => it.content),
      [shop],
    );
    await assert.rejects(admin.facts({ team, references: ['deadbeef'] }), { code: 'notFound' });
  });

  it('lists projects, gives one another name and repository, and deletes no more than was shown', async () => {
    const { ada, ben, team } = await connectTwo(server);
    await shareAll(ada, ferry);
    const admin = await openAdmin();
    const [project] = await admin.projects(team);
    assert.deepEqual([project!.name, project!.facts, project!.authors, project!.repository], ['shop', 1, 1, undefined]);
    const changed = await admin.changeProject({
      ...{ team, project: 'shop', name: 'store' },
      repository: 'git@git.example.com:acme/store.git',
    });
    assert.deepEqual([changed.name, changed.repository], ['store', 'git.example.com/acme/store']);
    await assert.rejects(admin.changeProject({ team, project: 'store', repository: 'nowhere' }), {
      code: 'invalidInput',
    });
    await ben.sync();
    assert.equal((await ben.engine.team.serverStatus())!.project, 'store');
    await shareAll(ben, shop);
    await assert.rejects(admin.removeProject({ team, project: 'store', expected: 1 }), { code: 'invalidInput' });
    await admin.removeProject({ team, project: 'git.example.com/acme/store', expected: 2 });
    assert.deepEqual(await admin.projects(team), []);
    await assert.rejects(ada.sync(), { code: 'notAllowed' });
  });

  it('names the team where the server has several', async () => {
    await connectTwo(server);
    await connectTwo(server);
    const admin = await openAdmin();
    await assert.rejects(admin.projects(undefined), /The server has several teams: .*Say which: --team NAME/u);
  });

  it('does nothing with the rights of a member', async () => {
    const { ada, ben, team } = await connectTwo(server);
    await shareAll(ada, ferry);
    const member = ben.engine.team.server;
    await assert.rejects(member.facts({ team }), { code: 'notAllowed' });
    await assert.rejects(member.removeProject({ team, project: 'shop', expected: 9 }), { code: 'notAllowed' });
    assert.deepEqual(await ben.receive(), [`added ${ferry}`]);
  });
});

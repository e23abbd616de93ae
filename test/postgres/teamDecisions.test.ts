import assert from 'node:assert/strict';
import { removeMember } from '../../src/engine/team/server/teamAdministration.js';
import { PostgresServer } from '../support/postgresServer.js';
import { connectTwo, Person, withAdmin } from './kit.js';

const noon = 'The ferry leaves Bergen at noon.';
const nine = 'The ferry leaves Bergen at nine.';

describe('Decisions on a team’s server', () => {
  let server: PostgresServer;
  before(async () => {
    server = await PostgresServer.start();
  });
  after(() => server.stop());

  const noteOf = async ({ engine }: Person, content: string): Promise<string> =>
    (await engine.list({ scope: 'project-only' })).find(it => it.content === content)!.id;

  it('reach the others as rows of their own: confirmed, replaced, and said once', async () => {
    const { ada, ben, team } = await connectTwo(server);
    const cy = await (await Person.join(server, team, 'Cy')).connect();
    const old = await ada.keep(noon);
    await ada.share(old);
    await ada.sync();
    await ben.receive();
    await cy.receive();
    await ben.engine.promote(await noteOf(ben, noon));
    await ben.sync();
    assert.deepEqual(await cy.receive(), [`confirmed ${noon}`]);
    const id = await ada.keep(nine);
    await ada.engine.revise({ id: old, replacedBy: id }, 'person');
    await ada.share(id);
    await ada.sync();
    assert.deepEqual(await cy.receive(), [`added ${nine}`, `replaced ${noon}`]);
    assert.deepEqual(await ben.receive(), [`added ${nine}`, `kept ${noon}`]);
    assert.deepEqual(
      (await ben.engine.actionRequests.list()).map(it => [it.action, it.memory.content]),
      [['replace', noon]],
    );
    for (const it of [ada, ben, cy]) assert.deepEqual([(await it.sync()).sent, (await it.sync()).sent], [0, 0]);
    const rows = await server.asAdmin('SELECT content, decision FROM recollect.memories WHERE decision IS NOT NULL');
    assert.deepEqual(
      rows.map(({ content, decision }): unknown => [content, decision]),
      [
        [null, 'confirms'],
        [null, 'replaces'],
      ],
    );
  });

  it('let any member withdraw what someone shared who has left, and nothing of who is there', async () => {
    const { ada, ben, team } = await connectTwo(server);
    const cy = await (await Person.join(server, team, 'Cy')).connect();
    await ada.share(await ada.keep(noon));
    await ada.sync();
    await ben.receive();
    await cy.receive();
    const withdraw = { references: [await noteOf(ben, noon)], withdraw: true };
    assert.match((await ben.engine.team.previewShare(withdraw)).refused[0]!.reason, /Another member shared it/u);
    const direct = await ben.query(
      'SELECT recollect.withdraw_departed(project, id, now()) AS done FROM recollect.memories',
    );
    assert.deepEqual(direct, [{ done: false }]);
    await withAdmin(server, it => removeMember(it, { team, role: ada.login }));
    await ben.sync();
    await ben.share(await noteOf(ben, noon), { withdraw: true });
    assert.equal((await ben.sync()).waiting, 0);
    assert.deepEqual(await cy.receive(), [`withdrawn ${noon}`]);
    const [row] = await server.asAdmin(
      `SELECT content, withdrawn_by FROM recollect.memories WHERE author = '${ada.login}'`,
    );
    assert.deepEqual(row, { content: null, withdrawn_by: ben.login });
    assert.deepEqual(await ben.engine.list({ scope: 'project-only' }), []);
  });
});

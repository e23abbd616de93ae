import assert from 'node:assert/strict';
import { createTeam, type TeamMember } from '../../support/teamMember.js';

describe('sharing with a team', function () {
  let a: TeamMember;

  beforeEach(async () => {
    [a] = await createTeam();
  });

  it('looks up the ids before it asks for a name', async () => {
    await assert.rejects(a.engine.team.previewShare({ references: ['00000000'] }), { code: 'notFound' });
    const id = await a.keep('The ferry leaves Bergen at noon.');
    await assert.rejects(a.engine.team.previewShare({ references: [id] }), {
      code: 'invalidInput',
      message: /--as NAME/u,
    });
  });

  it('withdraws a deleted memory by its full or short id alone', async () => {
    const id = await a.keep('The ferry leaves Bergen at noon.');
    await a.share([id]);
    await a.engine.deletion.purge([id]);
    for (const it of ['', '#', id.slice(-1), id.slice(-7), id.slice(-9), 'The ferry leaves Bergen at noon.'])
      await assert.rejects(a.engine.team.previewShare({ references: [it], withdraw: true }), { code: 'notFound' }, it);
    for (const it of [id, id.slice(-8), `#${id.slice(-8).toUpperCase()}`]) {
      const { memories } = await a.engine.team.previewShare({ references: [it], withdraw: true });
      assert.deepEqual(memories, [{ id, content: 'The ferry leaves Bergen at noon.' }]);
    }
  });
});

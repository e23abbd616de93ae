import assert from 'node:assert/strict';
import path from 'node:path';
import { cloneRepository } from '../../support/git.js';
import { createTeam, TeamMember } from '../../support/teamMember.js';

const noon = 'The ferry leaves Bergen at noon.';
const dogs = 'Dogs travel free of charge.';
const dayMs = 24 * 60 * 60 * 1000;

describe('a folder of a team whose clocks are apart', () => {
  let a: TeamMember;
  let b: TeamMember;

  beforeEach(async () => {
    [a, b] = await createTeam();
  });

  const contents = async (member: TeamMember): Promise<readonly string[]> =>
    (await member.memories()).map(it => it.content);

  it('warns a sender whose clock is ahead, by a line of another member, until it is shared again', async () => {
    a.host.time += 3 * dayMs;
    const id = await a.keep(noon);
    await a.share([id]);
    a.push();
    await b.share([await b.keep(dogs)]);
    const read = await b.pull();
    assert.equal(read.refused.length, 1);
    assert.match(read.refused[0]!.reason, /which is to come/u);
    assert.deepEqual([read.clock, read.decided?.decisions], [undefined, 1]);
    assert.equal((await b.read()).decided, undefined);
    b.push();
    const heard = await a.pull();
    assert.deepEqual(
      heard.changes.map(it => it.content),
      [dogs],
    );
    assert.match(heard.clock!, /^The clock of this machine is ahead: Ben <ben@example\.com> read/u);
    // Until something is done: at each reading, in the status and before something is shared.
    assert.equal((await a.read()).clock, heard.clock);
    assert.equal((await a.engine.team.status()).clock, heard.clock);
    assert.equal(
      (await a.engine.team.previewShare({ references: [await a.keep('The quay is closed.')] })).clock,
      heard.clock,
    );
    a.host.time -= 3 * dayMs;
    const [own, ...others] = (await a.read()).refused;
    assert.match(
      own!.reason,
      new RegExp(`You wrote it while .* Share it again: recollect team share ${id.slice(-8)}$`, 'u'),
    );
    assert.deepEqual(others, []);
    await a.share([id]);
    assert.deepEqual([(await a.read()).refused, (await a.read()).clock], [[], undefined]);
    a.push();
    assert.deepEqual(
      (await b.pull()).changes.map(it => it.content),
      [noon],
    );
    // Its time comes, and changes nothing.
    b.host.time += 4 * dayMs;
    assert.deepEqual([(await b.read()).changes, (await b.read()).refused], [[], []]);
    assert.deepEqual([...(await contents(b))].sort(), [dogs, noon]);
  });

  it('names this machine’s clock where several members seem to be ahead', async () => {
    const c = await new TeamMember('Cy', cloneRepository(path.join(a.clone), {})).open();
    c.git('remote', 'set-url', 'origin', a.git('remote', 'get-url', 'origin').trim());
    await c.engine.team.arrival.join();
    c.host.time -= 3 * dayMs;
    for (const [member, text] of [
      [a, noon],
      [b, dogs],
    ] as const) {
      await member.share([await member.keep(text)]);
      member.push();
    }
    const { clock, decided, refused } = await c.pull();
    assert.match(clock!, /it is this clock that is behind/u);
    assert.deepEqual([decided, refused.length], [undefined, 2]);
    c.host.time += 3 * dayMs;
    assert.deepEqual([(await c.read()).clock, (await contents(c)).length], [undefined, 2]);
  });
});

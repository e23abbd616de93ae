import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shortId } from '../../../src/engine/model/memory.js';
import { cloneRepository } from '../../support/git.js';
import { createTeam, TeamMember } from '../../support/teamMember.js';

const noon = 'The ferry leaves Bergen at noon.';
const nine = 'The ferry leaves Bergen at nine.';

/** The state of each memory, as `text: note active`. */
const stateOf = async (member: TeamMember): Promise<readonly string[]> =>
  (await member.memories()).map(it => `${it.content}: ${it.lane} ${it.status}`).sort();

const requestsOf = async ({ engine }: TeamMember): Promise<readonly string[]> =>
  (await engine.actionRequests.list()).map(it => `${it.action} ${it.memory.content} (${it.client}: ${it.author})`);

describe('Decisions of a team’s members', () => {
  let a: TeamMember;
  let b: TeamMember;
  let c: TeamMember;

  beforeEach(async () => {
    [a, b] = await createTeam();
    c = await new TeamMember('Cy', cloneRepository(path.join(a.clone), {})).open();
    c.git('remote', 'set-url', 'origin', a.git('remote', 'get-url', 'origin').trim());
    await c.engine.team.arrival.join();
  });

  /** Shares, and brings it to the others as notes. */
  async function share(content: string): Promise<string> {
    const id = await a.keep(content);
    await a.share([id]);
    a.push();
    await b.pull();
    await c.pull();
    return id;
  }
  const noteOf = async (member: TeamMember, content: string): Promise<string> =>
    (await member.memories()).find(it => it.content === content)!.id;

  it('reach a note of the others when one confirms it, and say so once', async () => {
    await share(noon);
    const before = (await c.memories())[0]!.confidence;
    await b.engine.promote(await noteOf(b, noon));
    assert.equal((await b.read()).decided?.decisions, 1);
    assert.equal((await b.read()).decided, undefined);
    b.push();
    const { changes } = await c.pull();
    assert.deepEqual(
      changes.map(it => `${it.what} ${it.author}`),
      ['confirmed Ben <ben@example.com>'],
    );
    assert.ok((await c.memories())[0]!.confidence > before);
    assert.deepEqual(await stateOf(c), [`${noon}: note active`]);
    assert.deepEqual([(await c.read()).changes, (await c.read()).decided], [[], undefined]);
  });

  it('put a replaced note away, and ask who confirmed it', async () => {
    const old = await share(noon);
    await b.engine.promote(await noteOf(b, noon));
    const id = await a.keep(nine);
    await a.engine.revise({ id: old, replacedBy: id }, 'person');
    await a.share([id]);
    assert.equal((await a.read()).decided?.decisions, 1);
    a.push();
    assert.deepEqual(
      (await c.pull()).changes.map(it => `${it.what} ${it.content}`),
      [`added ${nine}`, `replaced ${noon}`],
    );
    const { hits } = await c.engine.recall({ query: 'when does the ferry leave Bergen' });
    assert.equal(hits[0]!.memory.content, nine);
    await b.pull();
    assert.deepEqual(await requestsOf(b), [`replace ${noon} (team: Ada <ada@example.com>)`]);
    await b.engine.actionRequests.accept(await noteOf(b, noon));
    assert.deepEqual(await requestsOf(b), []);
    // The team knows it already: no member repeats the word of another.
    assert.deepEqual([(await c.read()).decided, (await b.read()).decided], [undefined, undefined]);
  });

  it('settle a contradiction for all', async () => {
    await share(noon);
    await share(nine);
    for (const it of [b, c]) {
      const [first, second] = [await noteOf(it, noon), await noteOf(it, nine)];
      await it.engine.revise({ id: first, replacedBy: second }, 'model');
    }
    assert.equal((await c.engine.conflicts.list()).length, 1);
    await b.engine.conflicts.resolve(await noteOf(b, noon), await noteOf(b, nine), 'keepBoth');
    await b.read();
    b.push();
    assert.deepEqual(
      (await c.pull()).changes.map(it => it.what),
      ['settled'],
    );
    assert.deepEqual(await c.engine.conflicts.list(), []);
  });

  it('hold ids alone, and are left by a program that does not know them', async () => {
    await share(noon);
    await b.engine.promote(await noteOf(b, noon));
    const { decided } = await b.read();
    const line = readFileSync(path.join(b.clone, decided!.file), 'utf8').trim();
    assert.deepEqual(Object.keys(JSON.parse(line) as object), ['v', 'id', 'at', 'by', 'decision', 'about']);
    writeFileSync(path.join(b.clone, decided!.file), `${line.replace('confirms', 'praises')}\n`);
    assert.match((await b.read()).refused[0]!.reason, /A newer version wrote it/u);
  });

  it('name a fact by one id for all, which each of them may say', async () => {
    const id = await share(noon);
    for (const it of [a, b, c]) {
      const { own, received } = await it.engine.team.status();
      assert.deepEqual(
        [...own, ...received].map(share => share.sharedId),
        [id],
      );
      assert.equal((await it.engine.get(shortId({ id }))).content, noon);
      assert.equal(await it.engine.team.sharedId(await it.engine.get(id)), id);
    }
    // Who shares it, too, does not give it another one.
    await b.engine.promote(await noteOf(b, noon));
    await b.share([await noteOf(b, noon)]);
    assert.deepEqual(
      (await b.engine.team.status()).own.map(it => it.sharedId),
      [id],
    );
  });
});

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderTeamLine } from '../../../src/engine/team/teamLine.js';
import { sql } from '../../support/sqlite.js';
import { createTeam, summarize, type TeamMember } from '../../support/teamMember.js';

const ada = 'Ada <ada@example.com>';
const [noon, one] = ['The ferry leaves Bergen at noon.', 'The ferry leaves Bergen at one.'];

describe('reading what a team shares', function () {
  let a: TeamMember;
  let b: TeamMember;

  beforeEach(async () => {
    [a, b] = await createTeam();
  });

  const shareFromAda = async (ids: readonly string[], withdraw = false): Promise<void> => {
    await a.share(ids, { withdraw });
    a.push();
  };
  const states = async (): Promise<unknown> => (await b.memories()).map(it => [it.content, it.status]).sort();

  it('changes nothing by the older lines of a branch that is behind', async () => {
    const [ferry, dogs] = [await a.keep(noon), await a.keep('Dogs travel free of charge.')];
    await shareFromAda([ferry, dogs]);
    await b.pull();
    const behind = b.git('rev-parse', 'HEAD').trim();
    await a.engine.editText(ferry, { content: one, before: noon });
    await shareFromAda([ferry]);
    await shareFromAda([dogs], true);
    assert.deepEqual(summarize((await b.pull()).changes).sort(), [
      ['changed', one, ada],
      ['withdrawn', 'Dogs travel free of charge.', ada],
    ]);
    const before = await states();
    b.git('checkout', '-q', behind);
    assert.deepEqual((await b.read()).changes, []);
    const { received, withdrawalsToRead } = await b.engine.team.status();
    assert.deepEqual(received.map(it => [it.content, it.state]).sort(), [
      ['Dogs travel free of charge.', 'dropped'],
      [one, 'note'],
    ]);
    b.git('checkout', '-q', 'main');
    assert.deepEqual([(await b.read()).changes, withdrawalsToRead], [[], 0]);
    assert.deepEqual(await states(), before);
  });

  it('is undone with what it archived, and what it took in does not come back by itself', async () => {
    const [ferry, dogs] = [await a.keep(noon), await a.keep('Dogs travel free of charge.')];
    await shareFromAda([ferry, dogs]);
    await b.pull();
    await a.engine.editText(ferry, { content: one, before: noon });
    await shareFromAda([ferry]);
    await shareFromAda([dogs], true);
    const { id } = await b.pull();
    const undone = await b.engine.exchange.undoImport(id);
    assert.deepEqual([undone.removed, undone.restored], [1, 2]);
    const expected = [
      ['Dogs travel free of charge.', 'active'],
      [noon, 'active'],
    ];
    assert.deepEqual(await states(), expected);
    const { changes, id: again } = await b.read();
    assert.deepEqual([changes, again, await states()], [[], undefined, expected]);
    const { received } = await b.engine.team.status();
    assert.deepEqual(
      received.map(it => [it.content, it.state]),
      [[one, 'dropped']],
    );
    // What its member says later comes.
    await a.engine.editText(ferry, { content: 'The ferry leaves Bergen at two.', before: one });
    await shareFromAda([ferry, dogs]);
    assert.deepEqual(summarize((await b.pull()).changes), [['added', 'The ferry leaves Bergen at two.', ada]]);
  });

  it('is undone where it archived or brought back, and brought nothing new', async () => {
    const ferry = await a.keep(noon);
    await shareFromAda([ferry]);
    await b.pull();
    await shareFromAda([ferry], true);
    const { id: withdrawal } = await b.pull();
    assert.deepEqual(await states(), [[noon, 'archived']]);
    await shareFromAda([ferry]);
    const { id: return_ } = await b.pull();
    assert.deepEqual(await states(), [[noon, 'active']]);
    assert.equal((await b.engine.exchange.undoImport(return_)).restored, 1);
    assert.deepEqual(await states(), [[noon, 'archived']]);
    assert.equal((await b.engine.exchange.undoImport(withdrawal)).restored, 1);
    assert.deepEqual(await states(), [[noon, 'active']]);
  });

  it('takes in again what came after a checkpoint that was restored', async () => {
    const [ferry, dogs] = [await a.keep(noon), await a.keep('Dogs travel free of charge.')];
    await shareFromAda([ferry]);
    await b.pull();
    const checkpoint = (await b.engine.checkpoints.make()).find(it => it.store === 'project')!;
    await shareFromAda([dogs]);
    await b.pull();
    const later = (await b.memories()).find(it => it.content.startsWith('Dogs'))!;
    await b.engine.forget(later.id);
    await b.engine.checkpoints.restore(checkpoint.id);
    assert.deepEqual(await states(), [[noon, 'active']]);
    assert.deepEqual(summarize((await b.read()).changes), [['added', 'Dogs travel free of charge.', ada]]);
  });

  it('says that a memory stays which only its own line shares too', async () => {
    const ferry = await a.keep(noon);
    await shareFromAda([ferry]);
    await b.pull();
    const [note] = await b.memories();
    await b.engine.promote(note!.id);
    await b.share([note!.id]);
    b.push();
    await shareFromAda([ferry], true);
    assert.deepEqual(summarize((await b.pull()).changes), [['kept', noon, ada]]);
  });

  it('keeps as many reads to undo as of other imports', async () => {
    const id = '01a21a2b-1b8a-7527-8eb2-5ae377660541';
    const fact = {
      content: noon,
      gate: 'epistemic',
      kind: 'context',
      tags: [],
      said: '2026-03-01T10:00:00.000Z',
    } as const;
    for (let i = 0; i < 52; i++) {
      const at = new Date(b.host.time + i).toISOString();
      const line = renderTeamLine({ id, at, by: 'Ada', fact: i % 2 === 0 ? fact : undefined });
      writeFileSync(path.join(b.folder, 'ada.jsonl'), `${line}\n`);
      assert.equal((await b.read()).changes.length, 1);
    }
    const { file } = b.engine.stores.find(it => it.kind === 'project')!;
    const records = await sql(file, "SELECT id FROM records WHERE kind = 'import'");
    assert.equal(records.length, 50);
  });

  for (const isForgedFirst of [false, true]) {
    for (const [hour, isNewest] of [
      ['midnight', false],
      ['zenith', true],
    ] as const) {
      const order = isForgedFirst ? 'before' : 'after';
      it(`knows its own line with one of ${hour} of the same moment ${order} it`, async () => {
        const id = await a.keep(noon);
        const { file } = await a.share([id]);
        const own = readFileSync(path.join(a.clone, file), 'utf8');
        const forged = own.replace('noon', hour);
        writeFileSync(path.join(a.clone, file), isForgedFirst ? forged + own : own + forged);
        a.commit();
        // Of two lines of one moment the last by its text holds.
        const expected = isNewest ? [['added', `The ferry leaves Bergen at ${hour}.`, ada]] : [];
        assert.deepEqual(summarize((await a.read()).changes), expected);
        const { own: ours, received } = await a.engine.team.status();
        assert.deepEqual([ours.length, received.length], isNewest ? [0, 1] : [1, 0]);
      });
    }
  }

  it('knows its own lines, whether it read before it wrote or after', async () => {
    const id = await a.keep(noon);
    const { file } = await a.share([id]);
    const own = readFileSync(path.join(a.clone, file), 'utf8');
    rmSync(path.join(a.clone, file));
    const forged = own.replace('noon', 'dawn').replace(/"by":"[^"]+"/u, '"by":"Ben"');
    mkdirSync(a.folder, { recursive: true });
    appendFileSync(path.join(a.folder, 'ben.jsonl'), forged);
    assert.equal((await a.read()).changes.length, 1);
    await a.engine.editText(id, { content: one, before: noon });
    await a.share([id]);
    assert.deepEqual((await a.read()).changes, []);
    const { own: ours, received } = await a.engine.team.status();
    assert.deepEqual([ours.map(it => it.content), received], [[one], []]);
    const [mine] = await a.engine.getMany([id]);
    assert.deepEqual([mine?.content, mine?.lane], [one, 'confirmed']);
  });
});

import assert from 'node:assert/strict';
import type { Goal, MaintenanceRun, Metrics } from '../../src/engine/model/maintenance.js';
import type { Memory } from '../../src/engine/model/memory.js';
import { sql } from '../support/sqlite.js';
import { Shell } from './shell.js';

const [ok, failed, usage, notFound] = [0, 1, 2, 3];

/** What was stored now, as if that had been days ago. */
async function age(shell: Shell, days: number): Promise<void> {
  const ago = new Date(Date.now() - days * 86_400_000).toISOString();
  await sql(
    `${shell.home}/memory/global/memory.db`,
    `UPDATE memories SET created_at = '${ago}', updated_at = '${ago}', reinforced_at = '${ago}'`,
  );
}

describe('recollect maintain', function () {
  it('previews a run, performs it, lists it and undoes it', async () => {
    const shell = new Shell();
    await shell.run(['remember', 'The crane lifts twelve tonnes.', '--store', 'global', '--gate', 'epistemic']);
    await age(shell, 90);
    const dry = await shell.run('maintain --dry-run --scope global-only');
    assert.equal(dry.code, ok);
    assert.match(dry.out, /^global store: of 1 memory 1 would be forgotten and 0 deleted for good\n/u);
    assert.match(dry.out, /^ {4}#[0-9a-f]{8} {2}faded, \d+% left {2}The crane lifts twelve tonnes\.$/mu);
    assert.equal((await shell.run('list')).out.includes('crane'), true);
    const real = await shell.run('maintain --scope global-only --preset archival');
    assert.match(
      real.out,
      /1 forgotten and 0 deleted for good[^]*preset archival[^]*undo with: recollect maintain --undo [0-9a-f]{8}\n$/u,
    );
    assert.equal((await shell.run('list')).out, '');
    const listed = await shell.run('maintain --runs');
    assert.match(
      listed.out,
      /^#([0-9a-f]{8}) .* finished {2}1 faded, 0 expired, 0 without room, 0 deleted for good .*archival\)\n$/u,
    );
    const undone = await shell.run(['maintain', '--undo', listed.out.slice(0, 9)]);
    assert.deepEqual([undone.code, undone.out], [ok, 'Active again: 1 memory.\n']);
    assert.equal((await shell.run('list')).out.includes('crane'), true);
    const { code, data } = await shell.json('maintain --dry-run --scope global-only');
    assert.deepEqual([code, (data as MaintenanceRun[])[0]?.counts.faded], [ok, 0]);
  });

  it('keeps goals', async () => {
    const shell = new Shell();
    const { data } = await shell.json(['goals', 'add', 'Ship', 'the refund API']);
    const goal = data as Goal;
    assert.deepEqual([goal.text, goal.store], ['Ship the refund API', 'project']);
    const line = `#${goal.id.slice(-8)}  Ship the refund API  (project`;
    assert.equal((await shell.run('goals')).out, `${line})\n`);
    assert.match((await shell.run(['goals', 'done', goal.id.slice(-8)])).out, / · done \d{4}-\d\d-\d\d\)\n$/u);
    assert.equal((await shell.run(['goals', 'remove', `#${goal.id.slice(-8)}`])).out, 'Removed: Ship the refund API\n');
    const none = await shell.run('goals list');
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.match(none.err, /^There is no goal\. Set one: recollect goals add TEXT$/mu);
    assert.match(
      (await shell.run('maintain --runs')).err,
      /^No maintenance has run yet\. Start it: recollect maintain$/mu,
    );
  });

  it('lists and counts the memories without search words, and shows those of one', async () => {
    const shell = new Shell();
    await shell.run(['remember', 'The crane lifts twelve tonnes.', '--store', 'global']);
    await shell.run(['remember', 'The bell rings at noon.', '--store', 'global']);
    await sql(
      `${shell.home}/memory/global/memory.db`,
      `INSERT INTO aids SELECT row, '["How heavy a load is fine?"]', '["hoist","weight"]' FROM memories WHERE content LIKE 'The crane%'`,
    );
    const { out } = await shell.run('list --without-aids');
    assert.match(out, /^#[0-9a-f]{8} {2}The bell rings at noon\. .*\n$/u);
    assert.match((await shell.run('metrics')).out, /^ {2}without search words of their own yet: 1 memory$/mu);
    const { data } = await shell.json('list');
    const crane = (data as Memory[]).find(it => it.content.startsWith('The crane'))!;
    const shown = await shell.run(['show', crane.id]);
    assert.match(shown.out, /^questions: {3}How heavy a load is fine\?\nkeywords: {4}hoist, weight$/mu);
    const { aids } = (await shell.json(['show', crane.id])).data as { readonly aids: object };
    assert.deepEqual(aids, { questions: ['How heavy a load is fine?'], keywords: ['hoist', 'weight'] });
  });

  it('prints metrics', async () => {
    const shell = new Shell();
    await shell.run(['remember', 'The crane lifts twelve tonnes.']);
    await shell.run(['recall', 'crane']);
    const printed = await shell.run('metrics');
    assert.match(printed.out, /^project store: active 1, replaced 0, forgotten 0\n {2}file: \S+\.db$/mu);
    assert.match(printed.out, /^ {2}long-term {3}1 memory, \d+ B of 2\.0 MB$/mu);
    assert.match(printed.out, /^ {2}since the beginning: 1 created, 0 forgotten, 0 deleted for good$/mu);
    assert.match(printed.out, /^ {2}\d{4}-\d\d: 1 created, 0 forgotten, 0 deleted for good$/mu);
    assert.match(printed.out, /^ {2}growth: about \d+ B a month$/mu);
    assert.match(printed.out, /^ {2}maintenance: never run, next due \d{4}-\d\d-\d\d$/mu);
    assert.match(
      printed.out,
      /^recalls on record: 1, median \d+\.\d ms, 95% within \d+\.\d ms, 0 from the cache, \d by words alone or otherwise incomplete$/mu,
    );
    assert.match(printed.out, /^precision of the first five: not judged yet$/mu);
    assert.doesNotMatch(printed.out, /embedding by this command|undefined|NaN|–/u);
    assert.match(printed.out, /^embeddings: (?:on, \S+|off, memories are found by words alone)$/mu);
    assert.doesNotMatch(printed.out, /^attention/mu);
    await shell.run(['config', 'maintenance.quotas', '{"long-term": 1}']);
    await shell.run(['remember', '--whole', `The crane ${'lifts heavy loads and '.repeat(60)}turns.`]);
    const alert = /^attention, project store: Over the quota: long-term memories, \d of 1 KB\. Run maintenance/mu;
    assert.match((await shell.run('metrics')).out, alert);
    const { data } = await shell.json('metrics');
    assert.equal((data as Metrics).recall.recalls, 1);
  });

  const wrong: readonly (readonly [string, number, RegExp])[] = [
    ['maintain --preset fast', usage, /argument 'fast' is invalid/u],
    ['maintain --dry-run --undo 12345678', usage, /cannot be used with/u],
    ['maintain --undo 12345678', notFound, /There is no maintenance run 12345678/u],
    ['goals done 12345678', notFound, /There is no goal "12345678"/u],
    ['goals add …', usage, /A goal needs words/u],
  ];
  for (const [line, code, says] of wrong) {
    it(`${line} ends with ${code}`, async () => {
      const found = await new Shell().run(line);
      assert.deepEqual([found.code, found.out], [code, '']);
      assert.match(found.err, says);
    });
  }

  it('ends with an error while another program is at it', async () => {
    const shell = new Shell();
    await shell.run(['remember', 'The crane lifts twelve tonnes.', '--store', 'global']);
    await sql(
      `${shell.home}/memory/global/memory.db`,
      `INSERT INTO meta VALUES ('lease:maintenance', 'other ${Date.now() + 25_000}')`,
    );
    const found = await shell.run('maintain --scope global-only');
    assert.equal(found.code, failed);
    assert.match(found.err, /Another program is maintaining/u);
    assert.equal((await shell.run('maintain --dry-run')).code, ok);
  });
});

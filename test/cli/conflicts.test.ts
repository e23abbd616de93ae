import assert from 'node:assert/strict';
import type { RememberOutcome } from '../../src/engine/model/rememberOutcome.js';
import type { StoreReport } from '../../src/engine/model/storeReport.js';
import type { Memory } from '../../src/engine/model/memory.js';
import type { Conflict, PlanToReview } from '../../src/engine/model/conflict.js';
import { linkMarked, storeMemory, TestHost, writeToStore } from '../support/fixtures.js';
import { sql } from '../support/sqlite.js';
import { Shell } from './shell.js';

const [ok, usage, notFound] = [0, 2, 3];

describe('recollect conflicts, settle and revisit', function () {
  let shell: Shell;
  beforeEach(() => {
    shell = new Shell();
  });

  const remember = async (...args: readonly string[]): Promise<string> => {
    const { data } = await shell.json(['remember', ...args]);
    const [outcome] = (data as { outcomes: RememberOutcome[] }).outcomes;
    assert.ok(outcome !== undefined && outcome.outcome !== 'refused');
    return outcome.id;
  };

  const projectFile = async (): Promise<string> => {
    const { stores } = (await shell.json('verify')).data as { readonly stores: readonly StoreReport[] };
    return stores.find(it => it.store === 'project')!.file;
  };

  it('lists conflicts and settles them', async () => {
    const older = await remember('The build of the ferry runs on Node 20.', '--store', 'project');
    const newer = await remember('Perpetua compiles with version 22.', '--store', 'project');
    const file = await projectFile();
    await writeToStore(new TestHost(), 'project', file, tx =>
      linkMarked(tx, { source: newer, target: older, strength: 0.9, reason: '20 against 22.' }),
    );
    const [one, other] = [newer.slice(-8), older.slice(-8)];
    const listed = await shell.run('conflicts');
    assert.equal(listed.code, ok);
    const lines = listed.out.split('\n');
    assert.match(lines[0]!, new RegExp(`^#${one}  Perpetua compiles with version 22\\.`, 'u'));
    assert.match(lines[1]!, new RegExp(`^  contradicts #${other}  The build`, 'u'));
    assert.equal(lines[2], '  20 against 22.');
    assert.equal(lines[3], `  To settle it: recollect settle ${one} ${other} --keep a (the first), b or both`);
    const [pair] = (await shell.json('conflicts')).data as Conflict[];
    assert.deepEqual([pair?.newer.memory.id, pair?.older.memory.id, pair?.certainty], [newer, older, 0.9]);
    assert.match(
      (await shell.run('recall ferry')).out,
      new RegExp(`\\n    contradicts newer #${one}: 20 against 22\\.`, 'u'),
    );

    const settled = await shell.json(`settle ${one} ${other} --keep a`);
    assert.deepEqual(
      [settled.code, (settled.data as Memory[]).map(it => [it.id, it.status])],
      [
        ok,
        [
          [newer, 'active'],
          [older, 'superseded'],
        ],
      ],
    );
    const none = await shell.run('conflicts');
    assert.deepEqual([none.code, none.out], [ok, '']);
    assert.match(none.err, /No memories contradict each other\./u);
    assert.equal((await shell.run(`restore ${other}`)).code, ok);
    assert.equal(((await shell.json('conflicts')).data as Conflict[]).length, 1);

    for (const [args, code] of [
      [`settle ${one} ${other}`, usage],
      [`settle ${one} ${other} --keep c`, usage],
      [`settle ${one} ${one} --keep a`, usage],
      [`settle ${one} 00000000 --keep a`, notFound],
    ] as const) {
      const found = await shell.run(args);
      assert.deepEqual([found.code, found.out], [code, ''], args);
      if (args.includes(`${one} ${one}`)) assert.match(found.err, new RegExp(`Both ids are of #${one}\\.`, 'u'));
    }
  });

  it('prints below a recalled memory the note that it replaced by the word of a model', async () => {
    const host = new TestHost();
    host.dataDir = `${shell.home}/memory`;
    host.workspaceFolders = [shell.project];
    host.time = Date.now();
    const engine = await host.open();
    const older = await storeMemory(engine, 'The tide tables of the harbour come from Oslo.', { lane: 'note' });
    const newer = await storeMemory(engine, 'Bergen delivers the list of high waters.', { lane: 'note' });
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    await engine.close();
    const { code, out } = await shell.run('recall tide tables of the harbour');
    assert.equal(code, ok);
    assert.deepEqual(
      out.split('\n').map(it => it.replace(/ {2}\(.*\)$|\(.*\)(?=:)/u, '')),
      [
        `#${newer.slice(-8)}  Bergen delivers the list of high waters.`,
        `    before : #${older.slice(-8)}  The tide tables of the harbour come from Oslo.`,
        '',
      ],
    );
    const { out: all } = await shell.run('list');
    assert.match(all, new RegExp(`^#${older.slice(-8)} .*[( ]replaced by #${newer.slice(-8)} · `, 'mu'));
    const first = await shell.run('list --limit 1');
    assert.match(first.err, /^There are more: --offset 1$/mu);
    assert.doesNotMatch((await shell.run('list --limit 1 --offset 1')).err, /There are more/u);
    const listed = await shell.run('conflicts');
    assert.match(listed.out, /^Decided by what was said\. You may settle these otherwise:\n#\w+ {2}Bergen/u);
    const none = await shell.run('recall xylophone');
    assert.deepEqual([none.code, none.out], [notFound, '']);
    assert.match(none.err, /Nothing is remembered about this\.\n$/u);
  });

  it('keeps the day of --due, and shows it, and that a memory is a guard', async () => {
    const plan = await remember('The freezer gets its service.', '--due', '2200-03-01');
    assert.match((await shell.run('list')).out, /The freezer gets its service\. {2}\([^)]*due 2200-03-01/u);
    assert.match((await shell.run(`show ${plan.slice(-8)}`)).out, /^gate: +promissory$[^]*^due: +2200-03-01T/mu);
    assert.equal((await shell.run('remember x --due someday')).code, usage);
    const warning = (await remember('Never run `make flash` on battery.')).slice(-8);
    assert.doesNotMatch((await shell.run(`show ${warning}`)).out, /^guard:/mu);
    assert.equal((await shell.run(`pin ${warning} --guard`)).code, ok);
    assert.match((await shell.run(`show ${warning}`)).out, /^guard: +an assistant asks you/mu);
    assert.equal(((await shell.json(`show ${warning}`)).data as { readonly isGuard?: boolean }).isGuard, true);
  });

  it('gives a memory another text by edit, and takes it back', async () => {
    const id = (await remember('The pier is green.')).slice(-8);
    const edited = await shell.run(['edit', id, 'The pier is blue since May.']);
    assert.equal(edited.code, ok);
    assert.match(
      edited.out,
      new RegExp(`^#${id} {2}The pier is blue[^]*\\nUndo: recollect edit ${id} --undo\\n$`, 'u'),
    );
    assert.match((await shell.run('recall pier color')).out, /blue since May/u);
    assert.match((await shell.run(['edit', id, 'The pier is blue since May.'])).err, /^It has this text already\.$/mu);
    assert.equal((await shell.run(`edit ${id} --undo again`)).code, usage);
    assert.match((await shell.run(`edit ${id} --undo`)).out, /The pier is green\./u);
    assert.equal((await shell.run(`edit ${id} --undo`)).code, usage);
    assert.equal((await shell.run('edit 00000000 "Nothing."')).code, notFound);
  });

  it('lists overdue plans and applies the decision of the user', async () => {
    const plan = (content: string): Promise<string> =>
      remember(content, '--gate', 'promissory', '--whole', '--store', 'project');
    const ids = [
      await plan('Ship the alpha some day.'),
      await plan('Ship the beta some day.'),
      await plan('Ship the gamma some day.'),
    ];
    // No day in the past is read from a text that is said today.
    const days = ids.map((id, i) => `WHEN '${id}' THEN '2020-03-0${4 + i}T12:00:00.000Z'`).join(' ');
    await sql(await projectFile(), `UPDATE memories SET due_at = CASE id ${days} END`);
    const [first = '', second = '', third = ''] = ids.map(it => it.slice(-8));
    const listed = await shell.run('revisit');
    assert.deepEqual([listed.code, listed.out.split('\n').length], [ok, 4]);
    assert.match(listed.out, new RegExp(`^due 2020-03-04  #${first}  Ship the alpha`, 'u'));

    const wrong = await shell.run(`revisit --done ${first} 00000000`);
    assert.deepEqual([wrong.code, wrong.out], [notFound, '']);
    const done = await shell.json(`revisit --done ${first}`);
    assert.deepEqual([done.code, (done.data as Memory[])[0]?.archiveReason], [ok, 'done']);
    const extended = await shell.json(`revisit --extend ${second} --until 2200-01-01`);
    assert.equal((extended.data as Memory[])[0]?.dueAt, '2200-01-01T23:59:59.999Z');
    const left = (await shell.json('revisit')).data as PlanToReview[];
    assert.deepEqual(
      left.map(it => [it.memory.id, it.why]),
      [[ids[2], 'overdue']],
    );
    assert.equal((await shell.run(`revisit --drop ${third}`)).code, ok);
    const none = await shell.run('revisit');
    assert.deepEqual([none.code, none.out], [ok, '']);

    for (const args of [
      `revisit --extend ${second}`,
      `revisit --extend ${second} --until someday`,
      `revisit --extend ${second} --until 2001-01-01`,
      `revisit --until 2200-01-01`,
      `revisit --done ${second} --drop ${second}`,
    ]) {
      const found = await shell.run(args);
      assert.deepEqual([found.code, found.out], [usage, ''], args);
    }
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { candidatesIntakeId, type IntakeChoice } from '../../../src/engine/model/intake.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { sql } from '../../support/sqlite.js';
import { storeMemory, storeProblems, temporaryFolder, writeToStore } from '../../support/fixtures.js';
import { CaptureHost, userLine } from '../capture/captureHost.js';

const rules = ['Crates are stacked by weight.', 'The crane lifts two tonnes.', 'The office opens at eight.'];
const changedSince = 'It was changed since, and stays as it is.';

describe('the undo of a review', () => {
  let host: CaptureHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new CaptureHost({ project: true });
    engine = await host.openAllowed();
  });

  const importRules = async (folder = temporaryFolder()): Promise<string> => {
    const file = path.join(folder, 'notes.md');
    writeFileSync(file, rules.map(it => `- ${it}\n`).join(''));
    return (await engine.exchange.import({ path: file, format: 'markdown' })).id!;
  };
  const find = async (word: string): Promise<Memory> => {
    const all = await engine.list({ limit: 1000, statuses: ['active', 'archived', 'superseded'] });
    return all.find(it => it.content.includes(word))!;
  };
  const decide = async (intake: string, choices: Readonly<Record<string, IntakeChoice>>) => {
    const entries = Object.entries(choices).map(async ([word, it]) => [(await find(word)).id, it] as const);
    return engine.intakes.decide(intake, Object.fromEntries(await Promise.all(entries)));
  };
  const countsOf = async (intake: string): Promise<unknown> =>
    (await engine.intakes.review(intake, { limit: 1 })).decision?.counts;
  const stateOf = async (word: string): Promise<string> => {
    const { store, status } = await find(word);
    return `${store} ${status}`;
  };
  const captureStatements = async (statements: readonly string[], rest: object = {}, name?: string): Promise<void> => {
    const file = host.writeSession(
      statements.map(it => userLine(it, { ...rest })),
      name,
    );
    await engine.capture.run({ source: 'claudeCode', files: [file] });
  };
  const decideCandidates = async (choices: Readonly<Record<string, IntakeChoice>>) => {
    const listed = await engine.capture.candidates();
    const byId = Object.entries(choices).map(([word, it]) => [
      listed.find(candidate => candidate.content.includes(word))!.id,
      it,
    ]);
    return engine.intakes.decide(candidatesIntakeId, Object.fromEntries(byId) as Record<string, IntakeChoice>);
  };
  const statementsLeft = async (): Promise<readonly string[]> =>
    (await engine.capture.candidates()).map(it => it.content).sort();
  const reviewRecords = async (file: string): Promise<readonly string[]> =>
    (await sql(file, "SELECT id FROM records WHERE kind = 'review'")).map(it => String(it.id).split(' ')[0]!);
  const fileOf = (kind: 'project' | 'global'): string => engine.stores.find(it => it.kind === kind)!.file;

  it('leaves alone what was changed since, and says so', async () => {
    const id = await importRules();
    await decide(id, { Crates: 'drop', crane: 'drop' });
    await decide(id, { Crates: 'keep', crane: 'keep', office: 'global' });
    for (const it of ['Crates', 'office']) await engine.setPriority((await find(it)).id, 9);
    const { undone, kept } = await engine.intakes.undo(id);
    assert.equal(undone, 1);
    assert.deepEqual(kept.map(it => [it.text, it.reason]).sort(), [
      [rules[0], changedSince],
      [rules[2], changedSince],
    ]);
    assert.deepEqual(
      [await stateOf('Crates'), await stateOf('crane'), await stateOf('office')],
      ['project active', 'project archived', 'global active'],
    );
  });

  it('counts as before what a person brought back by hand, and says what is gone', async () => {
    const id = await importRules();
    await decide(id, { Crates: 'drop', crane: 'drop' });
    await engine.restore((await find('Crates')).id);
    const { id: crane } = await find('crane');
    await engine.deletion.purge([crane]);
    assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
    await decide(id, { Crates: 'drop', office: 'global' });
    host.advanceDays(45);
    await engine.maintenance.run();
    const { undone, kept } = await engine.intakes.undo(id);
    assert.deepEqual([undone, kept.map(it => it.reason)], [1, ['It was deleted since.']]);
  });

  it('says why a memory cannot be moved back, and can be repeated once it can', async () => {
    const id = await importRules();
    await decide(id, { office: 'global', crane: 'drop' });
    const twin = await storeMemory(engine, rules[2]!, { store: 'project' });
    const { undone, kept } = await engine.intakes.undo(id);
    assert.equal(undone, 1);
    assert.match(kept[0]!.reason, /^The same memory is there already \(#.{8}\)\. Forget one of the two\.$/u);
    assert.deepEqual(await countsOf(id), { keep: 0, drop: 0, global: 1 });
    await engine.deletion.purge([twin]);
    assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
    assert.equal(await stateOf('office'), 'project active');
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('gives what a kept statement repeated its confidence back, and costs what it differs from none', async () => {
    await storeMemory(engine, 'Our server port is 80.', { store: 'project', at: '2026-02-01T09:00:00.000Z' });
    const said = 'Our moorings are counted from the lighthouse.';
    await captureStatements(['Our server port is 8080.', said]);
    await storeMemory(engine, said, { store: 'project', lane: 'note' });
    const numbers = async (): Promise<readonly unknown[]> =>
      Promise.all(
        ['port is 80.', 'moorings'].map(async word => {
          const { confidence, reinforcementCount, lane } = await find(word);
          return [confidence, reinforcementCount, lane];
        }),
      );
    const before = await numbers();
    const { counts } = await decideCandidates({ 8080: 'keep', moorings: 'keep' });
    assert.deepEqual(counts, { keep: 2, drop: 0, global: 0 });
    const after = await numbers();
    assert.deepEqual(after[0], before[0]);
    assert.notDeepEqual(after[1], before[1]);
    assert.deepEqual(await engine.intakes.undo(candidatesIntakeId), { undone: 2, kept: [] });
    assert.deepEqual(await numbers(), before);
    assert.equal(await find('8080'), undefined);
    assert.deepEqual(await statementsLeft(), [said, 'Our server port is 8080.']);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('puts no statement back whose memory was changed since', async () => {
    await captureStatements(['Our harbour office is made of oak.', 'Our fuel is kept at the west pier.']);
    await decideCandidates({ oak: 'keep', fuel: 'keep' });
    await engine.pin((await find('oak')).id);
    const { undone, kept } = await engine.intakes.undo(candidatesIntakeId);
    assert.deepEqual([undone, kept.map(it => it.reason)], [1, [changedSince]]);
    assert.deepEqual(await statementsLeft(), ['Our fuel is kept at the west pier.']);
    assert.equal((await find('oak')).pinned, true);
  });

  it('moves memories and statements back to the project that they are of, of several that are open', async () => {
    const [first] = host.workspaceFolders;
    const second = temporaryFolder();
    host.workspaceFolders = [first!, second];
    engine = await host.openAllowed();
    const id = await importRules(second);
    await captureStatements(['Our fuel is kept at the west pier.', 'Our harbour office is made of oak.'], {
      cwd: second,
    });
    const other = new CaptureHost();
    Object.assign(other, { dataDir: host.dataDir, workspaceFolders: [second] });
    const alone = await other.open();
    const seen = async (): Promise<readonly unknown[]> => [
      (await alone.list({ scope: 'project-only' })).map(it => it.content).sort(),
      (await alone.capture.candidates()).length,
    ];
    const before = await seen();
    assert.deepEqual(before, [[...rules].sort(), 2]);
    await decide(id, { office: 'global' });
    await decideCandidates({ fuel: 'drop', oak: 'drop' });
    assert.deepEqual(await seen(), [[rules[0], rules[1]], 0]);
    await engine.intakes.undo(id);
    await engine.intakes.undo(candidatesIntakeId);
    assert.deepEqual(await seen(), before);
    await decideCandidates({ fuel: 'keep' });
    assert.deepEqual(await seen(), [['Our fuel is kept at the west pier.', ...rules].sort(), 1]);
  });

  it('leaves a memory that is moved back the branch on which it was learned', async () => {
    await captureStatements(['From now on always moor at the north quay.']);
    const [intake] = await engine.intakes.list();
    await decide(intake!.id, { quay: 'global' });
    await engine.intakes.undo(intake!.id);
    const { store, provenance } = await find('quay');
    assert.deepEqual([store, provenance.branch], ['project', 'tides']);
  });

  it('takes the last decision first, then the one before it, whichever store they changed', async () => {
    const id = await importRules();
    await decide(id, { office: 'global' });
    await decide(id, { office: 'drop' });
    assert.deepEqual(await countsOf(id), { keep: 0, drop: 1, global: 0 });
    assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
    assert.equal(await stateOf('office'), 'global active');
    assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
    assert.equal(await stateOf('office'), 'project active');
    await assert.rejects(engine.intakes.undo(id), { code: 'notFound' });
    assert.deepEqual([await reviewRecords(fileOf('project')), await reviewRecords(fileOf('global'))], [[], []]);
  });

  it('is not lost by a decision that changes nothing', async () => {
    const id = await importRules();
    await decide(id, { crane: 'drop' });
    assert.deepEqual((await decide(id, { crane: 'drop' })).counts, { keep: 0, drop: 0, global: 0 });
    assert.deepEqual(await countsOf(id), { keep: 0, drop: 1, global: 0 });
    assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
  });

  it('leaves a move alone that was refused and that a person made since', async () => {
    const id = await importRules();
    const office = (await find('office')).id;
    const twin = await storeMemory(engine, rules[2]!, { store: 'global' });
    const { refused } = await engine.intakes.decide(id, { [office]: 'global' });
    assert.deepEqual(
      refused.map(it => it.id),
      [office],
    );
    await engine.deletion.purge([twin]);
    await engine.moves.move([office], 'global');
    assert.equal(await countsOf(id), undefined);
    assert.deepEqual(await reviewRecords(fileOf('project')), []);
    await assert.rejects(engine.intakes.undo(id), { code: 'notFound' });
    assert.equal(await stateOf('office'), 'global active');
  });

  for (const [when, counts] of [
    ['before', { keep: 0, drop: 1, global: 0 }],
    ['within', { keep: 0, drop: 0, global: 1 }],
    ['after', { keep: 0, drop: 0, global: 1 }],
  ] as const) {
    it(`is not lost by an interruption ${when} a move`, async () => {
      const id = await importRules();
      await decide(id, { crane: 'drop' });
      const transfer = engine.moves.transfer.bind(engine.moves);
      engine.moves.transfer = async (...args) => {
        if (when === 'after') await transfer(...args);
        if (when === 'within') {
          const { store, centrality, ...copy } = await find('office');
          await writeToStore(host, 'global', host.globalFile, tx => tx.insertMany([copy]));
        }
        throw new Error('The process ended.');
      };
      await assert.rejects(decide(id, { office: 'global' }), /process ended/u);
      engine.moves.transfer = transfer;
      assert.deepEqual(await countsOf(id), counts);
      assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
      assert.equal(await stateOf('office'), 'project active');
      assert.equal((await engine.list({ limit: 1000 })).filter(it => it.content === rules[2]).length, 1);
    });
  }

  for (const choice of ['keep', 'global'] as const) {
    const title = 'puts no statement back whose memory was changed since, where it was interrupted';
    it(`${title}, of what was decided as ${choice}`, async () => {
      await captureStatements(['Our harbour office is made of oak.', 'Our fuel is kept at the west pier.']);
      await decideCandidates({ oak: choice, fuel: choice });
      await engine.pin((await find('oak')).id);
      await sql(
        fileOf('project'),
        `CREATE TRIGGER interruption BEFORE INSERT ON records
         WHEN NEW.kind = 'state' AND NEW.id LIKE 'candidates:%' BEGIN SELECT RAISE(ABORT, 'The process ended.'); END`,
      );
      await assert.rejects(engine.intakes.undo(candidatesIntakeId));
      await sql(fileOf('project'), 'DROP TRIGGER interruption');
      const { undone, kept } = await engine.intakes.undo(candidatesIntakeId);
      assert.deepEqual([undone, kept.map(it => it.reason)], [1, [changedSince]]);
      assert.deepEqual(await statementsLeft(), ['Our fuel is kept at the west pier.']);
      assert.deepEqual([await reviewRecords(fileOf('project')), await reviewRecords(fileOf('global'))], [[], []]);
    });
  }

  it('keeps a memory whose search words or links a person made since, and puts no statement back for it', async () => {
    await captureStatements([
      'Our harbour office is made of oak.',
      'Our fuel is kept at the west pier.',
      'Our moorings are counted from the lighthouse.',
    ]);
    const known = await storeMemory(engine, 'The crane lifts two tonnes.', { store: 'project' });
    await decideCandidates({ oak: 'keep', fuel: 'keep', moorings: 'keep' });
    const [oak, fuel] = [(await find('oak')).id, (await find('fuel')).id];
    await engine.revise({ id: oak, keywords: ['timber'] }, 'person');
    await engine.graph.link(fuel, 'refines', known);
    const { undone, kept } = await engine.intakes.undo(candidatesIntakeId);
    assert.equal(undone, 1);
    assert.deepEqual(new Map(kept.map(it => [it.id, it.reason])), new Map([oak, fuel].map(it => [it, changedSince])));
    assert.deepEqual(await statementsLeft(), ['Our moorings are counted from the lighthouse.']);
    assert.deepEqual((await engine.aids([oak])).get(oak)?.keywords, ['timber']);
    assert.equal((await engine.graph.neighbors(fuel, { types: ['refines'] })).length, 1);
  });

  it('leaves a statement its time, and a place on its list however many were made since', async () => {
    const lines = ['Our harbour office is made of oak.', 'Our fuel is kept at the west pier.'].map(it => userLine(it));
    const capture = async (): Promise<void> => {
      await engine.capture.run({ source: 'claudeCode', files: [host.writeSession(lines)] });
    };
    await capture();
    host.advanceDays(29.5);
    assert.equal((await engine.capture.candidates()).length, 2);
    await decideCandidates({ oak: 'drop', fuel: 'keep' });
    for (let i = 1; i <= 60; i++) lines.push(userLine(`Our berth ${i} is ${i + 3} metres long.`));
    await capture();
    assert.equal((await engine.capture.candidates()).length, 20);
    await engine.intakes.undo(candidatesIntakeId);
    lines.push(userLine('Our moorings are counted from the lighthouse.'));
    await capture();
    const isFirst = (it: string): boolean => /oak|fuel/u.test(it);
    const left = await statementsLeft();
    assert.deepEqual([left.length, left.filter(isFirst).length], [22, 2]);
    host.advanceDays(0.6);
    const later = await statementsLeft();
    assert.deepEqual([later.length, later.filter(isFirst).length], [20, 0]);
  });

  it('leaves a refused statement on its list, with the reason', async () => {
    await captureStatements(['Our moorings are counted from the lighthouse.', 'Our fuel is kept at the west pier.']);
    host.settings = { ...host.settings, remember: { ...host.settings.remember, maxCharacters: 40 } };
    const { counts, refused } = await decideCandidates({ moorings: 'keep', fuel: 'keep' });
    assert.deepEqual(counts, { keep: 1, drop: 0, global: 0 });
    assert.deepEqual(
      refused.map(it => it.text),
      ['Our moorings are counted from the lighthouse.'],
    );
    assert.match(refused[0]!.reason, /holds at most/u);
    assert.deepEqual(await statementsLeft(), ['Our moorings are counted from the lighthouse.']);
  });

  it('is deleted with its import', async () => {
    const id = await importRules();
    await decide(id, { office: 'global' });
    await decide(id, { office: 'drop' });
    await engine.exchange.undoImport(id);
    assert.deepEqual([await reviewRecords(fileOf('project')), await reviewRecords(fileOf('global'))], [[], []]);
  });

  it('of statements is deleted after a day, as it holds what was dropped', async () => {
    const text = 'Our fuel is kept at the west pier.';
    await captureStatements([text, 'Our harbour office is made of oak.']);
    await decideCandidates({ fuel: 'drop' });
    const id = await importRules();
    await decide(id, { crane: 'drop' });
    host.advanceDays(1.1);
    await captureStatements(['Thanks.'], {}, 'later.jsonl');
    assert.deepEqual(await reviewRecords(fileOf('project')), [id]);
    const quoting = await sql(
      fileOf('project'),
      `SELECT id FROM records WHERE kind <> 'cursor' AND body LIKE '%${text}%'`,
    );
    assert.deepEqual(quoting, []);
  });

  for (const [entrance, enter] of [
    ['the list of what came in', (): Promise<unknown> => engine.intakes.list()],
    ['an undo', (): Promise<unknown> => assert.rejects(engine.intakes.undo(candidatesIntakeId), { code: 'notFound' })],
    ['maintenance', (): Promise<unknown> => engine.maintenance.run()],
    ['a look at what is due', (): Promise<unknown> => engine.maintenance.runIfDue()],
  ] as const) {
    it(`of statements is deleted after a day by ${entrance}`, async () => {
      await captureStatements(['Our fuel is kept at the west pier.', 'Our harbour office is made of oak.']);
      await decideCandidates({ fuel: 'drop' });
      host.advanceDays(1.1);
      // As an interrupted undo leaves it.
      await sql(fileOf('project'), `UPDATE records SET at = '${host.now().toISOString()}' WHERE kind = 'review'`);
      await enter();
      assert.deepEqual(await reviewRecords(fileOf('project')), []);
    });
  }

  it('loses what a purge deletes, and takes the rest back', async () => {
    await captureStatements(['Our fuel is kept at the west pier.', 'Our harbour office is made of oak.']);
    await decideCandidates({ fuel: 'keep', oak: 'keep' });
    const id = await importRules();
    await decide(id, { crane: 'drop', Crates: 'drop' });
    const purged = [(await find('crane')).id, (await find('fuel')).id];
    await engine.deletion.purge(purged);
    const bodies = await sql(fileOf('project'), "SELECT body FROM records WHERE kind = 'review'");
    for (const it of purged) assert.doesNotMatch(JSON.stringify(bodies), new RegExp(it, 'u'));
    for (const it of [rules[1]!, 'west pier']) assert.doesNotMatch(JSON.stringify(bodies), new RegExp(it, 'u'));
    assert.deepEqual(await engine.intakes.undo(id), { undone: 1, kept: [] });
    assert.deepEqual(await engine.intakes.undo(candidatesIntakeId), { undone: 1, kept: [] });
    assert.deepEqual(await statementsLeft(), ['Our harbour office is made of oak.']);
  });
});

describe('the log of what came in', () => {
  it('keeps no part of what is no longer listed, however many there are', async () => {
    const host = new CaptureHost({ project: true });
    const engine = await host.openAllowed();
    const { file } = engine.stores.find(it => it.kind === 'project')!;
    mkdirSync(path.dirname(file), { recursive: true });
    const row = (kind: string): string => `INSERT INTO records
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2100)
      SELECT '${kind}', printf('old%d m%d', n, n), '2026-01-01', '{"at":"2026-01-01","source":"claudeCode","created":["m"]}'
      FROM numbers`;
    await sql(file, row('capture'), row('import'));
    const session = host.writeSession([userLine('From now on always moor at the north quay.')]);
    await engine.capture.run({ source: 'claudeCode', files: [session] });
    const notes = path.join(host.workspaceFolders[0]!, 'notes.md');
    writeFileSync(notes, '- The crane lifts two tonnes.\n');
    await engine.exchange.import({ path: notes, format: 'markdown' });
    const left = await sql(file, "SELECT count(*) AS n FROM records WHERE kind IN ('capture', 'import') GROUP BY kind");
    assert.deepEqual(
      left.map(it => it.n),
      [50, 50],
    );
    const own = (await engine.intakes.list()).filter(it => !it.id.startsWith('old'));
    assert.deepEqual(
      own.map(it => [it.by, it.count]),
      [
        ['claudeCode', 1],
        ['import', 1],
      ],
    );
  });
});

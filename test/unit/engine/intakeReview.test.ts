import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { candidatesIntakeId, type IntakeReview } from '../../../src/engine/model/intake.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import { storeMemory, storeProblems, temporaryFolder } from '../../support/fixtures.js';
import { CaptureHost, userLine } from '../capture/captureHost.js';

const limit = 100;
const rules = ['Crates are stacked by weight.', 'The crane lifts two tonnes.', 'The office opens at eight.'];

describe('the review of what came in', () => {
  let host: CaptureHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new CaptureHost({ project: true });
    engine = await host.openAllowed();
  });

  const importRules = async (facts: readonly string[] = rules): Promise<string> => {
    const file = path.join(temporaryFolder(), 'notes.md');
    writeFileSync(file, facts.map(it => `- ${it}\n`).join(''));
    const { id } = await engine.exchange.import({ path: file, format: 'markdown' });
    return id!;
  };
  const memoriesOf = ({ items }: IntakeReview): readonly Memory[] => items.flatMap(it => it.memory ?? []);
  const idOf = (review: IntakeReview, word: string): string => {
    const found = review.items.map(it => it.memory ?? it.candidate).find(it => it.content.includes(word));
    return found!.id;
  };
  /** What a decision changes of a memory. */
  const states = (review: IntakeReview): readonly (readonly unknown[])[] =>
    memoriesOf(review).map(it => [it.content, it.store, it.status, it.lane, it.confidence]);

  it('lists what an import made in the order of its file, and what was known before not', async () => {
    await storeMemory(engine, rules[1]!, { store: 'project' });
    const id = await importRules();
    const [intake, ...others] = await engine.intakes.list();
    assert.deepEqual(others, []);
    assert.deepEqual({ ...intake, at: '' }, { id, at: '', by: 'import', source: 'notes.md', count: 2, undecided: 2 });
    const { items, more, decision } = await engine.intakes.review(id, { limit });
    assert.deepEqual(
      items.map(it => it.memory?.content),
      [rules[0], rules[2]],
    );
    assert.deepEqual([more, decision], [0, undefined]);
  });

  it('confirms, drops and moves what a person chose, leaves the rest as it was, and undoes it as one', async () => {
    const id = await importRules();
    const before = await engine.intakes.review(id, { limit });
    assert.deepEqual(
      states(before).map(it => it[1]),
      ['project', 'project', 'project'],
    );
    const choices = {
      [idOf(before, 'Crates')]: 'keep',
      [idOf(before, 'crane')]: 'drop',
      [idOf(before, 'office')]: 'global',
    } as const;
    const { counts, refused } = await engine.intakes.decide(id, choices);
    assert.deepEqual([counts, refused], [{ keep: 1, drop: 1, global: 1 }, []]);
    const after = await engine.intakes.review(id, { limit });
    const [crates, crane, office] = states(before);
    assert.deepEqual(states(after), [
      [crates![0], 'project', 'active', 'confirmed', crates![4]],
      [crane![0], 'project', 'archived', 'note', crane![4]],
      [office![0], 'global', 'active', 'confirmed', office![4]],
    ]);
    assert.equal(memoriesOf(after)[1]?.archiveReason, 'forgotten');
    assert.deepEqual(after.decision?.counts, counts);

    assert.deepEqual(await engine.intakes.undo(id), { undone: 3, kept: [] });
    const undone = await engine.intakes.review(id, { limit });
    assert.deepEqual(states(undone), states(before));
    assert.equal(undone.decision, undefined);
    await assert.rejects(engine.intakes.undo(id), { code: 'notFound' });
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('brings back what was dropped, where a person keeps it after all', async () => {
    const id = await importRules();
    const crane = idOf(await engine.intakes.review(id, { limit }), 'crane');
    await engine.intakes.decide(id, { [crane]: 'drop' });
    const { counts } = await engine.intakes.decide(id, { [crane]: 'keep' });
    assert.deepEqual(counts, { keep: 1, drop: 0, global: 0 });
    const { status, lane } = await engine.get(crane);
    assert.deepEqual([status, lane], ['active', 'confirmed']);
    await engine.intakes.undo(id);
    const undone = await engine.get(crane);
    assert.deepEqual([undone.status, undone.lane], ['archived', 'note']);
  });

  it('says why one stays where it is, and does the rest', async () => {
    const id = await importRules();
    await storeMemory(engine, rules[1]!, { store: 'global' });
    const review = await engine.intakes.review(id, { limit });
    const { counts, refused } = await engine.intakes.decide(id, {
      [idOf(review, 'crane')]: 'global',
      [idOf(review, 'office')]: 'drop',
    });
    assert.deepEqual(counts, { keep: 0, drop: 1, global: 0 });
    assert.match(refused[0]?.reason ?? '', /The same memory is there already/u);
  });

  it('decides about nothing that did not come in by it', async () => {
    const id = await importRules();
    const other = await storeMemory(engine, 'The quay is lit.', { store: 'project' });
    await engine.intakes.decide(id, { [other]: 'drop' });
    assert.equal((await engine.get(other)).status, 'active');
  });

  it('shows the first of several hundred, and decides about the others too', async () => {
    const id = await importRules(Array.from({ length: 300 }, (_, i) => `Berth ${i + 1} is ${i + 3} metres long.`));
    const first = await engine.intakes.review(id, { limit: 200 });
    assert.deepEqual([first.items.length, first.more], [200, 100]);
    const last = (await engine.intakes.review(id, { limit: 500 })).items.at(-1)!.memory!;
    assert.equal(last.content, 'Berth 300 is 302 metres long.');
    await engine.intakes.decide(id, { [last.id]: 'drop' });
    assert.equal((await engine.get(last.id)).status, 'archived');
  });

  it('knows no import that was undone, and keeps what a person moved away from it', async () => {
    const id = await importRules();
    const office = idOf(await engine.intakes.review(id, { limit }), 'office');
    await engine.intakes.decide(id, { [office]: 'global' });
    const { removed, kept } = await engine.exchange.undoImport(id);
    assert.deepEqual([removed, kept.map(it => it.content)], [2, [rules[2]]]);
    await assert.rejects(engine.intakes.review(id, { limit }), { code: 'notFound' });
  });

  it('lists what each run of capture made, and no run that made nothing', async () => {
    const file = host.writeSession([
      userLine('From now on always moor at the north quay. From now on never paint the pier green.'),
    ]);
    const { id } = await engine.capture.run({ source: 'claudeCode', files: [file] });
    const again = await engine.capture.run({ source: 'claudeCode', files: [file] });
    assert.equal(again.id, undefined);
    const intakes = await engine.intakes.list();
    assert.deepEqual(
      intakes.map(it => [it.id, it.by, it.count]),
      [[id, 'claudeCode', 2]],
    );
    const review = await engine.intakes.review(id!, { limit });
    assert.deepEqual(
      states(review).map(it => [it[0], it[3]]),
      [
        ['From now on always moor at the north quay.', 'note'],
        ['From now on never paint the pier green.', 'note'],
      ],
    );
  });

  it('keeps fifty runs of capture', async () => {
    for (let i = 0; i < 52; i++) {
      host.advanceDays(0.01);
      const file = host.writeSession(
        [userLine(`From now on always use berth ${i + 1} for boat ${i + 1}.`)],
        `${i}.jsonl`,
      );
      await engine.capture.run({ source: 'claudeCode', files: [file] });
    }
    const intakes = await engine.intakes.list();
    assert.equal(intakes.length, 50);
    const oldest = await engine.intakes.review(intakes.at(-1)!.id, { limit });
    assert.deepEqual(
      memoriesOf(oldest).map(it => it.content),
      ['From now on always use berth 3 for boat 3.'],
    );
  });

  it('decides what captured sessions left open, as the word of a person, and puts it back', async () => {
    const statements = [
      'Our harbour office is made of oak.',
      'Our moorings are counted from the lighthouse.',
      'Our Fuel is kept at the west pier.',
    ];
    const file = host.writeSession(statements.map(it => userLine(it)));
    await engine.capture.run({ source: 'claudeCode', files: [file] });
    const open = await engine.intakes.review(candidatesIntakeId, { limit });
    assert.equal(open.items.length, 3);
    const { counts } = await engine.intakes.decide(candidatesIntakeId, {
      [idOf(open, 'harbour')]: 'keep',
      [idOf(open, 'moorings')]: 'global',
      [idOf(open, 'Fuel')]: 'drop',
    });
    assert.deepEqual(counts, { keep: 1, drop: 1, global: 1 });
    const kept = (await engine.list()).filter(it => statements.includes(it.content));
    assert.deepEqual(
      kept.map(it => [it.content, it.store, it.lane]).sort(),
      [
        [statements[0], 'project', 'confirmed'],
        [statements[1], 'global', 'confirmed'],
      ].sort(),
    );
    assert.deepEqual(await engine.capture.candidates(), []);

    assert.deepEqual(await engine.intakes.undo(candidatesIntakeId), { undone: 3, kept: [] });
    assert.equal((await engine.capture.candidates()).length, 3);
    assert.deepEqual(
      (await engine.list()).filter(it => statements.includes(it.content)),
      [],
    );
    await engine.intakes.decide(candidatesIntakeId, { [idOf(open, 'harbour')]: 'keep' });
    assert.equal((await engine.list()).filter(it => it.content === statements[0]).length, 1);
  });
});

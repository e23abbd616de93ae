import assert from 'node:assert/strict';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { EdgeMark } from '../../../src/engine/model/edge.js';
import { shortId } from '../../../src/engine/model/memory.js';
import type { ReviseInput } from '../../../src/engine/model/rememberInput.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

const query = 'harbour gate bell';

describe('revising a memory', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let older: string;
  let newer: string;

  beforeEach(async () => {
    host = new TestHost({ project: true });
    host.settings = { ...host.settings, embeddings: 'off' };
    engine = await host.open();
    older = await storeMemory(engine, 'The harbour gate has a brass bell.', { lane: 'note' });
    host.advanceDays(1);
    newer = await storeMemory(engine, 'Chimes are made of steel now.', { lane: 'note' });
  });

  afterEach(async () => {
    assert.deepEqual(await storeProblems(engine), []);
  });

  /** Ids of the answer; those that are outdated follow in brackets. */
  const answer = async (): Promise<string[]> =>
    (await engine.recall({ query })).hits.map(({ memory, before = [] }) =>
      [memory.id, ...before.map(it => `(${it.id})`)].join(' '),
    );
  const refuses = (input: ReviseInput, code: EngineErrorCode, by: EdgeMark['by'] = 'model'): Promise<void> =>
    assert.rejects(engine.revise(input, by), (error: unknown) => {
      assert.ok(EngineError.is(error, code), String(error));
      return true;
    });

  it('hides a note below the memory that replaces it, and costs neither any confidence', async () => {
    const before = [(await engine.get(older)).confidence, (await engine.get(newer)).confidence];
    assert.deepEqual(await answer(), [older]);
    const revised = await engine.revise(
      { id: `#${shortId({ id: older })}`, replacedBy: shortId({ id: newer }) },
      'model',
    );
    assert.deepEqual(
      [revised.id, await answer(), [(await engine.get(older)).confidence, (await engine.get(newer)).confidence]],
      [older, [`${newer} (${older})`], before],
    );
  });

  it('gives what says the same the search words of the other, and the user’s words, and leaves its own', async () => {
    const words = { questions: ['What rings at the gate?'], keywords: ['bell'] };
    const said = 'the gate bell is brass, remember that';
    const rich = await storeMemory(engine, 'At the gate hangs a bell of brass.', { lane: 'note', aids: words, said });
    await engine.revise({ id: newer, keywords: ['steel'] }, 'model');
    await engine.revise({ id: rich, sameAs: newer }, 'model');
    const aids = (await engine.aids([newer])).get(newer);
    assert.deepEqual([aids?.questions, aids?.keywords], [words.questions, ['steel', 'bell']]);
    assert.equal((await engine.get(newer)).provenance.said, said);
    assert.deepEqual((await engine.aids([rich])).get(rich)?.questions, words.questions);
  });

  it('hides a note for which a memory stands that says the same, and does not call it an earlier state', async () => {
    await engine.revise({ id: older, sameAs: newer }, 'model');
    assert.deepEqual(await answer(), [newer]);
    assert.deepEqual(await engine.conflicts.list(), []);
  });

  it('keeps what a person confirmed above a note that says the same, whichever of the two a model names', async () => {
    const said = await storeMemory(engine, 'The harbour gate has a bell of brass, always.', { lane: 'confirmed' });
    await engine.revise({ id: said, sameAs: older }, 'model');
    assert.deepEqual(await answer(), [said]);
    assert.deepEqual(await engine.conflicts.list(), []);
    await engine.revise({ id: older, sameAs: said }, 'model');
    assert.deepEqual(await answer(), [said]);
  });

  it('makes a note a rule that takes the place of one, and leaves what a person confirmed as it is', async () => {
    const gatesOf = async (...ids: string[]): Promise<string[]> =>
      Promise.all(ids.map(async it => (await engine.get(it)).gate));
    const rule = await storeMemory(engine, 'Ring the harbour bell before each landing.', { gate: 'behavioral' });
    await engine.revise({ id: rule, replacedBy: older }, 'model');
    const said = await storeMemory(engine, 'The harbour has no bell.', { lane: 'confirmed', gate: 'epistemic' });
    await engine.revise({ id: older, replacedBy: said }, 'model');
    assert.deepEqual(await gatesOf(rule, older, said), ['behavioral', 'behavioral', 'epistemic']);
  });

  it('moves a note to where it applies, with its words, and back', async () => {
    const contents = async (): Promise<string[]> =>
      (await engine.list({ scope: 'project-only' })).map(it => it.content);
    const note = await storeMemory(engine, 'Answers come without emojis.', {
      lane: 'note',
      store: 'project',
      aids: { questions: ['How do I write?'], keywords: [] },
    });
    assert.equal((await engine.revise({ id: note, appliesTo: 'user', keywords: ['style'] }, 'model')).store, 'global');
    assert.deepEqual(await contents(), []);
    assert.deepEqual((await engine.aids([note])).get(note), { questions: ['How do I write?'], keywords: ['style'] });
    assert.equal((await engine.revise({ id: note, appliesTo: 'user' }, 'model')).store, 'global');
    assert.equal((await engine.revise({ id: note, appliesTo: 'project' }, 'model')).store, 'project');
    assert.deepEqual(await contents(), ['Answers come without emojis.']);
  });

  it('leaves what a person confirmed, what is about a file and what is in a set where it is', async () => {
    const confirmed = await storeMemory(engine, 'Answer in Danish.', { store: 'project' });
    await refuses({ id: confirmed, appliesTo: 'user' }, 'invalidInput');
    assert.equal((await engine.revise({ id: confirmed, appliesTo: 'user' }, 'person')).store, 'global');
    const about = await storeMemory(engine, 'This retries twice.', {
      lane: 'note',
      store: 'project',
      uri: 'src/retry.ts',
    });
    await refuses({ id: about, appliesTo: 'user' }, 'invalidInput', 'person');
    const inSet = await storeMemory(engine, 'Anna sails.', { lane: 'note', scopeId: 'crew' });
    await refuses({ id: inSet, appliesTo: 'project' }, 'invalidInput', 'person');
    await refuses({ id: older, appliesTo: 'user', stillTrue: true }, 'invalidInput', 'person');
    const limited = Object.assign(new TestHost({ project: true }), { dataDir: host.dataDir, onlyStore: 'global' });
    const its = await limited.open();
    await assert.rejects(its.revise({ id: older, appliesTo: 'project' }, 'model'));
    assert.equal((await engine.get(older)).store, 'global');
  });

  it('takes a mark back when the memory still holds, and marks it again', async () => {
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    await engine.revise({ id: older, stillTrue: true }, 'model');
    assert.deepEqual(await answer(), [older]);
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    assert.deepEqual(await answer(), [`${newer} (${older})`]);
  });

  it('changes nothing where nothing is marked, and leaves it to a person which of two confirmed memories holds', async () => {
    await engine.revise({ id: older, stillTrue: true }, 'model');
    assert.deepEqual(await answer(), [older]);
    const [first, second] = [
      await storeMemory(engine, 'The build runs on Node 20.'),
      await storeMemory(engine, 'The build runs on Node 22.'),
    ];
    await refuses({ id: first, replacedBy: second }, 'invalidInput');
    assert.deepEqual(await engine.conflicts.list(), []);
    await engine.revise({ id: first, replacedBy: second }, 'person');
    assert.equal((await engine.conflicts.list()).length, 1);
  });

  it('lets the newest judgement stand when two memories are said to replace each other', async () => {
    await engine.revise({ id: older, replacedBy: newer }, 'model');
    await engine.revise({ id: newer, replacedBy: older }, 'model');
    assert.deepEqual(
      (await engine.recall({ query: 'chimes of steel' })).hits.map(it => [it.memory.id, it.before?.[0]?.id]),
      [[older, newer]],
    );
  });

  it("lets a person's mark and a person's settlement stand against a model", async () => {
    await engine.revise({ id: older, replacedBy: newer }, 'person');
    await refuses({ id: older, stillTrue: true }, 'invalidInput');
    await refuses({ id: newer, replacedBy: older }, 'invalidInput');
    assert.deepEqual(await answer(), [`${newer} (${older})`]);
    await engine.conflicts.resolve(older, newer, 'keepBoth');
    await refuses({ id: older, replacedBy: newer }, 'invalidInput');
    assert.deepEqual(await answer(), [older]);
  });

  it('replaces the list of search aids that a person gives, and keeps the other', async () => {
    const aids = async (): Promise<unknown> => (await engine.aids([older])).get(older);
    await engine.revise({ id: older, questions: ['What rings there?'], keywords: ['chime', 'metal'] }, 'person');
    await engine.revise({ id: older, keywords: ['sound'] }, 'person');
    assert.deepEqual(await aids(), { questions: ['What rings there?'], keywords: ['sound'] });
    await engine.revise({ id: older, replacedBy: newer, questions: ['Is it loud?'] }, 'person');
    assert.deepEqual(await aids(), { questions: ['Is it loud?'], keywords: ['sound'] });
  });

  it('adds the search aids of a model to those that are there, each once, and drops none for want of room', async () => {
    const aids = async (): Promise<unknown> => (await engine.aids([older])).get(older);
    const questions = ['What rings there?', 'Is it loud?'];
    await engine.revise({ id: older, questions, keywords: ['chime'] }, 'person');
    await engine.revise({ id: older, keywords: ['sound', 'chime'] }, 'model');
    await engine.revise({ id: older, stillTrue: true, questions: ['Who rings it?', 'How often?'] }, 'model');
    assert.deepEqual(await aids(), { questions: [...questions, 'Who rings it?'], keywords: ['chime', 'sound'] });
  });

  it('empties a list of search aids for a person only', async () => {
    const aids = async (): Promise<unknown> => (await engine.aids([older])).get(older);
    await engine.revise({ id: older, questions: ['What rings there?'], keywords: ['chime'] }, 'model');
    await engine.revise({ id: older, keywords: [] }, 'model');
    assert.deepEqual(await aids(), { questions: ['What rings there?'], keywords: ['chime'] });
    await engine.revise({ id: older, keywords: [] }, 'person');
    assert.deepEqual(await aids(), { questions: ['What rings there?'], keywords: [] });
  });

  it('refuses none or several judgements, unknown memories and those of another store or set', async () => {
    const elsewhere = await storeMemory(engine, 'The gate is shut.', { scopeId: 'elsewhere' });
    const ofProject = await storeMemory(engine, 'The gate is open.', { store: 'project' });
    await refuses({ id: older }, 'invalidInput');
    await refuses({ id: older, replacedBy: newer, stillTrue: true }, 'invalidInput');
    await refuses({ id: older, replacedBy: older }, 'invalidInput');
    await refuses({ id: older, replacedBy: elsewhere }, 'invalidInput');
    await refuses({ id: older, sameAs: ofProject }, 'invalidInput');
    await refuses({ id: '00000000', stillTrue: true }, 'notFound');
    await refuses({ id: older, replacedBy: '00000000' }, 'notFound');
    assert.deepEqual(new Set(await answer()), new Set([ofProject, older]));
  });
});

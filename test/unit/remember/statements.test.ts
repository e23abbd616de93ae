import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RememberOutcome } from '../../../src/engine/model/rememberOutcome.js';
import { shortId } from '../../../src/engine/model/memory.js';
import { storeMemory, storeProblems, memoryInput, TestHost, writeToStore } from '../../support/fixtures.js';

const was = 'The api runs on port 8080.';
const is = 'The api runs on port 9090.';
const noted = (content: string, more: Partial<RememberInput> = {}): RememberInput =>
  memoryInput(content, { lane: 'note', source: 'mcp', ...more });

describe('what is stated about memories', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
  });

  afterEach(async () => {
    assert.deepEqual(await storeProblems(engine), []);
  });

  const remember = async (input: RememberInput): Promise<Exclude<RememberOutcome, { outcome: 'refused' }>> => {
    const [outcome] = await engine.remember(input);
    assert.ok(outcome !== undefined && outcome.outcome !== 'refused');
    host.advanceDays(1);
    return outcome;
  };
  const related = (outcome: RememberOutcome): readonly string[] =>
    outcome.outcome === 'stored' ? (outcome.related ?? []).map(it => it.id) : [];
  /** Ids of the answer; what they replaced follows in brackets. */
  const answer = async (query: string): Promise<string[]> =>
    (await engine.recall({ query })).hits.map(({ memory, before = [], outdating }) =>
      [memory.id, ...before.map(it => `(${it.id})`), ...(outdating === undefined ? [] : ['unsettled'])].join(' '),
    );

  it('never comes of likeness: the engine names what is like a new fact, and changes nothing about it', async () => {
    const older = await remember(memoryInput(was));
    const before = await engine.get(older.id);
    const newer = await remember(memoryInput(is));
    assert.deepEqual(related(newer), [older.id]);
    assert.deepEqual([await engine.conflicts.list(), newer.replaces], [[], undefined]);
    const { centrality, ...after } = await engine.get(older.id);
    assert.deepEqual({ ...after, centrality: before.centrality }, before);
    assert.deepEqual(
      (await engine.recall({ query: 'port of the api' })).hits.map(it => it.outdating),
      [undefined, undefined],
    );
  });

  it('is found again in the answer: what a fact replaces, with its text', async () => {
    const { id } = await remember(noted('The lab opens at nine.'));
    const { replaces, reason } = await remember(
      noted('Merge requests target develop.', { links: { replaces: [shortId({ id })] } }),
    );
    assert.deepEqual([replaces, reason], [[{ id, content: 'The lab opens at nine.' }], undefined]);
    assert.equal((await engine.get(id)).confidence, (await engine.get(id)).confidence);
  });

  it('names as related neither what the call names, nor facts of the same call, nor what has been replaced', async () => {
    const first = await remember(noted('The bench host is alpha.'));
    const second = await remember(noted('The bench host is beta.', { links: { replaces: [first.id] } }));
    assert.deepEqual(related(second), []);
    const [third, fourth] = (
      await engine.rememberAll([noted('The bench host is gamma.'), noted('The bench host is delta.')])
    ).flat();
    assert.deepEqual([related(third!), related(fourth!)], [[second.id], [second.id]]);
  });

  it('names two memories at most, and none that is like it in nothing', async () => {
    for (const port of [1, 2, 3, 4]) await remember(noted(`The harbour crane ${port} listens on port ${port}000.`));
    const more = await remember(noted('The harbour crane 5 listens on port 5000.'));
    assert.equal(related(more).length, 2);
    assert.deepEqual(related(await remember(noted('Lena bakes rye bread.'))), []);
  });

  it('costs the older one 20 to 50 points where a person says what replaces it, and nothing where a model does', async () => {
    const [ofModel, ofPerson] = [await remember(noted(was)), await remember(noted('Lena owns the billing service.'))];
    const confidenceOf = async (id: string): Promise<number> => (await engine.get(id)).confidence;
    const before = [await confidenceOf(ofModel.id), await confidenceOf(ofPerson.id)];
    await remember(noted(is, { links: { replaces: [ofModel.id] } }));
    await remember(
      memoryInput('Peter owns the billing service.', { source: 'explicit', links: { replaces: [ofPerson.id] } }),
    );
    assert.equal(await confidenceOf(ofModel.id), before[0]);
    const lost = before[1]! - (await confidenceOf(ofPerson.id));
    assert.ok(lost >= 20 && lost <= 50, `lost ${lost}`);
    await engine.revise({ id: ofPerson.id, stillTrue: true }, 'person');
    assert.equal(await confidenceOf(ofPerson.id), before[1]);
  });

  it('keeps what a person confirmed as a line of its own against a model, unsettled', async () => {
    const older = await remember(memoryInput(was));
    const newer = await remember(noted(is, { links: { replaces: [older.id] } }));
    assert.deepEqual(await answer('port of the api'), [`${newer.id} unsettled`, `${older.id} unsettled`]);
    assert.deepEqual(
      (await engine.conflicts.list({ undecidedOnly: true })).map(it => [it.older.memory.id, it.decided]),
      [[older.id, false]],
    );
  });

  it('stands in the order of authority, then of time, whichever memory is newer', async () => {
    const first = await remember(noted('Uplinks go out every 15 minutes.'));
    const second = await remember(noted('Uplinks go out every 20 minutes.'));
    const third = await remember(noted('Uplinks go out every 30 minutes.'));
    await engine.revise({ id: first.id, replacedBy: third.id }, 'person');
    host.advanceDays(1);
    await engine.revise({ id: first.id, replacedBy: second.id }, 'model');
    const query = 'how often do uplinks go out: every 15 minutes?';
    const [line] = (await answer(query)).filter(it => it.includes(`(${first.id})`));
    assert.equal(line, `${third.id} (${first.id})`);
  });

  it('ends a circle at the memory that the last word names', async () => {
    const [a, b, c] = [
      await remember(noted('Uplinks go out every 15 minutes.')),
      await remember(noted('Uplinks go out every 20 minutes.')),
      await remember(noted('Uplinks go out every 30 minutes.')),
    ];
    for (const [id, replacedBy] of [
      [a.id, b.id],
      [b.id, c.id],
      [c.id, a.id],
    ] as const) {
      await engine.revise({ id, replacedBy }, 'model');
      host.advanceDays(1);
    }
    const [line, ...others] = await answer('how often do uplinks go out');
    assert.deepEqual([line?.split(' ')[0], others], [a.id, []]);
  });

  it('is no finding of the rules of earlier versions', async () => {
    const older = await remember(noted(was));
    const newer = await remember(noted(is));
    const edge = { source: newer.id, target: older.id, type: 'contradicts', strength: 0.8 } as const;
    await writeToStore(host, 'global', host.globalFile, tx => tx.link([{ ...edge, reason: 'Both speak of port.' }]));
    assert.deepEqual(
      [await engine.conflicts.list(), [...(await engine.conflicts.replacements([await engine.get(older.id)]))]],
      [[], []],
    );
    assert.deepEqual(new Set(await answer('port of the api')), new Set([older.id, newer.id]));
    assert.deepEqual(related(await remember(noted('The api runs on port 7070.'))).length, 2);
  });

  it('stores facts without comparing them while the search worker cannot run, and logs it', async () => {
    const offline = new TestHost();
    offline.settings = { ...offline.settings, embeddings: 'off' };
    offline.bundleDir = offline.modelsDir;
    const other = await offline.open();
    await storeMemory(other, was);
    offline.advanceDays(1);
    const outcomes = (await other.rememberAll([memoryInput(is), memoryInput(was)])).flat();
    assert.deepEqual(
      outcomes.map(it => it.outcome),
      ['stored', 'reinforced'],
    );
    assert.match(offline.logLines.join(), /could not be compared/u);
    assert.doesNotMatch(offline.logLines.join(), /port/u);
  });

  it('links the closest by meaning', async () => {
    await remember(noted('The checkout service stores its sessions in Redis.'));
    await remember(noted('Sarah sails on Sundays.'));
    const { id } = await remember(noted('Checkout keeps the sessions of its service in the Redis cache.'));
    const edges = await engine.graph.edgesBetween((await engine.list()).map(it => it.id));
    assert.deepEqual(
      edges.map(it => [it.source, it.type]),
      [[id, 'relates_to']],
    );
  });
});

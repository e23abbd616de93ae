import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { GivenMemory } from '../../../src/engine/model/access.js';
import { shortId } from '../../../src/engine/model/memory.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

describe('a recall for an asker that has been given memories', () => {
  const query = 'ferry pier';
  let host: TestHost;
  let engine: MemoryEngine;
  let ids: string[];

  beforeEach(async () => {
    host = new TestHost();
    host.settings = { ...host.settings, embeddings: 'off' };
    engine = await host.open();
    ids = [];
    for (const it of [
      'The ferry has a pier of its own.',
      'Inger paints the pier of the ferry.',
      'A green lamp marks the ferry pier at night.',
      'Tickets for the ferry are sold at the pier.',
    ])
      ids.push(await storeMemory(engine, it, { lane: 'note' }));
  });

  /** As if they had been given now; time goes on. */
  const giveNow = (...given: readonly string[]): readonly GivenMemory[] => {
    const at = host.now().toISOString();
    host.time += 60_000;
    return given.map(id => ({ id: shortId({ id }), at }));
  };
  const recallIds = async (more: Partial<RecallInput> = {}): Promise<string[]> =>
    (await engine.recall({ query, ...more })).hits.map(it => it.memory.id);

  it('leaves them out, and gives their places to others', async () => {
    const [first = '', second = ''] = await recallIds({ limit: 2 });
    const given = giveNow(first, second);
    const { hits, trace } = await engine.recall({ query, limit: 2, given });
    assert.deepEqual(hits.map(it => it.memory.id).sort(), ids.filter(it => it !== first && it !== second).sort());
    assert.deepEqual(
      trace.candidates.map(it => [it.id, it.outcome]).filter(([, outcome]) => outcome === 'given before'),
      [
        [first, 'given before'],
        [second, 'given before'],
      ],
    );
    assert.deepEqual(await recallIds({ given: giveNow(...ids) }), []);
    assert.equal((await recallIds()).length, ids.length);
  });

  it('finds others behind many that were given', async () => {
    const isles = Array.from({ length: 60 }, (_, i) => `The ferry pier of isle number ${i} is painted white.`);
    await engine.rememberAll(isles.map(content => ({ content, source: 'explicit', lane: 'note', store: 'global' })));
    host.time += 60_000;
    const budget = { tokenBudget: 32_000, withoutCut: true };
    const given = await recallIds({ limit: 60, ...budget });
    assert.equal((await recallIds({ limit: 4, given: giveNow(...given), ...budget })).length, 4);
  });

  it('brings one again whose text was changed since, and leaves it out once it was given in that form', async () => {
    const [first = ''] = ids;
    const before = giveNow(...ids);
    const { content } = await engine.get(first);
    await engine.editText(first, { content: 'The ferry shares its pier with the pilot boat.', before: content });
    assert.deepEqual(await recallIds({ given: before }), [first]);
    host.time += 60_000;
    assert.deepEqual(await recallIds({ given: giveNow(...ids) }), []);
  });

  it('brings what replaces one, and nothing once both are known', async () => {
    const [old = ''] = ids;
    const given = giveNow(...ids);
    const replacement = await storeMemory(engine, 'The ferry lost its own pier.', {
      lane: 'note',
      links: { replaces: [old] },
    });
    const { hits } = await engine.recall({ query, given });
    assert.deepEqual(
      hits.map(it => [it.memory.id, it.before?.map(({ id }) => id)]),
      [[replacement, [old]]],
    );
    assert.deepEqual(await recallIds({ given: giveNow(...ids, replacement) }), []);
  });

  it('brings both again where one replaces the other only since', async () => {
    const given = giveNow(...ids);
    const [old = '', current = ''] = ids;
    await engine.revise({ id: old, replacedBy: current }, 'model');
    assert.deepEqual(await recallIds({ given }), [current]);
  });

  it('brings one again that something contradicts since', async () => {
    const port = await storeMemory(engine, 'The ferry pier listens on port 8443.');
    const given = giveNow(...ids, port);
    const newer = await storeMemory(engine, 'The ferry pier listens on port 9000.', { lane: 'note' });
    await engine.revise({ id: port, replacedBy: newer }, 'model');
    assert.deepEqual((await recallIds({ given })).sort(), [port, newer].sort());
    host.time += 60_000;
    assert.deepEqual(await recallIds({ given: giveNow(...ids, port, newer) }), []);
  });

  it('does not bring one again that was found, said again, pinned or judged', async () => {
    const given = giveNow(...ids);
    const [first = '', second = '', third = ''] = ids;
    await recallIds();
    const { content } = await engine.get(first);
    await engine.remember({ content, source: 'explicit', lane: 'note', store: 'global', whole: true });
    await engine.pin(second);
    await engine.feedback(third, true);
    assert.deepEqual(await recallIds({ given }), []);
  });

  it('is answered by itself, and not with what another one was answered', async () => {
    assert.equal((await recallIds()).length, 4);
    assert.equal((await recallIds({ given: giveNow(ids[0]!) })).length, 3);
    assert.equal((await recallIds({ given: giveNow(ids[0]!, ids[1]!) })).length, 2);
  });
});

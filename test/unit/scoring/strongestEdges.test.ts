import assert from 'node:assert/strict';
import type { Edge, EdgeType } from '../../../src/engine/model/edge.js';
import { findStrongestEdges } from '../../../src/engine/scoring/strongestEdges.js';
import { EngineError } from '../../../src/engine/base/errors.js';
import { writeToStore, storeMemory, TestHost } from '../../support/fixtures.js';

const edge = (source: string, target: string, type: EdgeType, strength: number, createdAt = '2026-03-02'): Edge => ({
  source,
  target,
  type,
  strength,
  reason: '',
  createdAt,
});

describe('neighbors of a memory', () => {
  const edges = [
    edge('a', 'b', 'relates_to', 0.4),
    edge('c', 'a', 'refines', 0.9),
    edge('a', 'd', 'contradicts', 0.4, '2026-03-03'),
    edge('d', 'e', 'relates_to', 1),
  ];

  function check(name: string, options: Parameters<typeof findStrongestEdges>[2], expected: string): void {
    it(name, () => {
      const seen = findStrongestEdges('a', edges, options);
      assert.equal(seen.map(it => it.neighborId).join(' '), expected);
    });
  }
  check('are at the other ends of its edges, strongest first, then newest', { limit: 10 }, 'c d b');
  check('are at most as many as requested', { limit: 2 }, 'c d');
  check('are of the requested types', { limit: 10, types: ['relates_to', 'contradicts'] }, 'd b');
  check('are empty without a matching edge', { limit: 10, types: ['supersedes'] }, '');

  it('include memories of any status, with their effective confidence', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const ids: string[] = [];
    for (const it of ['Tides turn twice.', 'A crane lifts crates.', 'Inger likes herring.'])
      ids.push(await storeMemory(engine, it));
    const [one = '', two = '', three = ''] = ids;
    const more = { reason: 'They are numbers.' };
    await writeToStore(host, 'global', host.globalFile, tx =>
      tx.link([
        { source: two, target: one, type: 'relates_to', strength: 0.5, ...more },
        { source: three, target: one, type: 'refines', strength: 0.7, ...more },
      ]),
    );
    await engine.forget(three);
    host.advanceDays(45);
    const found = await engine.graph.neighbors(one);
    assert.deepEqual(
      found.map(it => [it.memory.id, it.memory.status, it.edge.type, it.edge.reason]),
      [
        [three, 'archived', 'refines', more.reason],
        [two, 'active', 'relates_to', more.reason],
      ],
    );
    assert.ok(found.every(it => it.effectiveConfidence < it.memory.confidence));
    assert.deepEqual(
      (await engine.graph.neighbors(one, { types: ['relates_to'], limit: 1 })).map(it => it.memory.id),
      [two],
    );
    assert.deepEqual(
      (await engine.explainer.history(three)).map(it => [it.action, it.actor]),
      [
        ['create', 'test'],
        ['link', 'test'],
        ['archive', 'test'],
      ],
    );
    await assert.rejects(engine.graph.neighbors('#00000000'), it => EngineError.is(it, 'notFound'));
  });
});

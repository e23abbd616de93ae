import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import { storeMemory, TestHost } from '../../support/fixtures.js';

describe('the graph of memories', () => {
  it('is walked two links far, each memory once and the nearest first', async () => {
    const engine = await new TestHost().open();
    const [root, near, far, tooFar] = [
      await storeMemory(engine, 'Oak is a hardwood.'),
      await storeMemory(engine, 'Our tables are oak.'),
      await storeMemory(engine, 'Glue dries overnight.'),
      await storeMemory(engine, 'Varnish comes last.'),
    ];
    await engine.graph.link(near, 'exemplifies', root);
    await engine.graph.link(near, 'derived_from', far);
    await engine.graph.link(far, 'refines', root);
    await engine.graph.link(tooFar, 'refines', near);
    const walk = async (hops: number): Promise<unknown> =>
      (await engine.graph.walk(root, { hops, types: ['exemplifies', 'derived_from'] })).map(it => [
        it.memory.id,
        it.edge.type,
        it.hop,
        it.from,
      ]);
    assert.deepEqual(await walk(1), [[near, 'exemplifies', 1, root]]);
    assert.deepEqual(await walk(2), [
      [near, 'exemplifies', 1, root],
      [far, 'derived_from', 2, near],
    ]);
    await assert.rejects(walk(3), error => EngineError.is(error, 'invalidInput'));
  });

  it('has the edges between given memories, of every store, and none that leads out of them', async () => {
    const engine = await new TestHost({ project: true }).open();
    const [oak, tables, varnish] = [
      await storeMemory(engine, 'Oak is a hardwood.'),
      await storeMemory(engine, 'Our tables are oak.'),
      await storeMemory(engine, 'Varnish comes last.'),
    ];
    const [pine, shelves] = [
      await storeMemory(engine, 'Pine is a softwood.', { store: 'project' }),
      await storeMemory(engine, 'The shelves are pine.', { store: 'project' }),
    ];
    await engine.graph.link(tables, 'exemplifies', oak);
    await engine.graph.link(varnish, 'refines', tables);
    await engine.graph.link(shelves, 'exemplifies', pine);
    const between = async (...ids: string[]): Promise<unknown> =>
      (await engine.graph.edgesBetween(ids))
        .filter(it => it.type === 'exemplifies' || it.type === 'refines')
        .map(it => [it.source, it.type, it.target])
        .sort();
    assert.deepEqual(
      await between(oak, tables, pine, shelves, 'gone'),
      [
        [tables, 'exemplifies', oak],
        [shelves, 'exemplifies', pine],
      ].sort(),
    );
    assert.deepEqual([await between(), await between(oak), await between(oak, varnish)], [[], [], []]);
  });

  it('has the edges of archived memories too, and none between memories of different sets', async () => {
    const engine = await new TestHost().open();
    const [oak, tables] = [
      await storeMemory(engine, 'Oak is a hardwood.'),
      await storeMemory(engine, 'Our tables are oak.'),
    ];
    await engine.graph.link(tables, 'exemplifies', oak);
    const between = async (): Promise<unknown> =>
      (await engine.graph.edgesBetween([oak, tables])).filter(it => it.type === 'exemplifies').length;
    await engine.forget(oak);
    assert.deepEqual([(await engine.get(oak)).status, await between()], ['archived', 1]);
    await engine.restore(oak);
    await engine.sets.move([oak], 'harbor');
    assert.equal(await between(), 0);
    await engine.sets.move([oak], undefined);
    assert.equal(await between(), 1);
  });

  it('links no memory with itself or with one of another store', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const [one, other] = [
      await storeMemory(engine, 'Oak is a hardwood.'),
      await storeMemory(engine, 'Pine is a softwood.', { store: 'project' }),
    ];
    for (const target of [one, other])
      await assert.rejects(engine.graph.link(one, 'refines', target), error => EngineError.is(error, 'invalidInput'));
  });
});

import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId } from '../../../src/engine/model/memory.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

describe('a damaged cell', () => {
  let host: TestHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
    await storeMemory(engine, 'The ferry is called Perpetua.', {
      tags: ['sea'],
      uri: 'file:///pier.ts',
      symbol: 'moor',
    });
    await storeMemory(engine, 'The slipway is closed in winter.', { tags: ['sea'] });
    await engine.recall({ query: 'ferry' });
    await engine.recall({ query: 'slipway' });
    await engine.close();
  });

  /** Damages what only the first memory, or the first trace, has. */
  const damage = (...statements: readonly string[]): Promise<unknown> =>
    sql(host.globalFile, ...statements, "UPDATE meta SET value = value + 1 WHERE key = 'revision'");
  const damaged = "UPDATE memories SET change = (SELECT value + 1 FROM meta WHERE key = 'revision'),";

  for (const [what, cell] of [
    ['tags', "tags = '[\"se' WHERE row = 1"],
    ['tags that are no list', "tags = 'null' WHERE row = 1"],
    ['origin', 'provenance = \'{"symbol":\' WHERE row = 1'],
  ] as const) {
    it(`of ${what} does not prevent reading the memories`, async () => {
      await damage(`${damaged} ${cell}`);
      engine = await host.open();
      const isOfTags = what !== 'origin';
      const listed = (await engine.list()).map(it => [it.content, it.tags.length, it.provenance.symbol]);
      assert.deepEqual(listed.sort(), [
        ['The ferry is called Perpetua.', isOfTags ? 0 : 1, isOfTags ? 'moor' : undefined],
        ['The slipway is closed in winter.', 1, undefined],
      ]);
      const { hits, trace } = await engine.recall({ query: 'ferry' });
      assert.deepEqual([hits[0]?.memory.content, trace.degraded], ['The ferry is called Perpetua.', []]);
      assert.equal((await engine.list({ tags: ['sea'] })).length, isOfTags ? 1 : 2);
      await storeMemory(engine, 'The pier is open.');
    });
  }

  it('is reported by verify and repaired as its message says', async () => {
    await damage(`${damaged} tags = '[' WHERE row = 1`, `${damaged} provenance = '' WHERE row = 2`);
    engine = await host.open();
    const [ferry, slipway] = [...(await engine.list())].sort((a, b) => (a.content < b.content ? -1 : 1));
    assert.deepEqual(await storeProblems(engine), [
      `Memories with a damaged field other than their text: 2 (#${shortId(ferry!)}, #${shortId(slipway!)}). Restore a checkpoint from before, or delete each for good and remember it again.`,
    ]);
    await engine.deletion.purge([ferry!.id, slipway!.id]);
    for (const { content } of [ferry!, slipway!]) await storeMemory(engine, content);
    assert.deepEqual([(await engine.list()).length, await storeProblems(engine)], [2, []]);
  });

  it('of a gate or a date decides nothing', async () => {
    await damage(`${damaged} gate = 'epist', updated_at = 'damaged', reinforced_at = '' WHERE row = 1`);
    engine = await host.open();
    host.advanceDays(200);
    const [plan] = await engine.maintenance.preview();
    assert.ok(!JSON.stringify(plan!.decisions).includes('Perpetua'));
    const [hit] = (await engine.recall({ query: 'ferry' })).hits;
    assert.deepEqual([hit?.memory.gate, hit?.effectiveConfidence], ['epistemic', hit?.memory.confidence]);
    assert.equal((await storeProblems(engine)).length, 1);
  });

  it('of a trace leaves the other traces', async () => {
    await damage("UPDATE traces SET trace = '{' WHERE trace ->> 'query' = 'ferry'");
    engine = await host.open();
    const answers = [
      await engine.traces(),
      await engine.explainer.listTraces({ limit: 10 }),
      await engine.explainer.listTraces({ limit: 10, text: 'slip' }),
    ];
    assert.deepEqual(
      answers.map(its => its.map(it => it.query)),
      [['slipway'], ['slipway'], ['slipway']],
    );
  });

  for (const name of ['candidates', 'rows']) {
    it(`of a trace, in the name of its ${name}, leaves the other traces`, async () => {
      await damage(`UPDATE traces SET trace = replace(trace, '"${name}"', '"x"') WHERE trace ->> 'query' = 'ferry'`);
      engine = await host.open();
      assert.deepEqual(
        (await engine.traces()).map(it => it.query),
        ['slipway'],
      );
    });
  }
});

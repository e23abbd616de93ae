import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId } from '../../../src/engine/model/memory.js';
import type { RecallInput, RecallResult } from '../../../src/engine/model/query.js';
import type { RankFactors } from '../../../src/engine/model/trace.js';
import { linkContradiction, writeToStore, storeMemory, TestHost } from '../../support/fixtures.js';

/** A question's words are in the first facts alone; what contradicts one shares none with it. */
const facts = {
  port: 'The harbour gate listens on port 8443.',
  light: 'The harbour gate has a green light.',
  key: 'Inger keeps the key of the harbour gate.',
  moved: 'Everything listens on 9000 by now.',
  blinds: 'Every lamp was painted red.',
};
type Name = keyof typeof facts;
const query = 'harbour gate';

describe('widening', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let ids: Record<Name, string>;

  beforeEach(async () => {
    host = new TestHost();
    host.settings = { ...host.settings, embeddings: 'off' };
    engine = await host.open();
    const kept: [string, string][] = [];
    for (const [name, content] of Object.entries(facts)) {
      kept.push([name, await storeMemory(engine, content, { gate: name === 'blinds' ? 'correction' : 'epistemic' })]);
    }
    ids = Object.fromEntries(kept) as Record<Name, string>;
  });

  const nameOf = (id: string): string => Object.keys(ids).find(it => ids[it as Name] === id)!;
  const names = ({ hits }: RecallResult): string[] => hits.map(it => nameOf(it.memory.id));
  const ask = (more: Partial<RecallInput> = {}): Promise<RecallResult> => engine.recall({ query, ...more });

  it('adds a memory that contradicts a hit directly after the hit and marks both', async () => {
    assert.deepEqual(new Set(names(await ask())), new Set(['port', 'light', 'key']));
    await linkContradiction(host, ids.moved, ids.port);
    const found = await ask();
    const at = names(found).indexOf('port');
    assert.equal(names(found)[at + 1], 'moved');
    const reason = 'Said otherwise with a certainty of 0.8.';
    assert.deepEqual(
      [found.hits[at]?.contradicts, found.hits[at + 1]?.contradicts],
      [
        [{ id: ids.moved, newer: true, certainty: 0.8, reason }],
        [{ id: ids.port, newer: false, certainty: 0.8, reason }],
      ],
    );
    const lineOf = (name: Name): string => found.context.split('\n').find(it => it.includes(facts[name]))!;
    assert.match(lineOf('port'), new RegExp(`contradicts newer #${shortId({ id: ids.moved })}: ${reason}\\]`, 'u'));
    assert.match(lineOf('moved'), new RegExp(`contradicts older #${shortId({ id: ids.port })}: ${reason}\\]`, 'u'));
    assert.deepEqual([found.hits[at]?.broughtBy, found.hits[at + 1]?.broughtBy], [undefined, ids.port]);
    assert.deepEqual(
      found.hits.filter(it => it.contradicts !== undefined).map(it => nameOf(it.memory.id)),
      ['port', 'moved'],
    );
  });

  it('records the hit that caused it in the trace, with factors that add up', async () => {
    await linkContradiction(host, ids.moved, ids.port);
    const { trace, hits } = await ask();
    const moved = trace.candidates.find(it => it.id === ids.moved)!;
    const reason = 'Said otherwise with a certainty of 0.8.';
    assert.deepEqual([moved.outcome, moved.because], ['returned', { contradicts: ids.port, reason }]);
    assert.deepEqual(
      trace.candidates.map(it => it.id),
      hits.map(it => it.memory.id),
    );
    const rank = (it: RankFactors): number =>
      it.gateWeight * it.laneWeight * (it.lambda * it.relevance + (1 - it.lambda) * it.standing) + it.freshness;
    for (const { factors } of trace.candidates) assert.ok(Math.abs(rank(factors) - factors.rank) < 1e-12);
    assert.deepEqual([moved.factors.score, moved.factors.relevance], [0, 0]);
    assert.ok(moved.factors.standing > 0 && Object.keys(moved.factors.features).length === 0);
    assert.deepEqual(trace.candidateCount, 4);
  });

  it('displaces the weakest that nothing contradicts, but never the best', async () => {
    const plain = names(await ask());
    const [best, second, third] = plain as [Name, Name, Name];
    await linkContradiction(host, ids.moved, ids[third]);
    assert.deepEqual(names(await ask({ limit: 3 })), [best, third, 'moved']);
    await linkContradiction(host, ids.blinds, ids[best]);
    assert.deepEqual(names(await ask({ limit: 5 })), [best, 'blinds', second, third, 'moved']);
    assert.deepEqual(names(await ask({ limit: 3 })), [best, 'blinds', third]);
    const alone = await ask({ limit: 1 });
    assert.deepEqual(names(alone), [best]);
    assert.equal(alone.hits[0]?.contradicts?.[0]?.id, ids.blinds);
    assert.deepEqual(
      alone.trace.candidates.map(it => it.outcome),
      ['returned', 'over limit', 'over limit', 'over limit'],
    );
  });

  it('brings at most three for one hit, the most certain', async () => {
    const others: string[] = [];
    for (let i = 0; i < 5; i++) others.push(await storeMemory(engine, `Number ${i} says no.`));
    for (const [i, it] of others.entries()) await linkContradiction(host, it, ids.port, 0.5 + i / 10);
    const found = await ask();
    const came = found.hits.map(it => others.indexOf(it.memory.id)).filter(it => it >= 0);
    assert.deepEqual(came, [4, 3, 2]);
    assert.equal(found.hits.find(it => it.memory.id === ids.port)?.contradicts?.length, 3);
  });

  it('moves up a memory that was also found itself, without a duplicate', async () => {
    const [best = '', , third = ''] = names(await ask());
    const [later, earlier] = [ids[best as Name], ids[third as Name]].sort().reverse() as [string, string];
    await linkContradiction(host, later, earlier);
    const found = await ask();
    assert.deepEqual(names(found).slice(0, 2), [best, third]);
    assert.equal(found.hits.length, 3);
    assert.ok(found.trace.candidates[1]!.factors.score > 0);
    assert.equal(found.hits[1]!.broughtBy, undefined);
  });

  it('brings it whatever the filter, within the budget', async () => {
    await linkContradiction(host, ids.blinds, ids.light);
    const found = await ask({ gates: ['epistemic'] });
    assert.ok(names(found).includes('blinds'));
    const small = await ask({ tokenBudget: 110 });
    assert.ok(small.tokens <= 110 && small.hits.length > 0);
    for (const it of small.trace.candidates) assert.ok(['returned', 'over budget'].includes(it.outcome));
  });

  it('brings nothing that was settled, superseded, forgotten or archived', async () => {
    await linkContradiction(host, ids.moved, ids.port);
    const isPlain = async (): Promise<void> => {
      const found = await ask();
      assert.equal(found.trace.cache, 'miss'); // A change of an edge alone ends a cached answer.
      assert.deepEqual(new Set(names(found)), new Set(['port', 'light', 'key']));
      assert.ok(found.hits.every(it => it.contradicts === undefined));
      assert.ok(!found.context.includes('contradicts'));
    };
    await engine.forget(ids.moved);
    await isPlain();
    await engine.restore(ids.moved);
    assert.equal((await ask()).hits.length, 4);
    await writeToStore(host, 'global', host.globalFile, tx => tx.settle(ids.port, ids.moved));
    await isPlain();
    await writeToStore(host, 'global', host.globalFile, tx => tx.supersede(ids.port, ids.moved));
    await isPlain();
  });

  it('stays within an isolated set', async () => {
    const one = await storeMemory(engine, 'The harbour gate is shut.', { scopeId: 'elsewhere' });
    const other = await storeMemory(engine, 'It stands open day and night.', { scopeId: 'elsewhere' });
    await linkContradiction(host, other, one);
    assert.equal((await ask()).hits.length, 3);
    assert.equal((await ask({ scopeId: 'elsewhere' })).hits.length, 2);
  });

  it('counts as a use of the added memory', async () => {
    await linkContradiction(host, ids.moved, ids.port);
    await ask();
    await engine.traces(); // Writes what is buffered.
    assert.equal((await engine.get(ids.moved)).accessCount, 1);
  });
});

import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { shortId } from '../../../src/engine/model/memory.js';
import type { RecallInput, RecallResult } from '../../../src/engine/model/query.js';
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

describe('placing what is current', () => {
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

  it('puts the newer of two contradicting memories directly above the older one and marks both', async () => {
    assert.deepEqual(new Set(names(await ask())), new Set(['port', 'light', 'key']));
    await linkContradiction(host, ids.moved, ids.port);
    const found = await ask();
    const at = names(found).indexOf('moved');
    assert.equal(names(found)[at + 1], 'port');
    const reason = 'Said otherwise with a certainty of 0.8.';
    const mark = { by: 'model', at: '2026-03-02T09:00:00.000Z' };
    assert.deepEqual(
      [found.hits[at]?.contradicts, found.hits[at + 1]?.contradicts],
      [
        [{ id: ids.port, newer: false, certainty: 0.8, reason, mark: { ...mark, outdated: 'other' } }],
        [{ id: ids.moved, newer: true, certainty: 0.8, reason, mark: { ...mark, outdated: 'this' } }],
      ],
    );
    const lines = found.context.split('\n');
    const lineOfPort = lines.findIndex(it => it.includes(facts.port));
    assert.match(
      lines[lineOfPort + 1]!,
      new RegExp(`^  conflict: A newer note says otherwise \\(#${shortId({ id: ids.moved })}\\)`, 'u'),
    );
    assert.deepEqual([found.hits[at]?.broughtBy, found.hits[at + 1]?.broughtBy], [ids.port, undefined]);
    assert.deepEqual(
      found.hits.filter(it => it.contradicts !== undefined).map(it => nameOf(it.memory.id)),
      ['moved', 'port'],
    );
  });

  it('records the hit that caused it in the trace, without a rank of its own', async () => {
    await linkContradiction(host, ids.moved, ids.port);
    const { trace, hits } = await ask();
    const moved = trace.candidates.find(it => it.id === ids.moved)!;
    const reason = 'Said otherwise with a certainty of 0.8.';
    assert.deepEqual([moved.outcome, moved.because], ['returned', { contradicts: ids.port, reason }]);
    assert.deepEqual(
      trace.candidates.map(it => it.id),
      hits.map(it => it.memory.id),
    );
    const { features, score, relevance, rank } = moved.factors;
    assert.deepEqual([features, score, relevance, rank], [{}, 0, 0, 0]);
    assert.deepEqual(trace.candidateCount, 4);
  });

  it('keeps to the limit, the newer memory first', async () => {
    const [best, , third] = names(await ask()) as [Name, Name, Name];
    await linkContradiction(host, ids.moved, ids[third]);
    // A memory with a link ranks a little higher, which may change its place.
    const found = names(await ask());
    assert.deepEqual([found.length, found.indexOf(third)], [4, found.indexOf('moved') + 1]);
    const upToNewer = found.indexOf(third);
    assert.deepEqual(names(await ask({ limit: upToNewer })), found.slice(0, upToNewer));
    await linkContradiction(host, ids.blinds, ids[best]);
    assert.deepEqual(names(await ask({ limit: 1 })), ['blinds']);
  });

  it('follows a chain of replacements to its newest memory', async () => {
    await linkContradiction(host, ids.moved, ids.port);
    await linkContradiction(host, ids.blinds, ids.moved);
    const found = names(await ask());
    assert.ok(found.indexOf('blinds') < found.indexOf('port'));
  });

  it('moves a newer memory up that was also found itself, without a duplicate', async () => {
    const [best = '', , third = ''] = names(await ask());
    const [later, earlier] = [ids[best as Name], ids[third as Name]].sort().reverse() as [string, string];
    await linkContradiction(host, later, earlier);
    const found = await ask();
    assert.equal(found.hits.length, 3);
    assert.ok(names(found).indexOf(nameOf(later)) < names(found).indexOf(nameOf(earlier)));
    assert.ok(found.hits.every(it => it.broughtBy === undefined));
  });

  it('hides a note below the memory that a model says replaces it', async () => {
    const old = await storeMemory(engine, 'The harbour gate has a brass bell.', { lane: 'note' });
    const changed = await storeMemory(engine, 'Bells are made of steel now.', {
      lane: 'note',
      links: { replaces: [old] },
    });
    const { hits, context } = await ask();
    const hit = hits.find(it => it.memory.id === changed);
    assert.deepEqual(
      hit?.before?.map(it => it.id),
      [old],
    );
    assert.ok(!hits.some(it => it.memory.id === old));
    assert.match(context, /\n {2}before \(\d+ \w+ \d{4}\): The harbour gate has a brass bell\./u);
  });

  it('hides a chain of notes below the newest, which stands in although the search did not find it', async () => {
    const first = await storeMemory(engine, 'The harbour gate has a brass bell.', { lane: 'note' });
    const second = await storeMemory(engine, 'The harbour gate has a steel bell.', { lane: 'note' });
    const third = await storeMemory(engine, 'A siren sounds there now.', { lane: 'note' });
    await engine.revise({ id: first, replacedBy: second }, 'model');
    await engine.revise({ id: second, replacedBy: third }, 'model');
    const { hits } = await ask();
    const hit = hits.find(it => it.memory.id === third);
    assert.deepEqual(
      [new Set(hit?.before?.map(it => it.id)), [first, second].includes(hit?.broughtBy ?? '')],
      [new Set([first, second]), true],
    );
    assert.ok(!hits.some(it => [first, second].includes(it.memory.id)));
  });

  it('follows the word of a person who settles what a model marked', async () => {
    const old = await storeMemory(engine, 'The harbour gate has a brass bell.', { lane: 'note' });
    const changed = await storeMemory(engine, 'Bells are made of steel now.', {
      lane: 'note',
      links: { replaces: [old] },
    });
    const state = async (): Promise<unknown[]> =>
      (await ask()).hits
        .filter(it => [old, changed].includes(it.memory.id))
        .map(it => [it.memory.id, it.before?.map(its => its.id), it.outdating]);
    assert.deepEqual(await state(), [[changed, [old], undefined]]);
    await engine.conflicts.resolve(old, changed, 'keepA');
    assert.deepEqual(await state(), [[old, undefined, undefined]]);
    await engine.conflicts.resolve(old, changed, 'keepB');
    assert.deepEqual(await state(), []);
  });

  it('keeps a pinned note whole beside the note that a model says replaces it', async () => {
    const old = await storeMemory(engine, 'The harbour gate has a brass bell.', { lane: 'note' });
    await engine.pin(old);
    const changed = await storeMemory(engine, 'Bells are made of steel now.', {
      lane: 'note',
      links: { replaces: [old] },
    });
    const { hits } = await ask();
    const at = hits.findIndex(it => it.memory.id === changed);
    assert.deepEqual(
      hits.slice(at, at + 2).map(it => [it.memory.id, it.before, it.outdating?.isNewer]),
      [
        [changed, undefined, true],
        [old, undefined, false],
      ],
    );
  });

  it('never hides what a person confirmed or pinned, and says that a conflict is open', async () => {
    const note = await storeMemory(engine, 'Gates have no light now.', {
      lane: 'note',
      links: { replaces: [ids.light] },
    });
    const { hits } = await ask();
    const found = hits.map(it => it.memory.id);
    assert.equal(found.indexOf(ids.light), found.indexOf(note) + 1);
    assert.deepEqual(
      [note, ids.light].map(id => hits.find(it => it.memory.id === id)?.outdating?.isNewer),
      [true, false],
    );
  });

  it('takes a mark back when the memory is said to hold still', async () => {
    const old = await storeMemory(engine, 'The harbour gate has a brass bell.', { lane: 'note' });
    await storeMemory(engine, 'Bells are made of steel now.', { lane: 'note', links: { replaces: [old] } });
    await engine.revise({ id: old, stillTrue: true }, 'model');
    assert.ok((await ask()).hits.some(it => it.memory.id === old));
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

import assert from 'node:assert/strict';
import { newUuid } from '../../../src/engine/base/uuid.js';
import type { RecordKind } from '../../../src/engine/store/store.js';
import { actionsOf, edge, StoreOfTest, type Contract } from './kit.js';

const secret = `The "secret" of Ada's \\ shop: ü, 部署.`;

export const permanentDeletionContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const put = (kind: RecordKind, id: string, body: unknown): Promise<void> =>
    test.store.write('test', tx => tx.putRecord(kind, id, body));
  const keepTrace = async (body: object): Promise<string> => {
    const id = newUuid(test.host.now());
    const text = JSON.stringify({ id, candidates: [], query: '', ...body });
    await test.store.flushUsage(
      'test',
      { accessed: new Map(), traces: [{ id, at: test.now, text }], at: test.now },
      100,
    );
    return id;
  };
  const idsOf = async (kind: RecordKind): Promise<readonly string[]> =>
    (await test.store.records(kind)).map(it => it.id).sort();

  it('deletes memories with their edges, aids and vectors, and leaves only their lines in the log', async () => {
    const [one = '', two = ''] = await test.keepTexts(secret, 'two');
    await test.store.write('test', async tx => {
      await tx.link([edge(two, one, 'relates_to')]);
      await tx.setAids(one, { questions: ['x'], keywords: [] });
    });
    await test.store.saveVectors(new Map([[one, { model: 'm', vector: new Int8Array(3) }]]));
    const revision = await test.store.revision();
    const result = await test.store.hardDeletion.purge('Ada', [one, 'unknown']);
    assert.deepEqual([result.memories, result.left], [1, []]);
    assert.deepEqual(
      [await test.list(), (await test.get(two))!.centrality, (await test.store.aids([one])).size],
      [['two'], 0, 0],
    );
    assert.deepEqual(await test.list({ containing: 'secret' }), []);
    assert.ok((await test.store.revision()) > revision);
    const lines = await test.store.history(one);
    assert.deepEqual([actionsOf(lines), lines.at(-1)!.actor], [['create', 'purge'], 'Ada']);
    assert.ok(!JSON.stringify(await test.store.auditLog('')).includes('secret'));
    assert.deepEqual(await test.problems(), []);
  });

  it('deletes traces that name a memory or quote its text', async () => {
    const [one = ''] = await test.keepTexts(secret);
    const other = await keepTrace({ query: 'other \u0000 \ud800' });
    await keepTrace({ candidates: [{ id: one }] });
    await keepTrace({ query: `Is it so: ${secret}` });
    await test.store.hardDeletion.purge('test', [one]);
    assert.deepEqual(
      (await test.store.traces(10)).map(it => it.id),
      [other],
    );
  });

  it('deletes records that are about a memory or quote its text, and keeps the others', async () => {
    const [one = ''] = await test.keepTexts(secret);
    await put('proposal', 'named', { ids: [one] });
    await put('proposal', 'quoting', { text: `Merged: ${secret}` });
    await put('proposal', 'other', { text: 'other \u0000 \ud800' });
    await put('request', one, {});
    await put('goal', 'quoting', { text: secret });
    await put('goal', 'naming', { text: one });
    await put('state', `moved:${one}`, {});
    await put('modelUse', 'day', { note: secret });
    await test.store.hardDeletion.purge('test', [one]);
    assert.deepEqual(
      [await idsOf('proposal'), await idsOf('request'), await idsOf('goal')],
      [['other'], [], ['naming']],
    );
    assert.deepEqual([await idsOf('state'), await idsOf('modelUse')], [[], ['day']]);
    assert.deepEqual(
      ((await test.store.record('proposal', 'other'))!.body as { text: string }).text,
      'other \u0000 \ud800',
    );
  });

  it('deletes what quotes given texts, without a memory', async () => {
    await put('request', 'a', { text: `So ${secret}` });
    await put('request', 'b', { text: 'Something else.' });
    const result = await test.store.hardDeletion.purge('test', [], { texts: [secret, ''] });
    assert.deepEqual([result.memories, await idsOf('request')], [0, ['b']]);
  });

  it('takes a part out of the undo of a review, and keeps the rest', async () => {
    const [one = '', two = ''] = await test.keepTexts(secret, 'two');
    const memories = { [one]: { before: 1 }, [two]: { before: 2 } };
    const candidates = [{ key: 'k', items: [{ text: secret }, { text: 'other' }] }];
    await put('review', 'both', { at: 'x', memories, candidates });
    await put('review', 'only', { memories: { [one]: {} } });
    await test.store.hardDeletion.purge('test', [one]);
    assert.deepEqual((await test.store.record('review', 'both'))?.body, {
      at: 'x',
      memories: { [two]: { before: 2 } },
      candidates: [{ key: 'k', items: [{ text: 'other' }] }],
    });
    assert.deepEqual(await idsOf('review'), ['both']);
  });

  it('keeps a reading position without the story that quotes a text or is of the session', async () => {
    await put('cursor', 'quoting', { at: 5, story: { text: secret } });
    await put('cursor', 'of the session', { at: 6, story: { session: 's-1' } });
    await put('cursor', 'other', { at: 7, story: { session: 's-2', text: '\u0000 \ud800' } });
    await put('state', 'candidates:1', { session: 's-1' });
    await put('state', 'candidates:2', { session: 's-2' });
    await put('state', 'other', { session: 's-1' });
    await test.store.hardDeletion.purge('test', [], { session: 's-1', texts: [secret] });
    const body = async (id: string): Promise<unknown> => (await test.store.record('cursor', id))?.body;
    assert.deepEqual(
      [await body('quoting'), await body('of the session')],
      [
        { at: 5, story: {} },
        { at: 6, story: {} },
      ],
    );
    assert.deepEqual(await body('other'), { at: 7, story: { session: 's-2', text: '\u0000 \ud800' } });
    assert.deepEqual(await idsOf('state'), ['candidates:2', 'other']);
  });

  it('deletes sensitive records by their ids, with a line in the log', async () => {
    await put('sensitive', 'secret-1', { cipher: 'x' });
    await put('sensitive', 'secret-2', { cipher: 'y' });
    const revision = await test.store.revision();
    const result = await test.store.hardDeletion.purge('Ada', ['secret-1']);
    assert.deepEqual([result.memories, await idsOf('sensitive')], [1, ['secret-2']]);
    const line = (await test.store.auditLog('')).at(-1)!;
    assert.deepEqual(
      [line.action, line.actor, line.detail],
      ['consent', 'Ada', { sensitive: 'secret-1', withdrawn: true }],
    );
    assert.ok((await test.store.revision()) > revision);
  });

  it('takes what is deleted out of the copies', async () => {
    const [one = ''] = await test.keepTexts(secret, 'two');
    await put('goal', 'quoting', { text: secret });
    const first = await test.store.checkpoints.make({ reason: 'with it', origin: 'person' });
    await test.store.write('test', tx => tx.delete(one, 'prune'));
    await put('goal', 'quoting', { text: 'changed' });
    test.host.time += 1_000;
    await test.store.checkpoints.make({ reason: 'without it', origin: 'person' });
    const { hardDeletion } = test.store;
    assert.deepEqual([await hardDeletion.knowsAny([one], []), await hardDeletion.knowsAny([], [secret])], [true, true]);
    const result = await hardDeletion.purge('test', [one], { texts: [secret] });
    assert.ok(result.copies >= 1);
    assert.deepEqual([result.left, await hardDeletion.knowsAny([], [secret])], [[], false]);
    await test.store.checkpoints.restore('test', first.id);
    assert.deepEqual([await test.list(), await test.store.record('goal', 'quoting')], [['two'], undefined]);
    assert.deepEqual(await test.problems(), []);
  });

  it('knows what it has, had, names or quotes, and nothing else', async () => {
    const [one = '', two = ''] = await test.keepTexts('one', 'two');
    await test.store.write('test', tx => tx.delete(two, 'prune'));
    await put('sensitive', 'hidden', {});
    await put('proposal', 'p', { ids: ['named'] });
    await put('goal', 'g', { text: `So ${secret}` });
    await keepTrace({ query: 'quoted there', candidates: [{ id: 'traced' }] });
    const { hardDeletion } = test.store;
    for (const id of [one, two, 'hidden', 'named', 'traced'])
      assert.equal(await hardDeletion.knowsAny(['x', id], []), true, id);
    for (const text of [secret, 'quoted there'])
      assert.equal(await hardDeletion.knowsAny([], ['no such text', text]), true, text);
    assert.equal(await hardDeletion.knowsAny(['unknown'], ['no such text', '']), false);
    assert.equal(await hardDeletion.knowsAny([], []), false);
  });

  it('purges nothing for an empty list', async () => {
    await test.keep('one');
    await put('goal', 'a', {});
    const result = await test.store.hardDeletion.purge('test', []);
    assert.deepEqual([result.memories, await test.list(), await idsOf('goal')], [0, ['one'], ['a']]);
  });

  it('resets to an empty store that keeps only how much a language model was used', async () => {
    const [one = '', two = ''] = await test.keepTexts(secret, 'two');
    await test.store.write('test', async tx => {
      await tx.link([edge(two, one, 'contradicts')]);
      await tx.nextSequence('');
      await tx.setAids(one, { questions: ['x'], keywords: [] });
    });
    await test.store.saveVectors(new Map([[one, { model: 'm', vector: new Int8Array(3) }]]));
    await put('goal', 'a', {});
    await put('modelUse', '2026-03-02', { tokens: 5 });
    await keepTrace({ query: 'x' });
    await test.store.checkpoints.make({ reason: 'x', origin: 'person' });
    const revision = await test.store.revision();
    const result = await test.store.hardDeletion.reset('Ada');
    assert.deepEqual([result.memories, result.left, result.copies >= 1], [2, [], true]);
    const { store } = test;
    assert.deepEqual(
      [await test.list(), await store.traces(10), await store.checkpoints.list(), await store.sequence('')],
      [[], [], [], 0],
    );
    assert.deepEqual(
      [await idsOf('goal'), await idsOf('modelUse'), await store.edges([one])],
      [[], ['2026-03-02'], []],
    );
    assert.deepEqual(
      (await store.auditLog('')).map(it => [it.action, it.actor, it.detail]),
      [['reset', 'Ada', { memories: 2 }]],
    );
    assert.ok((await store.revision()) > revision);
    assert.match(await store.auditHead(), /^1:/u);
    assert.equal(await store.hardDeletion.knowsAny([one, two], [secret]), false);
    await test.keep(secret);
    assert.deepEqual(await test.problems(), []);
  });
};

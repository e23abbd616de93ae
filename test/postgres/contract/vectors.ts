import assert from 'node:assert/strict';
import { StoreOfTest, type Contract } from './kit.js';

export const vectorsContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const vector = (...components: number[]): Int8Array => Int8Array.from(components);
  const save = (model: string, vectors: Readonly<Record<string, Int8Array>>): Promise<void> =>
    test.store.saveVectors(new Map(Object.entries(vectors).map(([id, it]) => [id, { model, vector: it }])));
  const load = async (model: string, ids: readonly string[]): Promise<readonly unknown[]> => {
    const found = await test.store.vectors(model, ids);
    return ids.map(it => found.get(it));
  };

  it('gives back every component of a vector, of each model by itself', async () => {
    const [one, two] = await test.keepTexts('one', 'two');
    const all = Int8Array.from({ length: 256 }, (_, i) => i - 128);
    await save('m', { [one!]: all, [two!]: vector(1, 2, 3) });
    await save("it's", { [one!]: vector(-1, 0, 127, -128) });
    assert.deepEqual(await load('m', [one!, two!, 'unknown']), [all, vector(1, 2, 3), undefined]);
    assert.deepEqual(await load("it's", [one!, two!]), [vector(-1, 0, 127, -128), undefined]);
    assert.deepEqual([await load('other', [one!]), await test.store.vectors('m', [])], [[undefined], new Map()]);
  });

  it('takes vectors with their memories', async () => {
    const [one, two] = [test.memory('one'), test.memory('two')];
    await test.store.write('test', tx => tx.insertMany([one, two], [undefined, { model: 'm', vector: vector(5, -6) }]));
    assert.deepEqual(await load('m', [one.id, two.id]), [undefined, vector(5, -6)]);
    assert.deepEqual(await test.store.embeddingProgress('m'), { embedded: 1, total: 2 });
  });

  it('replaces a vector, and ignores one of no memory', async () => {
    const one = await test.keep('one');
    await save('m', { [one]: vector(1, 1) });
    await save('m', { [one]: vector(2, 2), unknown: vector(3, 3) });
    assert.deepEqual(await load('m', [one, 'unknown']), [vector(2, 2), undefined]);
    assert.deepEqual(await test.problems(), []);
  });

  it('raises the revision with saved vectors, whose digests are a line of the log that no person reads', async () => {
    const one = await test.keep('one');
    const [revision, lines] = [await test.store.revision(), await test.store.auditLog('')];
    await save('m', { [one]: vector(1, 1) });
    await test.store.saveVectors(new Map());
    assert.deepEqual([await test.store.revision(), await test.store.auditLog('')], [revision + 1, lines]);
    assert.match(await test.store.auditHead(), /^2:/u);
    assert.deepEqual(await test.problems(), []);
  });

  it('names the memories without a vector of the model, newest first', async () => {
    const ids = await test.keepTexts('one', 'two', 'three');
    await test.keep('elsewhere', { scopeId: 'work', status: 'archived', archiveReason: 'faded' });
    await save('m', { [ids[1]!]: vector(1) });
    const missing = async (model: string, limit: number): Promise<readonly string[]> =>
      (await test.store.missingVectors(model, limit)).map(it => it.content);
    assert.deepEqual(await missing('m', 10), ['elsewhere', 'three', 'one']);
    assert.deepEqual([await missing('m', 2), await missing('m', 0)], [['elsewhere', 'three'], []]);
    assert.deepEqual(await missing('other', 10), ['elsewhere', 'three', 'two', 'one']);
    assert.deepEqual((await test.store.missingVectors('m', 10))[1], { id: ids[2], content: 'three' });
  });

  it('counts memories, and those with a vector of the model', async () => {
    assert.deepEqual(await test.store.embeddingProgress('m'), { embedded: 0, total: 0 });
    const [one, two] = await test.keepTexts('one', 'two');
    await save('m', { [one!]: vector(1), [two!]: vector(1) });
    await save('n', { [one!]: vector(1) });
    assert.deepEqual(await test.store.embeddingProgress('n'), { embedded: 1, total: 2 });
    assert.deepEqual(await test.store.embeddingProgress('other'), { embedded: 0, total: 2 });
  });

  it('keeps the vectors of questions until the questions change, and counts none of them', async () => {
    const [one, two] = await test.keepTexts('one', 'two');
    const setAids = (id: string, ...questions: string[]): Promise<void> =>
      test.store.write('test', tx => tx.setAids(id, { questions, keywords: [] }));
    await setAids(one!, 'Which?');
    await setAids(two!, 'Who?');
    await save('m', { [one!]: vector(1, 1), [two!]: vector(2, 2) });
    const missing = (): Promise<readonly unknown[]> => test.store.missingQuestionVectors('m', 9);
    const [ofOne, ofTwo] = [
      { id: one, content: 'one', questions: ['Which?'] },
      { id: two, content: 'two', questions: ['Who?'] },
    ];
    assert.deepEqual(await missing(), [ofTwo, ofOne]);
    const questions = [{ question: 'Which?', vector: vector(1, 2) }];
    const before = await test.store.storageStats('m');
    await test.store.saveVectors(new Map([[one!, { model: 'm', vector: vector(1, 1), questions }]]));
    assert.deepEqual(await missing(), [ofTwo]);
    const { vectors, vectorBytes } = await test.store.storageStats('m');
    assert.deepEqual([vectors, vectorBytes], [before.vectors, before.vectorBytes]);
    await test.store.pruneUnusedModels('m', {
      at: '2026-03-01T10:00:00.000Z',
      unusedSince: '2026-02-01T10:00:00.000Z',
    });
    await test.store.pruneUnusedModels('m', {
      at: '2026-06-01T10:00:00.000Z',
      unusedSince: '2026-05-01T10:00:00.000Z',
    });
    assert.deepEqual(await missing(), [ofTwo], 'it is in use');
    await setAids(one!, 'Which one?');
    assert.deepEqual(await missing(), [ofTwo, { ...ofOne, questions: ['Which one?'] }]);
    assert.deepEqual([await load('m', [one!]), await test.problems()], [[vector(1, 1)], []]);
  });

  it('takes the vectors of questions with their memories', async () => {
    const one = test.memory('one');
    const questions = [{ question: 'Which?', vector: vector(3, 4) }];
    await test.store.write('test', async tx => {
      await tx.insertMany([one], [{ model: 'm', vector: vector(5, -6), questions }]);
      await tx.setAids(one.id, { questions: ['Which?'], keywords: [] });
    });
    assert.deepEqual(await test.store.missingQuestionVectors('m', 9), []);
  });

  it('drops the vectors of a memory whose text changes, and keeps them when other fields do', async () => {
    const one = await test.keep('one');
    await save('m', { [one]: vector(1) });
    const memory = (await test.get(one))!;
    await test.store.write('test', tx => tx.update({ ...memory, priority: 9, tags: ['x'] }, 'edit'));
    assert.deepEqual(await load('m', [one]), [vector(1)]);
    await test.store.write('test', tx => tx.update({ ...memory, content: 'other' }, 'edit'));
    assert.deepEqual(
      [await load('m', [one]), (await test.store.missingVectors('m', 9)).map(it => it.content)],
      [[undefined], ['other']],
    );
  });

  it('deletes the vectors of models that were unused for long, and keeps those of models in use', async () => {
    const [one] = await test.keepTexts('one');
    for (const it of ['old', 'now', 'recent']) await save(it, { [one!]: vector(1, 2) });
    const prune = (model: string, day: string, unusedSince: string): Promise<void> =>
      test.store.pruneUnusedModels(model, { at: `${day}T10:00:00.000Z`, unusedSince: `${unusedSince}T10:00:00.000Z` });
    const kept = async (): Promise<readonly boolean[]> =>
      Promise.all(['old', 'recent', 'now'].map(async it => (await test.store.vectors(it, [one!])).size > 0));
    // A model that was never recorded counts as used now.
    await prune('now', '2026-03-01', '2026-02-01');
    assert.deepEqual(await kept(), [true, true, true]);
    await prune('recent', '2026-03-20', '2026-02-20');
    await prune('now', '2026-04-10', '2026-03-11');
    assert.deepEqual(await kept(), [false, true, true]);
    await prune('now', '2026-06-10', '2026-05-11');
    assert.deepEqual(await kept(), [false, false, true]);
    assert.deepEqual(await test.problems(), []);
  });

  it('saves the vectors of many memories at once', async () => {
    const ids = await test.keepAll(Array.from({ length: 500 }, (_, i) => test.memory(`memory ${i}`)));
    await save('m', Object.fromEntries(ids.map((id, i) => [id, vector(i % 128, 1, 2)])));
    const found = await test.store.vectors('m', ids);
    assert.deepEqual([found.size, found.get(ids[130]!)], [500, vector(2, 1, 2)]);
  });
};

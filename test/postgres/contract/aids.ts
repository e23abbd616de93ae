import assert from 'node:assert/strict';
import { actionsOf, StoreOfTest, type Contract } from './kit.js';

export const aidsContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  it('keeps, replaces and removes search aids', async () => {
    const [one, two, three] = await test.keepTexts('one', 'two', 'three');
    const { store } = test;
    const before = await store.revision();
    await store.write('test', async tx => {
      await tx.setAids(one!, { questions: ['What\'s "it"?'], keywords: ['a, b', '\\'] });
      await tx.setAids(two!, { questions: [], keywords: ['ü'] });
      await tx.setAids('unknown', { questions: ['x'], keywords: [] });
    });
    assert.deepEqual(
      await store.aids([one!, two!, three!, 'unknown']),
      new Map([
        [one!, { questions: ['What\'s "it"?'], keywords: ['a, b', '\\'] }],
        [two!, { questions: [], keywords: ['ü'] }],
      ]),
    );
    assert.equal(await store.revision(), before + 1);
    await store.write('test', async tx => {
      await tx.setAids(one!, { questions: ['New?'], keywords: [] });
      await tx.setAids(two!, { questions: [], keywords: [] });
    });
    assert.deepEqual(await store.aids([one!, two!]), new Map([[one!, { questions: ['New?'], keywords: [] }]]));
    assert.deepEqual(await store.aids([]), new Map());
    assert.deepEqual(await test.problems(), []);
  });

  it('knows whose search aids a person edited', async () => {
    const [one, two, three] = await test.keepTexts('one', 'two', 'three');
    const aids = { questions: ['x'], keywords: [] };
    await test.store.write('test', async tx => {
      await tx.setAids(one!, aids);
      await tx.setAids(two!, aids, { isEdit: true });
      await tx.update((await tx.get(three!))!, 'edit', { change: 'text' });
    });
    await test.store.write('test', async tx => {
      assert.deepEqual(await tx.withEditedAids([one!, two!, three!, 'unknown']), [two]);
      assert.deepEqual(await tx.withEditedAids([]), []);
    });
    assert.deepEqual(actionsOf(await test.store.history(two!)), ['create', 'edit']);
    assert.deepEqual(actionsOf(await test.store.history(one!)), ['create']);
  });

  it('lists the active memories that may have search aids and lack them, newest first', async () => {
    const [one] = await test.keepTexts('one', 'two');
    await test.keep('code', { provenance: { source: 'code-index' } });
    await test.keep('archived', { status: 'archived', archiveReason: 'faded' });
    await test.keep('elsewhere', { scopeId: 'work' });
    const missing = async (limit: number): Promise<unknown> => [
      (await test.store.missingAids(limit)).map(it => it.content),
      await test.store.countMissingAids(),
    ];
    assert.deepEqual(await missing(10), [['elsewhere', 'two', 'one'], 3]);
    assert.deepEqual(await missing(1), [['elsewhere'], 3]);
    await test.store.write('test', tx => tx.setAids(one!, { questions: [], keywords: ['x'] }));
    assert.deepEqual(await missing(10), [['elsewhere', 'two'], 2]);
  });
};

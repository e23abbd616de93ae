import assert from 'node:assert/strict';
import { StoreOfTest, type Contract } from './kit.js';

export const maintenanceContract: Contract = backend => {
  const test = new StoreOfTest(backend);
  const vector = (length: number): { readonly model: string; readonly vector: Int8Array } => ({
    model: 'm',
    vector: new Int8Array(length),
  });

  it('measures a memory in bytes of its content, its tags and its vectors', async () => {
    const [one, two] = await test.keepTexts('Größe', 'two');
    const empty = await test.store.memorySizes([one!, two!, 'unknown']);
    assert.deepEqual([...empty.keys()].sort(), [one, two]);
    // Five letters, two of them of two bytes, against three.
    assert.equal(empty.get(one!)! - empty.get(two!)!, 7 - 3);
    await test.store.saveVectors(new Map([[one!, vector(100)]]));
    const memory = (await test.get(two!))!;
    await test.store.write('test', tx => tx.update({ ...memory, tags: ['abc'] }, 'edit'));
    const filled = await test.store.memorySizes([one!, two!]);
    assert.equal(filled.get(one!)! - empty.get(one!)!, 100);
    assert.ok(filled.get(two!)! >= empty.get(two!)! + 3);
    assert.deepEqual(await test.store.memorySizes([]), new Map());
  });

  it('counts memories and bytes by group, and all of them together', async () => {
    await test.keepTexts('one', 'two');
    await test.keep('pinned', { pinned: true, gate: 'behavioral', decayClass: 'permanent' });
    await test.keep('note', { lane: 'note', scopeId: 'work' });
    await test.keep('code', { provenance: { source: 'code-index' } });
    await test.keep('old', { status: 'archived', archiveReason: 'faded' });
    const rows = await test.store.inventory();
    const groups = rows.map(({ gate, decayClass, pinned, lane, status, provenance, count }) =>
      [gate, decayClass, pinned, lane, status, provenance.source, count].join(' '),
    );
    assert.deepEqual(groups.sort(), [
      'behavioral permanent true confirmed active explicit 1',
      'epistemic durable false confirmed active code-index 1',
      'epistemic durable false confirmed active explicit 2',
      'epistemic durable false confirmed archived explicit 1',
      'epistemic durable false note active explicit 1',
    ]);
    const ids: string[] = [];
    for await (const page of test.store.scanAll()) ids.push(...page.map(it => it.id));
    const sizes = await test.store.memorySizes(ids);
    const sum = (values: Iterable<number>): number => [...values].reduce((total, it) => total + it, 0);
    assert.equal(sum(rows.map(it => it.bytes)), sum(sizes.values()));
  });

  it('has an empty inventory while it is empty', async () => {
    assert.deepEqual(await test.store.inventory(), []);
  });

  it('measures vectors of a model, and what the whole takes', async () => {
    const none = await test.store.storageStats('m');
    assert.deepEqual([none.vectors, none.vectorBytes], [0, 0]);
    const [one, two] = await test.keepTexts('one', 'two');
    await test.store.saveVectors(
      new Map([
        [one!, vector(10)],
        [two!, vector(10)],
      ]),
    );
    await test.store.saveVectors(new Map([[one!, { model: 'n', vector: new Int8Array(7) }]]));
    const [m, n, unknown] = [
      await test.store.storageStats('m'),
      await test.store.storageStats('n'),
      await test.store.storageStats(undefined),
    ];
    assert.deepEqual([m.vectors, m.vectorBytes, n.vectorBytes, unknown.vectors, unknown.vectorBytes], [3, 20, 7, 3, 0]);
    for (const it of [m.fileBytes, m.indexBytes]) assert.ok(it > 0);
  });

  it('names the memories that were archived automatically at one moment', async () => {
    const at = '2026-02-01T00:00:00.000Z';
    const put = (
      content: string,
      archiveReason: 'faded' | 'quota' | 'expired' | 'forgotten',
      archivedAt: string,
    ): Promise<string> => test.keep(content, { status: 'archived', archiveReason, archivedAt });
    const found = [await put('a', 'quota', at), await put('b', 'faded', at), await put('c', 'expired', at)];
    await put('d', 'forgotten', at);
    await put('e', 'faded', '2026-02-01T00:00:00.001Z');
    assert.deepEqual(await test.store.autoArchivedAt(at), found);
    assert.deepEqual(await test.store.autoArchivedAt('2026-02-02T00:00:00.000Z'), []);
  });

  it('finds a store that went through every kind of change healthy', async () => {
    const ids = await test.keepTexts('one', 'two', 'three', 'four');
    const [one = '', two = '', three = '', four = ''] = ids;
    await test.store.write('test', async tx => {
      await tx.supersede(two, one);
      await tx.delete(three, 'prune');
      await tx.update({ ...(await tx.get(four))!, content: 'vier', scopeId: 'work' }, 'edit');
      await tx.setAids(two, { questions: ['x'], keywords: [] }, { isEdit: true });
      await tx.log('maintain', {});
    });
    await test.store.saveVectors(new Map([[two, vector(3)]]));
    const { problems, memories, auditEntries, store, file } = await test.store.verify();
    assert.deepEqual([problems, memories, store, file], [[], 3, 'project', test.store.file]);
    // With the line of what the vectors are, which is for `verify` alone.
    assert.equal(auditEntries, (await test.store.auditLog('')).length + 1);
  });
};

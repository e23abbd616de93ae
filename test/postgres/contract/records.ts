import assert from 'node:assert/strict';
import { oddTexts, StoreOfTest, type Contract } from './kit.js';

export const recordsContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const put = async (kind: 'goal' | 'run', id: string, body: unknown): Promise<void> => {
    await test.store.write('test', tx => tx.putRecord(kind, id, body));
    test.host.time += 1_000;
  };

  it('gives the records of a kind, newest first, and at most some', async () => {
    await put('goal', 'a', { text: 'ship' });
    await put('run', 'a', { archived: 3 });
    await put('goal', 'b', { text: 'rest' });
    const ids = async (limit?: number): Promise<readonly string[]> =>
      (await test.store.records('goal', limit)).map(it => it.id);
    assert.deepEqual([await ids(), await ids(1), await ids(0)], [['b', 'a'], ['b'], []]);
    assert.deepEqual(await test.store.records('request'), []);
  });

  it('gives records of one moment by id, the last one first', async () => {
    await test.store.write('test', async tx => {
      for (const it of ['b', 'a', 'B', 'ä']) await tx.putRecord('goal', it, {});
    });
    assert.deepEqual(
      (await test.store.records('goal')).map(it => it.id),
      ['ä', 'b', 'a', 'B'],
    );
  });

  it('gives one record with the time of its last write', async () => {
    await put('goal', 'a', { text: 'ship' });
    const at = test.now;
    await put('goal', 'a', { text: 'rest' });
    assert.deepEqual(await test.store.record('goal', 'a'), { id: 'a', at, body: { text: 'rest' } });
    assert.deepEqual(
      [await test.store.record('run', 'a'), await test.store.record('goal', 'A')],
      [undefined, undefined],
    );
  });

  it('shows a write its own records, and deletes them', async () => {
    await put('goal', 'a', { n: 1 });
    await test.store.write('test', async tx => {
      await tx.putRecord('goal', 'b', { n: 2 });
      assert.deepEqual(
        [(await tx.record('goal', 'b'))?.body, (await tx.record('goal', 'a'))?.body],
        [{ n: 2 }, { n: 1 }],
      );
      await tx.deleteRecord('goal', 'a');
      await tx.deleteRecord('goal', 'unknown');
      assert.equal(await tx.record('goal', 'a'), undefined);
    });
    assert.deepEqual(
      (await test.store.records('goal')).map(it => it.body),
      [{ n: 2 }],
    );
  });

  it('keeps a body as JSON does, whatever text it has', async () => {
    const texts = [...oddTexts.map(([, text]) => text), 'NUL \u0000 and half a pair \ud800'];
    const body = { texts, list: [1, null, true, -0.5e-7], nested: { '': { "it's": [] } }, empty: {} };
    await put('goal', `id 'with' "odd" \\ signs`, body);
    assert.deepEqual((await test.store.record('goal', `id 'with' "odd" \\ signs`))?.body, body);
    assert.deepEqual((await test.store.records('goal'))[0]?.body, body);
  });

  it('writes records without a line in the log or a new revision', async () => {
    const before = [await test.store.revision(), await test.store.auditHead()];
    await put('goal', 'a', {});
    await test.store.write('test', tx => tx.deleteRecord('goal', 'a'));
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
  });

  it('gives a thousand records where no limit is asked for, and all where it is beyond any number of them', async () => {
    await test.store.write('test', async tx => {
      for (let i = 0; i < 1_010; i++) await tx.putRecord('cursor', `c${i}`, { i });
    });
    assert.equal((await test.store.records('cursor')).length, 1_000);
    assert.equal((await test.store.records('cursor', 2_000)).length, 1_010);
    assert.equal((await test.store.records('cursor', Number.MAX_SAFE_INTEGER)).length, 1_010);
  });
};

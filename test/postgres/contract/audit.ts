import assert from 'node:assert/strict';
import { actionsOf, StoreOfTest, type Contract } from './kit.js';

export const auditContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  it('gives the log from a moment on, oldest first, with lines of no memory', async () => {
    const id = await test.keep('one');
    const from = test.now;
    await test.store.write("O'Neill", async tx => {
      await tx.log('export', { file: 'a "b" \\c ü' });
      await tx.update({ ...(await tx.get(id))!, priority: 1 }, 'edit');
    });
    test.host.time += 1_000;
    await test.store.write('test', tx => tx.log('maintain', {}));
    const lines = await test.store.auditLog(from);
    assert.deepEqual(lines, [
      { at: from, action: 'export', actor: "O'Neill", detail: { file: 'a "b" \\c ü' } },
      { at: from, action: 'edit', memoryId: id, actor: "O'Neill", detail: {} },
      { at: test.now, action: 'maintain', actor: 'test', detail: {} },
    ]);
    assert.equal((await test.store.auditLog('')).length, 4);
    assert.deepEqual(await test.store.auditLog('2027'), []);
  });

  it('knows its head, heads it had, and no others', async () => {
    const { store } = test;
    assert.equal(await store.hasAuditHead(''), true);
    await test.keep('one');
    const first = await store.auditHead();
    assert.match(first, /^1:./u);
    await test.keepTexts('two', 'three');
    const third = await store.auditHead();
    assert.match(third, /^3:./u);
    assert.deepEqual([await store.hasAuditHead(first), await store.hasAuditHead(third)], [true, true]);
    for (const it of [`2:${third.slice(2)}`, `4:${first.slice(2)}`, '1:', '1:x'])
      assert.equal(await store.hasAuditHead(it), false, it);
  });

  it('knows when it was last changed', async () => {
    await test.keep('one');
    const at = test.now;
    await test.store.write('test', tx => tx.log('maintain', {}));
    test.host.time += 1_000;
    assert.equal(await test.store.lastChangeAt(), at);
  });

  it('counts what was created, archived and deleted, by day, from an entry on', async () => {
    const { store } = test;
    assert.deepEqual(await store.countItems(''), { isWhole: true, head: '', days: {} });
    const [one, two] = await test.keepTexts('one', 'two');
    const head = await store.auditHead();
    test.host.advanceDays(1);
    await store.write('test', async tx => {
      await tx.applyBatch([{ op: 'insert', memory: test.memory('moved'), vector: undefined, isMoved: true }]);
      await tx.insertMany([test.memory('three')]);
      await tx.update({ ...(await tx.get(one!))!, status: 'archived', archiveReason: 'faded' }, 'archive');
      await tx.delete(two!, 'purge');
      await tx.log('export', {});
    });
    const first = { created: 2, archived: 0, deleted: 0 };
    const second = { created: 1, archived: 1, deleted: 1 };
    const now = await store.auditHead();
    const whole = { isWhole: true, head: now, days: { '2026-03-02': first, '2026-03-03': second } };
    assert.deepEqual(await store.countItems(''), whole);
    assert.deepEqual(Object.keys((await store.countItems('')).days), Object.keys(whole.days));
    assert.deepEqual(await store.countItems('1:unknown'), whole);
    assert.deepEqual(await store.countItems(head), { isWhole: false, head: now, days: { '2026-03-03': second } });
    assert.deepEqual(await store.countItems(now), { isWhole: false, head: now, days: {} });
  });

  it('chains many lines of one write, and of the next', async () => {
    await test.keepAll(Array.from({ length: 200 }, (_, i) => test.memory(`memory ${i}`)));
    await test.keep('last');
    const report = await test.store.verify();
    assert.deepEqual([report.memories, report.auditEntries, report.problems, report.store], [201, 201, [], 'project']);
    assert.match(await test.store.auditHead(), /^201:/u);
  });

  it('does not count a memory that moved to another store as deleted', async () => {
    const id = await test.keep('one');
    await test.store.write('test', tx => tx.delete(id, 'move'));
    const { days } = await test.store.countItems('');
    assert.deepEqual(days, { '2026-03-02': { created: 1, archived: 0, deleted: 0 } });
    assert.deepEqual(actionsOf(await test.store.history(id)), ['create', 'move']);
    assert.deepEqual(await test.problems(), []);
  });
};

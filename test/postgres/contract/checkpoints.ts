import assert from 'node:assert/strict';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { actionsOf, edge, StoreOfTest, type Contract } from './kit.js';

export const checkpointsContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const make = async (reason = 'before a change'): Promise<string> => {
    const { id } = await test.store.checkpoints.make({ reason, origin: 'person' });
    test.host.time += 1_000;
    return id;
  };
  const listed = async (): Promise<readonly string[]> =>
    (await test.store.checkpoints.list()).filter(it => it.origin !== 'backup').map(it => it.reason);

  it('describes a copy of the whole store', async () => {
    await test.keepTexts('one', 'two');
    const at = test.now;
    const reason = `It's "odd" \\ ü`;
    const made = await test.store.checkpoints.make({ reason, origin: 'person' });
    assert.match(made.id, /^[0-9a-f]{8}$/u);
    assert.deepEqual(
      [made.reason, made.origin, made.at, made.memories, made.store, made.of],
      [reason, 'person', at, 2, 'project', test.store.file],
    );
    assert.ok(made.bytes > 0);
    assert.deepEqual(
      (await test.store.checkpoints.list()).filter(it => it.origin !== 'backup'),
      [made],
    );
  });

  it('lists copies newest first, and has none at first', async () => {
    assert.deepEqual(await listed(), []);
    for (const it of ['first', 'second', 'third']) await make(it);
    assert.deepEqual(await listed(), ['third', 'second', 'first']);
  });

  it('makes a copy without a new revision or a line in the log', async () => {
    await test.keep('one');
    const before = [await test.store.revision(), await test.store.auditHead()];
    await make();
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
  });

  it('brings back the memories, edges, aids, vectors and goals of a copy', async () => {
    const [one = '', two = '', three = ''] = await test.keepTexts('one', 'two', 'three');
    await test.store.write('test', async tx => {
      await tx.link([edge(two, one, 'contradicts'), edge(three, one, 'refines')]);
      await tx.setAids(one, { questions: ['Which?'], keywords: ['x'] });
      await tx.putRecord('goal', 'a', { text: 'ship' });
      await tx.nextSequence('');
    });
    await test.store.saveVectors(new Map([[one, { model: 'm', vector: Int8Array.of(1, -2) }]]));
    const before = await Promise.all([
      test.store.get([one, two, three]),
      test.store.edges([one]),
      test.store.aids([one]),
    ]);
    const id = await make();
    await test.store.write('test', async tx => {
      await tx.delete(one, 'prune');
      await tx.update({ ...(await tx.get(two))!, content: 'zwei', priority: 9 }, 'edit');
      await tx.insertMany([test.memory('four')]);
      await tx.deleteRecord('goal', 'a');
      await tx.putRecord('run', 'r', { n: 1 });
      await tx.nextSequence('');
    });
    const revision = await test.store.revision();
    const result = await test.store.checkpoints.restore('Ada', id);
    assert.deepEqual([result.back, result.gone, result.changed, result.restored.id], [1, 1, 1, id]);
    const after = await Promise.all([
      test.store.get([one, two, three]),
      test.store.edges([one]),
      test.store.aids([one]),
    ]);
    const sorted = (memories: (typeof before)[0]): unknown => [...memories].sort((a, b) => (a.id < b.id ? -1 : 1));
    assert.deepEqual([sorted(after[0]), after[1], after[2]], [sorted(before[0]), before[1], before[2]]);
    assert.deepEqual(await test.store.vectors('m', [one]), new Map([[one, Int8Array.of(1, -2)]]));
    assert.deepEqual(
      [(await test.store.record('goal', 'a'))?.body, (await test.store.record('run', 'r'))?.body],
      [{ text: 'ship' }, { n: 1 }],
    );
    assert.deepEqual(await test.list({ containing: 'zwei' }), []);
    assert.ok((await test.store.revision()) > revision);
    assert.deepEqual(await test.problems(), []);
  });

  it('keeps the log, which records the restore, and knows all its earlier heads', async () => {
    const one = await test.keep('one');
    const id = await make();
    const two = await test.keep('two');
    const head = await test.store.auditHead();
    await test.store.checkpoints.restore('Ada', id);
    assert.equal(await test.store.hasAuditHead(head), true);
    assert.deepEqual(actionsOf(await test.store.auditLog('')), ['create', 'create', 'rollback', 'rollback']);
    const [, undone] = await test.store.history(two);
    assert.deepEqual([undone!.action, undone!.actor], ['rollback', 'Ada']);
    assert.deepEqual(actionsOf(await test.store.history(one)), ['create']);
  });

  it('undoes a restore by the copy that it makes of the state before', async () => {
    await test.keep('one');
    const id = await make();
    await test.keep('two');
    const { before } = await test.store.checkpoints.restore('test', id);
    assert.deepEqual([before.origin, before.memories, await test.list()], ['engine', 2, ['one']]);
    test.host.time += 1_000;
    await test.store.checkpoints.restore('test', before.id);
    assert.deepEqual([await test.list(), await test.problems()], [['two', 'one'], []]);
  });

  it('restores a copy of an empty store, and a copy to an emptied one', async () => {
    const empty = await make('empty');
    await test.keepTexts('one', 'two');
    const full = await make('full');
    await test.store.checkpoints.restore('test', empty);
    assert.deepEqual([await test.list(), await test.problems()], [[], []]);
    test.host.time += 1_000;
    await test.store.checkpoints.restore('test', full);
    assert.deepEqual([await test.list(), await test.problems()], [['two', 'one'], []]);
  });

  it('takes writes after a restore, also of a fact that is gone by it', async () => {
    await test.keep('one');
    const id = await make();
    await test.keep('two');
    await test.store.checkpoints.restore('test', id);
    test.host.time += 1_000;
    await test.keepTexts('two', 'three');
    assert.deepEqual([await test.list(), await test.list({ containing: 'TWO' })], [['three', 'two', 'one'], ['two']]);
    assert.deepEqual(await test.problems(), []);
  });

  it('does not bring back what was deleted for good since', async () => {
    const [one = '', two = ''] = await test.keepTexts('one', 'two');
    await test.store.write('test', tx => tx.link([edge(two, one, 'relates_to')]));
    const id = await make();
    await test.store.write('test', tx => tx.delete(one, 'purge'));
    await test.store.checkpoints.restore('test', id);
    assert.deepEqual([await test.list(), (await test.get(two))!.centrality, await test.problems()], [['two'], 0, []]);
  });

  it('keeps some of an origin, and deletes the oldest', async () => {
    test.host.settings = { ...defaultConfig, checkpoints: { ...defaultConfig.checkpoints, keep: 2 } };
    const store = await test.openAnother();
    for (const reason of ['first', 'second', 'third']) {
      await store.checkpoints.make({ reason, origin: 'person' });
      test.host.time += 1_000;
    }
    await store.checkpoints.make({ reason: 'by itself', origin: 'engine' });
    assert.deepEqual(await listed(), ['by itself', 'third', 'second']);
  });

  it('deletes a copy that is there, and refuses others', async () => {
    await test.keep('one');
    const id = await make('first');
    await make('second');
    assert.equal((await test.store.checkpoints.delete(id)).reason, 'first');
    assert.deepEqual(await listed(), ['second']);
    for (const it of [id, 'unknown', '', "' OR true --"]) {
      await assert.rejects(test.store.checkpoints.delete(it), { name: 'EngineError', code: 'notFound' });
      await assert.rejects(test.store.checkpoints.restore('test', it), { name: 'EngineError', code: 'notFound' });
    }
    assert.deepEqual([await test.list(), await listed()], [['one'], ['second']]);
  });

  it('shows a restore to others who have the store open', async () => {
    const other = await test.openAnother();
    await test.keep('one');
    const id = await make();
    await test.keep('two');
    await other.checkpoints.restore('other', id);
    assert.deepEqual(await test.list(), ['one']);
    test.host.time += 1_000;
    await test.keep('three');
    assert.deepEqual(
      [(await other.list({ scopeId: '' }, { limit: 9, offset: 0 })).length, await test.problems()],
      [2, []],
    );
  });
};

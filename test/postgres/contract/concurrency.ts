import assert from 'node:assert/strict';
import type { Store } from '../../../src/engine/store/store.js';
import { weighTerms } from '../../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../../src/engine/text/questionAnalysis.js';
import { edge, StoreOfTest, type Contract } from './kit.js';

export const concurrencyContract: Contract = backend => {
  const test = new StoreOfTest(backend);
  let other: Store;
  beforeEach(async () => {
    other = await test.openAnother();
  });

  const find = async (store: Store, text: string): Promise<readonly string[]> => {
    const question = analyzeQuestion(text);
    const query = { question, terms: weighTerms(question, {}), model: undefined, meaning: undefined };
    const filter = { scopeId: '', statuses: ['active', 'archived'], withoutForgotten: true } as const;
    return (await store.search(query, filter, 20)).hits.map(it => it.memory.content).sort();
  };

  it('shows each of two programs what the other writes', async () => {
    const one = await test.keep('The ferry is red.');
    assert.deepEqual(
      [await find(other, 'ferry'), await other.revision()],
      [['The ferry is red.'], await test.store.revision()],
    );
    await other.write('other', async tx => {
      await tx.update({ ...(await tx.get(one))!, priority: 9 }, 'edit');
      await tx.insertMany([test.memory('A ferry is blue.')]);
      await tx.putRecord('goal', 'a', { n: 1 });
    });
    assert.deepEqual(
      [(await test.get(one))!.priority, await find(test.store, 'ferry')],
      [9, ['A ferry is blue.', 'The ferry is red.']],
    );
    assert.deepEqual(
      [(await test.store.record('goal', 'a'))?.body, await test.store.auditHead()],
      [{ n: 1 }, await other.auditHead()],
    );
    await test.store.write('test', tx => tx.delete(one, 'prune'));
    assert.deepEqual([await other.get([one]), await find(other, 'ferry')], [[], ['A ferry is blue.']]);
  });

  it('shows a write to no other program before it ends', async () => {
    let others: unknown;
    await test.store.write('test', async tx => {
      await tx.insertMany([test.memory('one')]);
      await tx.putRecord('goal', 'a', {});
      others = [
        (await other.list({ scopeId: '' }, { limit: 9, offset: 0 })).length,
        await other.records('goal'),
        await other.revision(),
      ];
    });
    assert.deepEqual(others, [0, [], (await other.revision()) - 1]);
  });

  it('gives no two writes one revision, one counter or one place in the log', async () => {
    const start = await test.store.revision();
    const writes = Array.from({ length: 30 }, (_, i) =>
      (i % 2 === 0 ? test.store : other).write(`writer ${i % 2}`, async tx => {
        const sequence = await tx.nextSequence('');
        await tx.insertMany([test.memory(`memory ${i}`, { sequence })]);
        return sequence;
      }),
    );
    const sequences = await Promise.all(writes);
    assert.deepEqual(
      [...sequences].sort((a, b) => a - b),
      sequences.map((_, i) => i + 1),
    );
    assert.deepEqual([await other.revision(), await test.store.sequence('')], [start + 30, 30]);
    assert.deepEqual([(await test.store.auditLog('')).length, await test.problems()], [30, []]);
    assert.deepEqual((await test.list()).length, 30);
  });

  it('keeps one row of a fact that two programs say at once', async () => {
    const say = (store: Store): Promise<string> =>
      store.write('test', async tx => {
        const memory = test.memory('Paris is sunny.');
        const [known] = await tx.findByHash([memory.contentHash], '');
        if (known === undefined) await tx.insertMany([memory]);
        else await tx.update({ ...known, reinforcementCount: known.reinforcementCount + 1 }, 'reinforce');
        return known === undefined ? 'stored' : 'reinforced';
      });
    const outcomes = await Promise.all([say(test.store), say(other), say(test.store), say(other)]);
    assert.deepEqual(outcomes.sort(), ['reinforced', 'reinforced', 'reinforced', 'stored']);
    const [memory] = await test.store.list({ scopeId: '' }, { limit: 9, offset: 0 });
    assert.deepEqual([memory!.reinforcementCount, await test.problems()], [4, []]);
  });

  it('loses no change of two programs that change different fields from what they read in the write', async () => {
    const one = await test.keep('Paris is sunny.');
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 === 0 ? test.store : other).write('test', async tx => {
          const memory = (await tx.get(one))!;
          await tx.update({ ...memory, usefulCount: memory.usefulCount + 1 }, 'feedback');
        }),
      ),
    );
    assert.equal((await test.get(one))!.usefulCount, 20);
  });

  it('goes on after a write of one program that failed among those of others', async () => {
    const failing = test.store.write('test', async tx => {
      await tx.insertMany([test.memory('half')]);
      throw new Error('no');
    });
    const results = await Promise.allSettled([
      failing,
      test.keep('one'),
      other.write('other', tx => tx.insertMany([test.memory('two')])),
    ]);
    assert.deepEqual(
      results.map(it => it.status),
      ['rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual([[...(await test.list())].sort(), await test.problems()], [['one', 'two'], []]);
  });

  it('writes usage, vectors and edges of two programs at once', async () => {
    const ids = await test.keepAll(Array.from({ length: 40 }, (_, i) => test.memory(`memory ${i}`)));
    const accessed = new Map(ids.map(it => [it, 1]));
    const reversed = new Map([...accessed].reverse());
    const vectors = new Map(ids.map(it => [it, { model: 'm', vector: Int8Array.of(1, 2) }]));
    const links = ids.slice(1).map((it, i) => edge(it, ids[i]!, 'relates_to'));
    await Promise.all([
      ...[0, 1, 2].flatMap(() => [
        test.store.flushUsage('a', { accessed, traces: [], at: test.now }, 10),
        other.flushUsage('b', { accessed: reversed, traces: [], at: test.now }, 10),
      ]),
      test.store.saveVectors(vectors),
      other.saveVectors(new Map([...vectors].reverse())),
      test.store.write('a', tx => tx.link(links)),
      other.write('b', tx => tx.link([...links].reverse())),
    ]);
    const found = await test.store.get(ids);
    assert.ok(found.every(it => it.accessCount === 6));
    assert.deepEqual(
      [(await other.edges(ids)).length, await other.embeddingProgress('m')],
      [39, { embedded: 40, total: 40 }],
    );
    assert.deepEqual(await test.problems(), []);
  });

  it('gives a lease to one of two programs', async () => {
    const asked = await Promise.all([
      test.store.acquireLease('run', 'a', 1_000),
      other.acquireLease('run', 'b', 1_000),
    ]);
    assert.deepEqual([...asked].sort(), [false, true]);
    await Promise.all([test.store.releaseLease('run', 'a'), other.releaseLease('run', 'b')]);
    assert.equal(await other.acquireLease('run', 'c', 1_000), true);
  });

  it('keeps everything for who opens it later', async () => {
    await test.keepTexts('The ferry is red.', 'Tabs are wide.');
    await test.store.write('test', tx => tx.putRecord('goal', 'a', { n: 1 }));
    const head = await test.store.auditHead();
    await test.close(other);
    await test.close(test.store);
    const later = await test.openAnother();
    assert.deepEqual([await find(later, 'ferry'), await later.auditHead()], [['The ferry is red.'], head]);
    assert.deepEqual([(await later.record('goal', 'a'))?.body, (await later.verify()).problems], [{ n: 1 }, []]);
  });
};

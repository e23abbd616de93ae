import assert from 'node:assert/strict';
import type { NewEdge } from '../../../src/engine/model/edge.js';
import { centrality } from '../../../src/engine/scoring/centrality.js';
import { actionsOf, edge, StoreOfTest, type Contract } from './kit.js';

export const relationsContract: Contract = backend => {
  const test = new StoreOfTest(backend);
  let ids: readonly string[];
  let [one, two, three, four] = ['', '', '', ''];

  beforeEach(async () => {
    ids = await test.keepTexts('Paris is sunny.', 'Tabs are wide.', 'Sarah sails.', 'Rain is wet.');
    [one = '', two = '', three = '', four = ''] = ids;
  });

  const link = async (...edges: NewEdge[]): Promise<void> => {
    await test.store.write('test', tx => tx.link(edges));
    test.host.time += 1_000;
  };
  /** Links them, and a model's word is that the source of each replaces its target. */
  const contradict = async (...edges: NewEdge[]): Promise<void> => {
    await test.store.write('test', async tx => {
      await tx.link(edges);
      for (const it of edges) await tx.restoreMark(it, { outdated: 'target', by: 'model', at: test.now });
    });
    test.host.time += 1_000;
  };
  const edgesOf = async (id: string): Promise<unknown> =>
    (await test.store.edges([id])).map(it => [ids.indexOf(it.source), it.type, ids.indexOf(it.target), it.strength]);
  const centralities = async (): Promise<unknown> => {
    const found = new Map((await test.store.get(ids)).map(it => [it.id, it.centrality]));
    return ids.map(it => found.get(it));
  };
  const conflicts = async (limit = 10): Promise<unknown> =>
    (await test.store.conflicts('', limit)).map(it => [ids.indexOf(it.newer.id), ids.indexOf(it.older.id)]);

  it('keeps a symmetric edge once, from the later to the earlier memory, with the greater strength and its reason', async () => {
    await link(edge(one, two, 'relates_to', 0.5), edge(two, one, 'relates_to', 0.7));
    await link(edge(one, two, 'relates_to', 0.6));
    assert.deepEqual(await edgesOf(one), [[1, 'relates_to', 0, 0.7]]);
    assert.deepEqual(await edgesOf(two), [[1, 'relates_to', 0, 0.7]]);
    assert.equal((await test.store.edges([one]))[0]!.reason, 'Because of 0.7.');
    assert.deepEqual(await centralities(), [0.2, 0.2, 0, 0]);
  });

  it('keeps a directed edge in each direction, counts it at its target, and ignores one to itself or to nothing', async () => {
    await link(edge(one, two, 'refines', 1), edge(one, one, 'refines', 1), edge(one, 'gone', 'refines', 1));
    assert.deepEqual([await edgesOf(one), await centralities()], [[[0, 'refines', 1, 1]], [0, 0.2, 0, 0]]);
    await link(edge(two, one, 'refines', 0.5));
    assert.deepEqual(await edgesOf(one), [
      [0, 'refines', 1, 1],
      [1, 'refines', 0, 0.5],
    ]);
    assert.deepEqual(await test.problems(), []);
  });

  it('gives an edge back as it was written', async () => {
    const at = test.now;
    const reason = 'Because "it\'s" \\ so: ü, 雨.';
    await link({ source: two, target: one, type: 'exemplifies', strength: 0.123456789, reason });
    assert.deepEqual(await test.store.edges([one]), [
      { source: two, target: one, type: 'exemplifies', strength: 0.123456789, reason, createdAt: at },
    ]);
  });

  it('gives the edges of several memories once each, oldest first, of some types only where asked', async () => {
    await link(edge(three, two, 'refines'));
    await link(edge(two, one, 'contradicts'), edge(four, one, 'relates_to'));
    const of = async (which: readonly string[], types?: readonly NewEdge['type'][]): Promise<unknown> =>
      (await test.store.edges(which, types)).map(
        it => `${ids.indexOf(it.source)} ${it.type} ${ids.indexOf(it.target)}`,
      );
    const [refines, contradicts, relates] = ['2 refines 1', '1 contradicts 0', '3 relates_to 0'];
    assert.deepEqual(await of([one, two, 'unknown']), [refines, contradicts, relates]);
    assert.deepEqual(await of([two], ['contradicts']), [contradicts]);
    assert.deepEqual(await of([two, one], ['refines', 'relates_to']), [refines, relates]);
    assert.deepEqual([await of([]), await of([two], [])], [[], []]);
  });

  it('logs every edge at its source, except those of similarity', async () => {
    await link(edge(two, one, 'refines', 0.9), edge(two, one, 'relates_to'));
    await test.store.write('test', tx => tx.unlink(two, one, 'refines'));
    const lines = (await test.store.history(two)).map(it => [it.action, it.detail]);
    assert.deepEqual(lines.slice(1), [
      ['link', { type: 'refines', target: one, strength: 0.9 }],
      ['link', { type: 'refines', target: one, removed: true }],
    ]);
  });

  it('removes a directed edge in its direction, and a symmetric one in either', async () => {
    await link(edge(one, two, 'refines'), edge(three, one, 'relates_to'));
    await test.store.write('test', async tx => {
      await tx.unlink(two, one, 'refines');
      await tx.unlink(one, three, 'relates_to');
      await tx.unlink('unknown', one, 'refines');
    });
    assert.deepEqual([await edgesOf(one), await centralities()], [[[0, 'refines', 1, 0.8]], [0, 0.2, 0, 0]]);
  });

  it('lets edges between sets rest until both ends are in one', async () => {
    await contradict(edge(two, one, 'contradicts', 0.9));
    await link(edge(three, one, 'refines'));
    const move = (id: string, scopeId: string | undefined): Promise<void> =>
      test.store.write('test', async tx => {
        const { scopeId: before, ...rest } = (await tx.get(id))!;
        await tx.update(scopeId === undefined ? rest : { ...rest, scopeId }, 'edit');
      });
    await move(one, 'work');
    const { store } = test;
    assert.deepEqual(
      [(await store.edges([one])).length, await store.edgesInSets([one]), await conflicts()],
      [2, [], []],
    );
    assert.deepEqual([await centralities(), (await store.contradictions([one, two], 3)).size], [[0, 0, 0, 0], 0]);
    await move(two, 'work');
    assert.deepEqual(
      (await store.edgesInSets([one], ['contradicts', 'refines'])).map(it => it.source),
      [two],
    );
    assert.deepEqual([await centralities(), (await store.conflicts('work', 10)).length], [[0.2, 0.2, 0, 0], 1]);
    await move(one, undefined);
    await move(two, undefined);
    assert.deepEqual([await centralities(), await conflicts()], [[centrality(2), 0.2, 0, 0], [[1, 0]]]);
  });

  it('names the contradictions of memories, the most certain first, at most some of each', async () => {
    const markAt = (at: string, outdated: 'this' | 'other'): object => ({ outdated, by: 'model', at });
    const first = test.now;
    await contradict(edge(two, one, 'contradicts', 0.5), edge(three, one, 'contradicts', 0.9));
    const second = test.now;
    await contradict(edge(four, one, 'contradicts', 0.5));
    const found = await test.store.contradictions([one, three, 'unknown'], 10);
    assert.deepEqual([...found.keys()].sort(), [one, three].sort());
    assert.deepEqual(found.get(one), [
      { id: three, newer: true, certainty: 0.9, reason: 'Because of 0.9.', mark: markAt(first, 'this') },
      { id: four, newer: true, certainty: 0.5, reason: 'Because of 0.5.', mark: markAt(second, 'this') },
      { id: two, newer: true, certainty: 0.5, reason: 'Because of 0.5.', mark: markAt(first, 'this') },
    ]);
    assert.deepEqual(found.get(three), [
      { id: one, newer: false, certainty: 0.9, reason: 'Because of 0.9.', mark: markAt(first, 'other') },
    ]);
    const few = await test.store.contradictions(ids, 1);
    assert.deepEqual([few.size, few.get(one)!.map(it => it.id)], [4, [three]]);
    assert.deepEqual(await test.store.contradictions([], 3), new Map());
  });

  it('names no contradiction with an archived memory', async () => {
    await contradict(edge(two, one, 'contradicts'));
    await test.store.write('test', async tx => {
      await tx.update({ ...(await tx.get(two))!, status: 'archived', archiveReason: 'faded' }, 'archive');
    });
    assert.deepEqual([(await test.store.contradictions([one], 3)).size, await conflicts()], [0, []]);
    // An archived memory may be asked for itself.
    assert.deepEqual([...(await test.store.contradictions([two], 3)).keys()], [two]);
  });

  it('lists conflicts newest first, and of two the one last said as the newer', async () => {
    await contradict(edge(two, one, 'contradicts'));
    await contradict(edge(three, one, 'contradicts'));
    assert.deepEqual(
      [await conflicts(), await conflicts(1)],
      [
        [
          [2, 0],
          [1, 0],
        ],
        [[2, 0]],
      ],
    );
    await test.store.write('test', async tx => {
      await tx.update({ ...(await tx.get(one))!, reinforcedAt: '2027-01-01T00:00:00.000Z' }, 'reinforce');
    });
    assert.deepEqual(await conflicts(), [
      [0, 2],
      [0, 1],
    ]);
    const [first] = await test.store.conflicts('', 1);
    assert.deepEqual(
      [first!.newer.content, first!.edge.source, first!.edge.reason],
      ['Paris is sunny.', three, 'Because of 0.8.'],
    );
    assert.deepEqual(await test.store.conflicts('work', 10), []);
  });

  it('settles a contradiction by a person, from either end, and reopens it', async () => {
    await contradict(edge(two, one, 'contradicts'), edge(three, one, 'contradicts'));
    const at = test.now;
    const isSettled = (a: string, b: string): Promise<boolean> => test.store.write('test', tx => tx.isSettled(a, b));
    assert.equal(await isSettled(one, two), false);
    await test.store.write('test', tx => tx.settle(one, two));
    assert.deepEqual(
      [await conflicts(), await isSettled(two, one), await isSettled(one, three)],
      [[[2, 0]], true, false],
    );
    assert.deepEqual(
      (await test.store.edges([two])).map(it => it.settledAt),
      [at],
    );
    test.host.time += 1_000;
    await test.store.write('test', tx => tx.settle(two, one));
    assert.deepEqual(
      (await test.store.edges([two])).map(it => it.settledAt),
      [at],
      'the first time stays',
    );
    await test.store.write('test', tx => tx.reopen(two, one));
    assert.deepEqual([await isSettled(one, two), (await test.store.edges([two]))[0]!.settledAt], [false, undefined]);
    assert.equal((await test.store.contradictions([two], 3)).size, 1);
  });

  it('supersedes a memory by another, and undoes it', async () => {
    await contradict(edge(two, one, 'contradicts'));
    const at = test.now;
    await test.store.write('test', tx => tx.supersede(two, one));
    assert.deepEqual(
      [(await test.get(one))!.status, (await test.get(one))!.updatedAt, await conflicts()],
      ['superseded', at, []],
    );
    const [made] = await test.store.edges([one], ['supersedes']);
    assert.deepEqual([made!.source, made!.target, made!.strength], [two, one, 1]);
    assert.deepEqual(actionsOf(await test.store.history(one)), ['create', 'mark', 'supersede']);
    await test.store.write('test', async tx => {
      await tx.supersede(two, 'unknown');
      await tx.undoSupersede('unknown');
      await tx.undoSupersede(one);
    });
    assert.deepEqual([(await test.get(one))!.status, await conflicts()], ['active', [[1, 0]]]);
    assert.deepEqual(await test.store.edges([one], ['supersedes']), []);
    assert.deepEqual(actionsOf(await test.store.history(one)), ['create', 'mark', 'supersede', 'restore']);
    assert.deepEqual(await test.problems(), []);
  });

  it('marks an outdated memory by an edge that it adds where it is missing', async () => {
    const at = test.now;
    const mark = { outdated: one, replacement: two, type: 'contradicts', by: 'model', reason: 'It moved.' } as const;
    await test.store.write('test', tx => tx.markOutdated(mark));
    const [marked] = await test.store.edges([one]);
    assert.deepEqual([marked!.source, marked!.target, marked!.reason], [two, one, 'It moved.']);
    assert.deepEqual(marked!.mark, { outdated: 'target', by: 'model', at });
    const [found] = (await test.store.contradictions([one], 3)).get(one)!;
    assert.deepEqual(found!.mark, { outdated: 'this', by: 'model', at });
    const [other] = (await test.store.contradictions([two], 3)).get(two)!;
    assert.deepEqual(other!.mark, { outdated: 'other', by: 'model', at });
    assert.deepEqual((await test.store.history(one)).at(-1)!.detail, { outdatedBy: two, by: 'model' });
  });

  it('marks the later memory as outdated by the earlier one', async () => {
    const mark = { outdated: two, replacement: one, type: 'relates_to', by: 'person', reason: 'The same.' } as const;
    await test.store.write('test', tx => tx.markOutdated(mark));
    const [marked] = await test.store.edges([one]);
    assert.deepEqual([marked!.source, marked!.type, marked!.mark!.outdated], [two, 'relates_to', 'source']);
    // A marked edge of similarity is a contradiction too.
    assert.deepEqual([...(await test.store.contradictions([one, two], 3)).keys()].sort(), [one, two]);
    assert.equal(await test.store.write('test', tx => tx.isSettled(one, two)), true);
  });

  it('clears the marks against a memory, but those of a person not by a model', async () => {
    await contradict(edge(three, one, 'contradicts', 0.6));
    await test.store.write('test', async tx => {
      await tx.markOutdated({ outdated: one, replacement: two, type: 'contradicts', by: 'person', reason: 'So.' });
    });
    const clear = (by: 'model' | 'person'): Promise<boolean> => test.store.write('test', tx => tx.clearMarks(one, by));
    assert.equal(await clear('model'), false);
    const marks = async (): Promise<unknown> =>
      (await test.store.edges([one])).map(it => [ids.indexOf(it.source), it.mark?.outdated, it.mark?.by]);
    assert.deepEqual(await marks(), [
      [2, 'none', 'model'],
      [1, 'target', 'person'],
    ]);
    assert.equal(await clear('person'), true);
    assert.deepEqual(await marks(), [
      [2, 'none', 'model'],
      [1, 'none', 'person'],
    ]);
    assert.equal(await clear('model'), true);
  });

  it('marks an edge as it was marked in another store', async () => {
    await link(edge(two, one, 'contradicts'));
    const [made] = await test.store.edges([one]);
    const mark = { outdated: 'source', by: 'person', at: '2025-05-05T00:00:00.000Z' } as const;
    await test.store.write('test', tx => tx.restoreMark(made!, mark));
    assert.deepEqual((await test.store.edges([one]))[0]!.mark, mark);
    await test.store.write('test', tx => tx.restoreMark(made!, { ...mark, outdated: 'none' }));
    assert.deepEqual((await test.store.edges([one]))[0]!.mark, { ...mark, outdated: 'none' });
  });

  it('takes many edges at once, and counts them at their targets', async () => {
    const many = await test.keepAll(Array.from({ length: 300 }, (_, i) => test.memory(`memory ${i}`)));
    await link(
      ...many.map(it => edge(it, one, 'derived_from')),
      ...many.slice(1).map((it, i) => edge(it, many[i]!, 'relates_to')),
    );
    assert.equal((await test.store.edges([one])).length, 300);
    assert.deepEqual(
      [(await test.get(one))!.centrality, (await test.get(many[0]!))!.centrality],
      [centrality(300), 0.2],
    );
    assert.deepEqual(await test.problems(), []);
  });

  it('hands on what a memory has replaced to what replaces it when it is superseded, archived or deleted', async () => {
    const leaves: readonly (() => Promise<void>)[] = [
      () => test.store.write('test', tx => tx.supersede(three, two)),
      () =>
        test.store.write('test', async tx => tx.update({ ...(await tx.get(two))!, status: 'archived' }, 'archive', {})),
      () => test.store.write('test', tx => tx.delete(two, 'purge')),
    ];
    for (const leave of leaves) {
      [one = '', two = '', three = ''] = await test.keepTexts('The pier is red.', 'The pier is blue.', 'It is white.');
      await contradict(edge(two, one, 'contradicts', 0.9), edge(three, two, 'contradicts', 0.9));
      await leave();
      const [mark] = (await test.store.contradictions([one], 3)).get(one) ?? [];
      assert.deepEqual([mark?.id, mark?.mark.outdated, mark?.mark.by], [three, 'this', 'model']);
      await test.store.write('test', async tx => tx.delete(one, 'purge'));
      await test.store.write('test', async tx => tx.delete(three, 'purge'));
      await test.store.write('test', async tx => tx.delete(two, 'purge'));
    }
    assert.deepEqual(await test.problems(), []);
  });

  it('raises the revision with every change of edges', async () => {
    const revisions = [await test.store.revision()];
    for (const change of [
      () => link(edge(two, one, 'contradicts')),
      () => test.store.write('test', tx => tx.settle(one, two)),
      () => test.store.write('test', tx => tx.reopen(one, two)),
      () => test.store.write('test', tx => tx.unlink(one, two, 'contradicts')),
    ]) {
      await change();
      revisions.push(await test.store.revision());
    }
    assert.deepEqual(
      revisions.map(it => it - revisions[0]!),
      [0, 1, 2, 3, 4],
    );
  });
};

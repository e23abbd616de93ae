import assert from 'node:assert/strict';
import type { Trace, TraceCandidate } from '../../../src/engine/model/trace.js';
import { newUuid } from '../../../src/engine/base/uuid.js';
import { encodeTrace } from '../../../src/engine/store/traceCodec.js';
import { actionsOf, StoreOfTest, type Contract } from './kit.js';

export const tracesContract: Contract = backend => {
  const test = new StoreOfTest(backend);

  const candidate = (id: string, outcome: TraceCandidate['outcome']): TraceCandidate => ({
    id,
    store: 'project',
    outcome,
    factors: {
      features: { words: 0.125 },
      shares: { words: 0.5 },
      score: 1,
      relevance: 1,
      rank: 0.75,
    },
  });
  const trace = (query: string, rest: Partial<Trace> = {}): Trace => {
    test.host.time += 1_000;
    return {
      id: newUuid(test.host.now()),
      at: test.now,
      client: 'cli',
      query,
      scope: 'project-only',
      cache: 'miss',
      degraded: [],
      stages: [],
      candidates: [],
      candidateCount: 0,
      tokens: 0,
      ...rest,
    };
  };
  const flush = (traces: readonly Trace[], keepTraces = 100): Promise<readonly string[]> => {
    const encoded = traces.map(it => ({ id: it.id, at: it.at, text: encodeTrace(it) }));
    return test.store.flushUsage('test', { accessed: new Map(), traces: encoded, at: test.now }, keepTraces);
  };
  const use = (accessed: Readonly<Record<string, number>>): Promise<readonly string[]> =>
    test.store.flushUsage('recall', { accessed: new Map(Object.entries(accessed)), traces: [], at: test.now }, 100);

  it('gives traces back as they were, newest first', async () => {
    const full = trace('Where is "Bergen"? \\ ü 部署 👍', {
      asker: 'model',
      scopeId: 'work',
      request: { gates: ['epistemic'], limit: 3 },
      degraded: ['no embedder'],
      stages: [{ name: 'search', ms: 1.5, count: 2 }],
      candidates: [candidate('a', 'returned'), candidate('b', 'over limit')],
      candidateCount: 2,
      tokens: 7,
    });
    const other = trace('other');
    await flush([full, other]);
    assert.deepEqual(await test.store.trace(full.id), full);
    assert.deepEqual([await test.store.traces(10), await test.store.traces(1)], [[other, full], [other]]);
    assert.equal(await test.store.trace('unknown'), undefined);
  });

  it('lists summaries with what a trace adds up to', async () => {
    const full = trace('Where?', {
      asker: 'person',
      cache: 'hit',
      degraded: ['no embedder'],
      stages: [
        { name: 'search', ms: 1.5, count: 2 },
        { name: 'rank', ms: 2, count: 1 },
      ],
      candidates: [candidate('a', 'returned'), candidate('b', 'returned'), candidate('c', 'over limit')],
      candidateCount: 5,
    });
    const plain = trace('plain');
    await flush([full, plain]);
    const { id, at } = full;
    assert.deepEqual(await test.store.traceSummaries({ limit: 10 }), [
      {
        id: plain.id,
        at: plain.at,
        client: 'cli',
        query: 'plain',
        cache: 'miss',
        hits: 0,
        candidateCount: 0,
        ms: 0,
        degraded: false,
      },
      {
        id,
        at,
        client: 'cli',
        asker: 'person',
        query: 'Where?',
        cache: 'hit',
        hits: 2,
        candidateCount: 5,
        ms: 3.5,
        degraded: true,
      },
    ]);
  });

  it('selects summaries by text, by a returned memory, and by age', async () => {
    const traces = [
      trace("What's 50% of_it?", { candidates: [candidate('a', 'returned'), candidate('b', 'over limit')] }),
      trace('Deploy the SHOP', { candidates: [candidate('b', 'returned')] }),
      trace('deploy the bakery'),
    ];
    await flush(traces);
    const found = async (filter: object): Promise<readonly number[]> =>
      (await test.store.traceSummaries({ limit: 10, ...filter })).map(it =>
        traces.findIndex(other => other.id === it.id),
      );
    assert.deepEqual(await found({}), [2, 1, 0]);
    assert.deepEqual(await found({ limit: 2 }), [2, 1]);
    assert.deepEqual(await found({ text: 'DEPLOY' }), [2, 1]);
    assert.deepEqual(
      [await found({ text: '50% of_' }), await found({ text: 'o%d' }), await found({ text: "what's" })],
      [[0], [], [0]],
    );
    assert.deepEqual(
      [await found({ memory: 'a' }), await found({ memory: 'b' }), await found({ memory: '%' })],
      [[0], [1], []],
    );
    assert.deepEqual([await found({ before: traces[1]!.id }), await found({ before: traces[0]!.id })], [[0], []]);
    assert.deepEqual(await found({ before: traces[2]!.id, text: 'deploy', memory: 'b' }), [1]);
  });

  it('lists traces with a query that SQL cannot hold, and those beside it', async () => {
    const odd = trace('NUL \u0000, half a pair \ud800 and \\ud800');
    const plain = trace('plain');
    await flush([odd, plain]);
    const ids = async (filter: object): Promise<readonly string[]> =>
      (await test.store.traceSummaries({ limit: 10, ...filter })).map(it => it.id);
    assert.deepEqual([await ids({}), await ids({ text: 'PLAIN' })], [[plain.id, odd.id], [plain.id]]);
    assert.deepEqual(
      (await test.store.traces(10)).map(it => it.query),
      [plain.query, odd.query],
    );
  });

  it('deletes the oldest traces beyond those to keep', async () => {
    const traces = Array.from({ length: 20 }, (_, i) => trace(`query ${i}`));
    await flush(traces.slice(0, 18), 10);
    assert.equal((await test.store.traces(100)).length, 10);
    await flush(traces.slice(18), 3);
    assert.deepEqual(
      (await test.store.traces(100)).map(it => it.query),
      ['query 19', 'query 18', 'query 17'],
    );
  });

  it('counts uses without a new revision or a line in the log', async () => {
    const [one, two, three] = await test.keepTexts('one', 'two', 'three');
    const before = [await test.store.revision(), await test.store.auditHead()];
    const first = test.now;
    assert.deepEqual(await use({ [one!]: 2, [two!]: 1, unknown: 5 }), []);
    test.host.time += 1_000;
    await use({ [one!]: 3 });
    const found = new Map(
      (await test.store.get([one!, two!, three!])).map(it => [it.id, [it.accessCount, it.accessedAt]]),
    );
    assert.deepEqual(
      [found.get(one!), found.get(two!), found.get(three!)],
      [
        [5, test.now],
        [1, first],
        [0, undefined],
      ],
    );
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
  });

  it('makes an automatically archived memory active that a recall returned', async () => {
    const [one] = await test.keepTexts('one');
    const put = (content: string, archiveReason: 'faded' | 'expired' | 'forgotten' | 'gone'): Promise<string> =>
      test.keep(content, { status: 'archived', archiveReason, archivedAt: test.now });
    const [faded, expired, forgotten, gone] = [
      await put('faded', 'faded'),
      await put('expired', 'expired'),
      await put('forgotten', 'forgotten'),
      await put('gone', 'gone'),
    ];
    const before = await test.store.revision();
    assert.deepEqual(await use({ [expired]: 1, [forgotten]: 1, [faded]: 1, [one!]: 1, [gone]: 1 }), [faded, expired]);
    assert.equal(await test.store.revision(), before + 1);
    const memory = (await test.get(faded))!;
    assert.deepEqual(
      [memory.status, memory.archiveReason, memory.archivedAt, memory.updatedAt, memory.accessCount],
      ['active', undefined, undefined, test.now, 1],
    );
    assert.deepEqual([(await test.get(forgotten))!.status, (await test.get(gone))!.status], ['archived', 'archived']);
    const lines = await test.store.history(faded);
    assert.deepEqual(
      [actionsOf(lines), lines[1]!.actor, lines[1]!.detail],
      [['create', 'restore'], 'recall', { because: 'recalled' }],
    );
    assert.deepEqual(await test.problems(), []);
  });

  it('counts the uses of thousands of memories at once', async () => {
    const ids = await test.keepAll(Array.from({ length: 2_100 }, (_, i) => test.memory(`memory ${i}`)));
    await use(Object.fromEntries(ids.map((id, i) => [id, 1 + (i % 2)])));
    const counts = new Map<number, number>();
    for await (const page of test.store.scanAll())
      for (const it of page) counts.set(it.accessCount, (counts.get(it.accessCount) ?? 0) + 1);
    assert.deepEqual(
      counts,
      new Map([
        [1, 1_050],
        [2, 1_050],
      ]),
    );
  });
};

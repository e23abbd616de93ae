import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RecallInput, RecallResult } from '../../../src/engine/model/query.js';
import { spawnLiveEngineProcess, type LiveEngineProcess } from '../../support/spawnEngineProcess.js';
import { storeMemory, memoryInput, TestHost } from '../../support/fixtures.js';

const minutes = 1 / (24 * 60);
const query = 'the payments port';

async function cacheOf(engine: MemoryEngine, input: Partial<RecallInput> = {}): Promise<string> {
  return (await engine.context({ query, ...input })).cache;
}

/** All that a caller sees of an answer but its trace and the memories' counts of use, which a hit may be behind with. */
function seen({ hits, context, tokens }: RecallResult): unknown {
  return {
    context,
    tokens,
    hits: hits.map(({ memory: { accessCount, accessedAt, ...memory }, ...rest }) => ({ ...rest, memory })),
  };
}

describe('the cache of answers', () => {
  it('repeats an answer, with a trace and a use of its own', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const id = await storeMemory(engine, 'The payments service runs on port 8443.');
    const first = await engine.recall({ query });
    host.advanceDays(minutes);
    const again = await engine.recall({ query: `  ${query.replaceAll(' ', '\n ')} ` });
    assert.equal(again.trace.cache, 'hit');
    assert.deepEqual(seen(again), seen(first));
    assert.notEqual(again.trace.id, first.trace.id);
    const traces = await engine.traces();
    assert.deepEqual(
      traces.map(it => [it.cache, it.stages.map(stage => stage.name).join(' '), it.candidates.length]),
      [
        ['hit', 'cache', 1],
        ['miss', 'embed search rank pack', 1],
      ],
    );
    // Usage was written just now, and is no change.
    assert.equal(await cacheOf(engine), 'hit');
    await engine.traces();
    assert.equal((await engine.get(id)).accessCount, 3);
  });

  it('returns an answer that was serialized meanwhile with its whole trace, also when the trace is read late', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    // One in the project's store, one in the global one: a use of each is counted where it lies.
    const ids = [
      await storeMemory(engine, 'The payments service runs on port 8443.'),
      await storeMemory(engine, 'I prefer to call the payments port “8443 — 北京”.'),
    ];
    const first = await engine.recall({ query });
    const others = Array.from({ length: 110 }, (_, i) => `the payments port number ${i}`);
    // A search writes down what was kept before it.
    await engine.recall({ query: others[0]! });
    const again = await engine.recall({ query });
    assert.equal(again.trace.cache, 'hit');
    assert.deepEqual(seen(again), seen(first));
    assert.deepEqual(first.hits.map(it => it.memory.id).sort(), ids.sort());
    // Nobody writes the trace of a glance, which would read it.
    const glance = await engine.recall({ query, isUntracked: true });
    // More than are kept: the answer is gone, and its place is another's.
    for (const it of others) await engine.recall({ query: it, isUntracked: true });
    assert.deepEqual(again.trace.candidates, first.trace.candidates);
    assert.deepEqual(glance.trace.candidates, first.trace.candidates);
    const stored = (await engine.traces()).find(it => it.id === again.trace.id);
    assert.deepEqual(stored?.candidates, first.trace.candidates);
    const uses = await Promise.all(ids.map(async it => (await engine.get(it)).accessCount));
    assert.deepEqual(uses, [3, 3]);
  });

  it('packs a context as a recall does', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The payments service runs on port 8443.');
    const { context, tokens } = await engine.recall({ query });
    const { trace, ...packed } = await engine.context({ query });
    assert.deepEqual(packed, { context, tokens, ids: [id], codeChanged: false, cache: 'hit' });
    assert.ok((await engine.traces()).some(it => it.id === trace));
    const { trace: other, ...nothing } = await engine.context({ query: 'kubernetes' });
    assert.deepEqual(nothing, { context: '', tokens: 0, ids: [], codeChanged: false, cache: 'miss' });
  });

  it('uses every option of a query as part of the key', async () => {
    const engine = await new TestHost({ project: true }).open();
    await storeMemory(engine, 'The payments service runs on port 8443.', { tags: ['one'] });
    await engine.recall({ query });
    const others: readonly Partial<RecallInput>[] = [
      { query: 'payments' },
      { limit: 3 },
      { tokenBudget: 300 },
      { gates: ['epistemic'] },
      { kinds: ['context'] },
      { tags: ['one'] },
      { lane: 'confirmed' },
      { decayClasses: ['durable'] },
      { statuses: ['active'] },
      { since: '2026-01-01' },
      { until: '2027-01-01' },
      { pinned: false },
      { uri: 'file:///a.ts' },
      { session: 's' },
      { scope: 'global-only' },
      { scopeId: 'other' },
      { mode: 'fresh' },
    ];
    for (const it of others) assert.equal(await cacheOf(engine, it), 'miss', JSON.stringify(it));
    for (const it of others.slice(0, -1)) assert.equal(await cacheOf(engine, it), 'hit', JSON.stringify(it));
    // The same said in another way.
    assert.equal(await cacheOf(engine, { limit: 8, scope: 'project-then-global', mode: 'fast' }), 'hit');
  });

  it('ends with a write to a store it read, and with no other', async () => {
    const engine = await new TestHost({ project: true }).open();
    await storeMemory(engine, 'The payments service runs on port 8443.');
    const both = (): Promise<string[]> =>
      Promise.all([cacheOf(engine), cacheOf(engine, { scope: 'global-only' })]).then(it => [...it]);
    assert.deepEqual([await both(), await both()], [Array(2).fill('miss'), Array(2).fill('hit')]);
    await storeMemory(engine, 'Sarah owns the payments service.', { store: 'project' });
    assert.deepEqual(await both(), ['miss', 'hit']);
    await storeMemory(engine, 'The payments beta ships on Friday.');
    assert.deepEqual(await both(), ['miss', 'miss']);
    // A write elsewhere in the same file ends it too: the sequence that strength counts from has moved.
    await storeMemory(engine, 'Elsewhere.', { scopeId: 'other' });
    assert.deepEqual(await both(), ['miss', 'miss']);
  });

  it('ends after five minutes, with the day, and with other settings', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The payments service runs on port 8443.', {
      gate: 'epistemic',
      decayClass: 'ephemeral',
    });
    const { hits } = await engine.recall({ query });
    host.advanceDays(5 * minutes);
    const [old, fresh] = [await engine.recall({ query }), await engine.recall({ query, mode: 'fresh' })];
    assert.equal(old.trace.cache, 'hit');
    // What the fastest class fades meanwhile is less than half a point.
    assert.equal(old.hits[0]?.effectiveConfidence, hits[0]?.effectiveConfidence);
    assert.ok(Math.abs(old.hits[0]!.effectiveConfidence - fresh.hits[0]!.effectiveConfidence) < 0.5);
    host.advanceDays(5.1 * minutes);
    assert.deepEqual([await cacheOf(engine), await cacheOf(engine)], ['miss', 'hit']);
    host.time = Date.parse('2026-03-02T23:59:00Z');
    await engine.recall({ query });
    host.advanceDays(2 * minutes);
    assert.equal(await cacheOf(engine), 'miss');
    host.settings = { ...host.settings, recall: { ...defaultConfig.recall, rerankMs: 50 } };
    assert.deepEqual([await cacheOf(engine), await cacheOf(engine)], ['miss', 'hit']);
  });

  it('keeps no question with a secret in it, and puts none into a trace', async () => {
    const engine = await new TestHost().open();
    await storeMemory(engine, 'The payments service runs on port 8443.');
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    const caches = [];
    for (let i = 0; i < 2; i++) caches.push(await cacheOf(engine, { query: `payments port ${secret}` }));
    assert.deepEqual(caches, ['miss', 'miss']);
    assert.ok(!JSON.stringify(await engine.traces()).includes(secret));
  });

  it('keeps no answer that a passing failure made poorer', async () => {
    const host = new TestHost();
    host.bundleDir = host.dataDir; // No threads to start there.
    const engine = await host.open();
    await storeMemory(engine, 'The payments service runs on port 8443.');
    assert.deepEqual([await cacheOf(engine), await cacheOf(engine)], ['miss', 'miss']);
  });
});

describe('a cached answer', () => {
  let child: LiveEngineProcess | undefined;

  afterEach(async () => {
    await child?.end();
    child = undefined;
  });

  it('equals a fresh search after a write by any process', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    child = await spawnLiveEngineProcess({ dataDir: host.dataDir, folders: host.workspaceFolders });
    const other = child;
    const words = fc.constantFrom('payments port', 'payments', 'beta service', 'service');
    const text = fc.array(fc.constantFrom('payments', 'port', 'service', 'beta', 'euros'), {
      minLength: 1,
      maxLength: 3,
    });
    const step = fc.record({
      who: fc.constantFrom('engine', 'child', 'nobody'),
      what: fc.constantFrom('remember', 'forget', 'pin', 'feedback', 'restore'),
      text,
      store: fc.constantFrom('project', 'global'),
      which: fc.nat(20),
      query: words,
      scope: fc.constantFrom('project-then-global', 'project-only', 'global-only'),
    });
    let hits = 0;
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 10 }), async steps => {
        const scopeId = `run ${++run}`;
        const ids: string[] = [];
        for (const it of steps) {
          const call = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
            it.who === 'child'
              ? other.call(method, ...args)
              : (engine as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[method]!(
                  ...args,
                );
          const id = ids[it.which % Math.max(1, ids.length)];
          if (it.who !== 'nobody' && (it.what === 'remember' || id === undefined)) {
            const input = memoryInput(it.text.join(' '), { scopeId, store: it.store as 'global' });
            const [outcome] = (await call('remember', input)) as { id: string }[];
            ids.push(outcome!.id);
          } else if (it.who !== 'nobody') {
            await call(it.what, id, ...(it.what === 'feedback' ? [it.which % 2 === 0] : []));
          }
          const asked = { query: it.query, scope: it.scope as 'project-only', scopeId };
          const fast = await engine.recall(asked);
          const fresh = await engine.recall({ ...asked, mode: 'fresh', isUntracked: true });
          assert.equal(fresh.trace.cache, 'miss');
          assert.deepEqual(seen(fast), seen(fresh));
          if (fast.trace.cache === 'hit') hits++;
        }
      }),
      { numRuns: 25, seed: 7 },
    );
    assert.ok(hits > 10, `${hits} answers came from the cache`);
  });
});

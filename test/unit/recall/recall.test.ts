import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import type { RankFactors } from '../../../src/engine/model/trace.js';
import { estimateTokens } from '../../../src/engine/text/tokenEstimate.js';
import { storeMemory, memoryInput, TestHost } from '../../support/fixtures.js';

/** A small team's memory: short enough to be read, wide enough that wrong answers show. */
const corpus: readonly RememberInput[] = [
  memoryInput('I prefer tabs over spaces.', { gate: 'behavioral', tags: ['style'] }),
  memoryInput('Never run prettier on the generated client.', { gate: 'correction', tags: ['style', 'client'] }),
  memoryInput('The payments service runs on port 8443.', {
    gate: 'epistemic',
    kind: 'architecture',
    tags: ['payments'],
  }),
  memoryInput('Sarah owns the payments service.', { gate: 'relational', tags: ['payments'] }),
  memoryInput('Ship the payments beta.', { gate: 'promissory', kind: 'progress', decayClass: 'session' }),
  memoryInput('The nightly build probably fails on Windows.', { gate: 'epistemic', lane: 'note', kind: 'gotcha' }),
  memoryInput('getUserById reads from the replica.', { gate: 'epistemic', kind: 'code-description' }),
  memoryInput('Das Café in der Straße heißt Müller.', { gate: 'epistemic' }),
  memoryInput('データベースはPostgresです。', { gate: 'epistemic' }),
];

/** The answer in the order given, by the first words of each memory. */
function check(name: string, input: RecallInput, expected: readonly string[]): void {
  it(name, async () => {
    const engine = await new TestHost().open();
    for (const it of corpus) await engine.remember(it);
    const { hits } = await engine.recall(input);
    assert.deepEqual(
      hits.map(it => it.memory.content),
      expected.map(start => corpus.find(it => it.content.startsWith(start))?.content),
    );
  });
}

function refuses(name: string, input: Partial<RecallInput>): void {
  it(name, async () => {
    const engine = await new TestHost().open();
    await assert.rejects(engine.recall({ query: 'port', ...input }), it => EngineError.is(it, 'invalidInput'));
  });
}

describe('recall', () => {
  check('finds by a word', { query: 'tabs' }, ['I prefer']);
  check('finds by another form of a word', { query: 'failing builds' }, ['The nightly']);
  check('finds by a part of an identifier', { query: 'user by id' }, ['getUserById']);
  check('finds without accents', { query: 'muller' }, ['Das']);
  check('finds in scripts without spaces', { query: 'データベース' }, ['データ']);
  check('puts the best match first', { query: 'who owns the payments service' }, ['Sarah', 'The payments']);
  check('finds nothing for an unknown subject', { query: 'kubernetes' }, []);
  check('finds nothing for signs alone', { query: '"*()' }, []);
  check('narrows by gate', { query: 'payments', gates: ['relational'] }, ['Sarah']);
  check('narrows by several gates', { query: 'payments service', gates: ['relational', 'epistemic'] }, [
    'Sarah',
    'The payments',
  ]);
  check('narrows by kind', { query: 'payments', kinds: ['architecture'] }, ['The payments']);
  check('narrows by lane', { query: 'windows', lane: 'note' }, ['The nightly']);
  check('narrows by decay class', { query: 'payments', decayClasses: ['session'] }, ['Ship']);
  check('narrows by a tag', { query: 'payments prettier tabs', tags: ['style', 'client'] }, ['Never']);
  check('takes a tag as it was given', { query: 'tabs', tags: [' Style'] }, ['I prefer']);
  check('returns at most the requested number', { query: 'payments', limit: 1, gates: ['relational', 'epistemic'] }, [
    'Sarah',
  ]);
  check('narrows to nothing by an empty choice', { query: 'payments', gates: [] }, []);
  check('a date before everything', { query: 'tabs', since: '2026-03-01' }, ['I prefer']);
  check('a date after everything', { query: 'tabs', since: 'March 3, 2026' }, []);
  check('the moment itself, given in another time zone', { query: 'tabs', since: '2026-03-02T11:00:00+02:00' }, [
    'I prefer',
  ]);
  check('until is exclusive', { query: 'tabs', until: '2026-03-02T09:00:00Z' }, []);

  refuses('an empty query', { query: ' \n ' });
  it('returns as many as were asked for, and its trace has all of them', async () => {
    const engine = await new TestHost().open();
    const berths = Array.from({ length: 100 }, (_, i) => memoryInput(`Berth ${i} of the port takes ferries.`));
    await engine.rememberAll(berths);
    const { hits, trace } = await engine.recall({ query: 'which berth takes ferries', limit: 90, tokenBudget: 32_000 });
    const returned = trace.candidates.filter(it => it.outcome === 'returned').map(it => it.id);
    assert.equal(hits.length, 90);
    assert.deepEqual(
      returned,
      hits.map(it => it.memory.id),
    );
  });

  refuses('a limit of none', { limit: 0 });
  refuses('a limit above a hundred', { limit: 101 });
  refuses('half a limit', { limit: 1.5 });
  refuses('a budget of nothing', { tokenBudget: 0 });
  refuses('a date that is none', { since: 'lately' });

  it('finds memories that were added after a reopened engine was queried', async () => {
    const host = new TestHost();
    const first = await host.open();
    await storeMemory(first, 'The cat sleeps on the red sofa.');
    await first.close();
    const engine = await host.open();
    await engine.recall({ query: 'cat' });
    await storeMemory(engine, 'The zebra eats green grass.');
    const { hits } = await engine.recall({ query: 'zebra' });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      ['The zebra eats green grass.'],
    );
  });

  it('lists in the same way of reading dates and tags', async () => {
    const engine = await new TestHost().open();
    for (const it of corpus) await engine.remember(it);
    const found = [
      await engine.list({ since: 'March 3, 2026' }),
      await engine.list({ since: '2026-03-02T11:00:00+02:00' }),
      await engine.list({ tags: ['STYLE'] }),
    ];
    assert.deepEqual(
      found.map(it => it.length),
      [0, corpus.length, 2],
    );
    await assert.rejects(engine.list({ until: 'lately' }), it => EngineError.is(it, 'invalidInput'));
  });

  it('prefers confirmed, newer and more often reinforced memories', async () => {
    const host = new TestHost();
    host.settings = { ...defaultConfig, embeddings: 'off' }; // The four names lie differently near the question.
    const engine = await host.open();
    const gate = 'epistemic';
    await engine.remember(memoryInput('Alpha uses redis as a cache.', { gate, lane: 'note' }));
    await engine.remember(memoryInput('Bravo uses redis as a cache.', { gate }));
    await engine.remember(memoryInput('Delta uses redis as a cache.', { gate }));
    await engine.remember(memoryInput('Delta uses redis as a cache.', { gate }));
    host.advanceDays(5);
    await engine.remember(memoryInput('Gamma uses redis as a cache.', { gate }));
    const { hits } = await engine.recall({ query: 'redis cache' });
    assert.deepEqual(
      hits.map(it => it.memory.content.slice(0, 5)),
      ['Gamma', 'Delta', 'Bravo', 'Alpha'],
    );
  });

  it('gives the cut as the reason for what it takes away, also below the limit', async () => {
    const engine = await new TestHost().open();
    const subjects = ['cache', 'queue', 'session store', 'lock', 'counter', 'feed'];
    for (const it of subjects) await engine.remember(memoryInput(`The ${it} is in redis.`, { gate: 'epistemic' }));
    for (const it of ['crane', 'pilot', 'ferry'])
      await engine.remember(memoryInput(`The ${it} leaves at nine.`, { gate: 'epistemic' }));
    const { trace } = await engine.recall({ query: 'which cache is in redis and what leaves', limit: 2 });
    const threshold = trace.cut!.minProbability;
    const outcomes = trace.candidates.map(it => [it.factors.relevance < threshold, it.outcome] as const);
    assert.ok(outcomes.filter(([isBelow]) => isBelow).length > 2, JSON.stringify(outcomes));
    assert.deepEqual(
      outcomes.filter(([isBelow, outcome]) => isBelow !== (outcome === 'not relevant')),
      [],
    );
  });

  it('leaves the arithmetic of every rank in the trace', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    for (const [i, it] of corpus.entries()) {
      await engine.remember({ ...it, store: i % 2 === 0 ? 'project' : 'global', priority: 1 + i });
      host.advanceDays(1);
    }
    const { hits, trace } = await engine.recall({
      query: 'the payments service on windows runs tabs',
      limit: 3,
      withoutCut: true,
    });
    // What is the same for all: the constant of the regression.
    const constantOf = ({ shares = {}, score }: RankFactors): number =>
      score - Object.values(shares).reduce((sum, it) => sum + it, 0);
    const first = constantOf(trace.candidates[0]!.factors);
    assert.ok(trace.candidates.length > 3);
    for (const { factors } of trace.candidates) {
      assert.ok(Math.abs(constantOf(factors) - first) < 0.01);
      assert.equal(factors.relevance, 1 / (1 + Math.exp(-factors.score)));
      assert.equal(factors.rank, factors.relevance);
    }
    const ranks = trace.candidates.map(it => Math.round(it.factors.rank / 0.005));
    assert.deepEqual(
      ranks,
      [...ranks].sort((a, b) => b - a),
    );
    assert.deepEqual(
      trace.candidates.map(it => it.outcome),
      trace.candidates.map((_, i) => (i < 3 ? 'returned' : 'over limit')),
    );
    assert.deepEqual(
      hits.map(it => [it.memory.id, it.rank]),
      trace.candidates.slice(0, 3).map(it => [it.id, it.factors.rank]),
    );
  });

  it('stays within the budget and reports the memories that did not fit', async () => {
    const engine = await new TestHost().open();
    for (let i = 0; i < 30; i++)
      await storeMemory(engine, `The port of service ${i} is ${1000 + i}, and ${'so '.repeat(i)}on.`);
    for (const tokenBudget of [1, 60, 100, 250, 1000]) {
      const { context, tokens, hits, trace } = await engine.recall({
        query: 'port of service',
        tokenBudget,
        limit: 30,
      });
      assert.equal(tokens, estimateTokens(context));
      assert.ok(tokens <= tokenBudget, `${tokens} of ${tokenBudget}`);
      assert.equal(trace.candidates.filter(it => it.outcome === 'returned').length, hits.length);
      assert.equal(hits.length + trace.candidates.filter(it => it.outcome === 'over budget').length, 30);
      assert.equal(hits.length === 0, context === '');
    }
  });
});

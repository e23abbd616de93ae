import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RememberOutcome } from '../../../src/engine/model/rememberOutcome.js';
import type { RememberInput } from '../../../src/engine/model/rememberInput.js';
import { runEngineProcess } from '../../support/spawnEngineProcess.js';
import { storeMemory, storeProblems, memoryInput, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

/** The port was one, and then another. */
const was = 'The api runs on port 8080.';
const is = 'The api runs on port 9090.';
const noted = (content: string): RememberInput => memoryInput(content, { lane: 'note' });

/** A host without embeddings: words decide here, and it opens at once. */
function plainHost(): TestHost {
  const host = new TestHost();
  host.settings = { ...host.settings, embeddings: 'off' };
  return host;
}

interface LabelledPair {
  readonly older: string;
  readonly newer: string;
}

interface Row {
  readonly content: string;
  readonly confidence: number;
  readonly count: number;
}

/** What is stored, and what hangs together: contents by the words that tell them apart. */
async function stateOf(host: TestHost): Promise<{ readonly kept: readonly Row[]; readonly edges: readonly string[] }> {
  const kept = await sql(
    host.globalFile,
    'SELECT content, confidence, reinforcement_count AS count FROM memories ORDER BY row',
  );
  const edges = await sql(
    host.globalFile,
    `SELECT s.content AS source, e.type, t.content AS target FROM edges e
     JOIN memories s ON s.row = e.source JOIN memories t ON t.row = e.target ORDER BY e.source, e.target, e.type`,
  );
  return {
    kept: kept as unknown as Row[],
    edges: edges.map(it => `${it.source as string} ${it.type as string} ${it.target as string}`),
  };
}

interface Expected {
  /** Of each memory in the order of writing: confidence lost to contradictions, at least. */
  readonly lost: readonly number[];
  readonly edges: readonly string[];
  /** What each outcome says that is not just "stored". */
  readonly said: readonly string[];
}

function sayingOf(it: RememberOutcome): string[] {
  if (it.outcome === 'refused') return [it.reason];
  const contradicts = (it.contradicts ?? []).map(
    its => `${it.content} contradicts ${its.content}${its.weakened ? '' : ' (unchanged)'}`,
  );
  return it.outcome === 'reinforced' ? [`${it.content} again`, ...contradicts] : contradicts;
}

/** Remembers the inputs call by call, a list of them in one call, with days between. */
function check(
  name: string,
  calls: readonly (RememberInput | readonly RememberInput[] | number)[],
  expected: Expected,
  prepare: (engine: MemoryEngine, ids: readonly string[]) => Promise<void> = () => Promise.resolve(),
): void {
  it(name, async () => {
    const host = plainHost();
    const engine = await host.open();
    const outcomes: RememberOutcome[] = [];
    for (const it of calls) {
      if (typeof it === 'number') {
        host.advanceDays(it);
        continue;
      }
      outcomes.push(
        ...(await engine.rememberAll(Array.isArray(it) ? (it as RememberInput[]) : [it as RememberInput])).flat(),
      );
      const ids = outcomes.flatMap(its => (its.outcome === 'refused' ? [] : [its.id]));
      if (outcomes.length === 1) await prepare(engine, ids);
    }
    const { kept, edges } = await stateOf(host);
    const first = await classified(kept.map(it => it.content));
    const lost = kept.map(({ confidence, count }, i) =>
      Math.round(first[i]! + Math.max(0, count - 1) * 5 - confidence),
    );
    assert.deepEqual(
      { lost: lost.map(bucket), edges, said: outcomes.flatMap(sayingOf), problems: await storeProblems(engine) },
      { ...expected, problems: [] },
    );
  });
}

/** 0, or 20 for a loss of 20 to 50. */
function bucket(lost: number): number {
  return lost >= 20 && lost <= 50 ? 20 : lost;
}

/** The confidence that each text begins with. */
async function classified(contents: readonly string[]): Promise<readonly number[]> {
  const { classifyStatement } = await import('../../../src/engine/engine.js');
  return contents.map(it => classifyStatement(it, new Date()).confidence);
}

describe('contradictions', () => {
  check('a newer fact weakens the older one', [memoryInput(was), 1, memoryInput(is)], {
    lost: [20, 0],
    edges: [`${is} contradicts ${was}`],
    said: [`${is} contradicts ${was}`],
  });
  check('in one call, in the order of the texts', [[memoryInput(was), memoryInput(is)]], {
    lost: [20, 0],
    edges: [`${is} contradicts ${was}`],
    said: [`${is} contradicts ${was}`],
  });
  check(
    'an update of a convention',
    [
      memoryInput("Always start variable names with 'm_'."),
      1,
      memoryInput("Always end variable names with '_x'."),
      memoryInput("Always start variable names with 'n_'."),
    ],
    {
      lost: [20, 0, 0],
      edges: ["Always start variable names with 'n_'. contradicts Always start variable names with 'm_'."],
      said: ["Always start variable names with 'n_'. contradicts Always start variable names with 'm_'."],
    },
  );
  check(
    'an import out of order: what was said later holds',
    [memoryInput(is, { at: '2026-02-20T00:00:00Z' }), memoryInput(was, { at: '2026-01-20T00:00:00Z' })],
    {
      lost: [0, 20],
      edges: [`${was} contradicts ${is}`],
      said: [`${was} contradicts ${is} (unchanged)`],
    },
  );
  check('a note does not weaken a confirmed memory', [memoryInput(was), 1, noted(is)], {
    lost: [0, 0],
    edges: [`${is} contradicts ${was}`],
    said: [`${is} contradicts ${was} (unchanged)`],
  });
  check('a confirmed memory weakens a note', [noted(was), 1, memoryInput(is)], {
    lost: [20, 0],
    edges: [`${is} contradicts ${was}`],
    said: [`${is} contradicts ${was}`],
  });
  check(
    'a pinned memory is locked',
    [memoryInput(was), 1, memoryInput(is)],
    {
      lost: [0, 0],
      edges: [`${is} contradicts ${was}`],
      said: [`${is} contradicts ${was} (unchanged)`],
    },
    async (engine, [id = '']) => {
      await engine.pin(id);
    },
  );
  check(
    'what is archived is not compared',
    [memoryInput(was), 1, memoryInput(is)],
    { lost: [0, 0], edges: [], said: [] },
    async (engine, [id = '']) => {
      await engine.forget(id);
    },
  );
  check(
    'memories of different isolation sets are not compared',
    [memoryInput(was), memoryInput(is, { scopeId: 'other' })],
    {
      lost: [0, 0],
      edges: [],
      said: [],
    },
  );
  check(
    'code is not a statement',
    [memoryInput(was, { kind: 'code' }), memoryInput(is), memoryInput(was, { kind: 'code', scopeId: 'x' })],
    {
      lost: [0, 0, 0],
      edges: [],
      said: [],
    },
  );
  check(
    'what was true before holds again when it is said again, and once',
    [memoryInput(was), 1, memoryInput(is), 1, memoryInput(was), 1, memoryInput(was)],
    {
      lost: [20, 20],
      edges: [`${is} contradicts ${was}`],
      said: [`${is} contradicts ${was}`, `${was} again`, `${was} contradicts ${is}`, `${was} again`],
    },
  );
  check(
    'the same words but for an article are two facts, and the later one refines the earlier',
    [memoryInput('We use Helm charts to deploy.'), memoryInput('We use the Helm charts to deploy.')],
    {
      lost: [0, 0],
      edges: ['We use the Helm charts to deploy. refines We use Helm charts to deploy.'],
      said: [],
    },
  );
  check(
    'a word that changes the meaning makes two',
    [memoryInput('Deploys happen before the freeze.'), 1, memoryInput('Deploys happen after the freeze.')],
    {
      lost: [0, 0],
      edges: ['Deploys happen after the freeze. relates_to Deploys happen before the freeze.'],
      said: [],
    },
  );

  it('memories of different stores are not compared', async () => {
    const host = new TestHost({ project: true });
    host.settings = { ...host.settings, embeddings: 'off' };
    const engine = await host.open();
    await storeMemory(engine, was, { store: 'project' });
    const [outcome] = await engine.remember(memoryInput(is));
    assert.deepEqual([outcome?.outcome, outcome?.outcome === 'stored' && outcome.contradicts], ['stored', undefined]);
  });

  it('leaves a line in the history, and a conflict on the list', async () => {
    const host = plainHost();
    const engine = await host.open();
    const older = await storeMemory(engine, was);
    const before = (await engine.get(older)).confidence;
    host.advanceDays(1);
    const [outcome] = await engine.remember(memoryInput(is));
    assert.ok(outcome?.outcome === 'stored');
    const [contradiction] = outcome.contradicts ?? [];
    const after = await engine.get(older);
    const [line] = await sql(host.globalFile, "SELECT memory_id, detail FROM audit WHERE action = 'weaken'");
    assert.deepEqual(
      { contradiction, line: { ...line, detail: JSON.parse(line?.detail as string) as unknown } },
      {
        contradiction: {
          id: older,
          content: was,
          certainty: contradiction?.certainty,
          reason: contradiction?.reason,
          weakened: true,
        },
        line: {
          memory_id: older,
          detail: {
            by: outcome.id,
            certainty: contradiction?.certainty,
            confidence: { from: before, to: after.confidence },
          },
        },
      },
    );
    assert.match(contradiction?.reason ?? '', /8080.*9090/u);
    assert.equal(after.confidence, before - 20 - 30 * contradiction!.certainty);
    // Fading goes on from where it was: a contradiction must not make a memory look fresh.
    assert.equal(after.updatedAt, '2026-03-02T09:00:00.000Z');
  });

  it('reports an uncertain relation without acting on it', async () => {
    const engine = await plainHost().open();
    const api = await storeMemory(engine, was);
    const [outcome] = await engine.remember(memoryInput('The worker runs on port 9090.'));
    assert.ok(outcome?.outcome === 'stored');
    assert.deepEqual([outcome.contradicts, outcome.doubts?.map(it => it.id)], [undefined, [api]]);
    assert.equal((await engine.get(api)).reinforcementCount, 1);
  });

  it('stores facts without comparing them while the search worker cannot run, and logs it', async () => {
    const host = plainHost();
    host.bundleDir = host.modelsDir;
    const engine = await host.open();
    await storeMemory(engine, was);
    host.advanceDays(1);
    const outcomes = (await engine.rememberAll([memoryInput(is), memoryInput(was)])).flat();
    assert.deepEqual(
      outcomes.map(it => [it.outcome, it.outcome !== 'refused' && it.contradicts]),
      [
        ['stored', undefined],
        ['reinforced', undefined],
      ],
    );
    assert.match(host.logLines.join(), /could not be compared/u);
    assert.doesNotMatch(host.logLines.join(), /port/u);
  });

  it('does not undo what a person settled', async () => {
    const host = plainHost();
    const engine = await host.open();
    const older = await storeMemory(engine, was);
    host.advanceDays(1);
    const newer = await storeMemory(engine, is);
    await sql(host.globalFile, "UPDATE edges SET settled_at = '2026-03-03'");
    host.advanceDays(1);
    const before = (await engine.get(newer)).confidence;
    await storeMemory(engine, was);
    assert.equal((await engine.get(newer)).confidence, before);
    assert.equal((await engine.get(older)).reinforcementCount, 1);
  });

  it('finds the same contradictions in one call as in single calls', async () => {
    const pairs = JSON.parse(readFileSync('test/fixtures/conflicts/dev2.json', 'utf8')) as readonly LabelledPair[];
    const [before, after] = [pairs.slice(0, 60), pairs.slice(60, 160)].map(its =>
      [...its.map(it => it.older), ...its.map(it => it.newer)].map(it => memoryInput(it)),
    );
    const states: Awaited<ReturnType<typeof stateOf>>[] = [];
    for (const atOnce of [1, 120]) {
      const host = plainHost();
      const engine = await host.open();
      for (const its of [before!, after!]) {
        for (let from = 0; from < its.length; from += atOnce) await engine.rememberAll(its.slice(from, from + atOnce));
      }
      states.push(await stateOf(host));
      await engine.close();
    }
    assert.ok(states[0]!.edges.filter(it => it.includes(' contradicts ')).length > 40);
    assert.deepEqual(states[1], states[0]);
  });

  it('finds the closest by meaning, and links them', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The checkout service stores its sessions in Redis.');
    await storeMemory(engine, 'Sarah sails on Sundays.');
    await storeMemory(engine, 'Checkout keeps the sessions of its service in the Redis cache.');
    assert.deepEqual(
      (await stateOf(host)).edges.map(it => it.replace(/ (relates_to|refines) .*/u, '')),
      ['Checkout keeps the sessions of its service in the Redis cache.'],
    );
  });

  it('finds one contradiction between two engines that compare before either has written', async () => {
    const host = plainHost();
    const engines = [await host.open(), await host.open()] as const;
    const found: number[] = [];
    for (let set = 0; set < 10; set++) {
      const calls = [was, is].map((it, i) => engines[i]!.remember(memoryInput(it, { scopeId: `set ${set}` })));
      const outcomes = (await Promise.all(calls)).flat();
      found.push(outcomes.filter(it => it.outcome === 'stored' && it.contradicts?.length === 1).length);
    }
    assert.deepEqual(
      found,
      Array.from({ length: 10 }, () => 1),
    );
  });

  it('finds one contradiction between two processes that write at the same time', async () => {
    const host = plainHost();
    await (await host.open()).close();
    const startAt = Date.now() + 2_000;
    const answers = await Promise.all(
      [was, is].map(content =>
        runEngineProcess({ dataDir: host.dataDir, startAt, calls: [['remember', memoryInput(content)]] }),
      ),
    );
    assert.deepEqual(
      answers.flat().filter(it => it.error !== undefined),
      [],
    );
    const { kept, edges } = await stateOf(host);
    assert.deepEqual([kept.length, edges.length], [2, 1]);
    assert.match(edges[0]!, / contradicts /u);
  });

  it('reports only an uncertain relation for a passage of several statements', async () => {
    const engine = await plainHost().open();
    const passage = (port: number): string =>
      `We met the harbour people today, and it rained all morning. ${'They were kind and brought herring. '.repeat(5)}The api runs on port ${port}.`;
    await storeMemory(engine, passage(8080));
    const [outcome] = await engine.remember(memoryInput(passage(9090)));
    assert.deepEqual(await engine.conflicts.list(), []);
    assert.equal(outcome?.outcome === 'stored' && outcome.doubts?.length, 1);
  });

  it('compares a text of the maximum length', async () => {
    const engine = await plainHost().open();
    const long = Array.from({ length: 200 }, (_, i) => `The api runs on port ${8000 + i} of host ${i}.`).join('\n');
    await engine.remember(memoryInput(was));
    const [outcome] = await engine.remember(memoryInput(long.slice(0, 7_900)));
    assert.equal(outcome?.outcome, 'stored');
  });
});

describe('any sequence of facts', function () {
  const facts = [
    was,
    is,
    'The api runs on port 7070.',
    'We use npm.',
    'We switched from npm to pnpm.',
    'Sarah likes tea.',
  ];
  const step = fc.record({
    fact: fc.nat(facts.length - 1),
    lane: fc.constantFrom('confirmed', 'note'),
    days: fc.integer({ min: -3, max: 3 }),
  });

  it('keeps confidence in 0-100, one row for each fact, and pinned memories unchanged', async () => {
    const host = plainHost();
    const engine = await host.open();
    let set = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async steps => {
        const scopeId = `set ${set++}`;
        const pinned = await storeMemory(engine, facts[0]!, { scopeId });
        await engine.pin(pinned);
        const { content, confidence, status } = await engine.get(pinned);
        for (const { fact, lane, days } of steps) {
          const at = new Date(host.time + days * 86_400_000).toISOString();
          await engine.remember(memoryInput(facts[fact]!, { scopeId, lane, at }));
        }
        const kept = await engine.list({ scopeId, statuses: ['active', 'archived', 'superseded'] });
        assert.deepEqual(
          kept.filter(it => it.confidence < 0 || it.confidence > 100),
          [],
        );
        assert.equal(new Set(kept.map(it => it.content)).size, kept.length);
        assert.equal(kept.length, new Set([0, ...steps.map(it => it.fact)]).size);
        const after = await engine.get(pinned);
        assert.deepEqual(
          { content: after.content, confidence: after.confidence, status: after.status, pinned: after.pinned },
          { content, confidence, status, pinned: true },
        );
      }),
      { numRuns: 15 },
    );
  });

  it('gives the same state for any order of unrelated facts', async () => {
    const host = plainHost();
    const engine = await host.open();
    const unrelated = ['Sarah sails.', 'Invoices are due in March.', 'Tabs are wide.', 'The logo is green.'];
    let set = 0;
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(unrelated, { minLength: 4 }), async order => {
        const scopeId = `set ${set++}`;
        await engine.rememberAll(order.map(it => memoryInput(it, { scopeId })));
        const kept = await engine.list({ scopeId });
        const seen = kept.map(it => [it.content, it.confidence, it.reinforcementCount, it.centrality] as const);
        assert.deepEqual(
          seen.map(it => it.slice(2)),
          unrelated.map(() => [1, 0]),
        );
        const confidences = new Map(seen.map(it => [it[0], it[1]]));
        for (const it of unrelated) assert.equal(confidences.get(it), (await classified([it]))[0]);
      }),
      { numRuns: 8 },
    );
  });
});

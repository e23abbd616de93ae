import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import type { MemoryEngine } from '../../../../src/engine/engine.js';
import { MemoryIndex, type IndexedMemory } from '../../../../src/engine/search/index/memoryIndex.js';
import { searchMemories } from '../../../../src/engine/search/query/searchMemories.js';
import {
  openSnapshot,
  writeSnapshot,
  type SnapshotManifest,
} from '../../../../src/engine/search/index/indexSnapshot.js';
import { analyzeText } from '../../../../src/engine/text/analyzer.js';
import { weighTerms } from '../../../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../../../src/engine/text/questionAnalysis.js';
import { memoryInput, temporaryFolder, TestHost } from '../../../support/fixtures.js';

const dimensions = 16;
const manifest: SnapshotManifest = {
  model: 'm',
  dimensions,
  analyzer: 'r',
  revision: 1,
  audit: { seq: 1, hash: 'h' },
};

/** What may happen to a row: written (again, or with another text), hidden from recall, or deleted. */
type Step =
  | { readonly row: number; readonly text: string; readonly vector: number }
  | { readonly row: number; readonly hidden: boolean }
  | { readonly row: number; readonly gone: true };

const word = fc.constantFrom('build', 'cache', 'deploy', 'error', 'file', 'Sarah', 'why?', 'always', 'prefer', '2026');
const row = fc.integer({ min: 1, max: 12 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      row,
      text: fc.array(word, { minLength: 1, maxLength: 6 }).map(words => words.join(' ')),
      vector: fc.integer({ min: -1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ row, hidden: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ row, gone: fc.constant(true as const) }) },
);

/** Takes in the steps as a store does: page by page, each swept. Returns what is left, by row. */
function take(index: MemoryIndex, steps: readonly Step[], left: Map<number, IndexedMemory>): void {
  for (const it of steps) {
    if ('gone' in it) {
      index.remove(it.row);
      left.delete(it.row);
    } else if ('hidden' in it) {
      const status = { searchable: !it.hidden, active: !it.hidden };
      index.setStatus(it.row, status);
      const before = left.get(it.row);
      if (before !== undefined) left.set(it.row, { ...before, ...status });
    } else if (left.has(it.row) || [...left.keys()].every(row => row < it.row)) {
      // The number of a deleted row is given again only at the end.
      const memory = memoryOf(it);
      index.add(memory);
      left.set(it.row, memory);
    }
  }
  index.vacuum();
}

function memoryOf(it: Extract<Step, { text: string }>): IndexedMemory {
  return {
    row: it.row,
    key: it.text.length,
    searchable: true,
    active: true,
    scopeId: '',
    terms: analyzeText(it.text),
    vector: it.vector < 0 ? undefined : Int8Array.from({ length: dimensions }, (_, d) => (d === it.vector ? 127 : 5)),
  };
}

/** What each row was given: sums of the same numbers in another order differ in their last digit. */
function answers(index: MemoryIndex): unknown {
  const rounded = (it: number): number => Math.round(it * 1e4);
  return ['why the build cache', 'what did Sarah prefer in 2026', 'deploy error file'].map(query => {
    const { hits, statistics } = searchMemories(index, {
      terms: weighTerms(analyzeQuestion(query), {}),
      vectors: [Int8Array.from({ length: dimensions }, (_, d) => d * 7)],
      scopeId: '',
      allowed: undefined,
      limit: 20,
    });
    const rows = hits.map(({ row, nearness }) => [row, rounded(nearness?.question ?? 0)] as const);
    const { averageLength, documentFrequencies, documents } = statistics;
    return [rows.sort((a, b) => a[0] - b[0]), rounded(averageLength), documents, [...documentFrequencies]];
  });
}

describe('the packed index', () => {
  it('answers like a newly built index after any sequence of changes before and after it was written', () => {
    const file = path.join(temporaryFolder(), 'memory.db');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.array(step, { maxLength: 20 }), (before, after) => {
        const left = new Map<number, IndexedMemory>();
        const first = new MemoryIndex(dimensions);
        // In the order of writing, as rows are numbered.
        const inserts = before.filter(it => 'text' in it).sort((a, b) => a.row - b.row);
        take(first, [...inserts, ...before], left);
        writeSnapshot(file, manifest, first.serialize());
        const index = new MemoryIndex(dimensions);
        const snapshot = openSnapshot(file)!;
        index.restore(snapshot.content);
        snapshot.close();
        assert.deepEqual(answers(index), answers(first));
        take(
          index,
          after.filter(it => left.has(it.row)),
          left,
        );

        const fresh = new MemoryIndex(dimensions);
        for (const it of [...left.values()].sort((a, b) => a.row - b.row)) fresh.add(it);
        assert.deepEqual(answers(index), answers(fresh));
        assert.deepEqual(index.counts, fresh.counts);
      }),
      { numRuns: 300 },
    );
  });

  it('is discarded when one of its bytes has changed', () => {
    const file = path.join(temporaryFolder(), 'memory.db');
    const index = new MemoryIndex(dimensions);
    take(index, [{ row: 1, text: 'why build', vector: 1 }], new Map());
    writeSnapshot(file, manifest, index.serialize());
    const whole = readFileSync(`${file}-index`);
    const unread = [...whole.keys()].filter(at => {
      const damaged = Buffer.from(whole);
      damaged[at]! ^= 64;
      writeFileSync(`${file}-index`, damaged);
      const snapshot = openSnapshot(file);
      try {
        if (snapshot !== undefined) new MemoryIndex(dimensions).restore(snapshot.content);
        return snapshot !== undefined;
      } catch {
        return false;
      } finally {
        snapshot?.close();
      }
    });
    // Only what fills up to the next multiple of eight is not looked at.
    assert.ok(unread.every(at => whole[at] === 0));
  });
});

describe('the packed index of a store', () => {
  const count = 600;
  const queries = ['which service listens on port 17', 'the cache of module 301', 'what changed'];

  async function filled(): Promise<TestHost> {
    const host = new TestHost();
    const engine = await host.open();
    const facts = Array.from({ length: count }, (_, i) => `Module ${i} listens on port ${i * 7} and has a cache.`);
    await engine.rememberAll(facts.map(it => memoryInput(it)));
    await asked(engine);
    await engine.close();
    return host;
  }

  async function asked(engine: MemoryEngine): Promise<unknown> {
    const found = [];
    for (const query of queries) {
      const { hits, trace } = await engine.recall({ query, isUntracked: true });
      assert.ok(trace.candidates.every(it => it.factors.features.queryText! !== 0));
      found.push([trace.degraded, hits.map(it => [it.memory.content, it.rank])]);
    }
    return found;
  }

  function check(name: string, harm: (snapshot: string) => void): void {
    it(name, async () => {
      const host = await filled();
      const snapshot = `${host.globalFile}-index`;
      const before = await host.open();
      await before.remember(memoryInput('Module 9000 listens on port 17 too.'));
      const expected = await asked(before);
      await before.close();
      harm(snapshot);
      assert.deepEqual(await asked(await host.open()), expected);
    });
  }

  check('is read together with the changes since', snapshot => {
    assert.ok(existsSync(snapshot));
    if (process.platform !== 'win32') assert.equal(statSync(snapshot).mode & 0o777, 0o600);
  });
  check('is rebuilt when it is garbage', snapshot => {
    writeFileSync(snapshot, 'garbage');
  });
  check('is rebuilt when it is truncated', snapshot => {
    writeFileSync(snapshot, readFileSync(snapshot).subarray(0, 5_000));
  });
  check('is rebuilt when its middle is damaged', snapshot => {
    const bytes = readFileSync(snapshot);
    bytes.fill(7, bytes.length / 2, bytes.length / 2 + 64);
    writeFileSync(snapshot, bytes);
  });

  it('of a small store is written soon after a search, while the engine stays open', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const facts = Array.from({ length: 60 }, (_, i) => `Module ${i} listens on port ${i * 7}.`);
    await engine.rememberAll(facts.map(it => memoryInput(it)));
    await asked(engine);
    while (!existsSync(`${host.globalFile}-index`)) await setTimeout(20);
  });

  it('is written once by engines with the same state', async () => {
    const host = await filled();
    const [one, other] = [await host.open(), await host.open()];
    await asked(other);
    const facts = Array.from({ length: 60 }, (_, i) => `Server ${i} has ${i * 3} cores.`);
    await one.rememberAll(facts.map(it => memoryInput(it)));
    const snapshot = `${host.globalFile}-index`;
    const { ino } = statSync(snapshot);
    await asked(one);
    while (statSync(snapshot).ino === ino) await setTimeout(20);
    const written = statSync(snapshot).ino;
    await asked(other);
    await other.close();
    await one.close();
    assert.equal(statSync(snapshot).ino, written);
  });

  it('of a large store is written also under constant queries', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const facts = Array.from({ length: 5_001 }, (_, i) => `Module ${i} listens on port ${i * 7}.`);
    await engine.rememberAll(facts.map(it => memoryInput(it)));
    const snapshot = `${host.globalFile}-index`;
    // Each query comes before the five idle seconds after which it would be written anyway.
    while (!existsSync(snapshot)) {
      await engine.recall({ query: 'what listens on port 21', isUntracked: true, mode: 'fresh' });
      await setTimeout(50);
    }
  });

  it('of another store is not taken', async () => {
    const [one, other] = [await filled(), await filled()];
    const engine = await one.open();
    await engine.remember(memoryInput('Only here the zebra eats grass.'));
    const expected = await asked(engine);
    await engine.close();
    writeFileSync(`${one.globalFile}-index`, readFileSync(`${other.globalFile}-index`));
    assert.deepEqual(await asked(await one.open()), expected);
  });
});

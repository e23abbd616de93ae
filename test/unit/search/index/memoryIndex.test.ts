import assert from 'node:assert/strict';
import { toInt8Vector } from '../../../../src/engine/base/int8Vector.js';
import { MemoryIndex, type IndexedMemory } from '../../../../src/engine/search/index/memoryIndex.js';
import { searchMemories } from '../../../../src/engine/search/query/searchMemories.js';
import { seeded } from '../../../bench/kit/random.js';
import { weighTerms } from '../../../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../../../src/engine/text/questionAnalysis.js';
import { isStopWord, analyzeText } from '../../../../src/engine/text/analyzer.js';

const dimensions = 16;
const axis = (i: number): Int8Array =>
  toInt8Vector(Float32Array.from({ length: dimensions }, (_, d) => (d === i ? 1 : 0)));

function indexed(row: number, text: string, more: Partial<IndexedMemory> = {}): IndexedMemory {
  return {
    row,
    key: Array.from(text).reduce((sum, it) => (sum * 31 + it.codePointAt(0)!) % 2 ** 32, 7),
    searchable: true,
    active: true,
    scopeId: '',
    terms: analyzeText(text).filter(it => !isStopWord(it)),
    vector: undefined,
    ...more,
  };
}

function indexOf(...memories: readonly IndexedMemory[]): MemoryIndex {
  const index = new MemoryIndex(dimensions);
  for (const it of memories) index.add(it);
  return index;
}

interface AskOptions {
  readonly scopeId?: string;
  readonly vector?: Int8Array;
  readonly allowed?: ReadonlySet<number>;
  readonly limit?: number;
}

/** The rows of the answer, best first. */
function ask(
  index: MemoryIndex,
  query: string,
  { scopeId = '', vector, allowed, limit = 10 }: AskOptions = {},
): number[] {
  const vectors = vector === undefined ? undefined : [vector];
  const terms = weighTerms(analyzeQuestion(query), {});
  return searchMemories(index, { terms, vectors, scopeId, allowed, limit }).hits.map(it => it.row);
}

describe('MemoryIndex and searchMemories', () => {
  it('finds memories of the given scope only', () => {
    const index = indexOf(
      indexed(1, 'the port is open'),
      indexed(2, 'the port is shut', { scopeId: 'other' }),
      indexed(3, 'tabs'),
    );
    assert.deepEqual(
      [ask(index, 'port'), ask(index, 'port', { scopeId: 'other' }), ask(index, 'port', { scopeId: 'none' })],
      [[1], [2], []],
    );
  });

  it('does not find removed memories, and finds a changed text by its new words only', () => {
    const index = indexOf(indexed(1, 'port one'), indexed(2, 'port two'), indexed(3, 'port three'));
    index.remove(2);
    index.add(indexed(3, 'tabs three'));
    assert.deepEqual([ask(index, 'port'), ask(index, 'tabs'), ask(index, 'three')], [[1], [3], [3]]);
    assert.equal(index.textKey(2), undefined);
    assert.deepEqual({ ...index.counts }, { embedded: 0, searchable: 2 });
    index.remove(7);
    index.add(indexed(2, 'port two'));
    assert.deepEqual(ask(index, 'port').sort(), [1, 2]);
  });

  it('finds only searchable memories and counts them as their status changes', () => {
    const index = indexOf(
      indexed(1, 'always use port one', { vector: axis(1) }),
      indexed(2, 'port two', { searchable: false, vector: axis(2) }),
      indexed(3, 'port three'),
    );
    assert.deepEqual(ask(index, 'port').sort(), [1, 3]);
    assert.deepEqual({ ...index.counts }, { embedded: 1, searchable: 2 });
    index.setStatus(1, { searchable: false, active: false });
    index.setStatus(2, { searchable: true, active: true });
    index.setVector(3, axis(3));
    index.setVector(9, axis(3));
    assert.deepEqual(ask(index, 'port').sort(), [2, 3]);
    assert.deepEqual({ ...index.counts }, { embedded: 2, searchable: 2 });
    index.setVector(3, undefined);
    assert.equal(index.counts.embedded, 1);
  });

  it('finds a memory by its vector alone until the vector is removed', () => {
    const index = indexOf(indexed(1, 'one', { vector: axis(1) }), indexed(2, 'two', { vector: axis(2) }));
    assert.deepEqual(ask(index, 'unheard', { vector: axis(2) }), [2]);
    index.setVector(2, undefined);
    assert.deepEqual(ask(index, 'unheard', { vector: axis(2) }), []);
  });

  it('returns only allowed rows, and at most the limit', () => {
    const index = indexOf(...[1, 2, 3, 4, 5].map(it => indexed(it, `port ${it}`)));
    assert.deepEqual(ask(index, 'port', { allowed: new Set([2, 4]) }).sort(), [2, 4]);
    assert.equal(ask(index, 'port', { limit: 3 }).length, 3);
  });

  it('ranks by words alone for a zero query vector', () => {
    const random = seeded(4);
    const vector = (): Int8Array => toInt8Vector(Float32Array.from({ length: 384 }, () => (random() - 0.5) / 6));
    const index = new MemoryIndex(384);
    for (let i = 1; i <= 1_200; i++) {
      const words = Array.from({ length: 1 + (i % 6) }, (_, w) => `pier${w}`).join(' ');
      index.add(indexed(i, `${words} of berth ${i}`, { vector: vector() }));
    }
    const options = { limit: 150 };
    const query = 'pier0 pier1 pier2 pier3 pier4 pier5';
    assert.deepEqual(
      ask(index, query, { ...options, vector: new Int8Array(384) }).slice(0, 20),
      ask(index, query, options).slice(0, 20),
    );
  });

  it('finds the best by words and the nearest in meaning, and says how near each is', () => {
    const index = indexOf(
      indexed(1, 'port one', { vector: axis(1) }),
      indexed(2, 'harbour', { vector: axis(2) }),
      indexed(3, 'port without a vector'),
      indexed(4, 'nothing', { vector: axis(3) }),
    );
    const { hits } = searchMemories(index, {
      terms: [{ term: 'port', weight: 1 }],
      vectors: [axis(2), axis(1)],
      scopeId: '',
      allowed: undefined,
      limit: 10,
    });
    const cosines = hits.map(({ row, nearness }) => [
      row,
      nearness && [nearness.question, nearness.alternative].map(it => Math.round(it!)),
    ]);
    assert.deepEqual(cosines.sort(), [
      [1, [0, 1]],
      [2, [1, 0]],
      [3, undefined],
    ]);
  });

  it('counts a word of the memory itself twice, and one of its search aids once', () => {
    const index = indexOf(
      indexed(1, 'quay', { aidTerms: ['port'] }),
      indexed(2, 'port'),
      indexed(3, 'ship', { aidTerms: ['port', 'port', 'port'] }),
    );
    assert.deepEqual(ask(index, 'port'), [3, 2, 1]);
  });
});

import { featureNames, type FeatureName } from '../../../../src/engine/model/trace.js';
import assert from 'node:assert/strict';
import { toInt8Vector } from '../../../../src/engine/base/int8Vector.js';
import { MemoryIndex, type IndexedMemory } from '../../../../src/engine/search/index/memoryIndex.js';
import { searchMemories } from '../../../../src/engine/search/query/searchMemories.js';
import { seeded } from '../../../bench/kit/random.js';
import { analyzeQuestion } from '../../../../src/engine/text/questionAnalysis.js';
import { isStopWord, analyzeText } from '../../../../src/engine/text/analyzer.js';
import { extractTextFeatures } from '../../../../src/engine/text/textFeatures.js';

const dimensions = 16;
const axis = (i: number): Int8Array =>
  toInt8Vector(Float32Array.from({ length: dimensions }, (_, d) => (d === i ? 1 : 0)));

function indexed(row: number, text: string, more: Partial<IndexedMemory> = {}): IndexedMemory {
  const textFeatures = extractTextFeatures(text);
  return {
    row,
    key: Array.from(text).reduce((sum, it) => (sum * 31 + it.codePointAt(0)!) % 2 ** 32, 7),
    searchable: true,
    active: true,
    scopeId: '',
    session: undefined,
    createdAt: Date.parse('2026-03-02T09:00:00Z'),
    textFeatures,
    terms: analyzeText(textFeatures.body).filter(it => !isStopWord(it)),
    tokens: [],
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
  return searchMemories(index, { ...analyzeQuestion(query), vector, scopeId, allowed, limit }).hits.map(it => it.row);
}

function featureOf(index: MemoryIndex, query: string, row: number, name: FeatureName): number | undefined {
  const indexQuery = { ...analyzeQuestion(query), vector: undefined, scopeId: '', allowed: undefined, limit: 10 };
  return searchMemories(index, indexQuery).hits.find(it => it.row === row)?.features[featureNames.indexOf(name)];
}

describe('MemoryIndex and searchMemories', () => {
  describe('bonuses by kind of question', () => {
    const memories = [
      indexed(1, 'the importer reads invoices', { session: 'a', vector: axis(1) }),
      indexed(2, 'always name the importer of invoices first', { session: 'a', vector: axis(1) }),
      indexed(3, 'I prefer the importer of invoices in Go', { session: 'b', vector: axis(1) }),
      ...Array.from({ length: 40 }, (_, i) => indexed(10 + i, `other thing ${i}`, { vector: axis(2) })),
    ];
    const bonuses = (query: string): Partial<Record<FeatureName, boolean>> => {
      const { hits } = searchMemories(indexOf(...memories), {
        ...analyzeQuestion(query),
        vector: axis(1),
        scopeId: '',
        allowed: undefined,
        limit: 10,
      });
      const has = (row: number, name: FeatureName): boolean =>
        hits.find(it => it.row === row)!.features[featureNames.indexOf(name)]! > 0;
      return {
        instruction: has(2, 'instruction'),
        preference: has(3, 'preference'),
        session: has(1, 'session'),
        feedback: has(1, 'feedback'),
      };
    };

    it('gives all bonuses for a question about what to do', () => {
      const all = { instruction: true, preference: true, session: true, feedback: true };
      assert.deepEqual(bonuses('how do I name the importer of invoices'), all);
    });
    it('gives no instruction or preference bonus for a question whether something happened', () => {
      const happened = { instruction: false, preference: false, session: true, feedback: true };
      assert.deepEqual(bonuses('have we written the importer of invoices'), happened);
    });
    it('gives no bonus for an aggregate question, not even session or feedback', () => {
      const wide = { instruction: false, preference: false, session: false, feedback: false };
      assert.deepEqual(bonuses('summarize the importer of invoices'), wide);
    });
  });

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
    assert.deepEqual({ ...index.counts }, { embedded: 0, searchable: 2, instructions: 0 });
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
    assert.deepEqual({ ...index.counts }, { embedded: 1, searchable: 2, instructions: 1 });
    index.setStatus(1, { searchable: false, active: false });
    index.setStatus(2, { searchable: true, active: true });
    index.setVector(3, axis(3));
    index.setVector(9, axis(3));
    assert.deepEqual(ask(index, 'port').sort(), [2, 3]);
    assert.deepEqual({ ...index.counts }, { embedded: 2, searchable: 2, instructions: 0 });
    index.setVector(3, undefined);
    assert.equal(index.counts.embedded, 1);
  });

  it('finds a memory by its vector alone until the vector is removed', () => {
    const index = indexOf(indexed(1, 'one', { vector: axis(1) }), indexed(2, 'two', { vector: axis(2) }));
    assert.deepEqual(ask(index, 'unheard', { vector: axis(2) }), [2]);
    index.setVector(2, undefined);
    assert.deepEqual(ask(index, 'unheard', { vector: axis(2) }), []);
  });

  it('stores each token of a text once', () => {
    const index = indexOf(indexed(1, 'build the build cache', { tokens: [9, 7, 9, 65_535, 7] }), indexed(2, 'nothing'));
    assert.deepEqual(
      [0, 1].map(it => [...index.tokens.get(it)]),
      [[7, 9, 65_535], []],
    );
  });

  it('returns only allowed rows, and at most the limit', () => {
    const index = indexOf(...[1, 2, 3, 4, 5].map(it => indexed(it, `port ${it}`)));
    assert.deepEqual(ask(index, 'port', { allowed: new Set([2, 4]) }).sort(), [2, 4]);
    assert.equal(ask(index, 'port', { limit: 3 }).length, 3);
  });

  it('normalizes BM25 scores by the best match within the scope', () => {
    const index = indexOf(
      indexed(1, 'the ferry leaves at noon'),
      indexed(2, 'the ferry timetable', { scopeId: 'other' }),
    );
    assert.equal(featureOf(index, 'ferry timetable', 1, 'words'), 1);
  });

  it('finds an instruction by its bonus among many memories that are more similar', () => {
    const at = (cosine: number): Int8Array =>
      toInt8Vector(Float32Array.from({ length: dimensions }, (_, d) => [cosine, Math.sqrt(1 - cosine ** 2)][d] ?? 0));
    const many = Array.from({ length: 300 }, (_, i) => indexed(i + 1, `other thing ${i}`, { vector: at(0.9) }));
    const index = indexOf(...many, indexed(500, 'always name the importer first', { vector: at(0.7) }));
    assert.ok(ask(index, 'paint', { vector: axis(0), limit: 150 }).includes(500));
    assert.ok(!ask(index, 'have we painted', { vector: axis(0), limit: 150 }).includes(500));
  });

  it('returns the same hits and features as an exhaustive vector search', () => {
    const random = seeded(3);
    const wide = 384;
    const directions = Array.from({ length: 8 }, () => Float32Array.from({ length: wide }, () => random() - 0.5));
    const near = (topic: number, noise: number): Int8Array => {
      const raw = directions[topic]!.map(it => it + noise * (random() - 0.5));
      const length = Math.hypot(...raw);
      return toInt8Vector(raw.map(it => it / length));
    };
    const memories = Array.from({ length: 1_500 }, (_, i) => {
      const [topic, turn] = [i % 8, Math.floor(i / 2) % 20];
      const text = i % 2 === 0 ? `Ada: what about pier ${turn}?` : `Ben: thing ${topic} of pier ${turn} is done`;
      return indexed(i + 1, text, { session: `s${Math.floor(i / 40)}`, vector: near(topic, 1 + 3 * random()) });
    });
    const [index, whole] = [new MemoryIndex(wide), new MemoryIndex(wide)];
    for (const it of memories) {
      index.add(it);
      whole.add(it);
    }
    const table = whole.vectors!;
    table.topKBySignEstimate = query => ({
      positions: Uint32Array.from(memories.keys()),
      cosines: table.scan(query).slice(),
    });
    for (let i = 0; i < 8; i++) {
      const query = {
        ...analyzeQuestion(`which thing ${i} is done`),
        vector: near(i, 1),
        scopeId: '',
        allowed: undefined,
      };
      assert.deepEqual(searchMemories(index, { ...query, limit: 10 }), searchMemories(whole, { ...query, limit: 10 }));
    }
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

  it('scores turns by the words of adjacent turns in the same conversation', () => {
    const turn = (row: number, text: string, session: string): IndexedMemory => indexed(row, text, { session });
    const index = indexOf(
      turn(1, 'Ann: Which ferry did you take?', 'a'),
      turn(2, 'Cid: A ferry is a ship.', 'b'),
      turn(3, 'Bob: The Perpetua.', 'a'),
      turn(4, 'Ann: Nice.', 'a'),
      turn(5, 'Dan: Hello.', 'c'),
    );
    const lent = [3, 4, 5].map(row => featureOf(index, 'ferry', row, 'neighbours') ?? 0);
    assert.ok(lent[0]! > lent[1]! && lent[1]! > 0 && lent[2] === 0, lent.join(' '));
    assert.ok((featureOf(index, 'ferry', 3, 'answers') ?? 0) > 0);
    assert.equal(featureOf(index, 'ferry', 4, 'answers') ?? 0, 0);
  });

  it('prefers the turns of the speaker whom the question names', () => {
    const index = indexOf(indexed(1, 'Ann: I went to Oslo.'), indexed(2, 'Bob: I went to Oslo.'));
    assert.deepEqual(ask(index, 'When did Bob go to Oslo?')[0], 2);
    assert.deepEqual(ask(index, 'When did Ann go to Oslo?')[0], 1);
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toInt8Vector } from '../../../../src/engine/base/int8Vector.js';
import { MemoryIndex } from '../../../../src/engine/search/index/memoryIndex.js';
import { findCandidates, type SearchKey } from '../../../../src/engine/search/neighbors/findCandidates.js';

const dimensions = 16;
const related = 0.6;
const axis = (i: number): Int8Array =>
  toInt8Vector(Float32Array.from({ length: dimensions }, (_, d) => (d === i ? 1 : 0)));

interface Known {
  readonly keys?: readonly string[];
  readonly terms?: readonly string[];
  readonly vector?: Int8Array | undefined;
  readonly active?: boolean;
  readonly scopeId?: string;
}

/** @param from the first row */
function indexOf(memories: readonly Known[], from = 1): MemoryIndex {
  const index = new MemoryIndex(dimensions);
  for (const [i, { keys = [], terms = [], vector, active = true, scopeId = '' }] of memories.entries()) {
    index.add({
      row: from + i,
      key: i + 1,
      searchable: true,
      active,
      scopeId,
      session: undefined,
      createdAt: 0,
      textFeatures: { speaker: undefined, body: '', flags: 0, properNouns: 0 },
      terms,
      topicKeys: keys,
      tokens: [],
      vector,
    });
  }
  return index;
}

/** The rows, from 1, that are found near a place. */
function check(
  name: string,
  known: readonly Known[],
  place: Partial<SearchKey> & { readonly scans?: boolean },
  rows: readonly number[],
): void {
  it(name, () => {
    const index = indexOf(known);
    const { scans = true, ...rest } = place;
    const found = findCandidates(
      [index],
      { scopeId: '', topicKeys: [], terms: [], vector: undefined, ...rest },
      scans ? related : undefined,
    );
    assert.deepEqual(
      found.map(it => it.row),
      rows,
    );
  });
}

describe('what is nearest', () => {
  const port = { keys: ['port'] };
  check('shares a key, newest first', [port, { keys: ['host'] }, port], { topicKeys: ['port'] }, [3, 1]);
  check(
    'shares more keys before newer',
    [{ keys: ['api', 'port'] }, port, port],
    { topicKeys: ['api', 'port'] },
    [1, 3, 2],
  );
  check(
    'is active and of the scope',
    [{ ...port, active: false }, { ...port, scopeId: 'x' }, port],
    { topicKeys: ['port'] },
    [3],
  );
  check(
    'is bounded, and the newest of a common key',
    Array.from({ length: 100 }, () => port),
    { topicKeys: ['port'] },
    Array.from({ length: 12 }, (_, i) => 100 - i),
  );
  check(
    'is bounded over all keys',
    [...Array.from({ length: 20 }, () => port), ...Array.from({ length: 20 }, () => ({ keys: ['host'] }))],
    { topicKeys: ['port', 'host'] },
    [...Array.from({ length: 12 }, (_, i) => 40 - i), 20, 19, 18, 17],
  );
  check(
    'shares rare words before common ones',
    [{ terms: ['the', 'a'] }, { terms: ['the', 'redis'] }, { terms: ['the', 'b'] }],
    { terms: ['the', 'redis'] },
    [2, 3, 1],
  );
  check(
    'shares words, of equals the newest, whichever word it shares',
    ['port', 'api', 'port', 'api', 'port', 'api', 'port', 'api'].map(it => ({ terms: [it, 'x'] })),
    { terms: ['port', 'api'] },
    [8, 7, 6, 5, 4, 3],
  );
  check(
    'means the same, of equals the newest',
    Array.from({ length: 5 }, () => ({ vector: axis(2) })),
    { vector: axis(2) },
    [5, 4, 3],
  );
  check('means the same', [{ vector: axis(1) }, { vector: axis(2) }], { vector: axis(2) }, [2]);
  const elsewhere: readonly Known[] = Array.from({ length: 200 }, () => ({ vector: axis(2), scopeId: 'x' }));
  check(
    'means the same, where few of many are of its scope',
    [...elsewhere, { vector: axis(2) }, { vector: axis(3) }],
    { vector: axis(2) },
    [201],
  );
  check('means the same, unless there is no time for it', [{ vector: axis(2) }], { vector: axis(2), scans: false }, []);
  check('is in no other scope', [port], { topicKeys: ['port'], scopeId: 'none' }, []);

  it('is told by what is rare in all indexes, those that know nothing of the scope too', () => {
    const elsewhere = Array.from({ length: 20 }, () => ({ terms: ['port'], scopeId: 'x' }));
    const told = [{ terms: ['port'] }, ...Array.from({ length: 8 }, () => ({ terms: ['api'] }))];
    const place: SearchKey = { scopeId: '', topicKeys: [], terms: ['port', 'api'], vector: undefined };
    const found = findCandidates([indexOf(elsewhere), indexOf(told, 21)], place, undefined).map(it => it.row);
    assert.deepEqual(found, [29, 28, 27, 26, 25, 24]);
  });

  it('is told by no more words where memories are in two indexes than in one of all', () => {
    const common = Array.from({ length: 600 }, () => ({ terms: ['api', 'the', 'a'] }));
    const memories = [{ terms: ['port', 'a', 'b'] }, ...common, { terms: ['port', 'api', 'a'] }, ...common];
    const place: SearchKey = { scopeId: '', topicKeys: [], terms: ['port', 'api'], vector: undefined };
    for (const indexes of [
      [indexOf(memories)],
      [indexOf(memories.slice(0, 601)), indexOf(memories.slice(601), 602)],
      [indexOf(memories.slice(0, 602)), indexOf(memories.slice(602), 603)],
    ]) {
      const found = findCandidates(indexes, place, undefined).map(it => it.row);
      assert.deepEqual(
        found.sort((a, b) => a - b),
        [1, 602],
      );
    }
  });

  it('is the same among what two indexes hold as in one of all', () => {
    const words = fc.uniqueArray(fc.constantFrom('port', 'host', 'api', 'redis', 'the', 'a', 'b', 'c'), {
      maxLength: 5,
    });
    const few = fc.subarray(['port', 'api'], { maxLength: 2 });
    const parts = {
      keys: words,
      terms: words,
      vector: fc.option(fc.integer({ min: 0, max: dimensions - 1 }).map(axis), { nil: undefined }),
      active: fc.integer({ min: 0, max: 9 }).map(it => it > 0),
      scopeId: fc.constantFrom('', '', '', 'x'),
    };
    const memory = fc.record(parts);
    const memories = fc.oneof(fc.array(memory, { maxLength: 8 }), fc.array(memory, { minLength: 40, maxLength: 60 }));
    const asked = fc.record({ ...parts, keys: few, terms: few });
    fc.assert(
      fc.property(memories, memories, asked, fc.boolean(), (stored, told, { keys, ...place }, scans) => {
        const near = (indexes: readonly MemoryIndex[]): readonly object[] =>
          findCandidates(indexes, { ...place, topicKeys: keys }, scans ? related : undefined)
            .map(({ row, cosine, isEmbeddingOnly }) => ({ row, cosine, isByMeaning: isEmbeddingOnly }))
            .sort((a, b) => a.row - b.row);
        assert.deepEqual(
          near([indexOf(stored), indexOf(told, stored.length + 1)]),
          near([indexOf([...stored, ...told])]),
        );
      }),
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { toInt8Vector } from '../../../../src/engine/base/int8Vector.js';
import { MemoryIndex } from '../../../../src/engine/search/index/memoryIndex.js';
import { findCandidates, type SearchKey } from '../../../../src/engine/search/neighbors/findCandidates.js';

const dimensions = 16;
const related = 0.6;
const axis = (i: number): Int8Array =>
  toInt8Vector(Float32Array.from({ length: dimensions }, (_, d) => (d === i ? 1 : 0)));

interface StoredMemory {
  readonly keys?: readonly string[];
  readonly terms?: readonly string[];
  readonly vector?: Int8Array | undefined;
  readonly active?: boolean;
  readonly scopeId?: string;
}

/** @param firstRow row of the first memory */
function indexOf(memories: readonly StoredMemory[], firstRow = 1): MemoryIndex {
  const index = new MemoryIndex(dimensions);
  for (const [i, { terms = [], vector, active = true, scopeId = '' }] of memories.entries()) {
    index.add({
      row: firstRow + i,
      key: i + 1,
      searchable: true,
      active,
      scopeId,
      terms,
      vector,
    });
  }
  return index;
}

/** @param rows the expected rows, from 1, best first */
function check(
  name: string,
  memories: readonly StoredMemory[],
  query: Partial<SearchKey> & { readonly byEmbedding?: boolean },
  rows: readonly number[],
): void {
  it(name, () => {
    const index = indexOf(memories);
    const { byEmbedding = true, ...searchKey } = query;
    const found = findCandidates(
      [index],
      { scopeId: '', terms: [], vector: undefined, ...searchKey },
      byEmbedding ? related : undefined,
    );
    assert.deepEqual(
      found.map(it => it.row),
      rows,
    );
  });
}

describe('findCandidates', () => {
  const port = { terms: ['port', 'x'] };
  check(
    'returns only active memories of the scope',
    [{ ...port, active: false }, { ...port, scopeId: 'x' }, port],
    { terms: ['port'] },
    [3],
  );
  check(
    'prefers shared rare terms to common ones',
    [{ terms: ['the', 'a'] }, { terms: ['the', 'redis'] }, { terms: ['the', 'b'] }],
    { terms: ['the', 'redis'] },
    [2, 3, 1],
  );
  check(
    'returns the 12 newest of memories with equally rare shared terms',
    Array.from({ length: 14 }, (_, i) => ({ terms: [i % 2 === 0 ? 'port' : 'api', 'x'] })),
    { terms: ['port', 'api'] },
    [14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  );
  check(
    'returns the 10 newest of memories with the same vector',
    Array.from({ length: 12 }, () => ({ vector: axis(2) })),
    { vector: axis(2) },
    [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
  );
  check('returns memories with a similar vector', [{ vector: axis(1) }, { vector: axis(2) }], { vector: axis(2) }, [2]);
  const elsewhere: readonly StoredMemory[] = Array.from({ length: 200 }, () => ({ vector: axis(2), scopeId: 'x' }));
  check(
    'returns memories with a similar vector among many of another scope',
    [...elsewhere, { vector: axis(2) }, { vector: axis(3) }],
    { vector: axis(2) },
    [201],
  );
  check(
    'does not search by vector without a minimum cosine',
    [{ vector: axis(2) }],
    { vector: axis(2), byEmbedding: false },
    [],
  );
  check('returns nothing for an unknown scope', [port], { terms: ['port'], scopeId: 'none' }, []);

  it('counts document frequencies over all indexes, even those without the scope', () => {
    const elsewhere = Array.from({ length: 20 }, () => ({ terms: ['port'], scopeId: 'x' }));
    const batch = [{ terms: ['port'] }, ...Array.from({ length: 14 }, () => ({ terms: ['api'] }))];
    const searchKey: SearchKey = { scopeId: '', terms: ['port', 'api'], vector: undefined };
    const found = findCandidates([indexOf(elsewhere), indexOf(batch, 21)], searchKey, undefined).map(it => it.row);
    assert.deepEqual(found, [35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24]);
  });

  it('reads no more terms from two indexes than from one of all memories', () => {
    const common = Array.from({ length: 600 }, () => ({ terms: ['api', 'the', 'a'] }));
    const memories = [{ terms: ['port', 'a', 'b'] }, ...common, { terms: ['port', 'api', 'a'] }, ...common];
    const searchKey: SearchKey = { scopeId: '', terms: ['port', 'api'], vector: undefined };
    for (const indexes of [
      [indexOf(memories)],
      [indexOf(memories.slice(0, 601)), indexOf(memories.slice(601), 602)],
      [indexOf(memories.slice(0, 602)), indexOf(memories.slice(602), 603)],
    ]) {
      const found = findCandidates(indexes, searchKey, undefined).map(it => it.row);
      assert.deepEqual(
        found.sort((a, b) => a - b),
        [1, 602],
      );
    }
  });

  it('returns the same from two indexes as from one of all memories', () => {
    const words = fc.uniqueArray(fc.constantFrom('port', 'host', 'api', 'redis', 'the', 'a', 'b', 'c'), {
      maxLength: 5,
    });
    const few = fc.subarray(['port', 'api'], { maxLength: 2 });
    const parts = {
      terms: words,
      vector: fc.option(fc.integer({ min: 0, max: dimensions - 1 }).map(axis), { nil: undefined }),
      active: fc.integer({ min: 0, max: 9 }).map(it => it > 0),
      scopeId: fc.constantFrom('', '', '', 'x'),
    };
    const memory = fc.record(parts);
    const memories = fc.oneof(fc.array(memory, { maxLength: 8 }), fc.array(memory, { minLength: 40, maxLength: 60 }));
    const query = fc.record({ ...parts, terms: few });
    fc.assert(
      fc.property(memories, memories, query, fc.boolean(), (stored, batch, searchKey, byEmbedding) => {
        const near = (indexes: readonly MemoryIndex[]): readonly object[] =>
          findCandidates(indexes, searchKey, byEmbedding ? related : undefined)
            .map(({ row, cosine }) => ({ row, cosine }))
            .sort((a, b) => a.row - b.row);
        assert.deepEqual(
          near([indexOf(stored), indexOf(batch, stored.length + 1)]),
          near([indexOf([...stored, ...batch])]),
        );
      }),
    );
  });
});

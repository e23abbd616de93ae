import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NumericArray, IndexReader } from '../../../../src/engine/search/index/typedArrays.js';
import { Uint16Lists } from '../../../../src/engine/search/index/packedLists.js';

const numbers = fc.array(fc.integer({ min: 0, max: 65_535 }), { maxLength: 300 });

function listsOf(all: readonly (readonly number[])[]): Uint16Lists {
  const lists = new Uint16Lists();
  for (const it of all) lists.add(it);
  return lists;
}

function readerOf(arrays: Readonly<Record<string, NumericArray>>): IndexReader {
  return {
    names: {},
    bytes: name => arrays[name]!.byteLength,
    read: (name, into) => {
      into.set(arrays[name]!);
    },
  };
}

describe('Uint16Lists', () => {
  it('returns each list as it was added, before and after serialization', () => {
    fc.assert(
      fc.property(fc.array(numbers, { maxLength: 40 }), fc.array(numbers, { maxLength: 5 }), (some, more) => {
        const lists = new Uint16Lists();
        lists.restore(readerOf(listsOf(some).serialize('tokens')), 'tokens');
        for (const it of more) lists.add(it);
        const all = [...some, ...more];
        assert.deepEqual(
          all.map((_, position) => [...lists.get(position)]),
          all,
        );
      }),
    );
  });

  it('serializes zeros in place of a cleared list and keeps the others', () => {
    const lists = listsOf([[7, 8], [65_535, 9], [10]]);
    lists.clear(1);
    assert.deepEqual([...lists.serialize('tokens').tokens!], [7, 8, 0, 0, 10]);
    assert.deepEqual([...lists.get(2)], [10]);
  });
});

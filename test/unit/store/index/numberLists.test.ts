import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NumberLists } from '../../../../src/engine/store/index/numberLists.js';

const numbers = fc.array(fc.integer({ min: 0, max: 65_535 }), { maxLength: 60 });

describe('lists of numbers by position', () => {
  it('are as they were added, in their order, and empty where none was', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.array(numbers, { maxLength: 300 }), (skipped, all) => {
        const lists = new NumberLists();
        lists.skipTo(skipped);
        for (const it of all) lists.add(it);
        assert.deepEqual(
          all.map((_, i) => [...lists.get(skipped + i)]),
          all,
        );
        assert.ok([0, skipped - 1].every(it => it < 0 || it >= skipped || lists.get(it).length === 0));
      }),
    );
  });
});

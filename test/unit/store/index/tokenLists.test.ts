import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TokenLists } from '../../../../src/engine/store/index/tokenLists.js';

const tokens = fc.array(fc.integer({ min: 1, max: 65_535 }), { maxLength: 300 });

describe('the tokens of memories', () => {
  it('are each memory’s own, each once, however many were added', () => {
    fc.assert(
      fc.property(fc.array(tokens, { maxLength: 40 }), all => {
        const lists = new TokenLists();
        for (const it of all) lists.add(it);
        const found = all.map((_, position) => [...lists.get(position)]);
        const expected = all.map(it => [...new Set(it)].sort((a, b) => a - b));
        assert.deepEqual(found, expected);
      }),
    );
  });

  it('are gone from what is packed when the memory is, and the others’ are not', () => {
    const lists = new TokenLists();
    for (const it of [[7, 8], [65_535, 9], [10]]) lists.add(it);
    lists.clear(1);
    assert.deepEqual([...lists.pack().tokens!], [7, 8, 0, 0, 10]);
    assert.deepEqual([...lists.get(2)], [10]);
  });
});

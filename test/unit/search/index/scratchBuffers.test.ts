import assert from 'node:assert/strict';
import { ScratchBuffers } from '../../../../src/engine/search/index/scratchBuffers.js';

describe('ScratchBuffers', () => {
  it('lends zeros, whatever an earlier borrower wrote under the same name', () => {
    const scratch = new ScratchBuffers<'bm25' | 'cosine'>();
    const first = scratch.borrowZeroed('bm25', 3);
    first.fill(7);
    scratch.borrowZeroed('cosine', 3).fill(5);
    assert.deepEqual([...first], [7, 7, 7]);
    assert.deepEqual([...scratch.borrowZeroed('bm25', 3)], [0, 0, 0]);
    assert.deepEqual([...scratch.borrowZeroed('bm25', 2)], [0, 0]);
  });

  it('grows with the requested size', () => {
    const scratch = new ScratchBuffers<'bm25'>();
    scratch.borrowZeroed('bm25', 1_000).fill(1);
    const larger = scratch.borrowZeroed('bm25', 5_000);
    assert.equal(larger.length, 5_000);
    assert.ok(larger.every(it => it === 0));
  });
});

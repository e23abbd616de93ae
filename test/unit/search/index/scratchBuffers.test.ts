import assert from 'node:assert/strict';
import { ScratchBuffers } from '../../../../src/engine/search/index/scratchBuffers.js';

describe('the workspace of searches', () => {
  it('gives zeros, whatever was left in an array before', () => {
    const workspace = new ScratchBuffers<'words' | 'meaning'>();
    const first = workspace.borrowZeroed('words', 3);
    first.fill(7);
    workspace.borrowZeroed('meaning', 3).fill(5);
    assert.deepEqual([...first], [7, 7, 7]);
    assert.deepEqual([...workspace.borrowZeroed('words', 3)], [0, 0, 0]);
    assert.deepEqual([...workspace.borrowZeroed('words', 2)], [0, 0]);
  });

  it('grows with what is searched', () => {
    const workspace = new ScratchBuffers<'words'>();
    workspace.borrowZeroed('words', 1_000).fill(1);
    const larger = workspace.borrowZeroed('words', 5_000);
    assert.equal(larger.length, 5_000);
    assert.ok(larger.every(it => it === 0));
  });
});

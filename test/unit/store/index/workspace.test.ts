import assert from 'node:assert/strict';
import { Workspace } from '../../../../src/engine/store/index/workspace.js';

describe('the workspace of searches', () => {
  it('gives zeros, whatever was left in an array before', () => {
    const workspace = new Workspace<'words' | 'meaning'>();
    const first = workspace.zeros('words', 3);
    first.fill(7);
    workspace.zeros('meaning', 3).fill(5);
    assert.deepEqual([...first], [7, 7, 7]);
    assert.deepEqual([...workspace.zeros('words', 3)], [0, 0, 0]);
    assert.deepEqual([...workspace.zeros('words', 2)], [0, 0]);
  });

  it('grows with what is searched', () => {
    const workspace = new Workspace<'words'>();
    workspace.zeros('words', 1_000).fill(1);
    const larger = workspace.zeros('words', 5_000);
    assert.equal(larger.length, 5_000);
    assert.ok(larger.every(it => it === 0));
  });
});

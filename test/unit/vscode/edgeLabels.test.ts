import assert from 'node:assert/strict';
import { edgeTypes, symmetricEdgeTypes } from '../../../src/engine/model/edge.js';
import { relationLabel } from '../../../webview-ui/pages/edgeLabels.js';

describe('what a neighbor is to the memory that is shown', () => {
  it('depends on which of the two the edge points to', () => {
    assert.equal(relationLabel({ type: 'refines', target: 'shown' }, 'shown'), 'refines this');
    assert.equal(relationLabel({ type: 'refines', target: 'neighbor' }, 'shown'), 'this refines it');
    for (const type of edgeTypes) {
      const isSame = relationLabel({ type, target: 'a' }, 'a') === relationLabel({ type, target: 'b' }, 'a');
      assert.equal(isSame, symmetricEdgeTypes.includes(type), type);
    }
  });
});

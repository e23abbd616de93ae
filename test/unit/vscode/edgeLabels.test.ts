import assert from 'node:assert/strict';
import { edgeTypes, symmetricEdgeTypes, type Edge, type EdgeType } from '../../../src/engine/model/edge.js';
import type { MemoryCard } from '../../../src/protocol.js';
import { relatedMemories, relationLabel } from '../../../webview-ui/pages/edgeLabels.js';

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

describe('relatedMemories', () => {
  const edgeTo = (id: string, type: EdgeType, reason = ''): { readonly edge: Edge; readonly memory: MemoryCard } => ({
    edge: { source: 'shown', target: id, type, reason, strength: 1, createdAt: '2026-03-02T09:00:00.000Z' },
    memory: { id } as MemoryCard,
  });

  it('returns each neighbor once, with all its relations', () => {
    const related = relatedMemories(
      [
        edgeTo('old', 'supersedes', 'A person said so.'),
        edgeTo('near', 'relates_to'),
        edgeTo('old', 'contradicts', 'The numbers differ.'),
        edgeTo('old', 'relates_to'),
      ],
      'shown',
    );
    assert.deepEqual(
      related.map(it => [it.memory.id, it.relations, it.reasons]),
      [
        ['old', ['this replaces it', 'contradicts'], ['A person said so.', 'The numbers differ.']],
        ['near', [], []],
      ],
    );
  });
});

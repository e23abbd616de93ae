import assert from 'node:assert/strict';
import fc from 'fast-check';
import { rankPartNames } from '../../../src/engine/model/trace.js';
import { rankingFeatures } from '../../../src/engine/model/rankingFeature.js';
import { rankParts } from '../../../src/engine/scoring/rankParts.js';

describe('rankParts', () => {
  it('adds up to the rank for any shares', () => {
    const share = fc.double({ min: -5, max: 5, noNaN: true });
    const shares = fc.dictionary(fc.constantFrom(...rankingFeatures, 'date'), share);
    fc.assert(
      fc.property(shares, fc.double({ min: 0, max: 1, noNaN: true }), (it, rank) => {
        const parts = rankParts({ features: {}, shares: it, score: 0, relevance: rank, rank });
        assert.deepEqual(
          parts.map(part => part.name),
          [...rankPartNames],
        );
        assert.ok(parts.every(part => part.value >= 0));
        assert.ok(Math.abs(parts.reduce((sum, part) => sum + part.value, 0) - rank) < 1e-9);
      }),
    );
  });

  it('adds up to the rank for shares too small to be multiplied', () => {
    const [words] = rankParts({ features: {}, shares: { words: 5e-324 }, score: 0, relevance: 0, rank: 1e-9 });
    assert.deepEqual(words, { name: 'words', value: 1e-9 });
  });

  it('shows a rank of a trace of an earlier version as one part', () => {
    const [words] = rankParts({ features: { words: 1 }, score: 3, relevance: 1, rank: 0.8 });
    assert.deepEqual(words, { name: 'words', value: 0.8 });
  });
});

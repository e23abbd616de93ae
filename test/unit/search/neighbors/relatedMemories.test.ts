import assert from 'node:assert/strict';
import {
  findRelated,
  TermCache,
  type ComparisonCandidate,
} from '../../../../src/engine/search/neighbors/relatedMemories.js';

describe('TermCache', () => {
  it('analyzes a text once', () => {
    const cache = new TermCache();
    const text = { contentHash: 'h', content: 'The port is 80.' };
    assert.equal(cache.get(text), undefined);
    const terms = cache.termsOf(text);
    assert.deepEqual(terms, ['port', '80']);
    assert.equal(cache.termsOf(text), terms);
    assert.equal(cache.get(text), terms);
  });

  it('does not return the terms of another text with the same hash', () => {
    const cache = new TermCache();
    cache.termsOf({ contentHash: 'h', content: 'The port is 80.' });
    assert.equal(cache.get({ contentHash: 'h', content: 'The PORT is 80.' }), undefined);
  });

  it('evicts the texts that were not used lately', () => {
    const cache = new TermCache();
    const textOf = (i: number): { contentHash: string; content: string } => ({
      contentHash: `${i}`,
      content: `Fact ${i}.`,
    });
    for (let i = 0; i < 9_000; i++) {
      cache.termsOf(textOf(i));
      cache.get(textOf(7));
    }
    assert.deepEqual(
      [0, 7, 8_999].map(it => cache.get(textOf(it)) !== undefined),
      [false, true, true],
    );
  });
});

describe('findRelated', () => {
  const text = (id: string, ...terms: string[]): ComparisonCandidate => ({
    fact: { id, contentHash: id, content: terms.join(' '), assertedAt: '' },
    terms,
    cosine: undefined,
  });
  const fact = { ...text('new', 'bench', 'host', 'beta').fact, terms: ['bench', 'host', 'beta'] };
  const idsOf = (candidates: readonly ComparisonCandidate[], relatedCosine = 0.6): readonly (string | boolean)[] =>
    findRelated(fact, candidates, { relatedCosine, weight: () => 1 }).flatMap(it => [it.id, it.isRelated]);

  it('orders by shared terms, and leaves out what shares nothing and the fact itself', () => {
    const candidates = [
      text('pier', 'pier', 'rain'),
      text('one', 'bench', 'saw'),
      text('two', 'bench', 'host', 'alpha'),
    ];
    assert.deepEqual(idsOf([...candidates, text('new', 'bench', 'host', 'beta')]), ['two', true, 'one', false]);
  });

  it('counts the cosine on the scale of the model that it came from', () => {
    const near = { ...text('near', 'pier'), cosine: 0.7 };
    const far = { ...text('far', 'bench', 'saw'), cosine: 0 };
    assert.deepEqual(idsOf([far, near]), ['near', true, 'far', false]);
    assert.deepEqual(idsOf([far, near], 0.85), ['far', false, 'near', false]);
  });
});

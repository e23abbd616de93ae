import assert from 'node:assert/strict';
import { ParsedTextCache } from '../../../../src/engine/search/neighbors/classifyCandidates.js';

describe('ParsedTextCache', () => {
  it('parses a text once', () => {
    const cache = new ParsedTextCache();
    const text = { contentHash: 'h', content: 'The port is 80.' };
    assert.equal(cache.get(text), undefined);
    const parsed = cache.parse(text);
    assert.deepEqual(parsed.terms, ['port', '80']);
    assert.equal(cache.parse(text), parsed);
    assert.equal(cache.get(text), parsed);
  });

  it('does not return the parse of another text with the same hash', () => {
    const cache = new ParsedTextCache();
    cache.parse({ contentHash: 'h', content: 'The port is 80.' });
    const upperCase = { contentHash: 'h', content: 'The PORT is 80.' };
    assert.equal(cache.get(upperCase), undefined);
    assert.equal(cache.parse(upperCase).statement.content, 'The PORT is 80.');
  });

  it('evicts the texts that were not used lately', () => {
    const cache = new ParsedTextCache();
    const textOf = (i: number): { contentHash: string; content: string } => ({
      contentHash: `${i}`,
      content: `Fact ${i}.`,
    });
    for (let i = 0; i < 9_000; i++) {
      cache.parse(textOf(i));
      cache.get(textOf(7));
    }
    assert.deepEqual(
      [0, 7, 8_999].map(it => cache.get(textOf(it)) !== undefined),
      [false, true, true],
    );
  });
});

import assert from 'node:assert/strict';
import { Bm25, words } from '../../bench/kit/bm25.js';

const documents = [
  { id: 'tea', text: 'Green tea, black tea' },
  { id: 'long', text: 'We drink tea with milk and sugar in the long afternoons of the summer' },
  { id: 'milk', text: 'Milking cows' },
];

function check(title: string, query: string, expected: readonly string[], limit = 10): void {
  it(title, () => {
    assert.deepEqual(new Bm25(documents).search(query, limit), expected);
  });
}

describe('plain BM25', () => {
  it('reduces words to stems and leaves stop words out', () => {
    assert.deepEqual(words('The Cats were running; a cat runs!'), ['cat', 'run', 'cat', 'run']);
  });
  check('prefers more occurrences in a shorter document', 'tea', ['tea', 'long']);
  check('finds other forms of a word, the short document first', 'milk', ['milk', 'long']);
  check('adds up the terms of a query', 'sugar tea', ['long', 'tea']);
  check('gives at most what was asked for', 'tea', ['tea'], 1);
  check('finds nothing for stop words', 'what is the', []);
  check('finds nothing for unknown words', 'coffee', []);
  it('scores as the formula says', () => {
    // N = 2, df = 1, tf = 1, every length the average: idf = ln(1 + 1.5 / 1.5).
    const even = new Bm25([
      { id: 'first', text: 'alpha beta' },
      { id: 'second', text: 'gamma delta' },
    ]);
    // Each: ln 2 × 1 × (1.2 + 1) / (1 + 1.2 × 1). Equal scores keep the order given.
    assert.deepEqual(even.rank('delta alpha'), [
      { id: 'first', score: Math.LN2 },
      { id: 'second', score: Math.LN2 },
    ]);
  });
  it('takes an empty corpus', () => {
    assert.deepEqual(new Bm25([]).search('tea', 5), []);
  });
});

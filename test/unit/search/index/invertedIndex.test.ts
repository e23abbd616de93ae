import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvertedIndex, type Bm25Params } from '../../../../src/engine/search/index/invertedIndex.js';

/** BM25 by its definition, over documents as lists of terms. */
function naiveBm25(
  documents: readonly (readonly string[])[],
  terms: readonly string[],
  { k1, b }: Bm25Params,
): number[] {
  const average = documents.reduce((sum, it) => sum + it.length, 0) / Math.max(1, documents.length);
  return documents.map(document => {
    let score = 0;
    for (const term of terms) {
      const frequency = document.filter(it => it === term).length;
      if (frequency === 0) continue;
      const documentFrequency = documents.filter(it => it.includes(term)).length;
      const idf = Math.log(1 + (documents.length - documentFrequency + 0.5) / (documentFrequency + 0.5));
      score += (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * document.length) / average));
    }
    return score;
  });
}

const term = fc.constantFrom('port', 'payment', 'servic', 'tab', 'space', 'owner', 'beta', 'build');
const document = fc.array(term, { maxLength: 12 });
const constants = fc.constantFrom({ k1: 0.9, b: 0.4 }, { k1: 1.2, b: 0.75 }, { k1: 1.2, b: 0 });

function assertNear(found: Float32Array, expected: readonly number[]): void {
  assert.equal(found.length, expected.length);
  for (const [i, it] of expected.entries()) assert.ok(Math.abs(found[i]! - it) < 1e-4, `${found[i]!} for ${it}`);
}

describe('InvertedIndex', () => {
  it('scores documents by the definition of BM25', () => {
    fc.assert(
      fc.property(fc.array(document, { maxLength: 40 }), fc.uniqueArray(term), constants, (documents, terms, bm25) => {
        const postings = new InvertedIndex();
        documents.forEach((it, i) => {
          assert.equal(postings.add(it), i);
        });
        const scores = new Float32Array(documents.length);
        postings.score(terms, bm25, scores);
        assertNear(scores, naiveBm25(documents, terms, bm25));
      }),
    );
  });

  it('scores a term of every document close to 0, and an unknown term 0', () => {
    const postings = new InvertedIndex();
    for (let i = 0; i < 1000; i++) postings.add(['common', `rare${i}`]);
    const scoreOf = (it: string): number => {
      const scores = new Float32Array(1000);
      postings.score([it], { k1: 0.9, b: 0.4 }, scores);
      return scores[7]!;
    };
    assert.ok(scoreOf('common') < scoreOf('rare7') / 1000);
    assert.equal(scoreOf('unheard'), 0);
  });

  it('scores each group of documents as one text', () => {
    const postings = new InvertedIndex();
    postings.add(['port', 'one']);
    postings.add(['port']);
    postings.add(['two']);
    postings.add(['port']);
    const scores = postings.scoreGroups(['port'], { k1: 1.2, b: 0 }, Int32Array.of(0, 0, 1, -1), 2);
    const idf = Math.log(1 + (4 - 3 + 0.5) / (3 + 0.5));
    assertNear(scores, [(idf * 2 * 2.2) / (2 + 1.2), 0]);
  });
});

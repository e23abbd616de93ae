import assert from 'node:assert/strict';
import fc from 'fast-check';
import { InvertedIndex } from '../../../../src/engine/search/index/invertedIndex.js';

const term = fc.constantFrom('port', 'payment', 'servic', 'tab', 'space', 'owner', 'beta', 'build');
const document = fc.array(term, { maxLength: 12 });

describe('InvertedIndex', () => {
  it('has each document of a term with its frequency, and the mean length', () => {
    fc.assert(
      fc.property(fc.array(document, { maxLength: 40 }), term, (documents, wanted) => {
        const postings = new InvertedIndex();
        documents.forEach((it, i) => {
          assert.equal(postings.add(it), i);
        });
        const found: [number, number][] = [];
        postings.forEachEntry(wanted, (position, frequency) => found.push([position, frequency]));
        const expected = documents
          .map((it, i): [number, number] => [i, it.filter(word => word === wanted).length])
          .filter(([, frequency]) => frequency > 0);
        assert.deepEqual(found, expected);
        assert.equal(postings.documentFrequency(wanted), expected.length);
        const total = documents.reduce((sum, it) => sum + it.length, 0);
        assert.equal(postings.averageLength, total / Math.max(1, documents.length));
      }),
    );
  });

  it('weighs a term of every document close to 0, and has no entry of an unknown term', () => {
    const postings = new InvertedIndex();
    for (let i = 0; i < 1000; i++) postings.add(['common', `rare${i}`]);
    assert.ok(postings.weight('common') < postings.weight('rare7') / 1000);
    postings.forEachEntry('unheard', () => assert.fail());
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  expectation,
  judge,
  ReadText,
  type Candidate,
  type ToldFact,
} from '../../../../src/engine/store/index/judge.js';

const relatedCosine = 0.5;
const measures = { relatedCosine, weight: () => 1 };

/** Few words of every sort, so that pairs have much in common. */
const text = fc
  .tuple(
    fc.constantFrom(
      'The mobile team',
      'Our wiki',
      'The parser cache',
      'Lena',
      'The invoice service of the mobile team',
    ),
    fc.constantFrom('uses', 'is kept in', 'never reads', 'owns', 'must check', 'moved from Redis to'),
    fc.constantFrom('MySQL', 'port 80', 'port 81', 'the public wiki', 'the parser', '5 MB of the cache'),
    fc.constantFrom('', ' in production', ' every Monday', ' for the invoice page', ' now'),
  )
  .map(it => it.join(' ').replace(/ +/gu, ' '));

function toldFact(content: string, i: number): ToldFact {
  return { id: `m${i}`, content, contentHash: `${i} ${content}`, toldAt: `2026-03-${10 + i}T09:00:00Z` };
}

describe('what a fact is compared with', () => {
  it('has the same relatives as if all of it were read', () => {
    let [all, read] = [0, 0];
    const neighbour = fc.record({ content: text, cosine: fc.integer({ min: 0, max: 99 }).map(it => it / 150) });
    fc.assert(
      fc.property(text, fc.array(neighbour, { minLength: 20, maxLength: 20 }), (content, neighbours) => {
        const told = { ...toldFact(content, 9), reading: new ReadText(content) };
        // Of equals the order is anybody's.
        const its: Candidate[] = neighbours.map(({ content, cosine }, i) => {
          const reading = new ReadText(content);
          return { fact: toldFact(content, i), reading, cosine: cosine + i * 1e-6, isByMeaning: false, isDoubt: false };
        });
        const expected = its.map(it =>
          expectation(told.reading.sketch, { ...it, sketch: it.reading.sketch }, relatedCosine),
        );
        const toRead = its
          .map((it, i) => ({ ...it, isDoubt: expected[i] === 'doubt' }))
          .filter((_, i) => expected[i] !== 'nothing');
        all += its.length;
        read += toRead.filter(it => !it.isDoubt).length;
        assert.deepEqual(judge(told, toRead, measures), judge(told, its, measures));
      }),
    );
    assert.ok(read < 0.6 * all, `${read} of ${all}`);
  });

  it('is read where nothing is known of it, where it has no vector, and where it is related', () => {
    const { sketch } = new ReadText('The wiki is public.');
    const other = new ReadText('Lunch comes from the canteen.').sketch;
    const known = { cosine: 0.1, isByMeaning: false, sketch: other };
    assert.equal(expectation(sketch, known, relatedCosine), 'nothing');
    for (const change of [{ sketch: undefined }, { cosine: undefined }, { cosine: 0.5 }, { isByMeaning: true }]) {
      assert.equal(expectation(sketch, { ...known, ...change }, relatedCosine), 'anything');
    }
    assert.equal(expectation(undefined, known, relatedCosine), 'anything');
  });
});

import assert from 'node:assert/strict';
import { words } from '../../bench/kit/bm25.js';
import { generateTexts } from '../../bench/kit/syntheticTexts.js';

describe('made texts', () => {
  const { texts, queries } = generateTexts(2_000, 50);

  it('are the same at every run, and a shorter list is the start of a longer one', () => {
    assert.deepEqual(generateTexts(2_000, 50), { texts, queries });
    assert.deepEqual(generateTexts(500, 0).texts, texts.slice(0, 500));
  });
  it('differ from one another', () => {
    assert.equal(new Set(texts).size, texts.length);
  });
  it('use few words often and many rarely', () => {
    const counts = new Map<string, number>();
    for (const word of texts.flatMap(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const once = [...counts.values()].filter(it => it === 1).length;
    assert.ok(once > counts.size / 3, `${once} of ${counts.size} words occur once`);
    assert.ok(Math.max(...counts.values()) > texts.length / 10);
  });
  it('are asked for with words of theirs', () => {
    const known = new Set(texts.flatMap(words));
    for (const query of queries)
      assert.ok(
        words(query).some(it => known.has(it)),
        query,
      );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  CitationStream,
  parseMemoryReference,
  splitCitations,
  type AnswerSegment,
} from '../../../src/vscode/participant/citations.js';
import { roundPreservingSum } from '../../../src/vscode/participant/largestRemainder.js';

const known = new Set(['1a2b3c4d', '00000001']);

/** Joins segments, with citations as `<id>`. */
const shown = (found: readonly AnswerSegment[]): string =>
  found.map(it => (it.kind === 'text' ? it.text : `<${it.id}>`)).join('');

describe('splitCitations', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['none at all', 'none at all'],
    ['Perpetua #1a2b3c4d.', 'Perpetua <1a2b3c4d>.'],
    ['[#1a2b3c4d] and #00000001', '<1a2b3c4d> and <00000001>'],
    ['unknown #ffffffff', 'unknown #ffffffff'],
    ['longer #1a2b3c4d5 stays', 'longer #1a2b3c4d5 stays'],
    ['', ''],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), () => {
      assert.equal(shown(splitCitations(text, known)), expected);
    });
  }
});

describe('CitationStream', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['It is **Perpetua** [#1a2b3c4d].', 'It is **Perpetua** <1a2b3c4d>.'],
    ['![x](https://a.b/?q=1)', '\\![x\\](https://a.b/?q=1)'],
    ['[#1a2b3c4d](https://a.b)', '[<1a2b3c4d>\\](https://a.b)'],
    ['[run](command:x) [a][b] [b]: c', '[run\\](command:x) [a\\][b] [b\\]: c'],
    ['<img src=x> 1 < 2', '&lt;img src=x> 1 < 2'],
    ['use `a[0](b)` here', 'use `a[0](b)` here'],
    ['```ts\nx[0](1) #1a2b3c4d\n```\n[a](b)', '```ts\nx[0](1) #1a2b3c4d\n```\n[a\\](b)'],
    ['```\nleft open', '```\nleft open\n```\n'],
  ];
  for (const [text, expected] of cases) {
    it(JSON.stringify(text), () => {
      const stream = new CitationStream(known);
      assert.equal(shown([...stream.add(text), ...stream.end()]), expected);
    });
  }

  it('has the same output for any split into chunks', () => {
    const parts = fc.array(fc.constantFrom('#1a2b', '3c4d', '](', '[', '!', '\n', '```', '`', 'x ', '<b', ')'));
    fc.assert(
      fc.property(parts, texts => {
        const whole = new CitationStream(known);
        const expected = shown([...whole.add(texts.join('')), ...whole.end()]);
        const bits = new CitationStream(known);
        assert.equal(shown([...texts.flatMap(it => bits.add(it)), ...bits.end()]), expected);
        assert.deepEqual(bits.citedIds, whole.citedIds);
      }),
    );
  });
});

describe('parseMemoryReference', () => {
  const id = '019a2b3c-4d5e-7f60-8123-456789abcdef';
  const cases: readonly (readonly [string, ReturnType<typeof parseMemoryReference>])[] = [
    ['1a2b3c4d', { id: '1a2b3c4d' }],
    ['#1A2B3C4D', { id: '1a2b3c4d' }],
    ['#none', { id: 'none' }],
    [id, { id }],
    ['deadbeef cafe', { query: 'deadbeef cafe' }],
    ['the ferry', { query: 'the ferry' }],
  ];
  for (const [prompt, expected] of cases) {
    it(JSON.stringify(prompt), () => {
      assert.deepEqual(parseMemoryReference(prompt), expected);
    });
  }
});

describe('roundPreservingSum', () => {
  it('returns numbers that add up to the rounded sum', () => {
    const values = fc.array(fc.double({ min: 0, max: 2, noNaN: true }), { maxLength: 8 });
    fc.assert(
      fc.property(values, it => {
        const { rounded, sum } = roundPreservingSum(it, 2);
        const hundredths = rounded.map(share => Math.round(share * 100));
        assert.equal(
          hundredths.reduce((total, share) => total + share, 0),
          Math.round(sum * 100),
        );
        for (const [index, share] of rounded.entries()) assert.ok(Math.abs(share - it[index]!) < 0.01 + 1e-9);
        assert.ok(Math.abs(sum - it.reduce((total, value) => total + value, 0)) <= 0.005 + 1e-9);
      }),
    );
  });
  it('rounds the largest remainders up', () => {
    assert.deepEqual(roundPreservingSum([0.334, 0.333, 0.333], 2), { rounded: [0.34, 0.33, 0.33], sum: 1 });
    assert.deepEqual(roundPreservingSum([], 2), { rounded: [], sum: 0 });
  });
});

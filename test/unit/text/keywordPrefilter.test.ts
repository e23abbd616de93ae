import assert from 'node:assert/strict';
import fc from 'fast-check';
import { kindCues } from '../../../src/engine/classify/kindCues.js';
import { gateCues, prepareCueText } from '../../../src/engine/classify/classify.js';
import { secretRules } from '../../../src/engine/secrets/secretRules.js';
import { foldCase, mayMatch, type KeywordRule } from '../../../src/engine/text/keywordPrefilter.js';
import { labeledStatements } from '../../bench/kit/labeledStatements.js';
import { arbitraryText } from './arbitraryText.js';

interface PatternRule extends KeywordRule {
  readonly pattern: RegExp;
}

describe('keywordPrefilter', () => {
  it('admits a text that contains a keyword, and every text if a rule has no keywords', () => {
    const rule = { keywords: ['never', 'stop'] };
    assert.equal(mayMatch(rule, 'do not stop'), true);
    assert.equal(mayMatch(rule, 'go on'), false);
    assert.equal(mayMatch({}, 'go on'), true);
  });

  it('folds the letters that a case-insensitive Unicode pattern takes for ASCII letters', () => {
    const folded = foldCase('ſTOP \u212Aafka');
    assert.equal(folded, 'stop kafka');
    assert.match('ſTOP \u212Aafka', /stop kafka/iu);
  });

  const tables: readonly (readonly [name: string, rules: readonly PatternRule[]])[] = [
    ['gate cue', gateCues],
    ['kind cue', kindCues],
    ['secret rule', secretRules],
  ];
  for (const [name, rules] of tables) {
    it(`the keywords of every ${name} are distinct, in lower case and not empty`, () => {
      for (const { keywords, pattern } of rules) {
        if (keywords === undefined) continue;
        assert.deepEqual([...new Set(keywords.map(foldCase))], keywords, pattern.source);
        assert.ok(keywords.length > 0 && !keywords.includes(''), pattern.source);
      }
    });

    it(`the keywords of every ${name} occur in all texts that its pattern matches`, () => {
      let matches = 0;
      const check = (text: string, checked: readonly PatternRule[]): void => {
        const folded = foldCase(text);
        for (const rule of checked) {
          rule.pattern.lastIndex = 0;
          if (!rule.pattern.test(text)) continue;
          matches++;
          assert.ok(mayMatch(rule, folded), `${rule.pattern.source} matches ${JSON.stringify(text)}`);
        }
      };
      // Alternatives of one pattern joined to texts, so that the pattern often matches.
      for (const rule of rules) {
        const pieces = rule.pattern.source.match(/(?<!\\)[\p{L}' #-]+|[:,.;=/!] ?/gu) ?? ['a'];
        const text = fc
          .array(
            fc.oneof(fc.constantFrom(...pieces), fc.constantFrom('PERSONNAME', 'run', '1', 'the'), arbitraryText(4)),
            {
              maxLength: 6,
            },
          )
          .chain(words => fc.constantFrom('', ' ').map(separator => words.join(separator)));
        fc.assert(
          fc.property(text, it => {
            check(it, [rule]);
          }),
          { numRuns: 300 },
        );
      }
      for (const { text } of Object.values(labeledStatements()).flat()) {
        const { fullText, afterLabel } = prepareCueText(text, true);
        for (const it of [text, fullText, afterLabel]) check(it, rules);
      }
      // secretScanner.test.ts has texts for the secret rules, which no random text matches.
      if (name !== 'secret rule') assert.ok(matches > 1_000, `${matches} matches`);
    });
  }
});

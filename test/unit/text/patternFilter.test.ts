import assert from 'node:assert/strict';
import { casual, Chrono } from 'chrono-node/en';
import fc from 'fast-check';
import { gateCues } from '../../../src/engine/classify/gateCues.js';
import { gateLiterals } from '../../../src/engine/classify/gateLiterals.js';
import { kindCues } from '../../../src/engine/classify/kindCues.js';
import { requiredKeywords, KeywordPrefilter } from '../../../src/engine/text/keywordPrefilter.js';
import { secretLiterals } from '../../../src/engine/secrets/secretLiterals.js';
import { secretRules } from '../../../src/engine/secrets/secretRules.js';
import { labelledStatements } from '../../bench/kit/classifySet.js';
import { anyText } from './anyText.js';

describe('patternFilter', () => {
  const table: readonly (readonly [pattern: RegExp, literals: readonly string[] | null])[] = [
    [/never/, ['never']],
    [/\b(?:Never|avoid)\b.{1,80}/iu, ['never', 'avoid']],
    [/^(?:please )?stop/u, ['please stop', 'stop']],
    [/(?:we|they) (?:will )?(?:decide|choose)/u, ['decide', 'choose']],
    [/cat|\w+/u, null],
    [/(?:cat)*/u, null],
    [/(?:cat)+?s/u, ['cat']],
    [/colou?r[sz]/u, ['colours', 'colors', 'colourz', 'colorz']],
    [/x(?!never)(?<=stop)y/u, ['xy']],
    [/\d{2,}\w/u, Array.from('0123456789')],
    [/[a-z]+@/u, ['@']],
    [/[^abc]\u00e9\p{Lu}/u, null],
    [/(?<quoted>"secret")\k<quoted>/u, ['"secret"']],
    [/größe|Straße/iu, ['gr', 'stra']],
    // What is too long is looked for by its beginning, and what is longer is rarer than what is one of few.
    [/\bthe (?:assistant|model)\b/u, ['the assistan', 'the model']],
    [/(?:instead of|rather than) the (?:old|former)/u, ['instead of t', 'rather than ']],
    // Most texts end with a full stop.
    [/\d{1,9}[./]\w/u, Array.from('0123456789')],
    [/[.,:-] ?not/u, ['. not', '.not', ', not', ',not', ': not', ':not', '- not', '-not']],
  ];
  for (const [pattern, literals] of table) {
    it(`${pattern.source} needs ${literals?.join(', ') ?? 'nothing'}`, () => {
      const needed = requiredKeywords(pattern);
      assert.deepEqual(needed && [...needed].sort(), literals && [...literals].sort());
    });
  }

  it('has what the build worked out for the patterns as they are', () => {
    const of = (all: readonly { readonly pattern: RegExp }[]): unknown => all.map(it => requiredKeywords(it.pattern));
    assert.deepEqual(gateLiterals, of(gateCues));
    assert.deepEqual(secretLiterals, of(secretRules));
  });

  it('finds letters that a pattern in any case takes for others', () => {
    const filter = new KeywordPrefilter([/stop/iu, /kafka/iu, /never/iu]);
    assert.deepEqual([...filter.mayMatch('ſtop \u212Aafka')], [1, 1, 0]);
  });

  it('lets every pattern pass that matches, whatever it is made of', () => {
    const atom = fc.oneof(
      fc.constantFrom(...'aeiousk1-'.split(''), 'st', '.', '\\w', '\\d', '[ae]', '[^o]', '[a-k]', '\\b', '^', '$', 'é'),
      fc.constantFrom('\\.', '\\s', '\\p{Lu}', '(?=a)', '(?<!s)', '[\\-a]', '[.i]'),
    );
    const pattern = fc.letrec<{ any: string }>(tie => ({
      any: fc.oneof(
        { depthSize: 'small' },
        atom,
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => a + b),
        fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('any'), fc.constantFrom('?', '*', '+', '{2}', '{1,3}', '{0,1}', '+?', '??'))
          .map(([a, b]) => `(?:${a})${b}`),
      ),
    })).any;
    fc.assert(
      fc.property(pattern, fc.constantFrom('', 'i', 'u', 'iu', 'iug'), anyText(30), (source, flags, text) => {
        const tried = new RegExp(source, flags);
        if (new KeywordPrefilter([tried]).mayMatch(text)[0] === 0) assert.equal(tried.test(text), false);
      }),
      { numRuns: 3_000 },
    );
  });

  const tables: readonly (readonly [name: string, patterns: readonly RegExp[]])[] = [
    ['gate cue', gateCues.map(it => it.pattern)],
    ['kind cue', kindCues.map(it => it.pattern)],
    ['secret rule', secretRules.map(it => it.pattern)],
    ['date parser', datePatterns()],
  ];
  for (const [name, patterns] of tables) {
    it(`lets every ${name} pass that fires`, () => {
      const filter = new KeywordPrefilter(patterns);
      // Pieces of the patterns themselves, so that they often match.
      const pieces = [...new Set(patterns.flatMap(it => it.source.match(/(?<!\\)[\w']+|[-:,.=/] ?/g) ?? []))];
      const anyOfIt = fc
        .array(fc.oneof(fc.constantFrom(...pieces), fc.constantFrom('PERSONNAME', '14', 'the', 'DATE'), anyText(4)), {
          maxLength: 12,
        })
        .chain(words => fc.constantFrom('', ' ').map(between => words.join(between)));
      let matches = 0;
      const check = (it: string): void => {
        const may = filter.mayMatch(it);
        for (const [i, pattern] of patterns.entries()) {
          pattern.lastIndex = 0;
          if (!pattern.test(it)) continue;
          matches++;
          assert.equal(may[i], 1, `${pattern.source} matches ${JSON.stringify(it)}`);
        }
      };
      fc.assert(fc.property(anyOfIt, check), { numRuns: 500 });
      for (const { text } of Object.values(labelledStatements()).flat()) check(text);
      // What each secret rule finds, its own test tells.
      if (name !== 'secret rule') assert.ok(matches > 20, `${matches} matches`);
    });
  }
});

/** Those of the date parser while it looks for dates to come. */
function datePatterns(): RegExp[] {
  let found: RegExp[] = [];
  const pattern: (typeof casual.parsers)[number]['pattern'] = context => {
    found = casual.parsers.map(it => it.pattern(context));
    return /(?!)/;
  };
  new Chrono({ parsers: [{ pattern, extract: () => null }], refiners: [] }).parse('', new Date(), {
    forwardDate: true,
  });
  return found;
}

import assert from 'node:assert/strict';
import { analyzeText } from '../../../src/engine/text/analyzer.js';
import { weighTerms, type GivenWords } from '../../../src/engine/text/queryTerms.js';
import { analyzeQuestion } from '../../../src/engine/text/questionAnalysis.js';
import { everydayWords, relatedWords, synonyms, toolsByCategory } from '../../../src/engine/text/vocabulary.js';
import { findWordVariants, inflect } from '../../../src/engine/text/wordVariants.js';

/** The weight with which a question finds a text that says it in these words; 0 where it does not. */
function weightOf(question: string, words: string): number {
  const terms = analyzeText(words).join(' ');
  return Math.max(0, ...findWordVariants(question).map(it => (it.terms.join(' ') === terms ? it.weight : 0)));
}

describe('variants of the words of a question', () => {
  it('are its abbreviations and long forms, both ways', () => {
    assert.ok(weightOf('which k8s version', 'kubernetes') > 0.5);
    assert.ok(weightOf('which Kubernetes version', 'k8s') > 0.5);
    assert.ok(weightOf('who merges a pull request', 'pr') > 0.5);
  });

  it('are a Chinese word in the other script, and the word that is used elsewhere for the same', () => {
    const termsOf = (question: string): ReadonlySet<string> =>
      new Set(findWordVariants(question).flatMap(it => it.terms));
    for (const [question, words] of [
      ['週報', '周报'],
      ['头发', '頭髮'],
      ['發布', '发布'],
      ['伺服器', '服务器'],
      ['线程', '執行緒'],
      ['資料庫', '数据库'],
    ] as const) {
      const pairs = analyzeText(words).filter(it => it.length > 1);
      const found = termsOf(question);
      assert.ok(
        pairs.every(it => found.has(it)),
        `${question} -> ${words}`,
      );
    }
    assert.deepEqual(findWordVariants('人'), []);
  });

  it('need all words of a phrase, next to each other', () => {
    assert.equal(weightOf('who can pull a large request', 'pr'), 0);
  });

  it('are the tools of a category and the category of a tool, but no other tool', () => {
    assert.ok(weightOf('which linter', 'rubocop') > 0);
    assert.ok(weightOf('where is rubocop configured', 'linter') > 0);
    assert.equal(weightOf('where is rubocop configured', 'eslint'), 0);
  });

  it('weigh less than the words themselves, and words of one subject less than synonyms', () => {
    assert.ok(findWordVariants('deploy the repo to prod, then check the linter').every(it => it.weight < 1));
    assert.ok(weightOf('crash', 'panic') < weightOf('prod', 'production'));
  });

  it('are everyday words that are used for each other', () => {
    assert.ok(weightOf('how huge may an upload be', 'large') > 0);
    assert.ok(weightOf('until when', 'deadline') > 0);
    assert.equal(weightOf('how huge may an upload be', 'early'), 0);
  });

  it('name the words that they stand for', () => {
    const variant = findWordVariants('open a merge request').find(it => it.terms.join() === 'pr');
    assert.deepEqual(variant?.of, ['merg', 'request']);
  });
});

describe('inflection', () => {
  const related = [
    ['linter', 'linting'],
    ['deploys', 'deployment'],
    ['runner', 'running'],
    ['parser', 'parse'],
    ['delivery', 'delivered'],
    ['optimise', 'optimize'],
  ] as const;
  for (const [one, other] of related) {
    it(`relates ${one} and ${other}`, () => {
      const [a, b] = [analyzeText(one)[0]!, analyzeText(other)[0]!];
      assert.ok(inflect(a).includes(b), `${a}: ${inflect(a).join(' ')}`);
      assert.ok(inflect(b).includes(a), `${b}: ${inflect(b).join(' ')}`);
    });
  }

  it('keeps words apart that only look related', () => {
    for (const [one, other] of [
      ['number', 'numb'],
      ['order', 'ord'],
    ] as const) {
      assert.equal(inflect(one).includes(other), false);
      assert.equal(inflect(other).includes(one), false);
    }
  });
});

describe('the vocabulary in a query', () => {
  it('is no word of the caller, and is left out where the caller gives words', () => {
    const question = analyzeQuestion('which k8s version');
    const weightOf = (given: GivenWords): number =>
      weighTerms(question, given).find(it => it.term === 'kubernet')?.weight ?? 0;
    assert.ok(weightOf({}) > 0 && weightOf({}) < 1);
    assert.equal(weightOf({ keywords: ['control plane'] }), 0);
  });

  it('has no group of one word and no word twice in a group', () => {
    for (const group of [...synonyms, ...relatedWords, ...everydayWords, ...Object.values(toolsByCategory)]) {
      const words = group.split(', ');
      assert.deepEqual([...new Set(words)], words, group);
      assert.ok(
        words.every(it => it !== '' && it === it.trim().toLowerCase()),
        group,
      );
    }
    for (const group of [...synonyms, ...relatedWords, ...everydayWords]) assert.ok(group.includes(', '), group);
  });
});

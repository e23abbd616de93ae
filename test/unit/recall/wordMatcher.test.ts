import assert from 'node:assert/strict';
import { defaultConfig } from '../../../src/engine/model/config.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { parseRecallQuery } from '../../../src/engine/recall/recallQuery.js';
import { WordMatcher } from '../../../src/engine/recall/wordMatcher.js';
import { noLexicalScale, type LexicalScale } from '../../../src/engine/search/query/searchMemories.js';

/** A matcher over a store of 100 memories in which the given terms are as frequent as they say; other terms never occur. */
function matcherOf(input: RecallInput, frequencies: Readonly<Record<string, number>> = {}): WordMatcher {
  const scale: LexicalScale = {
    ...noLexicalScale,
    documents: 100,
    documentFrequencies: new Map(Object.entries(frequencies)),
  };
  return new WordMatcher(parseRecallQuery(input, defaultConfig.recall, new Date(0)), [scale]);
}

const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-9;

describe('the match of words', () => {
  it('is measured against the wording that is met best, and against all on average', () => {
    const matcher = matcherOf({ query: 'harbour crane', alternatives: ['quay hoist'] });
    const { wording, wordings } = matcher.match('The hoist at the quay is red.', undefined);
    assert.deepEqual([wording, wordings], [1, 0.5]);
  });

  it('counts a rare word more than a common one', () => {
    const matcher = matcherOf({ query: 'harbour crane' }, { harbour: 60, crane: 1 });
    assert.ok(matcher.match('a crane', undefined).wording > 0.8);
    assert.ok(matcher.match('a harbour', undefined).wording < 0.2);
  });

  it('counts a word that is said in another way, for less, unless the caller gives words', () => {
    const { wording, concepts } = matcherOf({ query: 'k8s' }).match('the Kubernetes nodes', undefined);
    assert.ok(wording === 0 && concepts > 0.5 && concepts < 1);
    assert.equal(matcherOf({ query: 'k8s' }).match('the k8s nodes', undefined).concepts, 1);
    const given = matcherOf({ query: 'k8s', keywords: ['nodes'] });
    assert.equal(given.match('the Kubernetes nodes', undefined).concepts, 0);
  });

  it('takes a keyword of several words whole or not at all', () => {
    const matcher = matcherOf({ query: 'where', keywords: ['tide table', 'harbour'] });
    assert.ok(near(matcher.match('the tide in the harbour', undefined).keywords, 0.5));
    assert.equal(matcher.match('the tide table of the harbour', undefined).keywords, 1);
  });

  it('takes the words of the wordings for keywords where none are given', () => {
    const matcher = matcherOf({ query: 'harbour crane', alternatives: ['quay hoist'] });
    assert.equal(matcher.match('a harbour with a hoist', undefined).keywords, 0.5);
  });

  it('looks at search aids as well, and likens wordings to their questions', () => {
    const matcher = matcherOf({ query: 'who repairs the crane?' });
    const aids = { questions: ['Who repairs the crane?'], keywords: ['maintenance'] };
    const helped = matcher.match('Solveig looks after the hoist.', aids);
    assert.deepEqual([helped.wording, helped.question, helped.withoutAids], [1, 1, 0]);
    const plain = matcher.match('Solveig looks after the hoist.', undefined);
    assert.deepEqual([plain.wording, plain.question, plain.withoutAids], [0, 0, 1]);
  });

  it('finds a person only where the query asks for one', () => {
    const personIn = (query: string, content: string): number => matcherOf({ query }).match(content, undefined).person;
    assert.equal(personIn('who repairs the crane?', 'Solveig Aune looks after the hoist.'), 1);
    assert.equal(personIn('who repairs the crane?', 'Write to Solveig (Sol) Aune.'), 1);
    assert.equal(personIn('who repairs the crane?', 'The hoist is looked after on Mondays.'), 0);
    assert.equal(personIn('when is the crane repaired?', 'Solveig Aune looks after the hoist.'), 0);
  });

  it('names the weight of the rarest word of the query that is missing', () => {
    const matcher = matcherOf({ query: 'harbour crane' }, { harbour: 60 });
    assert.equal(matcher.match('the harbour', undefined).missing, 1);
    assert.ok(matcher.match('the crane', undefined).missing < 0.2);
    assert.equal(matcher.match('the crane in the harbour', undefined).missing, 0);
  });

  it('of a query without words, or in an empty store, is 0 and not undefined', () => {
    const inEmptyStore = new WordMatcher(
      parseRecallQuery({ query: '?!', keywords: ['crane'] }, defaultConfig.recall, new Date(0)),
      [],
    );
    for (const value of Object.values(inEmptyStore.match('a crane', undefined))) assert.ok(Number.isFinite(value));
  });
});

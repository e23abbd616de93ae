import assert from 'node:assert/strict';
import fc from 'fast-check';
import { analyzeQuestion, type QuestionAnalysis } from '../../../src/engine/text/questionAnalysis.js';
import { arbitraryText } from './arbitraryText.js';

/** What the query is read as, of the fields that are named. */
function check(query: string, expected: Partial<QuestionAnalysis>): void {
  it(query, () => {
    const read = analyzeQuestion(query);
    const asked = Object.fromEntries(Object.keys(expected).map(key => [key, read[key as keyof QuestionAnalysis]]));
    assert.deepEqual(asked, expected);
  });
}

describe('analyzeQuestion', () => {
  describe('returns the terms without stop words', () => {
    check('the port of the payments service', { terms: ['port', 'payment', 'servic'] });
    check('port Port PORTS', { terms: ['port'] });
    check('who are you', { terms: ['who', 'ar', 'you'] });
    check('"*()', { terms: [], phrases: [], excludedPhrases: [] });
  });

  describe('returns exact phrases and excluded words', () => {
    check('the "payments service" port', { phrases: [['payment', 'servic']], terms: ['payment', 'servic', 'port'] });
    check('"one two" and "three"', { phrases: [['on', 'two'], ['three']] });
    check('a "" and a " "', { phrases: [] });
    check('an "open end', { phrases: [], terms: ['open', 'end'] });
    check('payments -beta -windows', { excludedPhrases: [['beta'], ['window']], terms: ['payment'] });
    check('-beta', { excludedPhrases: [['beta']], terms: [] });
    check('-getUserById', { excludedPhrases: [['getuserbyid', 'get', 'user', 'by', 'id']] });
    check('a dash - alone', { excludedPhrases: [] });
    check('well-known semi-colon', { excludedPhrases: [] });
    check('minus -5 degrees', { excludedPhrases: [] });
  });

  describe('returns the month and the day that a query names', () => {
    check('what did he do on 7 May 2023', { month: 5, day: 7 });
    check('on May 7', { month: 5, day: 7 });
    check('the 3rd of december', { month: 12, day: 3 });
    check('in Sept', { month: 9, day: undefined });
    check('July 2023', { month: 7, day: undefined });
    check('in March', { month: 3, day: undefined });
    check('they march on', { month: undefined, day: undefined });
    check('what may I do', { month: undefined, day: undefined });
    check('on 45 June', { month: 6, day: undefined });
    check('a marching band in juneau', { month: undefined });
  });

  it('never throws and is deterministic', () => {
    fc.assert(
      fc.property(arbitraryText(), text => {
        const read = analyzeQuestion(text);
        assert.deepEqual(analyzeQuestion(text), read);
        assert.equal(new Set(read.terms).size, read.terms.length);
        assert.ok([...read.phrases, ...read.excludedPhrases].every(it => it.length > 0));
        assert.ok(read.month === undefined || (read.month >= 1 && read.month <= 12));
      }),
    );
  });
});

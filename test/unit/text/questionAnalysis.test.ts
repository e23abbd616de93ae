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
    check('"*()', { terms: [], words: [], phrases: [], excludedPhrases: [] });
    check("Sarah's team", { words: ['sarah', 's', 'team'] });
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

  describe('recognizes the expected kind of answer', () => {
    const no = { expectsDate: false, expectsQuantity: false, expectsName: false };
    check('when did we ship', { ...no, expectsDate: true });
    check('tell me when it is done', no);
    check('how long did it take', { ...no, expectsDate: true, expectsQuantity: true });
    check('how many retries', { ...no, expectsQuantity: true });
    check('who owns the payments service', { ...no, expectsName: true });
    check('which city does he live in', { ...no, expectsName: true });
    check('the name of the ferry', { ...no, expectsName: true });
    check('what runs on port 8443', no);
  });

  describe('recognizes questions about many memories', () => {
    for (const it of [
      'summarize how the importer was built',
      'give me an overview of the payment services',
      'in which order did we ship the regions',
      'list, in order, what was migrated',
      'what did I decide across our sessions',
      'how did the schema change over time',
      'how many different queues do we have',
      'what do they cost in total',
      'how has my plan evolved since spring',
      'everything you know about Ada',
    ]) {
      check(it, { isAggregateQuestion: true });
    }
    for (const it of [
      'which port does staging use',
      'how many retries are there',
      'in what folder is the schema',
      'the order service answers slowly',
      'what broke over the weekend',
      'what do I need in order to deploy',
      'where is the summary table',
      'is there an orderly shutdown',
      'what did we develop for Ada',
    ]) {
      check(it, { isAggregateQuestion: false });
    }
  });

  describe('recognizes yes-no questions about the past', () => {
    check('have I used Redis here', { isYesNoPastQuestion: true });
    check('Did we drop Python 3.8?', { isYesNoPastQuestion: true });
    check('was the key rotated', { isYesNoPastQuestion: true });
    check('do we use tabs or spaces', { isYesNoPastQuestion: false });
    check('is there a way to name tests', { isYesNoPastQuestion: false });
    check('what have I used', { isYesNoPastQuestion: false });
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

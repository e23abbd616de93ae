import { stripInjectedText } from '../../../src/engine/capture/sources/stripInjectedText.js';
import { classify } from '../../../src/engine/classify/classify.js';
import { findDueDate } from '../../../src/engine/text/dueDate.js';
import { scoreEmphasis } from '../../../src/engine/text/textFeatures.js';
import { hasFact, splitFacts } from '../../../src/engine/text/factSplitter.js';
import { normalizeText } from '../../../src/engine/store/contentHash.js';
import { toSingleLineSummary } from '../../../src/engine/text/singleLine.js';
import { findSecret, redactSecrets } from '../../../src/engine/secrets/secretScanner.js';
import { validateText } from '../../../src/engine/secrets/storableText.js';
import { analyzeText } from '../../../src/engine/text/analyzer.js';

/**
 * Texts that make a careless pattern run for hours. Nothing is timed: a pattern that backtracks badly on one of them
 * runs into Mocha's time limit by orders of magnitude.
 */
describe('adversarial texts are processed in linear time', () => {
  const size = 200_000;
  const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
  const texts: readonly (readonly [title: string, text: string])[] = [
    ['one letter', fill('a')],
    ['one capital', fill('A')],
    ['digits', fill('1')],
    ['spaces', `x${fill(' ')}x`],
    ['new lines', `x${fill('\n')}x`],
    ['full stops', fill('.')],
    ['exclamation marks', fill('!') + 'x'],
    ['quotes', fill('"')],
    ['backticks', fill('`')],
    ['brackets', fill('(')],
    ['markup', fill('[a](')],
    ['asterisks', fill('* ')],
    ['headings', fill('# a\n')],
    ['lead-ins', fill('a:\n- b:\n')],
    ['and', fill('uses and ')],
    ['clauses', fill('Sarah leads auth and ')],
    ['verbs of the user', `The user ${fill('works at Acme, lives in Lisbon and ')}`],
    ['reported verbs', `The user says they ${fill('work in a team and use ')}`],
    ['names', fill('Sarah ')],
    ['reporting', fill('please note that ')],
    ['not', fill(', not ')],
    ['we will', fill('we will not never ')],
    ['dates', fill('next Friday 12/12 ')],
    ['identifiers', fill('a_b-c.d/')],
    ['camel case', fill('aB')],
    ['passwords', fill('password is ')],
    ['keys', fill('api_key=')],
    ['key value', fill('a=b;')],
    ['names in one run', fill('password:')],
    ['names of keys in one run', fill('token=')],
    ['names in Chinese in one run', fill('密码是')],
    ['base64', fill('eyJhbGciOi')],
    ['links', fill('http://a:')],
    ['dashes', fill('-----BEGIN ')],
    ['begin keys', fill('-----BEGIN PRIVATE KEY-----')],
    ['aws', fill('aws key ')],
    ['fences', fill('```\n')],
    ['emoji', fill('👩‍💻')],
    ['CJK', fill('語')],
    ['combining marks', fill('e\u0301')],
    ['right-to-left', fill('ש ')],
  ];
  for (const [title, text] of texts) {
    it(title, () => {
      const now = new Date('2026-11-18T10:00:00Z');
      for (const work of [
        splitFacts,
        hasFact,
        normalizeText,
        toSingleLineSummary,
        findSecret,
        redactSecrets,
        analyzeText,
        scoreEmphasis,
        stripInjectedText,
      ])
        work(text);
      validateText(text, 8_000);
      classify(text, now);
      findDueDate(text, now);
    });
  }
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import * as exclusiveValues from '../../../../src/engine/contradiction/lexicon/exclusiveValues.js';
import * as negation from '../../../../src/engine/contradiction/lexicon/negation.js';
import * as quantities from '../../../../src/engine/contradiction/lexicon/quantities.js';
import * as stopTerms from '../../../../src/engine/contradiction/lexicon/stopTerms.js';
import * as synonyms from '../../../../src/engine/contradiction/lexicon/synonyms.js';
import * as temporal from '../../../../src/engine/contradiction/lexicon/temporal.js';
import * as verbs from '../../../../src/engine/contradiction/lexicon/verbs.js';
import { parseStatement } from '../../../../src/engine/contradiction/statement.js';
import { analyzerVersion } from '../../../../src/engine/search/index/analyzerVersion.js';
import { isStopWord, analyzeText } from '../../../../src/engine/text/analyzer.js';
import { extractTextFeatures } from '../../../../src/engine/text/textFeatures.js';

/** A hash of the word tables and of the analysis of the samples below, by this version. */
const pinned = { version: 6, fingerprint: 'BIO2tOQZOEd-VgyHPsmzV1Y_-x1bXTb87XZ0KzIaTvc' };

const sample =
  "Sarah: I'd prefer that you always call getUserById and parse_HTTPRequest2, since café №5 in Zürich — v5.1.14-beta, " +
  'src/naïve/файл.ts, C++ c# データベース 👩🏽‍💻 won’t be running again on Monday, 3 March 2026 at night. Who is it, Dr. Müller?';
const statements = [
  'The gateway of the mobile team now listens on port 8443, which is no longer 80.',
  "Variable names in production don't start with `n_` but with 'm_', except in unit tests.",
  'We moved from MySQL 5.7 to Postgres instead of MariaDB in March 2026 at 8:30.',
  'Lena Berg owns the checkout service; it is reviewed by the QA team every two weeks.',
  'Editors must not delete products without a review, though admins may.',
  'The main timeout of getUserById is 30 s and its limit 5 MB, both are kept in src/limits.ts.',
];

function tableEntries(module: object): unknown {
  return Object.entries(module).map(([name, table]) => [
    name,
    table instanceof Set ? [...(table as Set<unknown>)] : (table as unknown),
  ]);
}

describe('the version of the analyzer', () => {
  it('changes whenever the analysis of a text changes', () => {
    const fingerprint = createHash('sha256')
      .update(
        JSON.stringify([
          analyzeText(sample),
          analyzeText(sample).map(isStopWord),
          extractTextFeatures(sample),
          statements.map(it => parseStatement(it).topicKeys),
          [exclusiveValues, negation, quantities, stopTerms, synonyms, temporal, verbs].map(tableEntries),
        ]),
      )
      .digest('base64url');
    const message = 'The analysis changed: raise analyzerVersion, and pin both here.';
    assert.deepEqual({ version: analyzerVersion, fingerprint }, pinned, message);
  });
});

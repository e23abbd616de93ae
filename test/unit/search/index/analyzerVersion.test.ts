import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { analyzerVersion } from '../../../../src/engine/search/index/analyzerVersion.js';
import { isStopWord, analyzeText } from '../../../../src/engine/text/analyzer.js';
import { stripSpeaker } from '../../../../src/engine/text/textFeatures.js';

/** A hash of the analysis of the sample below, by this version. */
const pinned = { version: 8, fingerprint: 'Zhd9qMMMbG9giZjIOKyDoF0qf6yPuABGKRLVFjcc5Qk' };

const sample =
  "Sarah: I'd prefer that you always call getUserById and parse_HTTPRequest2, since café №5 in Zürich — v5.1.14-beta, " +
  'src/naïve/файл.ts, C++ c# データベース 👩🏽‍💻 won’t be running again on Monday, 3 March 2026 at night. Who is it, Dr. Müller?';
describe('the version of the analyzer', () => {
  it('changes whenever the analysis of a text changes', () => {
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([analyzeText(sample), analyzeText(sample).map(isStopWord), stripSpeaker(sample)]))
      .digest('base64url');
    const message = 'The analysis changed: raise analyzerVersion, and pin both here.';
    assert.deepEqual({ version: analyzerVersion, fingerprint }, pinned, message);
  });
});

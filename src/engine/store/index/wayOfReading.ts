import { createHash } from 'node:crypto';
import { readStatement } from '../../compare/compare.js';
import { isStopWord, terms } from '../../text/terms.js';
import { traitsOf } from '../../text/traits.js';

/** Raised by hand when texts are read in another way than `wayOfReading` notices. */
const readingVersion = 2;

/** Something of all that terms and traits look at: read in another way, it gives another name to the way of reading. */
const sample =
  "Sarah: I'd prefer that you always call getUserById and parse_HTTPRequest2, since café №5 in Zürich — v5.1.14-beta, " +
  'src/naïve/файл.ts, C++ c# データベース 👩🏽‍💻 won’t be running again on Monday, 3 March 2026 at night. Who is it, Dr. Müller?';

/**
 * Names the way in which texts are read: an index that was built in another way is built anew. The build works it out
 * (esbuild.mjs), for a process that searches once has no time to.
 */
export const wayOfReading = createHash('sha256')
  .update(
    JSON.stringify([
      readingVersion,
      terms(sample),
      terms(sample).map(isStopWord),
      traitsOf(sample),
      readStatement(sample).keys,
    ]),
  )
  .digest('base64url');

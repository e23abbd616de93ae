import { createHash } from 'node:crypto';
import * as commonWords from '../../compare/commonWords.js';
import { readStatement } from '../../compare/compare.js';
import { sketchOf } from '../../compare/sketch.js';
import * as valueClasses from '../../compare/valueClasses.js';
import * as words from '../../compare/words.js';
import { isStopWord, terms } from '../../text/terms.js';
import { traitsOf } from '../../text/traits.js';

/** Raised by hand when texts are read in another way than `wayOfReading` notices. */
const readingVersion = 2;

/** Something of all that terms and traits look at: read in another way, it gives another name to the way of reading. */
const sample =
  "Sarah: I'd prefer that you always call getUserById and parse_HTTPRequest2, since café №5 in Zürich — v5.1.14-beta, " +
  'src/naïve/файл.ts, C++ c# データベース 👩🏽‍💻 won’t be running again on Monday, 3 March 2026 at night. Who is it, Dr. Müller?';

/** Something of each rule that statements are compared by. */
const statements = [
  'The gateway of the mobile team now listens on port 8443, which is no longer 80.',
  "Variable names in production don't start with `n_` but with 'm_', except in unit tests.",
  'We moved from MySQL 5.7 to Postgres instead of MariaDB in March 2026 at 8:30.',
  'Lena Berg owns the checkout service; it is reviewed by the QA team every two weeks.',
  'Editors must not delete products without a review, though admins may.',
  'The main timeout of getUserById is 30 s and its limit 5 MB, both are kept in src/limits.ts.',
];

/** Of a module that holds nothing but words. */
function tablesOf(module: object): unknown {
  return Object.entries(module).map(([name, it]) => [
    name,
    it instanceof Set ? [...(it as Set<unknown>)] : (it as unknown),
  ]);
}

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
      statements.map(readStatement).map(it => [it.keys, [...(sketchOf(it) ?? [])]]),
      [words, valueClasses, commonWords].map(tablesOf),
    ]),
  )
  .digest('base64url');

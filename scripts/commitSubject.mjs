// Checks subjects of commits and titles of pull requests. `node scripts/commitSubject.mjs < SUBJECTS`, one a line
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** @param {string} subject @returns {string | undefined} what is wrong with it */
export function findSubjectProblem(subject) {
  if (subject.length > 65) return `has ${subject.length} characters; 65 are the most`;
  if (!/^[a-z][\w ,-]*: \S/u.test(subject)) return 'does not read "area: imperative"';
  if (subject.endsWith('.')) return 'ends with a period';
  return undefined;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const subject of readFileSync(0, 'utf8')
    .split('\n')
    .filter(it => it !== '')) {
    const problem = findSubjectProblem(subject);
    if (problem === undefined) continue;
    console.error(`"${subject}" ${problem}.`);
    process.exitCode = 1;
  }
}

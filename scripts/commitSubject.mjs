// Checks commit messages and titles of pull requests: `node scripts/commitSubject.mjs < TITLES`, one a line; `-- FILE`, the message of
// what is staged, as scripts/hooks/commit-msg has it; `-- FROM..TO`, every commit in between.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A change with more lines needs a body. */
const maxLinesWithoutBody = 20;

/** @param {string} subject @returns {string | undefined} what is wrong with it */
export function findSubjectProblem(subject) {
  if (subject.length > 65) return `has ${subject.length} characters; 65 are the most`;
  if (!/^[a-z][\w ,-]*: \S/u.test(subject)) return 'does not read "area: imperative"';
  if (subject.endsWith('.')) return 'ends with a period';
  return undefined;
}

/** @param {string} message @param {string} numstat as `git diff --numstat` prints it @returns {string | undefined} what is wrong */
export function findMessageProblem(message, numstat) {
  const [subject = '', ...body] = message.split('\n').filter(it => !it.startsWith('#') && it.trim() !== '');
  const changed = numstat
    .split('\n')
    .flatMap(it => it.split('\t').slice(0, 2).map(Number))
    .filter(it => it > 0)
    .reduce((sum, it) => sum + it, 0);
  const problem = findSubjectProblem(subject);
  if (problem !== undefined || changed <= maxLinesWithoutBody || body.length > 0) return problem;
  return `changes ${changed} lines and has no body that says why`;
}

/** @param {string} message */
const subjectOf = message => message.split('\n', 1).join('');

/** @param {string[]} args */
const git = args => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28 });

/** @param {string | undefined} source @returns {(readonly [subject: string, problem: string | undefined])[]} */
function check(source) {
  if (source === undefined) {
    const titles = readFileSync(0, 'utf8').split('\n');
    return titles.filter(it => it !== '').map(it => [it, findSubjectProblem(it)]);
  }
  if (!source.includes('..')) {
    const message = readFileSync(source, 'utf8');
    const isOfGit = /^(?:Merge|Revert|fixup!|squash!) /u.test(message);
    return isOfGit ? [] : [[subjectOf(message), findMessageProblem(message, git(['diff', '--cached', '--numstat']))]];
  }
  const commits = git(['log', '--no-merges', '--format=%H', source]).split('\n');
  return commits
    .filter(it => it !== '')
    .map(it => {
      const message = git(['show', '-s', '--format=%B', it]);
      return [subjectOf(message), findMessageProblem(message, git(['show', '--format=', '--numstat', it]))];
    });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [subject, problem] of check(process.argv[2])) {
    if (problem === undefined) continue;
    console.error(`"${subject}" ${problem}.`);
    process.exitCode = 1;
  }
}

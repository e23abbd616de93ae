import { runGit } from '../base/git.js';
import { authorIsUnknown, lineIsUncommitted } from '../model/team.js';
import { isStorableField } from '../secrets/storableText.js';

/** Commits per call of git: a command line has a length. */
const maxCommits = 500;
const maxAuthorLength = 200;

/**
 * Settings of a person or a repository may have git pass over commits, hide where a history is cut off, or answer in another
 * encoding. An empty `blame.ignoreRevsFile` given with `-c` does not clear the list; the option does.
 */
const blameCommand = ['-c', 'blame.showRoot=false', 'blame', '--porcelain', '--no-textconv', '--no-ignore-revs-file'];
const logCommand = ['log', '--no-walk=unsorted', '--encoding=UTF-8', '--format=%H%x00%an%x00%ae%x00'];

/** Who wrote a line of a file, by the text of the line: a name and address as git states them, or that it states none. */
export type LineAuthors = (text: string) => string;

/**
 * The authors of the lines of a file as the last commit has it, which needs no filter of the working tree. Without the name
 * mapping of the repository: what a commit says, and not what a later one says of it.
 * @param root folder of the file, absolute
 * @param file its base name
 */
export async function lineAuthorsOf(root: string, file: string): Promise<LineAuthors> {
  if ((await runGit(root, 'rev-parse', '--is-inside-work-tree')).trim() !== 'true') return () => authorIsUnknown;
  const listed = await runGit(root, 'ls-tree', '--name-only', 'HEAD', '--', file);
  if (listed.trim() === '') return () => lineIsUncommitted;
  const blame = await runGit(root, ...blameCommand, 'HEAD', '--', file);
  if (blame === '') return () => authorIsUnknown;
  const { commitOf, ends } = parseBlame(blame);
  // Of a history that is cut off, the first commit has the lines of all before it.
  const isShallow = (await runGit(root, 'rev-parse', '--is-shallow-repository')).trim() !== 'false';
  const commits = [...new Set(commitOf.values())].filter(it => !isShallow || !ends.has(it));
  const authorOf = await readAuthors(root, commits);
  return text => {
    const commit = commitOf.get(text);
    return commit === undefined ? lineIsUncommitted : (authorOf.get(commit) ?? authorIsUnknown);
  };
}

interface Blame {
  /** By text of the line. */
  readonly commitOf: ReadonlyMap<string, string>;
  /** Commits without one before them. */
  readonly ends: ReadonlySet<string>;
}

/** https://git-scm.com/docs/git-blame#_the_porcelain_format */
function parseBlame(output: string): Blame {
  const commitOf = new Map<string, string>();
  const ends = new Set<string>();
  let commit = '';
  for (const line of output.split('\n')) {
    if (line.startsWith('\t')) {
      const text = line.slice(1).replace(/^\uFEFF|\r$/gu, '');
      // The first of two equal lines is the one that was there before a merge.
      if (!commitOf.has(text)) commitOf.set(text, commit);
    } else if (line === 'boundary') ends.add(commit);
    else commit = /^([0-9a-f]{40,64}) \d+ \d+/u.exec(line)?.[1] ?? commit;
  }
  return { commitOf, ends };
}

async function readAuthors(root: string, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const authors = new Map<string, string>();
  for (let from = 0; from < commits.length; from += maxCommits) {
    const some = commits.slice(from, from + maxCommits);
    const output = await runGit(root, ...logCommand, ...some, '--');
    for (const it of output.split('\0\n')) {
      const [commit = '', name = '', address = ''] = it.split('\0');
      const author = `${toPlainName(name)} <${toPlainName(address)}>`;
      if (isStorableField(author, maxAuthorLength)) authors.set(commit, author);
    }
  }
  return authors;
}

/** On one line, without what could pass for another part of it. */
export function toPlainName(text: string): string {
  return text.replaceAll(/[\s\p{C}<>]+/gu, ' ').trim();
}

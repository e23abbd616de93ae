// Candidates from the history of a repository: the reasons that reverts and merges of pull requests give.
import { runGit } from '../base/git.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { EngineError } from '../base/errors.js';
import { requireWorkspaceFolder, type Context } from '../context.js';
import type { GitLogReport } from '../model/capture.js';
import {
  addCandidates,
  candidatesRecordId,
  pruneCandidates,
  type CandidateInput,
  type CandidateList,
} from './candidates.js';
import { extractFacts } from './extractFacts.js';

/** How far the history was read: a record of kind `state` of the project's store. */
interface GitLogCursor {
  readonly head: string;
}

const cursorId = 'gitLog';
const listId = candidatesRecordId('git');
/** Commits that are looked at; what is older says how the project was. */
const maxCommits = 2_000;
/** A revert with its reason was learned the hard way: likelier to last than most sentences. */
const revertScore = 4;
const [fieldEnd, recordEnd] = ['\u001f', '\u001e'];
/** Of a subject and of a reason, in UTF-16 units. */
const maxLength = 300;

interface Commit {
  readonly hash: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  readonly isMerge: boolean;
  readonly subject: string;
  readonly body: string;
}

/**
 * Lists what reverts and merges of the checked-out branch say as candidates: new commits only, the best of the project. Keeps
 * nothing by itself.
 * @param folder one of the host's folders; the first by default
 * @throws EngineError invalidInput (no project, or no history of git), and what writing a store throws
 */
export async function readGitLog(ctx: Context, requested: string | undefined): Promise<GitLogReport> {
  const folder = requireWorkspaceFolder(ctx, requested);
  const store = ctx.stores.find(it => it.store.kind === 'project' && it.folders.includes(folder))?.store;
  const format = ['%H', '%aI', '%P', '%s', '%b'].join('%x1f');
  const log = await runGit(folder, 'log', `--max-count=${maxCommits}`, `--format=${format}%x1e`, 'HEAD');
  const commits = log.split(recordEnd).flatMap(parseCommit);
  if (store === undefined || commits.length === 0)
    throw new EngineError('invalidInput', 'There is no history of git here. Open the folder of a repository.');
  const known = (await store.record<GitLogCursor>('state', cursorId))?.body.head;
  const end = commits.findIndex(it => it.hash === known);
  const unread = end < 0 ? commits : commits.slice(0, end);
  const found = unread.flatMap(candidatesOf);
  await store.write(ctx.host.client, async tx => {
    await tx.putRecord('state', cursorId, { head: commits[0]!.hash } satisfies GitLogCursor);
    if (found.length === 0) return;
    const list = await tx.record<CandidateList>('state', listId);
    await tx.putRecord('state', listId, addCandidates(list, found, ctx.host.now()));
    await pruneCandidates(tx, store, listId, ctx.host.now());
    await tx.announce();
  });
  return { commits: unread.length, candidates: found.length };
}

function parseCommit(record: string): readonly Commit[] {
  const [hash, date = '', parents = '', subject = '', body = ''] = record.trimStart().split(fieldEnd);
  const at = Date.parse(date);
  if (hash === undefined || !/^[0-9a-f]{40,64}$/u.test(hash) || Number.isNaN(at)) return [];
  return [{ hash, at: new Date(at).toISOString(), isMerge: parents.includes(' '), subject, body: proseOf(body) }];
}

/** A body without the lines that git and its hosts write, and without trailers. */
function proseOf(body: string): string {
  return body
    .split('\n')
    .filter(
      it =>
        !/^(?:[A-Z][\w-]+: |This reverts (?:commit|merge)|\(cherry picked from|reverting changes made to|#)/u.test(it),
    )
    .join('\n')
    .trim();
}

function candidatesOf(commit: Commit): readonly CandidateInput[] {
  const { hash, at, isMerge, subject, body } = commit;
  const reason = body
    .split(/\n\s*\n/u, 1)[0]!
    .replaceAll(/\s+/gu, ' ')
    .slice(0, maxLength);
  const base = { source: 'conversation', session: 'git', at, commit: hash, isObserved: true } as const;
  // `Revert "X"`, as git writes it, or `revert: X`, which says why itself.
  const [, quoted] = /^Revert "(.{1,300})"/u.exec(subject) ?? [];
  const [, own] = /^revert(?:\([^)]*\))?!?: (.{10,300})$/iu.exec(subject) ?? [];
  if (quoted !== undefined)
    return reason === '' ? [] : [{ ...base, content: `"${quoted}" was reverted: ${reason}`, score: revertScore }];
  if (own !== undefined)
    return [
      { ...base, content: `Reverted: ${own}`, score: revertScore, ...omitUndefined({ said: body || undefined }) },
    ];
  // A merge of GitHub has the title of the pull request in its body; one that was squashed has its number in the subject.
  if (!isMerge && !/\(#\d+\)$/u.test(subject)) return [];
  const said = [isMerge ? '' : subject.replace(/ \(#\d+\)$/u, ''), body].filter(it => it !== '').join('\n\n');
  return extractFacts(said).candidates.map(it => ({ ...base, said, content: it.content, score: it.score }));
}

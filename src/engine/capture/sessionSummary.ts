import { prepareText } from '../remember/prepareFact.js';
import { hasFact } from '../text/factSplitter.js';
import { toSingleLineSummary } from '../text/singleLine.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import type { LineWork, SessionLine } from './sources/sessionLine.js';

/** State of a fold over the lines of a session, stored in the cursor so that a later capture resumes it. */
export interface SessionSummaryState {
  /** ISO-8601 UTC. */
  readonly startedAt?: string;
  readonly lastAt?: string;
  readonly session?: string;
  readonly folder?: string;
  readonly branch?: string;
  /** First sentence of the first request. */
  readonly request?: string;
  /** Paths of changed files as they are shown, in the order of their first change. */
  readonly files?: readonly string[];
  /** The last run of each test command. */
  readonly tests?: readonly { readonly call: string; readonly command: string; readonly hasFailed: boolean }[];
  /** A model's summary, which replaces the request. */
  readonly told?: string;
}

const maxRequestLength = 200;
const maxFiles = 8;
/** More are counted no further. */
const maxKnownFiles = 200;
const maxTestCommands = 3;
const maxCommits = 5;
/** Part of a turn that is searched for its first sentence. */
const maxSearchedCharacters = 20_000;
/** Sentences about memories repeat what was recalled, not what happened. */
const memoryTalkPattern = /\b(?:recall|remember|recollect|memor(?:y|ies))/iu;

/** The state after one more line. */
export function reduceLine(state: SessionSummaryState, line: SessionLine): SessionSummaryState {
  if (line.kind === 'malformed') return state;
  const { at, session, folder, branch } = line;
  const withMetadata: SessionSummaryState = {
    ...state,
    ...(at === undefined ? {} : { startedAt: state.startedAt ?? at, lastAt: at }),
    ...(session === undefined ? {} : { session }),
    ...(folder === undefined ? {} : { folder: state.folder ?? folder }),
    ...(branch === undefined ? {} : { branch }),
  };
  const request =
    line.kind === 'person' && state.request === undefined ? firstSentence(line.text, maxRequestLength) : undefined;
  return addWork(request === undefined ? withMetadata : { ...withMetadata, request }, line.work);
}

function addWork(state: SessionSummaryState, work: LineWork | undefined): SessionSummaryState {
  if (work === undefined) return state;
  const { folder, files = [], tests = [] } = state;
  const changed = work.changedFiles.map(it => showPath(it, folder)).filter(it => !files.includes(it));
  const isNewRun = (it: { readonly command: string }): boolean =>
    !work.testRuns.some(run => run.command === it.command);
  const runs = [...tests.filter(isNewRun), ...work.testRuns.map(it => ({ ...it, hasFailed: false }))].slice(
    -maxTestCommands,
  );
  return {
    ...state,
    ...(files.length + changed.length === 0 ? {} : { files: [...files, ...new Set(changed)].slice(0, maxKnownFiles) }),
    ...(runs.length === 0
      ? {}
      : { tests: runs.map(it => (work.failedCalls.includes(it.call) ? { ...it, hasFailed: true } : it)) }),
  };
}

/** Below the session's folder, else the name alone. A transcript may come from another system. */
function showPath(file: string, folder: string | undefined): string {
  const [path, root] = [file, folder ?? ''].map(it => it.replaceAll('\\', '/').replace(/(?<!\/)\/+$/u, '')) as [
    string,
    string,
  ];
  return root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : (path.split('/').at(-1) ?? path);
}

/**
 * One paragraph about what was done in a session: the request, the files changed, the commits and the tests. Undefined
 * where nothing was done.
 * @param commits subjects of the commits made during the session
 */
export function summarizeSession(
  { startedAt, branch, request, told, files = [], tests = [] }: SessionSummaryState,
  commits: readonly string[],
): string | undefined {
  if (told === undefined && files.length + tests.length + commits.length === 0) return undefined;
  const day = startedAt === undefined ? '' : ` of ${startedAt.slice(0, 10)}`;
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  const asked = request === undefined ? undefined : `Asked: ${endWithPeriod(request)}`;
  const more = files.length > maxFiles ? ` and ${files.length - maxFiles} more` : '';
  const testList = tests.map(it => `${it.command} ${it.hasFailed ? 'failed' : 'passed'}`).join(', ');
  return [
    `Session${day}${where}.`,
    told ?? asked,
    files.length === 0 ? undefined : `Changed: ${files.slice(0, maxFiles).join(', ')}${more}.`,
    commits.length === 0 ? undefined : `Commits: ${endWithPeriod(commits.slice(-maxCommits).join('; '))}`,
    testList === '' ? undefined : `Tests: ${testList}.`,
  ]
    .filter(it => it !== undefined)
    .join(' ');
}

/** The first informative sentence; undefined where it holds a secret. */
function firstSentence(text: string, maxCharacters: number): string | undefined {
  const flat = text.slice(0, maxSearchedCharacters).replaceAll(/\s+/gu, ' ');
  const isInformative = (it: string): boolean =>
    hasFact(it.replace(/(?<!\?)\?+$/u, '.')) && !/:\s*$/u.test(it) && !memoryTalkPattern.test(it);
  const sentence = splitSentences(flat).find(isInformative);
  if (sentence === undefined) return undefined;
  const prepared = prepareText(sentence, { maxCharacters: maxSearchedCharacters });
  return 'refused' in prepared ? undefined : toSingleLineSummary(prepared.content, maxCharacters);
}

function endWithPeriod(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

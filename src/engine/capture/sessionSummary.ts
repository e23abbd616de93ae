import { hasFact } from '../text/factSplitter.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import { findSecret } from '../secrets/secretScanner.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import type { SessionLine } from './sources/claudeCode.js';

/** What a session was about, as far as it has been read: a fold over its lines, so that it can go on at any of them. */
export interface SessionSummaryState {
  /** ISO-8601 UTC. */
  readonly startedAt?: string;
  readonly lastAt?: string;
  readonly session?: string;
  readonly folder?: string;
  readonly branch?: string;
  /** What the person asked for first, and what the assistant said last. */
  readonly request?: string;
  readonly outcome?: string;
  /** What a model says the session was, in place of both. */
  readonly told?: string;
}

const maxRequestLength = 200;
const maxOutcomeLength = 300;
const maxCommits = 5;
/** Words about remembering are about us: what we recalled must not come back as what happened. */
const memoryTalkPattern = /\b(?:recall|remember|recollect|memor(?:y|ies))/iu;

/** The story with one more line. */
export function reduceLine(state: SessionSummaryState, line: SessionLine): SessionSummaryState {
  if (line.kind === 'broken') return state;
  const { at, session, folder, branch } = line;
  const withMetadata: SessionSummaryState = {
    ...state,
    ...(at === undefined ? {} : { startedAt: state.startedAt ?? at, lastAt: at }),
    ...(session === undefined ? {} : { session }),
    ...(folder === undefined ? {} : { folder: state.folder ?? folder }),
    ...(branch === undefined ? {} : { branch }),
  };
  if (line.kind === 'person' && state.request === undefined) {
    const request = firstSentence(line.text, maxRequestLength);
    return request === undefined ? withMetadata : { ...withMetadata, request };
  }
  if (line.kind === 'outcome') {
    const outcome = firstSentence(line.text, maxOutcomeLength);
    return outcome === undefined ? withMetadata : { ...withMetadata, outcome };
  }
  return withMetadata;
}

/**
 * One paragraph that sums a session up; undefined where nobody asked for anything.
 * @param commits first lines of those made meanwhile
 */
export function summarizeSession(
  { startedAt, branch, request, outcome, told }: SessionSummaryState,
  commits: readonly string[],
): string | undefined {
  if (request === undefined && told === undefined) return undefined;
  const day = startedAt === undefined ? '' : ` of ${startedAt.slice(0, 10)}`;
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  const commitList = commits.slice(-maxCommits).join('; ');
  const summaryBody =
    told ?? `Asked: ${endWithPeriod(request!)}${outcome === undefined ? '' : ` Outcome: ${endWithPeriod(outcome)}`}`;
  return `Session${day}${where}. ${summaryBody}${commitList === '' ? '' : ` Commits: ${endWithPeriod(commitList)}`}`;
}

/** The first sentence that says something, more than that something follows, and holds no secret. */
function firstSentence(text: string, maxCharacters: number): string | undefined {
  const flat = text.slice(0, 20_000).replaceAll(/\s+/gu, ' ');
  const isInformative = (it: string): boolean =>
    hasFact(it.replace(/\?+$/u, '.')) && !/:\s*$/u.test(it) && !memoryTalkPattern.test(it);
  const sentence = splitSentences(flat).find(isInformative);
  if (sentence === undefined || findSecret(sentence) !== undefined) return undefined;
  return toSingleLineSummary(sentence, maxCharacters);
}

function endWithPeriod(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

import { prepareText } from '../remember/prepareFact.js';
import { hasFact } from '../text/factSplitter.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import type { SessionLine } from './sources/sessionLine.js';

/** State of a fold over the lines of a session, stored in the cursor so that a later capture resumes it. */
export interface SessionSummaryState {
  /** ISO-8601 UTC. */
  readonly startedAt?: string;
  readonly lastAt?: string;
  readonly session?: string;
  readonly folder?: string;
  readonly branch?: string;
  /** First sentence of the first request and of the last outcome. */
  readonly request?: string;
  readonly outcome?: string;
  /** A model's summary, which replaces both. */
  readonly told?: string;
}

const maxRequestLength = 200;
const maxOutcomeLength = 300;
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
 * One paragraph about a session; undefined for a session without a request.
 * @param commits subjects of the commits made during the session
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

/** The first informative sentence; undefined where it holds a secret. */
function firstSentence(text: string, maxCharacters: number): string | undefined {
  const flat = text.slice(0, maxSearchedCharacters).replaceAll(/\s+/gu, ' ');
  const isInformative = (it: string): boolean =>
    hasFact(it.replace(/\?+$/u, '.')) && !/:\s*$/u.test(it) && !memoryTalkPattern.test(it);
  const sentence = splitSentences(flat).find(isInformative);
  if (sentence === undefined) return undefined;
  const prepared = prepareText(sentence, { maxCharacters: maxSearchedCharacters });
  return 'refused' in prepared ? undefined : toSingleLineSummary(prepared.content, maxCharacters);
}

function endWithPeriod(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

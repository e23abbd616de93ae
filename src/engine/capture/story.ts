import { hasFact } from '../text/facts.js';
import { summarise } from '../text/normalise.js';
import { findSecret } from '../text/secrets.js';
import { splitSentences } from '../text/sentences.js';
import type { SessionLine } from './claudeCode.js';

/** What a session was about, as far as it has been read: a fold over its lines, so that it can go on at any of them. */
export interface Story {
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

const requestCharacters = 200;
const outcomeCharacters = 300;
const maxCommits = 5;
/** Words about remembering are about us: what we recalled must not come back as what happened. */
const aboutMemory = /\b(?:recall|remember|recollect|memor(?:y|ies))/iu;

/** The story with one more line. */
export function tell(story: Story, line: SessionLine): Story {
  if (line.kind === 'broken') return story;
  const { at, session, folder, branch } = line;
  const whereAndWhen: Story = {
    ...story,
    ...(at === undefined ? {} : { startedAt: story.startedAt ?? at, lastAt: at }),
    ...(session === undefined ? {} : { session }),
    ...(folder === undefined ? {} : { folder: story.folder ?? folder }),
    ...(branch === undefined ? {} : { branch }),
  };
  if (line.kind === 'person' && story.request === undefined) {
    const request = firstSentence(line.text, requestCharacters);
    return request === undefined ? whereAndWhen : { ...whereAndWhen, request };
  }
  if (line.kind === 'outcome') {
    const outcome = firstSentence(line.text, outcomeCharacters);
    return outcome === undefined ? whereAndWhen : { ...whereAndWhen, outcome };
  }
  return whereAndWhen;
}

/**
 * One paragraph that sums a session up; undefined where nobody asked for anything.
 * @param commits first lines of those made meanwhile
 */
export function summaryOf(
  { startedAt, branch, request, outcome, told }: Story,
  commits: readonly string[],
): string | undefined {
  if (request === undefined && told === undefined) return undefined;
  const day = startedAt === undefined ? '' : ` of ${startedAt.slice(0, 10)}`;
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  const made = commits.slice(-maxCommits).join('; ');
  const what = told ?? `Asked: ${closed(request!)}${outcome === undefined ? '' : ` Outcome: ${closed(outcome)}`}`;
  return `Session${day}${where}. ${what}${made === '' ? '' : ` Commits: ${closed(made)}`}`;
}

/** The first sentence that says something, more than that something follows, and holds no secret. */
function firstSentence(text: string, maxCharacters: number): string | undefined {
  const flat = text.slice(0, 20_000).replaceAll(/\s+/gu, ' ');
  const says = (it: string): boolean =>
    hasFact(it.replace(/\?+$/u, '.')) && !/:\s*$/u.test(it) && !aboutMemory.test(it);
  const sentence = splitSentences(flat).find(says);
  if (sentence === undefined || findSecret(sentence) !== undefined) return undefined;
  return summarise(sentence, maxCharacters);
}

function closed(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}

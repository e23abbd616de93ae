import { BoundedCache } from '../base/boundedCache.js';
import type { Config } from '../model/config.js';
import type { Hit, Recollection } from '../model/query.js';
import type { Store } from '../store/store.js';

/** More than anybody asks in five minutes; with its trace an answer takes some 30 KB. */
const maxEntries = 100;
/** Characters of all answers together, as far as they count: about 8 MB. */
const maxCharacters = 4_000_000;
/** What one candidate of a trace takes, roughly. */
const charactersPerCandidate = 500;
/** Fields of a memory other than its text, roughly. */
const charactersPerMemory = 1_000;
/**
 * How long an answer may stand while nothing is written. Memories fade meanwhile: the fastest class, half gone in twelve
 * hours, by less than half a point of a hundred in five minutes.
 */
const maxAgeMs = 5 * 60_000;

/** An answer with what it was made of. */
export interface Answer {
  /** The query as it was given, before it was normalised. */
  readonly written: string;
  readonly recollection: Recollection;
  /** Of each store that was read, from before anything was. */
  readonly revisions: readonly number[];
  readonly returned: readonly { readonly store: Store; readonly hit: Hit }[];
  /** False for what a passing failure made poorer, and for what holds a secret. */
  readonly mayBeKept: boolean;
}

/** The moment a question is asked at. */
export interface Moment {
  /** Of each store that the question reads. */
  readonly revisions: readonly number[];
  readonly now: Date;
  readonly config: Config;
}

/**
 * The turbo cache (memcone): answers that stand until the next write to a store they read, by any process, and at most
 * five minutes. They end with a change of settings, and with the day, for a question may say "yesterday".
 */
export class AnswerCache {
  private readonly entries = new BoundedCache<{ readonly answer: Answer; readonly of: Moment }>(
    maxEntries,
    maxCharacters,
  );

  /** Whether `find` may find anything: only then is it worth asking a store where it stands. */
  has(key: string): boolean {
    return this.entries.get(key) !== undefined;
  }

  find(key: string, at: Moment): Answer | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (isStill(entry.of, at)) return entry.answer;
    this.entries.delete(key);
    return undefined;
  }

  /** @param of from before the answer was looked for */
  keep(key: string, answer: Answer, of: Moment): void {
    this.entries.set(key, { answer, of }, charactersOf(answer.recollection));
  }
}

function isStill(of: Moment, at: Moment): boolean {
  const isSameDay = of.now.toISOString().slice(0, 10) === at.now.toISOString().slice(0, 10);
  const isRecent = Math.abs(at.now.getTime() - of.now.getTime()) <= maxAgeMs;
  return isSameDay && isRecent && of.config === at.config && of.revisions.every((it, i) => it === at.revisions[i]);
}

function charactersOf({ context, hits, trace }: Recollection): number {
  const memories = hits.reduce((sum, { memory }) => sum + memory.content.length + charactersPerMemory, 0);
  return context.length + memories + trace.candidates.length * charactersPerCandidate;
}

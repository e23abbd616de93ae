import { BoundedCache } from '../base/boundedCache.js';
import { Shelf, type Shelved } from '../base/shelf.js';
import type { Config } from '../model/config.js';
import type { Recollection } from '../model/query.js';
import type { Trace, TraceCandidate } from '../model/trace.js';

/** More than anybody asks in five minutes; with its trace an answer takes some 30 KB, outside V8's heap. */
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

/** An answer with what it was made of: plain data, for it is kept as text. */
export interface Answer {
  /** The query as it was given, before it was normalised. */
  readonly written: string;
  readonly recollection: Recollection;
  /** Of each store that was read, from before anything was. */
  readonly revisions: readonly number[];
  /** Of each hit: which of the stores that were read it is from. */
  readonly stores: readonly number[];
  /** False for what a passing failure made poorer, and for what holds a secret. */
  readonly mayBeKept: boolean;
}

/** An answer from the cache; of its trace, which is more than half of it, the candidates are read when they are asked for. */
export interface KnownAnswer extends Pick<Answer, 'written' | 'stores'> {
  readonly recollection: Omit<Recollection, 'trace'>;
  readonly trace: Omit<Trace, 'candidates'>;
  readonly candidates: () => readonly TraceCandidate[];
  /** When it was made: it holds as long as `AnswerCache.stands` says so. */
  readonly of: Moment;
}

/** As it is kept. */
type KeptAnswer = Omit<KnownAnswer, 'candidates' | 'of'>;

interface Entry {
  readonly answer: Shelved<KeptAnswer>;
  readonly candidates: Shelved<readonly TraceCandidate[]>;
  readonly of: Moment;
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
  private readonly answers = new Shelf<KeptAnswer>(JSON.stringify);
  private readonly candidates = new Shelf<readonly TraceCandidate[]>(JSON.stringify);
  private readonly entries = new BoundedCache<Entry>(maxEntries, maxCharacters, ({ answer, candidates }) => {
    answer.takeAway();
    candidates.takeAway();
  });

  /** Whether `find` finds anything: only then is it worth asking a store where it stands. */
  has(key: string): boolean {
    return this.entries.get(key) !== undefined;
  }

  /** What was answered, whether it still holds or not. */
  find(key: string): KnownAnswer | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    const { answer, of } = entry;
    // Whoever asks for them may do so when this answer is no longer kept.
    const candidates = readLater(entry.candidates);
    return { ...(answer.value ?? (JSON.parse(answer.text) as KeptAnswer)), candidates, of };
  }

  /** Whether an answer that was found still holds; one that does not is forgotten. */
  stands(key: string, { of }: KnownAnswer, at: Moment): boolean {
    if (isStill(of, at)) return true;
    if (this.entries.get(key)?.of === of) this.entries.delete(key);
    return false;
  }

  /** Makes answers smaller that were kept lately, while the caller waits for something else. */
  writeDown(): void {
    this.answers.writeDown();
    this.candidates.writeDown();
  }

  /** @param of from before the answer was looked for */
  keep(key: string, { written, recollection, stores }: Answer, of: Moment): void {
    const { trace: whole, ...rest } = recollection;
    const { candidates, ...trace } = whole;
    const answer = this.answers.put({ written, recollection: rest, trace, stores });
    this.entries.set(key, { answer, candidates: this.candidates.put(candidates), of }, charactersOf(recollection));
  }
}

function readLater(kept: Entry['candidates']): () => readonly TraceCandidate[] {
  let { value } = kept;
  const text = value === undefined ? kept.text : '';
  return () => (value ??= JSON.parse(text) as TraceCandidate[]);
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

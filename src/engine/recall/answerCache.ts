import { LRUCache } from 'lru-cache';
import type { Config } from '../model/config.js';
import type { RecallResult } from '../model/query.js';

/** More than a person asks in five minutes; with its trace an answer takes some 30 KB. */
const maxEntries = 100;
/** Characters of all answers together, as far as they count: about 8 MB. */
const maxCharacters = 4_000_000;
/** Approximate size of one candidate of a trace. */
const charactersPerCandidate = 500;
/** Fields of a memory other than its text, roughly. */
const charactersPerMemory = 1_000;
/**
 * How long an answer stays valid while nothing is written. Memories fade meanwhile: the fastest class, half gone in twelve
 * hours, by less than half a point of a hundred in five minutes.
 */
const maxAgeMs = 5 * 60_000;

/** An answer with what it was made of. */
export interface RecallAnswer {
  /** The query as it was given, before it was normalised. */
  readonly rawQuery: string;
  readonly result: RecallResult;
  /** Of each store that was read, from before anything was. */
  readonly revisions: readonly number[];
  /** Of each hit: which of the stores that were read it is from. */
  readonly hitStoreIndexes: readonly number[];
  /** False for what a passing failure made poorer, and for what holds a secret. */
  readonly isCacheable: boolean;
}

/** An answer from the cache. */
export interface CachedAnswer extends RecallAnswer {
  /** When it was made: it holds as long as `AnswerCache.stands` says so. */
  readonly stamp: CacheStamp;
}

interface CacheEntry {
  readonly answer: RecallAnswer;
  readonly stamp: CacheStamp;
}

/** The moment a question is asked at. */
export interface CacheStamp {
  /** Of each store that the question reads. */
  readonly revisions: readonly number[];
  readonly now: Date;
  readonly config: Config;
}

/**
 * The turbo cache (memcone): answers that stay valid until the next write to a store they read, by any process, and at most
 * five minutes. They end with a change of settings, and with the day, for a question may say "yesterday".
 */
export class AnswerCache {
  private readonly entries = new LRUCache<string, CacheEntry>({
    max: maxEntries,
    maxSize: maxCharacters,
    sizeCalculation: ({ answer }) => Math.max(1, estimateCharacters(answer.result)),
  });

  /** Whether `find` finds anything: only then is it worth asking a store where it stands. */
  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** The answer that was given, whether it still holds or not. */
  get(key: string): CachedAnswer | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    const { answer, stamp } = entry;
    return { ...answer, stamp };
  }

  /** Whether an answer that was found still holds; one that does not is forgotten. */
  isFresh(key: string, { stamp }: CachedAnswer, now: CacheStamp): boolean {
    if (matchesStamp(stamp, now)) return true;
    if (this.entries.get(key)?.stamp === stamp) this.entries.delete(key);
    return false;
  }

  /** @param stamp from before the answer was looked for */
  set(key: string, answer: RecallAnswer, stamp: CacheStamp): void {
    this.entries.set(key, { answer, stamp });
  }
}

function matchesStamp(stamp: CacheStamp, current: CacheStamp): boolean {
  const isSameDay = stamp.now.toISOString().slice(0, 10) === current.now.toISOString().slice(0, 10);
  const isRecent = Math.abs(current.now.getTime() - stamp.now.getTime()) <= maxAgeMs;
  return (
    isSameDay &&
    isRecent &&
    stamp.config === current.config &&
    stamp.revisions.every((it, i) => it === current.revisions[i])
  );
}

function estimateCharacters({ context, hits, trace }: RecallResult): number {
  const memories = hits.reduce((sum, { memory }) => sum + memory.content.length + charactersPerMemory, 0);
  return context.length + memories + trace.candidates.length * charactersPerCandidate;
}

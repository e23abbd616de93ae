import { setTimeout } from 'node:timers/promises';
import type { Log } from '../model/host.js';
import type { CrossEncoder } from '../embeddings/crossEncoder.js';
import type { RankedMemory } from './rank.js';

/** Pairs that are scored. */
const maxPairs = 20;
/** For which a person waits while the model is loaded, once. */
const loadingMs = 5_000;

interface RerankOptions {
  readonly question: string;
  /** After which the order stays as it was. */
  readonly deadlineMs: number;
  /** Whether the caller waits while the model is loaded: an assistant does not. */
  readonly waitsForModel: boolean;
  readonly log: Log;
}

export interface Reranked {
  readonly ranked: readonly RankedMemory[];
  /** The order is the one before, and another call may have a better one. */
  readonly isLate: boolean;
}

/**
 * Orders the best candidates by how well a cross-encoder finds that each answers the question. Those behind them, and every
 * probability, stay. A model that fails is logged, and changes nothing.
 *
 * @param ranked best first
 */
export async function rerank(
  crossEncoder: CrossEncoder,
  ranked: readonly RankedMemory[],
  { question, deadlineMs, waitsForModel, log }: RerankOptions,
): Promise<Reranked> {
  const best = ranked.slice(0, maxPairs);
  if (best.length < 2) return { ranked, isLate: false };
  if (crossEncoder.isBusy) return { ranked, isLate: true };
  let scores: Float32Array | undefined;
  try {
    if (waitsForModel) await within(loadingMs, crossEncoder.load());
    const texts = best.map(it => it.hit.memory.content);
    scores = await within(deadlineMs, crossEncoder.score(question, texts));
  } catch (error) {
    log.error('The cross-encoder failed: the answer keeps its order.', error);
    return { ranked, isLate: false };
  }
  if (scores === undefined) return { ranked, isLate: true };
  const scored = best.map((it, i) => ({ ...it, pairScore: scores[i] ?? 0 }));
  // Stable: where it finds two alike, the rank decides.
  scored.sort((a, b) => b.pairScore - a.pairScore);
  return { ranked: [...scored, ...ranked.slice(maxPairs)], isLate: false };
}

/** The result if it comes within a time, else undefined; a later failure is ignored. */
async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const timer = new AbortController();
  try {
    return await Promise.race([work, setTimeout(ms, undefined, { signal: timer.signal })]);
  } finally {
    timer.abort();
    work.catch(() => undefined);
  }
}

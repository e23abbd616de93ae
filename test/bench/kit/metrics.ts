/** The quality of one ranked answer, each 0-1. */
export interface Scores {
  readonly 'recall@5': number;
  readonly 'recall@10': number;
  readonly 'hit@5': number;
  readonly 'hit@10': number;
  readonly mrr: number;
  readonly 'ndcg@10': number;
}
export const scoreKeys = ['recall@5', 'recall@10', 'hit@5', 'hit@10', 'mrr', 'ndcg@10'] as const;

/** Cutoff rank; a relevant document below it counts as not found. */
export const depth = 10;

/**
 * Scores one answer. `ranked` best first, without repeats; `relevant` must not be empty. Every relevant document is
 * equally relevant.
 */
export function score(ranked: readonly string[], relevant: ReadonlySet<string>): Scores {
  const top = ranked.slice(0, depth);
  const found = (k: number): number => top.slice(0, k).filter(it => relevant.has(it)).length;
  const first = top.findIndex(it => relevant.has(it));
  const gain = (position: number): number => 1 / Math.log2(position + 2);
  const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, it) => sum + it, 0);
  const gained = sumOf(top.map((it, position) => (relevant.has(it) ? gain(position) : 0)));
  const ideal = sumOf(Array.from({ length: Math.min(depth, relevant.size) }, (_, position) => gain(position)));
  return {
    'recall@5': found(5) / relevant.size,
    'recall@10': found(10) / relevant.size,
    'hit@5': found(5) > 0 ? 1 : 0,
    'hit@10': found(10) > 0 ? 1 : 0,
    mrr: first < 0 ? 0 : 1 / (first + 1),
    'ndcg@10': gained / ideal,
  };
}

/** Whether each side of a pair has at least one of its documents in the top ten. */
export function isPairComplete(ranked: readonly string[], sides: readonly (readonly string[])[]): boolean {
  const top = new Set(ranked.slice(0, depth));
  return sides.every(side => side.some(it => top.has(it)));
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, it) => sum + it, 0) / numbers.length;
}

/** The value below which a share of the numbers lies, by the nearest rank; `share` in 0-1. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = Float64Array.from(numbers).sort();
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]!;
}

/**
 * The `count` wanted positions of the highest scores above 0, highest first, of equals the newest, which is the last;
 * `count` is small. Whether one is wanted is asked only where its score is high enough.
 * @param positions those that are looked at, in any order, soonest where they ascend; all of them when left out
 */
export function topK(
  scores: Float32Array,
  k: number,
  isWanted: (position: number) => boolean,
  positions?: Uint32Array,
): number[] {
  const best: number[] = [];
  let minScore = 0;
  /** The one that has `least`, once there are `count`. */
  let minPosition = Infinity;
  for (let i = (positions?.length ?? scores.length) - 1; i >= 0; i--) {
    const position = positions === undefined ? i : positions[i]!;
    const score = scores[position]!;
    if (!(score > minScore || (score === minScore && position > minPosition)) || !isWanted(position)) continue;
    let slot = best.length < k ? best.length : k - 1;
    for (; slot > 0; slot--) {
      const previous = best[slot - 1]!;
      if (scores[previous]! > score || (previous > position && !(scores[previous]! < score))) break;
      best[slot] = previous;
    }
    best[slot] = position;
    if (best.length === k) {
      minPosition = best[k - 1]!;
      minScore = scores[minPosition]!;
    }
  }
  return best;
}

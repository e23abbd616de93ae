/**
 * The `k` wanted positions with the highest scores above 0, highest first and the later position first among equals. Meant
 * for small `k`. `isWanted` is called only for positions whose score is high enough.
 * @param positions the positions to consider, fastest in ascending order; default all
 */
export function topK(
  scores: Float32Array,
  k: number,
  isWanted: (position: number) => boolean,
  positions?: Uint32Array,
): number[] {
  const best: number[] = [];
  let minScore = 0;
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

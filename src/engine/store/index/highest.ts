/**
 * The `count` wanted positions of the highest scores above 0, highest first, of equals the first; `count` is small. Whether
 * one is wanted is asked only where its score is high enough.
 * @param positions those that are looked at, in this order; all of them when left out
 */
export function highest(
  scores: Float32Array,
  count: number,
  isWanted: (position: number) => boolean,
  positions?: readonly number[],
): number[] {
  const best: number[] = [];
  let least = 0;
  const end = positions?.length ?? scores.length;
  for (let i = 0; i < end; i++) {
    const position = positions === undefined ? i : positions[i]!;
    const its = scores[position]!;
    if (!(its > least) || !isWanted(position)) continue;
    let at = best.length < count ? best.length : count - 1;
    for (; at > 0 && scores[best[at - 1]!]! < its; at--) best[at] = best[at - 1]!;
    best[at] = position;
    if (best.length === count) least = scores[best[count - 1]!]!;
  }
  return best;
}

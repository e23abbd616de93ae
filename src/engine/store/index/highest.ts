/**
 * The `count` wanted positions of the highest scores above 0, highest first, of equals the newest, which is the last;
 * `count` is small. Whether one is wanted is asked only where its score is high enough.
 * @param positions those that are looked at, in any order, soonest where they ascend; all of them when left out
 */
export function highest(
  scores: Float32Array,
  count: number,
  isWanted: (position: number) => boolean,
  positions?: Uint32Array,
): number[] {
  const best: number[] = [];
  let least = 0;
  /** The one that has `least`, once there are `count`. */
  let last = Infinity;
  for (let i = (positions?.length ?? scores.length) - 1; i >= 0; i--) {
    const position = positions === undefined ? i : positions[i]!;
    const its = scores[position]!;
    if (!(its > least || (its === least && position > last)) || !isWanted(position)) continue;
    let at = best.length < count ? best.length : count - 1;
    for (; at > 0; at--) {
      const before = best[at - 1]!;
      if (scores[before]! > its || (before > position && !(scores[before]! < its))) break;
      best[at] = before;
    }
    best[at] = position;
    if (best.length === count) {
      last = best[count - 1]!;
      least = scores[last]!;
    }
  }
  return best;
}

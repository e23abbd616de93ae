/** The `count` positions of the highest scores above 0, highest first, of equals the first; `count` is small. */
export function highest(positions: Iterable<number>, count: number, score: (position: number) => number): number[] {
  const best: number[] = [];
  const scores: number[] = [];
  for (const position of positions) {
    const its = score(position);
    if (!(its > (best.length < count ? 0 : scores[count - 1]!))) continue;
    let at = best.length < count ? best.length : count - 1;
    for (; at > 0 && scores[at - 1]! < its; at--) {
      best[at] = best[at - 1]!;
      scores[at] = scores[at - 1]!;
    }
    best[at] = position;
    scores[at] = its;
  }
  return best;
}

/** The same of all positions of an array that are wanted; those are asked for only where the score is high enough. */
export function highestOf(scores: Float32Array, count: number, isWanted: (position: number) => boolean): number[] {
  const best: number[] = [];
  let least = 0;
  for (let position = 0; position < scores.length; position++) {
    const its = scores[position]!;
    if (!(its > least) || !isWanted(position)) continue;
    let at = best.length < count ? best.length : count - 1;
    for (; at > 0 && scores[best[at - 1]!]! < its; at--) best[at] = best[at - 1]!;
    best[at] = position;
    if (best.length === count) least = scores[best[count - 1]!]!;
  }
  return best;
}

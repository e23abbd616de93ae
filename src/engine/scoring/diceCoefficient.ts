/** Dice coefficient of two sets, 0-1: twice what they share, of all that they have. 0 for two empty sets. */
export function diceCoefficient(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  let shared = 0;
  for (const it of a) if (b.has(it)) shared++;
  return (2 * shared) / (a.size + b.size);
}

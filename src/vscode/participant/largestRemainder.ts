/**
 * Rounds numbers so that they add up to their rounded sum, by the largest remainder method.
 * @param values 0 or more
 */
export function roundPreservingSum(
  values: readonly number[],
  decimals: number,
): { readonly rounded: readonly number[]; readonly sum: number } {
  const unit = 10 ** decimals;
  const scaled = values.map(it => it * unit);
  const sum = Math.round(scaled.reduce((total, it) => total + it, 0));
  const roundedDown = scaled.map(Math.floor);
  let remaining = sum - roundedDown.reduce((total, it) => total + it, 0);
  const byRemainder = scaled
    .map((it, index) => ({ index, remainder: it - roundedDown[index]! }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { index } of byRemainder) if (remaining-- > 0) roundedDown[index]! += 1;
  return { rounded: roundedDown.map(it => it / unit), sum: sum / unit };
}

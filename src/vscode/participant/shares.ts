/**
 * Numbers rounded so that what is shown adds up: each to the given decimals, the largest remainders up.
 * @param values 0 or more
 * @returns the rounded values and their sum, which is the rounded sum of the values
 */
export function addingUp(
  values: readonly number[],
  decimals: number,
): { readonly shares: readonly number[]; readonly sum: number } {
  const unit = 10 ** decimals;
  const scaled = values.map(it => it * unit);
  const sum = Math.round(scaled.reduce((total, it) => total + it, 0));
  const floors = scaled.map(Math.floor);
  let left = sum - floors.reduce((total, it) => total + it, 0);
  const byRemainder = scaled.map((it, index) => ({ index, rest: it - floors[index]! })).sort((a, b) => b.rest - a.rest);
  for (const { index } of byRemainder) if (left-- > 0) floors[index]! += 1;
  return { shares: floors.map(it => it / unit), sum: sum / unit };
}

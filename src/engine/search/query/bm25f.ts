/** Single memories are short texts, for which a lower b than the usual 0.75 measured better. */
const [k1, b] = [0.9, 0.4];

/** Weight of a memory's own words against those of its search aids, whose length says nothing. */
export const textFieldWeight = 2;

/**
 * BM25F's saturated term frequency, 0 to 1 + k1.
 * @param frequency weighted sum over the fields
 * @param length number of terms of the memory's own words
 */
export function saturate(frequency: number, length: number, averageLength: number): number {
  const norm = k1 * (1 - b + (b * length) / Math.max(1, averageLength));
  return (frequency * (k1 + 1)) / (frequency + norm);
}

/** The same as an expression of SQL. @param relativeLength of the average */
export function saturateSql(frequency: string, relativeLength: string): string {
  return `${k1 + 1} * ${frequency} / (${frequency} + ${k1} * (${1 - b} + ${b} * ${relativeLength}))`;
}

/** What no memory exceeds for a term. */
export const maxSaturation = k1 + 1;

/**
 * Packs jobs into as few calls as their order allows; one that fits into no call is left out.
 * @param lengthOf characters of a job in the prompt, separator included
 * @param maxCharacters per call, at most `maxPromptCharacters`
 */
export function packBatches<T>(
  jobs: readonly T[],
  lengthOf: (job: T) => number,
  maxCharacters: number,
): readonly (readonly T[])[] {
  const batches: T[][] = [];
  let remaining = 0;
  for (const job of jobs) {
    const length = lengthOf(job);
    if (length > maxCharacters) continue;
    if (batches.length === 0 || length > remaining) {
      batches.push([]);
      remaining = maxCharacters;
    }
    batches.at(-1)!.push(job);
    remaining -= length;
  }
  return batches;
}

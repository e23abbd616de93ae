/** Jobs grouped by call. */
export interface PackedBatches<T> {
  readonly batches: readonly (readonly T[])[];
  /** Jobs that fit into no call; the caller shortens them or falls back to rules. */
  readonly oversized: readonly T[];
}

/**
 * Packs jobs into as few calls as their order allows.
 * @param lengthOf characters of a job in the prompt, separator included
 * @param maxCharacters per call, at most `maxPromptCharacters`
 */
export function packBatches<T>(
  jobs: readonly T[],
  lengthOf: (job: T) => number,
  maxCharacters: number,
): PackedBatches<T> {
  const batches: T[][] = [];
  const oversized: T[] = [];
  let remaining = 0;
  for (const job of jobs) {
    const length = lengthOf(job);
    if (length > maxCharacters) {
      oversized.push(job);
      continue;
    }
    if (batches.length === 0 || length > remaining) {
      batches.push([]);
      remaining = maxCharacters;
    }
    batches.at(-1)!.push(job);
    remaining -= length;
  }
  return { batches, oversized };
}

/** Jobs for one call each. */
export interface PackedBatches<T> {
  readonly batches: readonly (readonly T[])[];
  /** Those that do not fit into any call; whoever asked has to cut them or leave them to the rules. */
  readonly oversized: readonly T[];
}

/**
 * Packs small jobs into as few calls as their order allows.
 * @param lengthOf characters that a job takes of a prompt, with what separates it from the next one
 * @param maxCharacters of one call, at most `maxPromptCharacters`
 */
export function packBatches<T>(
  jobs: readonly T[],
  lengthOf: (job: T) => number,
  maxCharacters: number,
): PackedBatches<T> {
  const batches: T[][] = [];
  const oversized: T[] = [];
  let room = 0;
  for (const job of jobs) {
    const length = lengthOf(job);
    if (length > maxCharacters) {
      oversized.push(job);
      continue;
    }
    if (batches.length === 0 || length > room) {
      batches.push([]);
      room = maxCharacters;
    }
    batches.at(-1)!.push(job);
    room -= length;
  }
  return { batches, oversized };
}

/** Jobs for one call each. */
export interface Batches<T> {
  readonly batches: readonly (readonly T[])[];
  /** Those that do not fit into any call; whoever asked has to cut them or leave them to the rules. */
  readonly tooLong: readonly T[];
}

/**
 * Packs small jobs into as few calls as their order allows.
 * @param lengthOf characters that a job takes of a prompt, with what separates it from the next one
 * @param maxCharacters of one call, at most `maxPromptCharacters`
 */
export function inBatches<T>(jobs: readonly T[], lengthOf: (job: T) => number, maxCharacters: number): Batches<T> {
  const batches: T[][] = [];
  const tooLong: T[] = [];
  let room = 0;
  for (const job of jobs) {
    const length = lengthOf(job);
    if (length > maxCharacters) {
      tooLong.push(job);
      continue;
    }
    if (batches.length === 0 || length > room) {
      batches.push([]);
      room = maxCharacters;
    }
    batches.at(-1)!.push(job);
    room -= length;
  }
  return { batches, tooLong };
}

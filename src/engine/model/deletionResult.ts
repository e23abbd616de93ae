/** Result of a permanent deletion. */
export interface DeletionResult {
  readonly memories: number;
  /** Of them, in a second store as well; absent for none. */
  readonly repeated?: number;
  /** Checkpoints and backups with deleted content: rewritten by a purge, deleted by a reset. */
  readonly copies: number;
  /**
   * Files that may still contain deleted content because they could not be read or written; the person must delete
   * them.
   */
  readonly left: readonly string[];
  /** Ids of purged memories whose lines a team reads; absent for none. */
  readonly shared?: readonly string[];
}

export function sumDeletions(results: readonly DeletionResult[]): DeletionResult {
  return {
    memories: results.reduce((sum, it) => sum + it.memories, 0),
    copies: results.reduce((sum, it) => sum + it.copies, 0),
    left: results.flatMap(it => it.left),
  };
}

/** Result of a permanent deletion. */
export interface DeletionResult {
  readonly memories: number;
  /** Checkpoints and backups with deleted content: rewritten by a purge, deleted by a reset. */
  readonly copies: number;
  /**
   * Files that may still contain deleted content because they could not be read or written; the person must delete
   * them.
   */
  readonly left: readonly string[];
}

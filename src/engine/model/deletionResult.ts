/** What is gone for good. */
export interface DeletionResult {
  readonly memories: number;
  /** Checkpoints and backups that held some of them: cleaned by a purge, deleted by a reset. */
  readonly copies: number;
  /** Files that may still hold them, because they could not be read or written: for the person to delete. */
  readonly left: readonly string[];
}

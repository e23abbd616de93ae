/** An action in the audit log. */
export type AuditAction =
  | 'create'
  | 'reinforce'
  | 'weaken'
  | 'pin'
  | 'unpin'
  | 'archive'
  | 'restore'
  | 'promote'
  | 'feedback'
  | 'edit'
  | 'read'
  | 'link'
  | 'settle'
  | 'mark'
  | 'supersede'
  | 'merge'
  | 'export'
  | 'import'
  | 'consent'
  /** Of a setting; no memory. */
  | 'configure'
  | 'maintain'
  /** State of edges and vectors after a write that has no other line, for `verify`; no event that a person sees. */
  | 'digest'
  | 'prune'
  | 'purge'
  /** To another store. */
  | 'move'
  | 'reset'
  | 'rollback';

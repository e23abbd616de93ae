import type { Memory } from './memory.js';

/** `replace`: another memory that a person confirmed takes its place; `merge`: one that says the same does. */
export type RequestedAction = 'forget' | 'pin' | 'unpin' | 'replace' | 'merge';

/** An action on a memory that an assistant asks for, for a person to decide. */
export interface ActionRequest {
  readonly action: RequestedAction;
  readonly memory: Memory;
  /** Id of the memory that is to take its place; of `replace` and `merge`. */
  readonly replacedBy?: string;
  /** The client that asked: `mcp:claude-code`. */
  readonly client: string;
  /** ISO-8601 UTC. */
  readonly at: string;
}

import type { Memory } from './memory.js';

/**
 * `replace`: another memory that a person confirmed takes its place; `merge`: one that says the same does; `share`: the team reads
 * it.
 */
export type RequestedAction = 'forget' | 'pin' | 'unpin' | 'replace' | 'merge' | 'share';

/**
 * An action on a memory for a person to decide: one that an assistant asks for, or what a member of the team did to a fact that the
 * person has confirmed (withdrew it: `forget`; replaced it: `replace`).
 */
export interface ActionRequest {
  readonly action: RequestedAction;
  readonly memory: Memory;
  /** Id of the memory that is to take its place; of `replace` and `merge`. */
  readonly replacedBy?: string;
  /** The client that asked: `mcp:claude-code`; `team` where a member of the team did it. */
  readonly client: string;
  /** The member of the team who did it, as git or the server states it; absent for what an assistant asks. */
  readonly author?: string;
  /** ISO-8601 UTC. */
  readonly at: string;
}

import type { Memory } from './memory.js';

export type RequestedAction = 'forget' | 'pin' | 'unpin';

/** What an assistant wants done to a memory, for a person to decide. */
export interface ActionRequest {
  readonly action: RequestedAction;
  readonly memory: Memory;
  /** The client that asked: `mcp:claude-code`. */
  readonly client: string;
  /** ISO-8601 UTC. */
  readonly at: string;
}

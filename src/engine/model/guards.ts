import type { Gate, Kind } from './memory.js';

/** Moments at which a hook may give an assistant something, each with a switch of its own. */
export const hookMoments = ['start', 'handover', 'prompt', 'edit', 'command', 'failure', 'stop'] as const;
export type HookMoment = (typeof hookMoments)[number];

/** Kinds that warn, besides every correction. */
export const warningKinds: readonly Kind[] = ['pitfall', 'gotcha', 'procedure', 'friction'];

/** Whether what a memory names is worth a word before it is used. */
export function isWarning({ gate, kind }: { readonly gate: Gate; readonly kind: Kind }): boolean {
  return gate === 'correction' || warningKinds.includes(kind);
}

/** A tool call of an assistant, as far as memories may be about it. */
export interface GuardedCall {
  readonly moment: Extract<HookMoment, 'edit' | 'command' | 'failure'>;
  /** Paths of the files that are edited, as the assistant gives them. */
  readonly files: readonly string[];
  /** The old and the new text in them. */
  readonly text: string;
  /** A line for a shell; empty for an edit. */
  readonly command: string;
  /** Message of a failure. */
  readonly error: string;
  /** Whether the program does not say how a command ended: then what it printed alone says so. */
  readonly mayHavePassed?: true;
}

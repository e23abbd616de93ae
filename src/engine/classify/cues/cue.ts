import type { Gate } from '../../model/memory.js';

/**
 * A sign, in the words of a statement, of what it is about. Weights add up per gate; 1 is a hint, 3 settles a
 * statement that has no other sign.
 */
export interface Cue {
  readonly name: string;
  readonly gate: Gate;
  readonly weight: number;
  /** On the reading of the statement (reading.ts), where people are PERSONNAME, code is CODE and due dates end in DATE. */
  readonly pattern: RegExp;
}

/**
 * A maker of one gate's cues. A pattern given as text is matched in any case; give a RegExp where case matters.
 * Patterns have no nested repetition, so that matching stays linear.
 */
export function cuesForGate(gate: Gate): (weight: number, name: string, pattern: string | RegExp) => Cue {
  return (weight, name, pattern) => ({
    name,
    gate,
    weight,
    pattern: typeof pattern === 'string' ? new RegExp(pattern, 'iu') : pattern,
  });
}

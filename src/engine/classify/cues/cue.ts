import type { Gate } from '../../model/memory.js';
import type { KeywordRule } from '../../text/keywordPrefilter.js';

/**
 * A hint in the words of a statement at its gate. The weights of the cues that match add up per gate: 1 is a weak
 * hint, 3 settles a statement without other hints.
 */
export interface Cue extends KeywordRule {
  readonly name: string;
  readonly gate: Gate;
  readonly weight: number;
  /** Matches the prepared statement (cueText.ts): people are PERSONNAME, code is CODE, a due date is DATE at the end. */
  readonly pattern: RegExp;
}

/** A cue as its table writes it: a pattern given as a string ignores case, a RegExp does as its flags say. */
interface CueDefinition extends Omit<Cue, 'gate' | 'pattern'> {
  readonly pattern: string | RegExp;
}

/** The cues of one gate. Patterns must not nest repetitions, so that matching stays linear. */
export function cuesForGate(gate: Gate, definitions: readonly CueDefinition[]): Cue[] {
  return definitions.map(({ pattern, ...cue }) => ({
    ...cue,
    gate,
    pattern: typeof pattern === 'string' ? new RegExp(pattern, 'iu') : pattern,
  }));
}

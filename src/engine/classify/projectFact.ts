import type { Memory } from '../model/memory.js';
import { classifyStore } from './storeCues.js';

/** Whether a global memory reads as if it were true of one project only. A guess that a person decides about. */
export function looksLikeProjectFact({
  content,
  gate,
  provenance,
}: Pick<Memory, 'content' | 'gate' | 'provenance'>): boolean {
  return provenance.uri !== undefined || (!personal.test(content) && classifyStore(content, gate) === 'project');
}

/** Whether a text speaks for several people, such as "We squash every merge", and not for one alone. */
export function speaksForTeam(content: string): boolean {
  return ours.test(content) && !personal.test(content);
}

/** Words of a person about themselves: the list is for what they may have filed wrongly, and leaves these out. */
const personal = /\b(?:i|my|me|mine|myself)\b/iu;
const ours = /\b(?:we|us|ours?|wir|unser(?:e[mnrs]?)?|nous|notre|nos|nosotros|nuestr[ao]s?)\b/iu;

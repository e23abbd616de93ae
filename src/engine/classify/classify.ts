import type { Classification, Gate } from '../model/memory.js';
import { findDueDate } from '../text/dueDate.js';
import type { Cue } from './cues/cue.js';
import { classifyDecay } from './decayCues.js';
import { gateCues } from './gateCues.js';
import { classifyKind } from './kindCues.js';
import { prepareCueText } from './cueText.js';
import { foldCase, mayMatch } from '../text/keywordPrefilter.js';

/** The gate of a statement in which no cue fires: most of what developers note down is a fact about their systems. */
export const fallbackGate: Gate = 'epistemic';

/** Ties go to the gate whose loss would cost most: a mistake repeated, then a promise forgotten. */
const gatePriority: readonly Gate[] = ['correction', 'promissory', 'relational', 'behavioral', 'epistemic'];

/** Base confidence, by the memory model: 60 without a sign, at most 95; the margin at which half the way is gone. */
const minBaseConfidence = 60;
const maxBaseConfidence = 95;
const halfSaturationMargin = 2;

/**
 * Decides what a statement is about: its gate by weighted cues, its kind and decay class by theirs, a base confidence
 * of 60-95 that rises with the margin between the best gate and the second, and for a promissory statement the due
 * date that it names. `now` is the reference for dates. `cues` names the gate cues that fired for the chosen gate,
 * strongest first, then `kind: …` and `decay: …` where such a cue fired.
 *
 * Pure and deterministic, linear in the first 2,000 characters of the statement, which are all it reads. Never throws.
 * Gates and classes after cmk, kinds after cortex and lerim, confidence after the memory model.
 */
export function classify(statement: string, now: Date): Classification {
  const dueDate = findDueDate(statement, now);
  const cueText = prepareCueText(statement, dueDate !== undefined);
  // `afterLabel` is the end of `fullText`, so its keywords are there too.
  const foldedText = foldCase(cueText.fullText);
  const hasLabel = cueText.afterLabel !== cueText.fullText;
  const firedCues = gateCues.filter(
    cue =>
      mayMatch(cue, foldedText) &&
      (cue.pattern.test(cueText.fullText) || (hasLabel && cue.pattern.test(cueText.afterLabel))),
  );
  const scores = new Map<Gate, number>(gatePriority.map(gate => [gate, 0]));
  for (const { gate, weight } of firedCues) scores.set(gate, scores.get(gate)! + weight);
  const rankedGates = gatePriority.toSorted((a, b) => scores.get(b)! - scores.get(a)!);
  const bestGate = rankedGates[0]!;
  const gate = scores.get(bestGate)! > 0 ? bestGate : fallbackGate;
  const margin = scores.get(gate)! - Math.max(0, scores.get(rankedGates.find(it => it !== gate)!)!);

  const kind = classifyKind(gate, cueText.fullText);
  const decay = classifyDecay(gate, cueText.fullText);
  return {
    gate,
    kind: kind.kind,
    decayClass: decay.decayClass,
    confidence: baseConfidence(margin),
    ...(gate === 'promissory' && dueDate !== undefined && { dueAt: dueDate }),
    cues: firedCueNames(
      firedCues.filter(cue => cue.gate === gate && cue.weight > 0),
      kind.cue,
      decay.cue,
    ),
  };
}

/** Those of the gate, strongest first, and those of kind and decay where there are any. */
function firedCueNames(matchedCues: readonly Cue[], kind: string | undefined, decay: string | undefined): string[] {
  const cues: string[] = [];
  for (const { name } of matchedCues.toSorted((a, b) => b.weight - a.weight)) cues.push(name);
  if (kind !== undefined) cues.push(`kind: ${kind}`);
  if (decay !== undefined) cues.push(`decay: ${decay}`);
  return cues;
}

/** 60 for no margin, half way to 95 at {@link halfSaturationMargin}, never above 95. */
function baseConfidence(margin: number): number {
  const clarity = 1 - 0.5 ** (Math.max(0, margin) / halfSaturationMargin);
  return Math.round(minBaseConfidence + (maxBaseConfidence - minBaseConfidence) * clarity);
}

import type { Classification, Gate } from '../model/memory.js';
import { dueDate } from '../text/dates.js';
import type { Cue } from './cues/cue.js';
import { decayOf } from './decayCues.js';
import { gateCues } from './gateCues.js';
import { gateLiterals } from './gateLiterals.js';
import { kindOf } from './kindCues.js';
import { read } from './reading.js';
import { PatternFilter } from '../text/patternFilter.js';

/** The gate of a statement in which no cue fires: most of what developers note down is a fact about their systems. */
export const fallbackGate: Gate = 'epistemic';

const gateFilter = new PatternFilter(
  gateCues.map(it => it.pattern),
  gateLiterals,
);

/** Ties go to the gate whose loss would cost most: a mistake repeated, then a promise forgotten. */
const priority: readonly Gate[] = ['correction', 'promissory', 'relational', 'behavioral', 'epistemic'];

/** Base confidence, by the memory model: 60 without a sign, at most 95; the margin at which half the way is gone. */
const lowestConfidence = 60;
const highestConfidence = 95;
const halfwayMargin = 2;

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
  const due = dueDate(statement, now);
  const reading = read(statement, due !== undefined);
  // The lead is a part of the whole.
  const may = gateFilter.mayMatch(reading.whole);
  const fired = gateCues.filter(
    ({ pattern }, i) =>
      may[i] === 1 && (pattern.test(reading.whole) || (reading.lead !== reading.whole && pattern.test(reading.lead))),
  );
  const scores = new Map<Gate, number>(priority.map(gate => [gate, 0]));
  for (const { gate, weight } of fired) scores.set(gate, scores.get(gate)! + weight);
  const ranked = priority.toSorted((a, b) => scores.get(b)! - scores.get(a)!);
  const best = ranked[0]!;
  const gate = scores.get(best)! > 0 ? best : fallbackGate;
  const margin = scores.get(gate)! - Math.max(0, scores.get(ranked.find(it => it !== gate)!)!);

  const kind = kindOf(gate, reading.whole);
  const decay = decayOf(gate, reading.whole);
  return {
    gate,
    kind: kind.kind,
    decayClass: decay.decayClass,
    confidence: confidenceOf(margin),
    ...(gate === 'promissory' && due !== undefined && { dueAt: due }),
    cues: cuesOf(
      fired.filter(cue => cue.gate === gate && cue.weight > 0),
      kind.cue,
      decay.cue,
    ),
  };
}

/** Those of the gate, strongest first, and those of kind and decay where there are any. */
function cuesOf(ofGate: readonly Cue[], kind: string | undefined, decay: string | undefined): string[] {
  const cues: string[] = [];
  for (const { name } of ofGate.toSorted((a, b) => b.weight - a.weight)) cues.push(name);
  if (kind !== undefined) cues.push(`kind: ${kind}`);
  if (decay !== undefined) cues.push(`decay: ${decay}`);
  return cues;
}

/** 60 for no margin, half way to 95 at {@link halfwayMargin}, never above 95. */
function confidenceOf(margin: number): number {
  const clarity = 1 - 0.5 ** (Math.max(0, margin) / halfwayMargin);
  return Math.round(lowestConfidence + (highestConfidence - lowestConfidence) * clarity);
}

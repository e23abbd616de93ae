import type { Classification, Gate } from '../model/memory.js';
import { findDueDate } from '../text/dueDate.js';
import type { Cue } from './cues/cue.js';
import { classifyDecay } from './decayCues.js';
import { gateCues } from './gateCues.js';
import * as lexicon from './lexicon.js';
import { classifyKind } from './kindCues.js';
import { prepareCueText } from './cueText.js';
import { foldCase, mayMatch } from '../text/keywordPrefilter.js';

/** The gate of a statement without a matching cue: most notes of developers are facts about their systems. */
export const fallbackGate: Gate = 'epistemic';

/** Ties go to the gate whose loss costs most: a repeated mistake, then a forgotten promise. */
const gatePriority: readonly Gate[] = ['correction', 'promissory', 'relational', 'behavioral', 'epistemic'];

/** Base confidence of the memory model: 60 without a margin, half way to 95 at the half-saturation margin. */
const minBaseConfidence = 60;
const maxBaseConfidence = 95;
const halfSaturationMargin = 2;

/**
 * Classifies a statement: its gate by weighted cues, its kind and decay class by the first matching cue, a base
 * confidence of 60-95 that rises with the margin between the two best gates, and the due date of a promissory statement.
 * `now` is the reference for dates. `cues` names the matching cues of the chosen gate, strongest first, then the cue of
 * the kind (`kind: …`) and of the decay class (`decay: …`), if one matched.
 *
 * Pure and deterministic, linear in the first 2,000 characters of the statement; the rest is ignored. Never throws.
 * Gates and classes after cmk, kinds after cortex and lerim, confidence after the memory model.
 */
export function classify(statement: string, now: Date): Classification {
  const dueDate = findDueDate(statement, now);
  const cueText = prepareCueText(statement, dueDate !== undefined);
  // `afterLabel` is the end of `fullText`, so its keywords are there too.
  const foldedText = foldCase(cueText.fullText);
  const hasLabel = cueText.afterLabel !== cueText.fullText;
  const isStanding = isStandingRule(cueText.fullText);
  const isPlanless = isStanding || isPastEvent(cueText.fullText) || isHabit(cueText.fullText);
  const firedCues = gateCues.filter(
    cue =>
      !(isPlanless && cue.gate === 'promissory' && !commitmentCues.has(cue.name)) &&
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
  const decay = classifyDecay(gate, cueText.fullText, isStanding);
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

/** Cues of a promise that someone makes, which a standing rule does not make. */
const commitmentCues = new Set(['I will', 'person will', 'promise', 'to do']);

/** Whether a statement says what holds every time: it is no plan, and does not fade in a week. */
function isStandingRule(text: string): boolean {
  return (
    !text.endsWith(' DATE') &&
    /^(?:always|never|do not|don't|whenever|every|each|all|any|no)\b|\b(?:always|never|whenever|every (?:time|day|week|month|sprint|release|pr|commit)|each (?:time|day|week|month|sprint|release|pr|commit)|as a rule|by default|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b|^(?:only|please) .{1,80}\b(?:before|after|when|if|until|unless)\b|^(?:if|when|before|after|until|once) .{1,80}, (?!(?:i|we)(?:'ll| will)\b)/iu.test(
      text,
    )
  );
}

/** Words of what is still to come, beside a verb in the past ("we agreed to ship by May"). */
const futurePattern =
  /\b(?:will|shall|must|should|needs? to|(?:going|agreed|asked|committed|decided|had|hoped|meant|offered|planned|promised|supposed|wanted) to|by|until|till|before|due|deadline|plan\w*|scheduled|expected|tomorrow|next|upcoming)\b|'ll\b/iu;
/** A subject with a verb in the past. */
const pastEventPattern =
  /^(?:(?:in|on|during|at the (?:start|end|beginning) of) (?:[\p{L}\p{N}'-]+ ){1,3}?)?(?:(?:\p{L}[\p{L}'-]* ){0,4}(?:was|were)|(?:we|i|they|he|she|it|you|PERSONNAME|(?:the|our|my|their) (?:[\p{L}'-]+ ){1,3}?)(?:\s*)(?:(?!need|exceed|feed|speed|embed|proceed)\p{L}{2,}ed|got|had|went|became|left|made|took|gave|found|ran|wrote|built|broke|chose|began|cut|sent|bought|sold|shut|put|kept|lost|won|met|brought|came|did|saw)|(?:[\p{L}\p{N}.'-]+ ){1,4}(?:came out|went live|shipped|launched|landed|happened))(?= )/iu;

/** Whether a statement says what happened: the month in it is no date of a plan. */
function isPastEvent(text: string): boolean {
  return pastEventPattern.test(text) && !futurePattern.test(text);
}

/** Words that make a time one certain time: a year, a day, what is planned. */
const certainTimePattern =
  /\b(?:20\d\d|\d{1,2}(?:st|nd|rd|th)?|first|second|third|this|these|those|due|deadline|planned|scheduled|tomorrow|tonight|next|upcoming|will|shall|must|should|needs? to|has to|have to|going to|plans? to|is to|are to)\b|'ll\b/iu;
const number = '(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|a few|\\d+)';
const duration = `${number} (?:(?:working|business|calendar) )?(?:minute|hour|day|week|month)s?`;
/** How long something takes each time it happens: someone or something does it within a time. */
const windowPattern = new RegExp(
  `^(?:[\\p{L}\\p{N}'-]+ ){1,6}?(?:(?:is|are) \\p{L}+(?:ed|en|t|d)|(?<!\\b(?:the|an?|our|my|your|all|these|those) )\\p{L}{2,}s) .*?\\bwithin (?:about |at most )?${duration}\\b`,
  'iu',
);
/** Things of a kind, without "the": they do it at the same time whenever they do it. */
const kindOfThings = "(?:our |all |most |some )?(?:\\p{L}[\\p{L}'-]* ){0,2}?\\p{L}+(?<!s)s";
const kindPattern = new RegExp(
  `^(?!(?:the|these|those|this|we|i|let's|lets)\\b)${kindOfThings} (?:usually |always |normally |typically )?(?:are \\p{L}+(?:ed|en|t|d)|(?!are\\b)\\p{L}+(?<!s)) .*?\\b(?:in|within|around|at the (?:start|end) of) `,
  'iu',
);
const calendarPattern = /\b(?:year|season|quarter|semester|term) (?:starts?|begins?|ends?|closes?)\b/iu;

/**
 * Whether a statement says when things of a kind happen, or how long they take ("refunds are paid within two weeks",
 * "budgets are set in October"): it is no plan. An instruction, and one thing that happens at one time, is.
 */
function isHabit(text: string): boolean {
  if (calendarPattern.test(text)) return !/\b(?:next|this|20\d\d)\b/iu.test(text);
  const withoutDuration = text.replace(durationPattern, '');
  if (certainTimePattern.test(withoutDuration)) return false;
  if (windowPattern.test(text)) return !instructionPattern.test(text);
  return kindPattern.test(text);
}

const instructionPattern = new RegExp(
  `^(?:please |just |first |then |and |also |let's |lets |i |we )*(?:${lexicon.imperativeVerbs})\\b${lexicon.notNounLookahead}`,
  'iu',
);
const durationPattern = new RegExp(`\\b${duration}\\b`, 'giu');

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

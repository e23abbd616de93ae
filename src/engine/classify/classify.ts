import { kindsByGate } from '../model/config.js';
import type { Classification, Gate, Kind } from '../model/memory.js';
import { findDueDate } from '../text/dueDate.js';
import { findFullDate } from '../text/fullDate.js';
import { behavioralCues } from './cues/behavioral.js';
import { correctionCues } from './cues/correction.js';
import type { Cue } from './cues/cue.js';
import { epistemicCues } from './cues/epistemic.js';
import { errandPattern, planningCueNames, promissoryCues } from './cues/promissory.js';
import { relationalCues } from './cues/relational.js';
import { isGivenName } from './givenNames.js';
import * as lexicon from './lexicon.js';
import { kindCues } from './kindCues.js';
import { foldCase, mayMatch } from '../text/keywordPrefilter.js';
import { splitReportingPhrase } from '../text/reportedSpeech.js';

/** The cues of all gates. */
export const gateCues = [...correctionCues, ...behavioralCues, ...relationalCues, ...promissoryCues, ...epistemicCues];

/** The gate of a statement without a matching cue: most notes of developers are facts about their systems. */
export const fallbackGate: Gate = 'epistemic';

/** Ties go to the gate whose loss costs most: a repeated mistake, then a forgotten promise. */
const gatePriority: readonly Gate[] = ['correction', 'promissory', 'relational', 'behavioral', 'epistemic'];

/** How clear a statement is: 60 without a margin, half way to 95 at the half-saturation margin. */
export const minClarity = 60;
export const maxClarity = 95;
const halfSaturationMargin = 2;

/**
 * Classifies a statement: its gate by weighted cues, its kind by the first matching cue, a clarity of 60-95 that rises with
 * the margin between the two best gates, and the day of a plan. `now` is the reference for dates. `cues` names the matching
 * cues of the chosen gate, strongest first, then the cue of the kind (`kind: …`), if one matched.
 *
 * Pure and deterministic, linear in the first 2,000 characters of the statement; the rest is ignored. Never throws.
 * Gates after cmk, kinds after cortex and lerim, clarity after the memory model.
 * @param options.readsDay whether a day in the text counts; a caller with an argument for it has said what it knows
 */
export function classify(statement: string, now: Date, { readsDay = true } = {}): Classification {
  const plan = readPlan(statement, now, readsDay);
  const cueText = prepareCueText(statement);
  const [foldedText, foldedPlan] = [cueText, plan.cueText].map(it => foldCase(it.fullText)) as [string, string];
  const firedCues = gateCues.filter(cue => {
    if (cue.gate !== 'promissory') return matches(cue, cueText, foldedText);
    return (!plan.isPlanless || commitmentCues.has(cue.name)) && matches(cue, plan.cueText, foldedPlan);
  });
  const scores = new Map<Gate, number>(gatePriority.map(gate => [gate, 0]));
  for (const { gate, weight } of firedCues) scores.set(gate, scores.get(gate)! + weight);
  const rankedGates = gatePriority.toSorted((a, b) => scores.get(b)! - scores.get(a)!);
  const bestGate = rankedGates[0]!;
  const gate = scores.get(bestGate)! > 0 ? bestGate : fallbackGate;
  const margin = scores.get(gate)! - Math.max(0, scores.get(rankedGates.find(it => it !== gate)!)!);

  const kind = classifyKind(gate, cueText.fullText);
  return {
    gate,
    kind: kind.kind,
    confidence: clarityOf(margin),
    ...(gate === 'promissory' && plan.day !== undefined && { dueAt: plan.day }),
    cues: firedCueNames(
      firedCues.filter(cue => cue.gate === gate && cue.weight > 0),
      kind.cue,
    ),
  };
}

/** The kind of a statement at a gate, and the name of its cue. `text` is the `fullText` of its cue text. */
function classifyKind(gate: Gate, text: string): { readonly kind: Kind; readonly cue: string | undefined } {
  const foldedText = foldCase(text);
  const cue = kindCues.find(it => mayMatch(it, foldedText) && it.gates.includes(gate) && it.pattern.test(text));
  return cue === undefined ? { kind: kindsByGate[gate], cue: undefined } : { kind: cue.kind, cue: cue.name };
}

interface PlanReading {
  /** The main clause. Ends with DATE where it has a day. */
  readonly cueText: CueText;
  readonly day: string | undefined;
  /** Whether only a promise that someone makes can make it a plan. */
  readonly isPlanless: boolean;
}

/**
 * The day of a statement: of a plan, any day in its main clause; of an event, a full date ahead. What holds
 * every time, happened, or is a habit has none, nor has a reason, a name or an absence.
 */
function readPlan(statement: string, now: Date, readsDay: boolean): PlanReading {
  const main = statement.replace(reasonPattern, '');
  const cueText = prepareCueText(main);
  const text = cueText.fullText;
  const isPlanless = isStandingRule(text) || isPastEvent(text) || isHabit(text);
  if (isPlanless || absencePattern.test(text)) return { cueText, day: undefined, isPlanless: true };
  const foldedText = foldCase(text);
  const isPlan =
    errandPattern.test(text) ||
    /\b(?:will|shall|(?:is|are) going to)\b|'ll\b/iu.test(text) ||
    promissoryCues.some(it => planningCueNames.has(it.name) && matches(it, cueText, foldedText));
  if (!readsDay) return { cueText, day: undefined, isPlanless: !isPlan };
  const day = (isPlan ? findDueDate(main, now) : undefined) ?? findFullDate(main, now);
  return day === undefined
    ? { cueText, day, isPlanless: !isPlan }
    : { cueText: prepareCueText(main, true), day, isPlanless: false };
}

/** The day of what a statement plans, or of an event with its full date ahead, whatever its gate; ISO-8601 UTC. */
export function findPlanDay(statement: string, now: Date): string | undefined {
  return readPlan(statement, now, true).day;
}

/** @param foldedText of the full text: `afterLabel` is its end, so that its keywords are there, too */
function matches(cue: Cue, { fullText, afterLabel }: CueText, foldedText: string): boolean {
  return (
    mayMatch(cue, foldedText) &&
    (cue.pattern.test(fullText) || (afterLabel !== fullText && cue.pattern.test(afterLabel)))
  );
}

/** Only the head of a statement is classified, in UTF-16 units: it names the topic, and the work stays bounded. */
const maxCueTextLength = 2_000;

/** Words that make a date past or recurring, and so no due date. */
const pastOrRecurringPattern =
  /\b(?:since|last|ago|was|were|joined|every|each|always|usually|per|weekly|daily|monthly|nightly|hourly|mondays|tuesdays|wednesdays|thursdays|fridays|weekdays|on leave|leave until)\b/iu;

/** A statement prepared for its cues. */
export interface CueText {
  /** The statement on one line: straight quotes, inline code as CODE, people as PERSONNAME, DATE at its end if it has a due date. */
  readonly fullText: string;
  /** `fullText` after a label ("Code style: …"), for the cues that match at the start of a statement. */
  readonly afterLabel: string;
}

/** Prepares a statement for its cues. `namesDate`: the statement names a future date. Pure, linear, never throws. */
export function prepareCueText(statement: string, namesDate = false): CueText {
  const singleLine = statement
    .slice(0, maxCueTextLength)
    .replace(/```[\s\S]*?(?:```|$)/g, ' CODE ')
    .replace(/`[^`\n]{1,200}`/g, 'CODE')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_]{2}/g, '')
    .replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, '')
    .replace(/\b(that|it|what|there|he|she)s\b(?= (?:the|a|an|not|wrong|called|our|my)\b)/gi, "$1's")
    .replace(/\b(do|does|did|is|are|was|were|should|would|could|has|have|must)nt\b/gi, "$1n't")
    .replace(/\bim\b/gi, "i'm")
    .replace(/\s+/g, ' ')
    .trim();
  const fullText = maskPeople(splitReportingPhrase(singleLine).rest);
  const label = /^[\p{L}\p{N}][\p{L}\p{N} /&+-]{1,40}: (?=\S)/u.exec(fullText)?.[0] ?? '';
  const date = namesDate && !pastOrRecurringPattern.test(fullText) ? ' DATE' : '';
  return { fullText: fullText + date, afterLabel: fullText.slice(label.length) + date };
}

/** "Sarah Chen", "@sarah" and, if a name is no other word, "sarah" → PERSONNAME. */
function maskPeople(text: string): string {
  return text
    .replace(/(?<![\w./])@[a-z][\w-]{1,38}(?![\w/.-]*\/)/gi, 'PERSONNAME')
    .replace(
      /(?<![\p{L}\p{N}_./-])\p{L}{2,15}(?![\p{L}\p{N}_/])(?!\.\p{L})/gu,
      (word, index: number, whole: string) => {
        const isWrittenAsName = /^\p{Lu}/u.test(word) || word.length > 3;
        if (!isWrittenAsName || !isGivenName(word)) return word;
        return isMonth(
          word,
          whole.slice(Math.max(0, index - 10), index),
          whole.slice(index + word.length, index + word.length + 3),
        )
          ? word
          : 'PERSONNAME';
      },
    )
    .replace(/PERSONNAME \p{Lu}\p{Ll}{1,20}(?![\p{L}\p{N}_/])/gu, 'PERSONNAME');
}

/** Whether a word is the month of a date, also of one that no calendar has: "31 April", "April 2027". */
function isMonth(word: string, before: string, after: string): boolean {
  if (!/^(?:april|may|june|july|august|jan)$/iu.test(word)) return false;
  return /\d(?:st|nd|rd|th|\.)?(?: of)? $/u.test(before) || /^,? \d/u.test(after);
}

/** A reason at the end of a statement, with what follows it. */
const reasonPattern =
  /,?\s(?:because|since (?:it|we|they|the|that|our|this)\b|as (?:it|we|they)\b|so that|which is why|due to|thanks to)\s.*$/isu;
/** The end of an absence is no plan. */
const absencePattern =
  /\b(?:on (?:\w+ )?leave|on (?:vacation|holiday|pto)|(?:is|are) (?:away|absent)|out (?:of office|sick))\b/iu;

/** Cues of a promise that someone makes, which a standing rule does not make. */
const commitmentCues = new Set(['I will', 'person will', 'promise', 'to do']);

/** Whether a statement says what holds every time: it is no plan, and does not fade in a week. */
export function isStandingRule(text: string): boolean {
  return /^(?:always|never|do not|don't|whenever|every|each|all|any|no)\b|\b(?:always|never|whenever|every (?:time|day|week|month|sprint|release|pr|commit)|each (?:time|day|week|month|sprint|release|pr|commit)|as a rule|by default|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b|^only .{1,80}\b(?:before|after|when|if|until|unless)\b|^(?:if|when|before|after|until|once) .{1,80}, (?!(?:i|we)(?:'ll| will)\b)/iu.test(
    text,
  );
}

/** Words for the future, next to a verb in the past ("we agreed to ship by May"). */
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

function firedCueNames(matchedCues: readonly Cue[], kind: string | undefined): string[] {
  const cues: string[] = [];
  for (const { name } of matchedCues.toSorted((a, b) => b.weight - a.weight)) cues.push(name);
  if (kind !== undefined) cues.push(`kind: ${kind}`);
  return cues;
}

/** 60 for no margin, half way to 95 at {@link halfSaturationMargin}, never above 95. */
function clarityOf(margin: number): number {
  const share = 1 - 0.5 ** (Math.max(0, margin) / halfSaturationMargin);
  return Math.round(minClarity + (maxClarity - minClarity) * share);
}

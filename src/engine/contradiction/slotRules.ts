import { formatMessage } from '../model/engineMessages.js';
import type { Claim, Slot } from './claimParser.js';
import {
  conflictResult,
  subjectTerms,
  totalWeight,
  minSubjectWeight,
  originalWords,
  joinTerms,
  type RelationResult,
} from './relationResult.js';

/** Detects other words, which are no known values, in the same slot of the same subject: "timestamps are stored as …". */
export function detectSlotValueChange(older: Claim, newer: Claim): RelationResult | undefined {
  const [olderSlot, newerSlot] = [older.slot, newer.slot];
  if (olderSlot === undefined || newerSlot === undefined) return undefined;
  // "Use A for X" and "use B for X" can both hold, unless A and B are names or the newer claim is marked as an update.
  const isExplicitChange = newer.isUpdate || (hasNameValue(olderSlot, older) && hasNameValue(newerSlot, newer));
  const verbs = [olderSlot.verb, newerSlot.verb].filter(it => it !== '');
  if (verbs.includes('use') ? !isExplicitChange : new Set(verbs).size > 1) return undefined;
  if (olderSlot.preposition !== newerSlot.preposition && !isExplicitChange) return undefined;
  if (older.isAdditive || newer.isAdditive || olderSlot.subject.length === 0) return undefined;
  if (!includesAll(olderSlot.subject, newerSlot.subject) || !includesAll(newerSlot.subject, olderSlot.subject))
    return undefined;
  const [olderValue, newerValue] = [olderSlot.value, newerSlot.value];
  if (
    olderValue.length === 0 ||
    newerValue.length === 0 ||
    Math.max(olderValue.length, newerValue.length) > maxSlotValueTerms
  )
    return undefined;
  if (
    [...olderValue, ...olderSlot.context].some(it => newer.allTerms.has(it)) ||
    newerValue.some(it => older.allTerms.has(it))
  )
    return undefined;
  if (olderSlot.context.length > 0 && newerSlot.context.length > 0) return undefined;
  return conflictResult(
    newer.isUpdate ? 0.75 : 0.65,
    formatMessage(
      'changed',
      originalWords(older, olderSlot.subject),
      originalWords(older, olderValue),
      originalWords(newer, newerValue),
    ),
  );
}

/** Detects claims that differ only in the words after the last preposition: "translators work in …". */
export function detectLastWordChange(older: Claim, newer: Claim): RelationResult | undefined {
  if (older.modality !== undefined || newer.modality !== undefined || older.isAdditive || newer.isAdditive)
    return undefined;
  if (!shareFirstThreeWords(older.normalizedTokens, newer.normalizedTokens)) return undefined;
  const [olderWords, newerWords] = [older.normalizedTokens.split(' '), newer.normalizedTokens.split(' ')];
  const firstDifference = olderWords.findIndex((it, i) => it !== newerWords[i]);
  const [olderEnding, newerEnding] = [olderWords.slice(firstDifference), newerWords.slice(firstDifference)];
  if (
    firstDifference < 3 ||
    !placementPrepositions.has(olderWords[firstDifference - 1]!) ||
    Math.max(olderEnding.length, newerEnding.length) > 2
  )
    return undefined;
  const areNames = [olderEnding, newerEnding].every((ending, i) =>
    ending.every(it => [older, newer][i]!.assertedTerms.get(it)?.valueClass === 'name'),
  );
  // If the values are names, a weak term such as "team" suffices as the subject.
  const hasSubjectBefore = olderWords.slice(0, firstDifference).some(it => {
    const term = older.assertedTerms.get(it);
    return term?.isBeforeVerb === true && (term.weight === 1 || (areNames && !term.isVerb));
  });
  const hasContent = [olderEnding, newerEnding].every((ending, i) =>
    ending.every(it => ([older, newer][i]!.assertedTerms.get(it)?.weight ?? 0) >= minSubjectWeight),
  );
  if (!hasSubjectBefore || !hasContent || olderEnding.length * newerEnding.length === 0) return undefined;
  return conflictResult(
    0.6,
    formatMessage(
      'changed',
      originalWords(older, olderWords.slice(0, 1)),
      originalWords(older, olderEnding),
      originalWords(newer, newerEnding),
    ),
  );
}

/** Whether the first three words are equal: a cheap test that most pairs fail. */
function shareFirstThreeWords(first: string, second: string): boolean {
  let words = 0;
  for (let i = 0; words < 3; i++) {
    const letter = first.charCodeAt(i);
    if (letter !== second.charCodeAt(i) || Number.isNaN(letter)) return false;
    if (letter === spaceCode) words++;
  }
  return true;
}
const spaceCode = ' '.charCodeAt(0);

const placementPrepositions = new Set('in with as from through via by at'.split(' '));

/** Whether the value of a slot contains a name. */
function hasNameValue({ value }: Slot, { assertedTerms }: Claim): boolean {
  return value.some(it => /^\p{Lu}/u.test(assertedTerms.get(it)?.surfaceForm ?? ''));
}

function includesAll(all: readonly string[], some: readonly string[]): boolean {
  return some.every(it => all.includes(it));
}

/** Maximum number of terms of a slot value; longer ones are descriptions. */
const maxSlotValueTerms = 3;

/** The agent of a claim; if only the other claim names one, the nouns before the verb. */
function agentTerms({ agent, assertedTerms }: Claim, otherClaim: Claim): readonly string[] {
  if (agent.length > 0 || otherClaim.agent.length === 0 || otherClaim.isOwnership) return agent;
  return [...assertedTerms.values()]
    .filter(it => it.isBeforeVerb && it.weight >= minSubjectWeight && !it.isVerb)
    .map(it => it.term);
}

/** Detects another agent for the same subject. */
export function detectAgentChange(older: Claim, newer: Claim): RelationResult | undefined {
  if ((older.isSharedDuty || newer.isSharedDuty) && !newer.isUpdate) return undefined;
  const [olderAgent, newerAgent] = [agentTerms(older, newer), agentTerms(newer, older)];
  if (
    olderAgent.length === 0 ||
    newerAgent.length === 0 ||
    Math.max(olderAgent.length, newerAgent.length) > maxSlotValueTerms
  )
    return undefined;
  if (olderAgent.some(it => newer.assertedTerms.has(it)) || newerAgent.some(it => older.assertedTerms.has(it)))
    return undefined;
  const [onlyOlder, onlyNewer] = [
    subjectTerms(older).filter(
      it => it.clauseIndex === 0 && !it.isVerb && !newer.allTerms.has(it.term) && !olderAgent.includes(it.term),
    ),
    subjectTerms(newer).filter(
      it => it.clauseIndex === 0 && !it.isVerb && !older.allTerms.has(it.term) && !newerAgent.includes(it.term),
    ),
  ];
  const shared = subjectTerms(older).filter(it => newer.allTerms.has(it.term) && !it.isVerb);
  if (shared.length === 0 || Math.min(totalWeight(onlyOlder), totalWeight(onlyNewer)) > 0) return undefined;
  return conflictResult(
    0.7,
    formatMessage('changed', joinTerms(shared), originalWords(older, olderAgent), originalWords(newer, newerAgent)),
  );
}

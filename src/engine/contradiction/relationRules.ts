import type { Claim, ClaimTerm } from './claimParser.js';
import type { NegatedSpan } from './negation.js';
import { formatMessage } from '../model/engineMessages.js';
import { stem } from '../text/analyzer.js';
import { detectAgentChange, detectSlotValueChange, detectLastWordChange } from './slotRules.js';
import { areIncompatible } from './modality.js';
import { quantityClasses } from './lexicon/exclusiveValues.js';
import {
  isRequiredVersion,
  isToolClass,
  mayUseBoth,
  namesOtherThing,
  selectsOtherThing,
  sharesMovedNumber,
  type ValueChange,
} from './valueSubject.js';
import {
  conflictResult,
  mentions,
  subjectTerms,
  totalWeight,
  minSubjectWeight,
  unrelatedResult,
  joinTerms,
  type RelationResult,
} from './relationResult.js';

/** The relation of a newer claim to an older one: the first rule with a result decides. */
export function compareClaims(older: Claim, newer: Claim): RelationResult {
  if (isSameClaim(older, newer)) return sameResult;
  const scope = findScopeDifference(older, newer);
  if (scope !== undefined) return unrelatedResult(0.9, `One speaks of ${scope[0]}, the other of ${scope[1]}.`);
  const sharedTerms: ClaimTerm[] = [];
  for (const it of older.assertedTerms.values())
    if (it.weight >= minSubjectWeight && mentions(newer, it.term)) sharedTerms.push(it);
  return (
    detectNegationConflict(older, newer, sharedTerms) ??
    detectModalityConflict(older, newer) ??
    detectValueChange(older, newer, sharedTerms) ??
    detectAgentChange(older, newer) ??
    detectSlotValueChange(older, newer) ??
    detectLastWordChange(older, newer) ??
    detectRefinement(older, newer, sharedTerms)
  );
}

const sameResult: RelationResult = {
  relation: 'same',
  certainty: 0.95,
  reason: formatMessage('same'),
  uncertain: false,
};

/** Whether claims have the same words in the same order, or in another order if each value has its own class. */
function isSameClaim(older: Claim, newer: Claim): boolean {
  if (older.normalizedTokens === newer.normalizedTokens) return older.normalizedTokens !== '';
  if (older.bag.isEmpty || !older.bag.equals(newer.bag)) return false;
  // "Tabs, not spaces" and "spaces, not tabs" have the same words.
  if (older.assertedTerms.size !== newer.assertedTerms.size) return false;
  // "Run 12 took 40 seconds" and "run 40 took 12 seconds" have the same words.
  for (const [term, { valueClass }] of older.assertedTerms)
    if (newer.assertedTerms.get(term)?.valueClass !== valueClass || !newer.assertedTerms.has(term)) return false;
  const valueClasses = older.values.map(it => it.valueClass);
  return new Set(valueClasses).size === valueClasses.length && subjectText(older) === subjectText(newer);
}

function subjectText({ assertedTerms, values }: Claim): string {
  return [...assertedTerms.values()]
    .filter(it => it.weight >= minSubjectWeight && !values.includes(it))
    .map(it => it.term)
    .join(' ');
}

function findScopeDifference(older: Claim, newer: Claim): readonly [string, string] | undefined {
  for (const [scope, olderScope] of older.scopes) {
    const newerScope = newer.scopes.get(scope);
    if (newerScope === undefined || [...olderScope].some(it => newerScope.has(it))) continue;
    return [[...olderScope].join(' and '), [...newerScope].join(' and ')];
  }
  return undefined;
}

/** Detects that one claim asserts what the other negates or declares ended. */
function detectNegationConflict(
  older: Claim,
  newer: Claim,
  sharedTerms: readonly ClaimTerm[],
): RelationResult | undefined {
  if (older.modality === newer.modality && (older.modality === 'must not' || older.modality === 'need not'))
    return undefined;
  const newerSpan = newer.negatedSpans.find(it => negatesClaim(it, newer, older));
  const span = newerSpan ?? older.negatedSpans.find(it => negatesClaim(it, older, newer));
  if (span === undefined) return undefined;
  const certainty = Math.min(0.95, 0.75 + 0.05 * sharedTerms.length + (newer.isUpdate ? 0.05 : 0));
  const reason =
    newerSpan === undefined
      ? formatMessage('asserts', span.surfaceForm)
      : formatMessage('denies', newerSpan.surfaceForm);
  return conflictResult(certainty, reason);
}

/** Maximum total weight of a claim about a single thing. */
const maxShortClaimWeight = 4;
/** Minimum share of the negated terms that the other claim asserts. */
const minNegatedShare = 0.6;

function negatesClaim(
  { terms, isUnderspecified, leadingTermCount }: NegatedSpan,
  negatingClaim: Claim,
  otherClaim: Claim,
): boolean {
  if (isUnderspecified && !(isShortClaim(otherClaim) && isShortClaim(negatingClaim))) return false;
  if (hasDifferentSubject(negatingClaim, otherClaim) && hasDifferentSubject(otherClaim, negatingClaim)) return false;
  const missing = terms.filter(it => !otherClaim.assertedTerms.has(it));
  const covered = terms.length - missing.length;
  if (covered / terms.length < minNegatedShare) return false;
  if (missing.length === 0) return !isRestatement(negatingClaim, otherClaim, terms);
  // Both claims negate it.
  if (missing.some(it => otherClaim.allTerms.has(it))) return false;
  // A missing number or name means another case.
  if (missing.some(it => !/^\p{Ll}+$/u.test(it))) return false;
  const namesValue = otherClaim.values.some(it => terms.includes(it.term) && isToolClass(it.valueClass));
  const hasSameSubject = terms.slice(0, leadingTermCount).every(it => otherClaim.assertedTerms.has(it));
  if (namesValue || (hasSameSubject && covered >= minSharedNegatedTerms)) return true;
  // "Editors can't delete products" says nothing about admins.
  return [...otherClaim.assertedTerms.values()].every(
    it => it.weight < minSubjectWeight || mentions(negatingClaim, it.term),
  );
}

/** Whether the subject of a claim is missing from the other claim: "admins must", "guests need not". */
function hasDifferentSubject({ allTerms }: Claim, otherClaim: Claim): boolean {
  const subject = [...allTerms.values()].filter(it => it.isBeforeVerb && it.weight >= minSubjectWeight && !it.isVerb);
  return subject.length > 0 && subject.every(it => !otherClaim.allTerms.has(it.term));
}

/** Whether two updates say the same: "we replaced Puppet with Ansible", "Ansible took the place of Puppet". */
function isRestatement(negatingClaim: Claim, otherClaim: Claim, negatedTerms: readonly string[]): boolean {
  const asserted = [...negatingClaim.assertedTerms.values()].filter(it => it.weight === 1 && !it.isVerb);
  const rest = [...otherClaim.assertedTerms.values()].filter(
    it => it.weight === 1 && !it.isVerb && !negatedTerms.includes(it.term),
  );
  return (
    asserted.length > 0 &&
    rest.length > 0 &&
    [...asserted, ...rest].every(it => mentions(negatingClaim, it.term) && mentions(otherClaim, it.term)) &&
    otherClaim.isUpdate
  );
}

/** From this number of shared negated terms on, both claims are about the same thing. */
const minSharedNegatedTerms = 3;

function isShortClaim({ assertedTerms }: Claim): boolean {
  return totalWeight([...assertedTerms.values()]) <= maxShortClaimWeight;
}

/** Detects claims about the same subject with incompatible modalities. */
function detectModalityConflict(older: Claim, newer: Claim): RelationResult | undefined {
  if (!areIncompatible(older.modality, newer.modality)) return undefined;
  const shared = subjectTerms(older).filter(it => newer.allTerms.has(it.term));
  const onlyOlder = subjectTerms(older).filter(
    it => it.clauseIndex === 0 && !newer.allTerms.has(it.term) && !it.isVerb,
  );
  const onlyNewer = subjectTerms(newer).filter(
    it => it.clauseIndex === 0 && !older.allTerms.has(it.term) && !it.isVerb,
  );
  if (!shared.some(it => !it.isVerb && it.weight === 1)) return undefined;
  if (
    totalWeight(shared) <
    minModalityOverlap * Math.max(totalWeight(subjectTerms(older)), totalWeight(subjectTerms(newer)))
  )
    return undefined;
  if (Math.min(totalWeight(onlyOlder), totalWeight(onlyNewer)) > 0) return undefined;
  return conflictResult(0.7, formatMessage('oppositeStance', joinTerms(shared), older.modality!, newer.modality!));
}

/** Minimum share of the longer claim's weight that both claims share. */
const minModalityOverlap = 0.3;

/** Detects another value of the same class for the same subject. */
function detectValueChange(older: Claim, newer: Claim, sharedTerms: readonly ClaimTerm[]): RelationResult | undefined {
  const changes = findValueChanges(older, newer);
  if (changes.length !== 1) return undefined;
  const [oldValue, newValue] = changes[0]!;
  // What is said of a path or a name in code after a dash or colon says which one is meant: "a.md — the guide".
  const isDescribed = oldValue.valueClass === 'literal' && !newer.isUpdate;
  const onlyOlder = exclusiveTerms(older, newer, oldValue, isDescribed);
  const onlyNewer = exclusiveTerms(newer, older, newValue, isDescribed);
  // "100, not 200" names what it replaces.
  const replaced =
    sharedTerms.find(it => it.valueClass === newValue.valueClass && !newer.assertedTerms.has(it.term)) ?? oldValue;
  const sharedText = joinTerms(sharedTerms.filter(it => it !== replaced));
  if (haveDifferentSubjects(onlyOlder, onlyNewer, sharedTerms)) {
    return unrelatedResult(
      0.7,
      `One is about ${joinTerms(onlyOlder)}, the other about ${joinTerms(onlyNewer)}.`,
      sharedTerms.length > 0 || isToolClass(oldValue.valueClass),
    );
  }
  const isRestated = wordsWithout(older, oldValue) === wordsWithout(newer, newValue);
  const isOtherThing =
    namesOtherThing(older, newer, changes[0]!) || (!newer.isUpdate && sharesMovedNumber(older, newer));
  const mayBothHold = isRestated ? mayUseBoth(older, newer, oldValue) : selectsOtherThing(newer, changes[0]!);
  if (isOtherThing || mayBothHold) return unrelatedResult(0.6, 'They may speak of two things.', true);
  if (isRestated)
    return conflictResult(
      0.8,
      formatMessage('changedKind', oldValue.valueClass!, oldValue.surfaceForm, newValue.surfaceForm),
    );
  if (sharedTerms.length === 0 && (onlyOlder.length > 0 || onlyNewer.length > 0 || !isToolClass(oldValue.valueClass))) {
    return isToolClass(oldValue.valueClass) && isShortClaim(older) && (newer.isUpdate || isShortClaim(newer))
      ? conflictResult(
          0.55,
          formatMessage('changedName', oldValue.valueClass ?? '', replaced.surfaceForm, newValue.surfaceForm),
        )
      : undefined;
  }
  const contexts = [contextWeight(older), contextWeight(newer)];
  if (
    totalWeight(sharedTerms) <
    Math.max(minSharedShareOfShorter * Math.min(...contexts), minSharedShareOfLonger * Math.max(...contexts))
  ) {
    return unrelatedResult(0.6, `They share little but ${sharedText}.`, true);
  }
  const certainty = Math.min(0.95, 0.6 + 0.1 * Math.min(2, sharedTerms.length) + (newer.isUpdate ? 0.1 : 0));
  const reason =
    sharedText === ''
      ? formatMessage('changedName', oldValue.valueClass ?? '', replaced.surfaceForm, newValue.surfaceForm)
      : formatMessage('changedShared', sharedText, replaced.surfaceForm, newValue.surfaceForm);
  return conflictResult(certainty, reason);
}

/** The sorted words of a claim without a value. */
function wordsWithout({ bag }: Claim, { term }: ClaimTerm): string {
  return bag.text
    .split(' ')
    .filter(it => it !== term)
    .join(' ');
}

/** Minimum share of the shorter claim's context that both claims share. */
const minSharedShareOfShorter = 0.4;
/** The same for the longer claim: long texts about one project always share a few words. */
const minSharedShareOfLonger = 0.25;

/** The weight of a claim's terms that are no values. */
function contextWeight({ assertedTerms, values }: Claim): number {
  return totalWeight([...assertedTerms.values()].filter(it => it.weight >= minSubjectWeight && !values.includes(it)));
}

/** The older and newer value of each class of which both claims have values and share none. */
function findValueChanges(older: Claim, newer: Claim): ValueChange[] {
  const changes: ValueChange[] = [];
  if (older.values.length === 0 || newer.values.length === 0) return changes;
  for (const valueClass of new Set(older.values.map(comparableClass))) {
    const newerValues = newer.values.filter(it => comparableClass(it) === valueClass);
    if (newerValues.length === 0) continue;
    const olderValues = older.values.filter(it => comparableClass(it) === valueClass);
    const [oldValues, newValues] = comparableValues(older, newer, olderValues, ignoreAsides(newer, newerValues));
    if (oldValues.length === 0 || newValues.length === 0) continue;
    if (oldValues.some(it => newValues.some(newValue => isSameValue(it, newValue)))) continue;
    if (mayHaveSeveralValues(valueClass, older) || mayHaveSeveralValues(valueClass, newer)) continue;
    if (
      valueClass === 'name' &&
      !(older.isOwnership && newer.isOwnership && !isSharedDuty(older, newer)) &&
      !(older.isSingleValued && newer.isSingleValued)
    )
      continue;
    if (namesSubject(older, oldValues[0]!) && namesSubject(newer, newValues[0]!)) continue;
    changes.push([oldValues[0]!, newValues[0]!]);
  }
  return changes;
}

/** Whether both state a duty that the second person may have besides the first. */
function isSharedDuty(older: Claim, newer: Claim): boolean {
  return (older.isSharedDuty || newer.isSharedDuty) && !newer.isUpdate;
}

type ValueTerms = readonly ClaimTerm[];

/** The numbers or times that can fill one slot: in "module 12 uses port 80", 12 is part of the subject. */
function comparableValues(
  older: Claim,
  newer: Claim,
  allOlder: ValueTerms,
  allNewer: ValueTerms,
): readonly [oldValues: ValueTerms, newValues: ValueTerms] {
  if (Math.max(allOlder.length, allNewer.length) < 2 || !quantityClasses.has(allOlder[0]!.valueClass!))
    return [allOlder, allNewer];
  const nonSubjectValues = [
    allOlder.filter(it => !namesSubject(older, it)),
    allNewer.filter(it => !namesSubject(newer, it)),
  ] as const;
  // With several candidates it is unknown which one has changed.
  const [oldValues, newValues] = nonSubjectValues.every(it => it.length === 1)
    ? nonSubjectValues
    : [allOlder, allNewer];
  const changedValues = [excludeValues(oldValues, newValues), excludeValues(newValues, oldValues)] as const;
  // "Of 3 workers each has 5 threads": a claim that repeats the rest changes the other number.
  const isRestated =
    changedValues.every(it => it.length === 1) &&
    wordsWithout(older, changedValues[0][0]!) === wordsWithout(newer, changedValues[1][0]!);
  return isRestated ? changedValues : [oldValues, newValues];
}

function excludeValues(values: ValueTerms, excluded: ValueTerms): ValueTerms {
  return values.filter(it => !excluded.some(value => isSameValue(it, value)));
}

/** The values without those of later clauses with content: "built from Debian, Alpine broke the build". */
function ignoreAsides({ assertedTerms }: Claim, values: readonly ClaimTerm[]): readonly ClaimTerm[] {
  const firstClause = values[0]?.clauseIndex;
  const hasContent = (clauseIndex: number): boolean =>
    [...assertedTerms.values()].some(
      it => it.clauseIndex === clauseIndex && it.valueClass === undefined && it.weight >= minSubjectWeight,
    );
  return values.filter(it => it.clauseIndex === firstClause || !hasContent(it.clauseIndex));
}

/** The class under which values are compared. */
function comparableClass({ valueClass }: Pick<ClaimTerm, 'valueClass'>): string | undefined {
  return valueClass === 'date' ? 'month' : valueClass;
}

/** Whether values are equal; a date equals its month. */
function isSameValue(left: ClaimTerm, right: ClaimTerm): boolean {
  return (
    left.term === right.term ||
    (left.valueClass !== right.valueClass && left.term.split(' ', 1)[0] === right.term.split(' ', 1)[0])
  );
}

/** Classes without a fixed list of values; such a value before the verb is part of the subject. */
const openClasses = new Set(['name', 'literal', 'number']);
function mayHaveSeveralValues(valueClass: string | undefined, { isAdditive, isPartitive }: Claim): boolean {
  if (valueClass === 'number') return false;
  return isAdditive || (isPartitive && openClasses.has(valueClass ?? ''));
}

function namesSubject(claim: Claim, { term, valueClass, isBeforeVerb }: ClaimTerm): boolean {
  return (
    isBeforeVerb &&
    openClasses.has(valueClass ?? '') &&
    !(valueClass === 'name' && claim.isOwnership) &&
    !isRequiredVersion(claim, term)
  );
}

function isSubjectTerm(claim: Claim, term: string): boolean {
  const claimTerm = claim.assertedTerms.get(term);
  return claimTerm !== undefined && namesSubject(claim, claimTerm);
}

/** Whether each claim has a subject that the other lacks, so that the values fill two slots. */
function haveDifferentSubjects(
  onlyOlder: readonly ClaimTerm[],
  onlyNewer: readonly ClaimTerm[],
  sharedTerms: readonly ClaimTerm[],
): boolean {
  const lesserWeight = Math.min(totalWeight(onlyOlder), totalWeight(onlyNewer));
  return lesserWeight >= 1 || (lesserWeight > 0 && totalWeight(sharedTerms.filter(it => !it.isVerb)) <= 1);
}

/** The subject terms of a claim that the other claim lacks, in the clause of the changed value or in all clauses. */
function exclusiveTerms(claim: Claim, otherClaim: Claim, changedValue: ClaimTerm, inAllClauses: boolean): ClaimTerm[] {
  const classTerms = classNameTerms(changedValue);
  // "Module 3 uses port 9", "module 9 uses port 27": the same number, but of another thing.
  const namesOtherSubject = (it: ClaimTerm): boolean => namesSubject(claim, it) && !namesSubject(claim, changedValue);
  const isShared = (it: ClaimTerm): boolean =>
    it.valueClass === changedValue.valueClass ? isSubjectTerm(otherClaim, it.term) : mentions(otherClaim, it.term);
  const asserted = [...claim.assertedTerms.values()].filter(
    it =>
      it.weight >= minSubjectWeight &&
      !it.isVerb &&
      (inAllClauses || it.clauseIndex === changedValue.clauseIndex) &&
      (it.valueClass !== changedValue.valueClass || namesOtherSubject(it)) &&
      !classTerms.includes(it.term) &&
      !isPartOfName(changedValue, it) &&
      !isShared(it),
  );
  const negatedTerms = claim.negatedSpans.flatMap(it => it.terms).filter(it => !mentions(otherClaim, it));
  return [...asserted, ...negatedTerms.map(it => ({ ...changedValue, term: it, surfaceForm: it, weight: 1 }))];
}

/** The words of a value's class name, which do not distinguish subjects. */
function classNameTerms({ valueClass = '' }: Pick<ClaimTerm, 'valueClass'>): readonly string[] {
  let words = classNameTermsCache.get(valueClass);
  if (words === undefined) {
    words = valueClass.split(' ').map(stem);
    classNameTermsCache.set(valueClass, (words = isToolClass(valueClass) ? words.slice(-1) : words));
  }
  return words;
}
/** By value class; there are about a hundred. */
const classNameTermsCache = new Map<string, readonly string[]>();

/** Whether a term is part of the name of a tool: "RFC 7807 problem+json". */
function isPartOfName(value: ClaimTerm, { position, isBeforeVerb, surfaceForm }: ClaimTerm): boolean {
  return (
    isToolClass(value.valueClass) &&
    !isBeforeVerb &&
    Math.abs(position - value.position) <= 2 &&
    /^[\p{Lu}\p{N}]/u.test(surfaceForm)
  );
}

/** Minimum share of the older claim's weight that a refinement repeats. */
const minRefinementShare = 0.6;
/** Minimum share from which on an unrelated result is uncertain. */
const minUncertainShare = 0.4;

/** Whether the newer claim refines the older one, after no rule found a conflict. */
function detectRefinement(older: Claim, newer: Claim, sharedTerms: readonly ClaimTerm[]): RelationResult {
  const olderNegatedTerms = older.negatedSpans.flatMap(it => it.terms);
  const alsoNegatedTerms = olderNegatedTerms.filter(it =>
    newer.negatedSpans.some(newerSpan => newerSpan.terms.includes(it)),
  );
  let [olderWeight, repeatedWeight] = [0, 0];
  for (const { term, weight } of older.assertedTerms.values()) {
    olderWeight += weight;
    if (newer.assertedTerms.has(term)) repeatedWeight += weight;
  }
  const fullWeight = olderWeight + olderNegatedTerms.length;
  const repeatedShare = fullWeight === 0 ? 0 : (repeatedWeight + alsoNegatedTerms.length) / fullWeight;
  const keepsValues = older.values.every(it => newer.assertedTerms.has(it.term) || it.valueClass === 'name');
  if (
    sharedTerms.length + alsoNegatedTerms.length > 0 &&
    repeatedShare >= minRefinementShare &&
    keepsValues &&
    findValueChanges(older, newer).length === 0
  ) {
    const sharedText = [...sharedTerms.map(it => it.surfaceForm), ...alsoNegatedTerms].join(', ');
    const addsTerms = [...newer.assertedTerms.values()].some(
      it => it.weight >= minSubjectWeight && !mentions(older, it.term),
    );
    const certainty = 0.5 + 0.4 * repeatedShare;
    return addsTerms
      ? { relation: 'refining', certainty, reason: formatMessage('saysMore', sharedText), uncertain: false }
      : { relation: 'refining', certainty, reason: formatMessage('nearlySameAbout', sharedText), uncertain: true };
  }
  return unrelatedResult(
    0.9 - 0.3 * repeatedShare,
    'They do not speak of the same thing.',
    repeatedShare >= minUncertainShare && sharedTerms.length > 0,
  );
}

import { isGivenName } from '../classify/givenNames.js';
import { isStopWord } from '../text/analyzer.js';
import { isBaseVerb, isThirdPerson } from '../text/verbs.js';
import { mayStartModality } from './modality.js';
import type { Token } from './token.js';
import { changeVerbs, exceptionMarkers, negators, terminatedStates, terminationVerbs } from './lexicon/negation.js';
import { ignorableWords, lightWords, singleValueTerms, unambiguousVerbs } from './lexicon/stopTerms.js';
import { updateMarkers } from './lexicon/temporal.js';
import {
  additiveTerms,
  auxiliaries,
  ownershipTerms,
  partitiveVerbs,
  placementVerbs,
  slotPrepositions,
} from './lexicon/verbs.js';

/** The lexical properties of a token, one bit each. They are cached with the token: a word is looked up once. */
export const flag = {
  additive: 1 << 0,
  partitive: 1 << 1,
  update: 1 << 2,
  singleValued: 1 << 3,
  ownership: 1 << 4,
  naming: 1 << 5,
  negator: 1 << 6,
  mayNegate: 1 << 7,
  ignorable: 1 << 8,
  light: 1 << 9,
  stopWord: 1 << 10,
  givenName: 1 << 11,
  auxiliary: 1 << 12,
  thirdPerson: 1 << 13,
  baseVerb: 1 << 14,
  placement: 1 << 15,
  unambiguousVerb: 1 << 16,
  /** Has the ending of a participle. */
  participle: 1 << 17,
  beforeVerb: 1 << 18,
  determiner: 1 << 19,
  using: 1 << 20,
  preposition: 1 << 21,
  /** Ends a clause. */
  clauseEnd: 1 << 22,
  reason: 1 << 23,
  by: 1 << 24,
  /** Can start a modal phrase. */
  modality: 1 << 25,
  scope: 1 << 26,
  /** A number or time, or a word that can be the start of one. */
  quantity: 1 << 27,
} as const;

const uses = new Set('use uses using'.split(' '));
const wordsBeforeVerb = new Set('we i they you to should must can may will'.split(' '));
/** Words right before a noun: "the ship sails". */
const determiners = new Set('the a an our my your their its'.split(' '));
/** Verbs before the only name of something: "the ferry is called Perpetua". */
const naming = new Set('called named nicknamed'.split(' '));
/** Words that open a reason, which is not part of the claim. */
const reasons = new Set('since because due thanks'.split(' '));
/** Words that can negate something, besides those that start with "prefer". */
const mayNegate = new Set([
  ...negators,
  ...terminationVerbs,
  ...terminatedStates,
  ...changeVerbs,
  ...'used out left leaves leave quit took_over takes_over replaced replace than over'.split(' '),
]);
const quantityStartClasses = new Set(['month', 'clock', 'number', 'frequency']);
const quantityStartWords = new Set('every each a an'.split(' '));

const flagTests: readonly (readonly [flagBit: number, isIn: (token: Token) => boolean])[] = [
  [flag.additive, it => additiveTerms.has(it.word)],
  [flag.partitive, it => partitiveVerbs.has(it.word)],
  [flag.update, it => updateMarkers.has(it.word)],
  [flag.singleValued, it => singleValueTerms.has(it.word)],
  [flag.ownership, it => ownershipTerms.has(it.word) || ownershipTerms.has(it.term)],
  [flag.naming, it => naming.has(it.word)],
  [flag.negator, it => negators.has(it.word)],
  [flag.mayNegate, it => mayNegate.has(it.word) || it.word.startsWith('prefer')],
  [flag.ignorable, it => ignorableWords.has(it.word)],
  [flag.light, it => !negators.has(it.word) && lightWords.has(it.term)],
  [flag.stopWord, it => isStopWord(it.word)],
  [flag.givenName, it => isGivenName(it.word)],
  [flag.auxiliary, it => auxiliaries.has(it.word)],
  [flag.thirdPerson, it => isThirdPerson(it.word)],
  [flag.baseVerb, it => isBaseVerb(it.word)],
  [flag.placement, it => placementVerbs.has(it.word)],
  [flag.unambiguousVerb, it => unambiguousVerbs.has(it.word)],
  [flag.participle, it => /(?:ed|en|ing)$/u.test(it.word)],
  [flag.beforeVerb, it => wordsBeforeVerb.has(it.word)],
  [flag.determiner, it => determiners.has(it.word)],
  [flag.using, it => uses.has(it.word)],
  [flag.preposition, it => Object.hasOwn(slotPrepositions, it.word)],
  [
    flag.clauseEnd,
    it => (it.isPunctuation && !/^[=:]$/u.test(it.word)) || it.word === 'but' || exceptionMarkers.has(it.word),
  ],
  [flag.reason, it => reasons.has(it.word)],
  [flag.by, it => it.word === 'by'],
  [flag.modality, it => (it.isQuoted ? it.word.split(' ').some(mayStartModality) : mayStartModality(it.word))],
  [flag.scope, it => it.valueClass?.startsWith('scope:') === true],
  [flag.quantity, it => quantityStartClasses.has(it.valueClass ?? '') || quantityStartWords.has(it.word)],
];

/** The flags of a token, a bit set of {@link flag}. */
export function flagsOf(token: Token): number {
  if (token.flags !== undefined) return token.flags;
  let flags = 0;
  for (const [flagBit, isIn] of flagTests) if (isIn(token)) flags |= flagBit;
  return (token.flags = flags);
}

/** Whether a token has at least one of the flags; false without a token. */
export function hasFlag(token: Token | undefined, flags: number): boolean {
  return token !== undefined && (flagsOf(token) & flags) !== 0;
}

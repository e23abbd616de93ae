import { isGivenName } from '../classify/people.js';
import { isStopWord } from '../text/terms.js';
import { isBaseVerb, isThirdPerson } from '../text/verbs.js';
import { acts } from './commonWords.js';
import { beginsStance } from './stance.js';
import type { Token } from './token.js';
import {
  additive,
  auxiliaries,
  changing,
  denying,
  ending,
  exceptions,
  harmless,
  having,
  light,
  over,
  ownership,
  placing,
  single,
  slotPrepositions,
  updating,
} from './words.js';

/** Tables that a token may stand in, each as a bit: a word is looked up in all of them once, and not at each statement. */
export const mark = {
  additive: 1 << 0,
  having: 1 << 1,
  updating: 1 << 2,
  single: 1 << 3,
  ownership: 1 << 4,
  naming: 1 << 5,
  denying: 1 << 6,
  mayDeny: 1 << 7,
  harmless: 1 << 8,
  light: 1 << 9,
  stopWord: 1 << 10,
  givenName: 1 << 11,
  auxiliary: 1 << 12,
  thirdPerson: 1 << 13,
  baseVerb: 1 << 14,
  placing: 1 << 15,
  act: 1 << 16,
  /** Ends as a verb after an auxiliary does. */
  participle: 1 << 17,
  beforeVerb: 1 << 18,
  determiner: 1 << 19,
  using: 1 << 20,
  preposition: 1 << 21,
  /** One part of the sentence ends here and the next begins. */
  partEnd: 1 << 22,
  reason: 1 << 23,
  by: 1 << 24,
  /** May be a stance, or begin one. */
  stance: 1 << 25,
  scope: 1 << 26,
  /** A number or time, or what may be joined with what follows to be one. */
  counted: 1 << 27,
} as const;

const uses = new Set('use uses using'.split(' '));
const beforeVerbs = new Set('we i they you to should must can may will'.split(' '));
/** What stands right after one of these is a noun: "the ship sails". */
const determiners = new Set('the a an our my your their its'.split(' '));
/** "The ferry is called Perpetua": what follows is its one name. */
const naming = new Set('called named nicknamed'.split(' '));
/** Why or since when something is so tells nothing about what is so. */
const reasons = new Set('since because due thanks'.split(' '));
/** Words that may deny something; so does what begins with "prefer". */
const mayDeny = new Set([
  ...denying,
  ...ending,
  ...over,
  ...changing,
  ...'used out left leaves leave quit took_over takes_over replaced replace than over'.split(' '),
]);
const countedKinds = new Set(['month', 'clock', 'number', 'frequency']);
const countedWords = new Set('every each a an'.split(' '));

const tables: readonly (readonly [mark: number, isIn: (token: Token) => boolean])[] = [
  [mark.additive, it => additive.has(it.word)],
  [mark.having, it => having.has(it.word)],
  [mark.updating, it => updating.has(it.word)],
  [mark.single, it => single.has(it.word)],
  [mark.ownership, it => ownership.has(it.word) || ownership.has(it.term)],
  [mark.naming, it => naming.has(it.word)],
  [mark.denying, it => denying.has(it.word)],
  [mark.mayDeny, it => mayDeny.has(it.word) || it.word.startsWith('prefer')],
  [mark.harmless, it => harmless.has(it.word)],
  [mark.light, it => !denying.has(it.word) && light.has(it.term)],
  [mark.stopWord, it => isStopWord(it.word)],
  [mark.givenName, it => isGivenName(it.word)],
  [mark.auxiliary, it => auxiliaries.has(it.word)],
  [mark.thirdPerson, it => isThirdPerson(it.word)],
  [mark.baseVerb, it => isBaseVerb(it.word)],
  [mark.placing, it => placing.has(it.word)],
  [mark.act, it => acts.has(it.word)],
  [mark.participle, it => /(?:ed|en|ing)$/u.test(it.word)],
  [mark.beforeVerb, it => beforeVerbs.has(it.word)],
  [mark.determiner, it => determiners.has(it.word)],
  [mark.using, it => uses.has(it.word)],
  [mark.preposition, it => Object.hasOwn(slotPrepositions, it.word)],
  [mark.partEnd, it => (it.isPunctuation && !/^[=:]$/u.test(it.word)) || it.word === 'but' || exceptions.has(it.word)],
  [mark.reason, it => reasons.has(it.word)],
  [mark.by, it => it.word === 'by'],
  [mark.stance, it => (it.isQuoted ? it.word.split(' ').some(beginsStance) : beginsStance(it.word))],
  [mark.scope, it => it.kind?.startsWith('scope:') === true],
  [mark.counted, it => countedKinds.has(it.kind ?? '') || countedWords.has(it.word)],
];

/** The marks of a token, one bit each. */
export function marksOf(token: Token): number {
  if (token.marks !== undefined) return token.marks;
  let marks = 0;
  for (const [its, isIn] of tables) if (isIn(token)) marks |= its;
  return (token.marks = marks);
}

/** Whether a token stands in a table, or in one of several; no token stands in any. */
export function isMarked(token: Token | undefined, marks: number): boolean {
  return token !== undefined && (marksOf(token) & marks) !== 0;
}

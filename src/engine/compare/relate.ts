import type { Claim, Term } from './claims.js';
import type { Verdict } from './compare.js';
import type { Denial } from './denials.js';
import { sentence } from '../model/sentences.js';
import { stem } from '../text/terms.js';
import { handedOver, refilled, swapped } from './fillings.js';
import { areOpposed } from './stance.js';
import { measured, tools } from './valueClasses.js';
import { conflicting, knows, spokenOf, sum, telling, unrelated, written } from './verdicts.js';

/** How one newer claim stands to one older claim: the first rule that speaks decides. */
export function relate(older: Claim, newer: Claim): Verdict {
  if (saysTheSame(older, newer)) return same;
  const scope = differingScope(older, newer);
  if (scope !== undefined) return unrelated(0.9, `One speaks of ${scope[0]}, the other of ${scope[1]}.`);
  const both: Term[] = [];
  for (const it of older.terms.values()) if (it.weight >= telling && knows(newer, it.term)) both.push(it);
  return (
    denied(older, newer, both) ??
    opposed(older, newer) ??
    changed(older, newer, both) ??
    handedOver(older, newer) ??
    refilled(older, newer) ??
    swapped(older, newer) ??
    detailed(older, newer, both)
  );
}

const same: Verdict = { relation: 'same', certainty: 0.95, reason: sentence('same'), uncertain: false };

/** The same words in the same order, or in another order where it is plain which of them is the value. */
function saysTheSame(older: Claim, newer: Claim): boolean {
  if (older.sequence === newer.sequence) return older.sequence !== '';
  if (older.bag.isEmpty || !older.bag.holdsTheSameAs(newer.bag)) return false;
  const kinds = older.values.map(it => it.kind);
  return new Set(kinds).size === kinds.length && subjectOf(older) === subjectOf(newer);
}

function subjectOf({ terms, values }: Claim): string {
  return [...terms.values()]
    .filter(it => it.weight >= telling && !values.includes(it))
    .map(it => it.term)
    .join(' ');
}

function differingScope(older: Claim, newer: Claim): readonly [string, string] | undefined {
  for (const [scope, was] of older.scopes) {
    const is = newer.scopes.get(scope);
    if (is === undefined || [...was].some(it => is.has(it))) continue;
    return [[...was].join(' and '), [...is].join(' and ')];
  }
  return undefined;
}

/** One asserts what the other denies or says is over. */
function denied(older: Claim, newer: Claim, both: readonly Term[]): Verdict | undefined {
  if (older.stance === newer.stance && (older.stance === 'must not' || older.stance === 'need not')) return undefined;
  const now = newer.denials.find(it => isDenialOf(it, newer, older));
  const before = now ?? older.denials.find(it => isDenialOf(it, older, newer));
  if (before === undefined) return undefined;
  const certainty = Math.min(0.95, 0.75 + 0.05 * both.length + (newer.isUpdate ? 0.05 : 0));
  const reason = now === undefined ? sentence('asserts', before.written) : sentence('denies', now.written);
  return conflicting(certainty, reason);
}

/** A claim that weighs at most this says one thing. */
const short = 4;
/** The share of the denied terms that the other claim must assert. */
export const deniedShare = 0.6;

function isDenialOf({ terms, isVague, early }: Denial, denier: Claim, other: Claim): boolean {
  if (isVague && !(isShort(other) && isShort(denier))) return false;
  if (isOfAnother(denier, other) && isOfAnother(other, denier)) return false;
  const missing = terms.filter(it => !other.terms.has(it));
  const covered = terms.length - missing.length;
  if (covered / terms.length < deniedShare) return false;
  if (missing.length === 0) return !isSaidAgain(denier, other, terms);
  // Both deny it, each in its own words.
  if (missing.some(it => other.spoken.has(it))) return false;
  // Another number or name is of another case.
  if (missing.some(it => !/^\p{Ll}+$/u.test(it))) return false;
  const namesValue = other.values.some(it => terms.includes(it.term) && isTool(it.kind));
  const ofTheSame = terms.slice(0, early).every(it => other.terms.has(it));
  if (namesValue || (ofTheSame && covered >= enoughDenied)) return true;
  // "Editors can't delete products" says nothing about admins.
  return [...other.terms.values()].every(it => it.weight < telling || knows(denier, it.term));
}

/** Admins must, guests need not: each begins with somebody the other does not know. */
function isOfAnother({ spoken }: Claim, other: Claim): boolean {
  const subject = [...spoken.values()].filter(it => it.isEarly && it.weight >= telling && !it.isVerb);
  return subject.length > 0 && subject.every(it => !other.spoken.has(it.term));
}

/** "We replaced Puppet with Ansible", "Ansible took the place of Puppet": no word of one is new to the other. */
function isSaidAgain(denier: Claim, other: Claim, denied: readonly string[]): boolean {
  const asserted = [...denier.terms.values()].filter(it => it.weight === 1 && !it.isVerb);
  const rest = [...other.terms.values()].filter(it => it.weight === 1 && !it.isVerb && !denied.includes(it.term));
  return (
    asserted.length > 0 &&
    rest.length > 0 &&
    [...asserted, ...rest].every(it => knows(denier, it.term) && knows(other, it.term)) &&
    other.isUpdate
  );
}

/** So many words in common leave little doubt that one thing is spoken of. */
const enoughDenied = 3;

function isShort({ terms }: Claim): boolean {
  return sum([...terms.values()]) <= short;
}

/** One orders or allows what the other forbids, or excuses from what the other orders. */
function opposed(older: Claim, newer: Claim): Verdict | undefined {
  if (!areOpposed(older.stance, newer.stance)) return undefined;
  const shared = spokenOf(older).filter(it => newer.spoken.has(it.term));
  const onlyOlder = spokenOf(older).filter(it => it.part === 0 && !newer.spoken.has(it.term) && !it.isVerb);
  const onlyNewer = spokenOf(newer).filter(it => it.part === 0 && !older.spoken.has(it.term) && !it.isVerb);
  if (!shared.some(it => !it.isVerb && it.weight === 1)) return undefined;
  if (sum(shared) < opposedShare * Math.max(sum(spokenOf(older)), sum(spokenOf(newer)))) return undefined;
  if (Math.min(sum(onlyOlder), sum(onlyNewer)) > 0) return undefined;
  return conflicting(0.7, sentence('oppositeStance', written(shared), older.stance!, newer.stance!));
}

/** The share of the longer claim that both must speak of. */
const opposedShare = 0.3;

/** The same slot holds another value. */
function changed(older: Claim, newer: Claim, both: readonly Term[]): Verdict | undefined {
  const changes = changesOf(older, newer);
  if (changes.length !== 1) return undefined;
  const [was, is] = changes[0]!;
  const onlyOlder = others(older, newer, was);
  const onlyNewer = others(newer, older, is);
  const about = both.map(it => it.written).join(', ');
  if (competes(onlyOlder, onlyNewer, both)) {
    return unrelated(
      0.7,
      `One is about ${written(onlyOlder)}, the other about ${written(onlyNewer)}.`,
      both.length > 0,
    );
  }
  if (frameOf(older, was) === frameOf(newer, is))
    return conflicting(0.8, sentence('changedKind', was.kind!, was.written, is.written));
  if (both.length === 0 && (onlyOlder.length > 0 || onlyNewer.length > 0 || !isTool(was.kind))) {
    return isTool(was.kind) && isShort(older) && (newer.isUpdate || isShort(newer))
      ? conflicting(0.55, sentence('changedName', was.kind ?? '', was.written, is.written))
      : undefined;
  }
  const contexts = [contextOf(older), contextOf(newer)];
  if (sum(both) < Math.max(sharedShare * Math.min(...contexts), sharedOfLonger * Math.max(...contexts))) {
    return unrelated(0.6, `They share little but ${about}.`, true);
  }
  const certainty = Math.min(0.95, 0.6 + 0.1 * Math.min(2, both.length) + (newer.isUpdate ? 0.1 : 0));
  const reason =
    about === ''
      ? sentence('changedName', was.kind ?? '', was.written, is.written)
      : sentence('changedShared', about, was.written, is.written);
  return conflicting(certainty, reason);
}

/** All that is said but the value, in any order. */
function frameOf({ bag }: Claim, { term }: Term): string {
  return bag.text
    .split(' ')
    .filter(it => it !== term)
    .join(' ');
}

/** The share of its context that the shorter claim must have in common. */
const sharedShare = 0.4;
/** And of the longer one's: long talk of one project has always a few words in common. */
const sharedOfLonger = 0.25;

/** What a claim says besides values. */
function contextOf({ terms, values }: Claim): number {
  return sum([...terms.values()].filter(it => it.weight >= telling && !values.includes(it)));
}

type Change = readonly [was: Term, is: Term];

/** Per kind of value that both have and of which they share none: the older and the newer one. */
function changesOf(older: Claim, newer: Claim): Change[] {
  const found: Change[] = [];
  if (older.values.length === 0 || newer.values.length === 0) return found;
  for (const kind of new Set(older.values.map(slotKind))) {
    const all = newer.values.filter(it => slotKind(it) === kind);
    if (all.length === 0) continue;
    const its = older.values.filter(it => slotKind(it) === kind);
    const [was, is] = comparable(older, newer, its, withoutAsides(newer, all));
    if (was.length === 0 || is.length === 0) continue;
    if (was.some(it => is.some(other => isSameValue(it, other)))) continue;
    if (mayBeSeveral(kind, older) || mayBeSeveral(kind, newer)) continue;
    if (kind === 'name' && !(older.isOwnership && newer.isOwnership) && !(older.isSingle && newer.isSingle)) continue;
    if (namesSubject(older, was[0]!) && namesSubject(newer, is[0]!)) continue;
    found.push([was[0]!, is[0]!]);
  }
  return found;
}

type Values = readonly Term[];

/** Of several numbers or times, those that may be of one slot: "Module 12 uses port 80" speaks of 12 and tells 80. */
function comparable(older: Claim, newer: Claim, all: Values, allNewer: Values): readonly [was: Values, is: Values] {
  if (Math.max(all.length, allNewer.length) < 2 || !measured.has(all[0]!.kind!)) return [all, allNewer];
  const told = [all.filter(it => !namesSubject(older, it)), allNewer.filter(it => !namesSubject(newer, it))] as const;
  // Of more than one that is told nobody knows which has changed.
  const [was, is] = told.every(it => it.length === 1) ? told : [all, allNewer];
  const changed = [without(was, is), without(is, was)] as const;
  // "Of 3 workers each has 5 threads": who says the rest again changes the other number.
  const isSaidAgain =
    changed.every(it => it.length === 1) && frameOf(older, changed[0][0]!) === frameOf(newer, changed[1][0]!);
  return isSaidAgain ? changed : [was, is];
}

function without(values: Values, others: Values): Values {
  return values.filter(it => !others.some(other => isSameValue(it, other)));
}

/** "Built from Debian, Alpine broke the build": what a later part tells of an older value is its end, not its use. */
function withoutAsides({ terms }: Claim, values: readonly Term[]): readonly Term[] {
  const first = values[0]?.part;
  const tells = (part: number): boolean =>
    [...terms.values()].some(it => it.part === part && it.kind === undefined && it.weight >= telling);
  return values.filter(it => it.part === first || !tells(it.part));
}

/** Values of one such kind may be of one slot. */
export function slotKind({ kind }: Pick<Term, 'kind'>): string | undefined {
  return kind === 'date' ? 'month' : kind;
}

/** A day is in its month. */
function isSameValue(one: Term, other: Term): boolean {
  return (
    one.term === other.term || (one.kind !== other.kind && one.term.split(' ', 1)[0] === other.term.split(' ', 1)[0])
  );
}

/** Kinds that hold whatever is written; where such a value stands before the verb it is what the claim speaks of. */
const open = new Set(['name', 'literal', 'number']);
function mayBeSeveral(kind: string | undefined, { isAdditive, isHaving }: Claim): boolean {
  if (kind === 'number') return false;
  return isAdditive || (isHaving && open.has(kind ?? ''));
}

function namesSubject(claim: Claim, { kind, isEarly }: Term): boolean {
  return isEarly && open.has(kind ?? '') && !(kind === 'name' && claim.isOwnership);
}

function isSubjectOf(claim: Claim, term: string): boolean {
  const its = claim.terms.get(term);
  return its !== undefined && namesSubject(claim, its);
}

function isTool(kind: string | undefined): boolean {
  return Object.hasOwn(tools, kind ?? '');
}

/** Whether each speaks of something that the other does not: then the values are of two slots. */
function competes(onlyOlder: readonly Term[], onlyNewer: readonly Term[], both: readonly Term[]): boolean {
  const least = Math.min(sum(onlyOlder), sum(onlyNewer));
  return least >= 1 || (least > 0 && sum(both.filter(it => !it.isVerb)) <= 1);
}

/** What tells the claim's subject apart and is not in the other claim, in the part that holds the changed value. */
function others(claim: Claim, other: Claim, changed: Term): Term[] {
  const slot = slotWords(changed);
  // "Module 3 uses port 9", "module 9 uses port 27": the same number, of another thing.
  const isOfSubject = (it: Term): boolean => namesSubject(claim, it) && !namesSubject(claim, changed);
  const isKnown = (it: Term): boolean =>
    it.kind === changed.kind ? isSubjectOf(other, it.term) : knows(other, it.term);
  const asserted = [...claim.terms.values()].filter(
    it =>
      it.weight >= telling &&
      !it.isVerb &&
      it.part === changed.part &&
      (it.kind !== changed.kind || isOfSubject(it)) &&
      !slot.includes(it.term) &&
      !isPartOf(changed, it) &&
      !isKnown(it),
  );
  const denied = claim.denials.flatMap(it => it.terms).filter(it => !knows(other, it));
  return [...asserted, ...denied.map(it => ({ ...changed, term: it, written: it, weight: 1 }))];
}

/** The words that name the kind of a value tell no subject apart. */
export function slotWords({ kind = '' }: Pick<Term, 'kind'>): readonly string[] {
  let words = knownSlots.get(kind);
  if (words === undefined) {
    words = kind.split(' ').map(stem);
    knownSlots.set(kind, (words = isTool(kind) ? words.slice(-1) : words));
  }
  return words;
}
/** By kind, of which there are some hundred. */
const knownSlots = new Map<string, readonly string[]>();

/** "RFC 7807 problem+json": names beside a tool are of its name. */
export function isPartOf(value: Term, { at, isEarly, written }: Term): boolean {
  return isTool(value.kind) && !isEarly && Math.abs(at - value.at) <= 2 && /^[\p{Lu}\p{N}]/u.test(written);
}

/** The share of the older claim that a newer one must keep to be a closer telling of it. */
export const keptShare = 0.6;
/** And from which on nobody can be sure that it is not. */
export const doubtfulShare = 0.4;

/** Nothing conflicts: is the newer one the older with more? */
function detailed(older: Claim, newer: Claim, both: readonly Term[]): Verdict {
  const ended = older.denials.flatMap(it => it.terms);
  const endedToo = ended.filter(it => newer.denials.some(its => its.terms.includes(it)));
  let [said, saidAgain] = [0, 0];
  for (const { term, weight } of older.terms.values()) {
    said += weight;
    if (newer.terms.has(term)) saidAgain += weight;
  }
  const whole = said + ended.length;
  const kept = whole === 0 ? 0 : (saidAgain + endedToo.length) / whole;
  const keepsValues = older.values.every(it => newer.terms.has(it.term) || it.kind === 'name');
  if (both.length + endedToo.length > 0 && kept >= keptShare && keepsValues && changesOf(older, newer).length === 0) {
    const about = [...both.map(it => it.written), ...endedToo].join(', ');
    const adds = [...newer.terms.values()].some(it => it.weight >= telling && !knows(older, it.term));
    const certainty = 0.5 + 0.4 * kept;
    return adds
      ? { relation: 'refining', certainty, reason: sentence('saysMore', about), uncertain: false }
      : { relation: 'refining', certainty, reason: sentence('nearlySameAbout', about), uncertain: true };
  }
  return unrelated(0.9 - 0.3 * kept, 'They do not speak of the same thing.', kept >= doubtfulShare && both.length > 0);
}

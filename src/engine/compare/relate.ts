import type { Claim, Term } from './claims.js';
import type { Verdict } from './compare.js';
import type { Denial } from './denials.js';

/** How one newer claim stands to one older claim: the first rule that speaks decides. */
export function relate(older: Claim, newer: Claim): Verdict {
  if (saysTheSame(older, newer)) return same;
  const scope = differingScope(older, newer);
  if (scope !== undefined) return unrelated(0.9, `One speaks of ${scope[0]}, the other of ${scope[1]}.`);
  const both = [...older.terms.values()].filter(it => it.weight >= telling && knows(newer, it.term));
  return (
    denied(older, newer, both) ?? changed(older, newer, both) ?? refilled(older, newer) ?? detailed(older, newer, both)
  );
}

const same: Verdict = { relation: 'same', certainty: 0.95, reason: 'Both say the same.', uncertain: false };

/** Terms of less weight are no subject. */
const telling = 0.5;

/** The same words in the same order, or in another order where it is plain which of them is the value. */
function saysTheSame(older: Claim, newer: Claim): boolean {
  if (older.sequence === newer.sequence) return older.sequence !== '';
  if (older.bag !== newer.bag || older.bag === '') return false;
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
  const now = newer.denials.find(it => isDenialOf(it, newer, older));
  const before = now ?? older.denials.find(it => isDenialOf(it, older, newer));
  if (before === undefined) return undefined;
  const certainty = Math.min(0.95, 0.75 + 0.05 * both.length + (newer.isUpdate ? 0.05 : 0));
  const reason =
    now === undefined
      ? `The older one denies "${before.written}", the newer one says it.`
      : `The older one says it, the newer one denies or ends it: "${now.written}".`;
  return conflicting(certainty, reason);
}

/** A claim that weighs at most this says one thing. */
const short = 4;
/** The share of the denied terms that the other claim must assert. */
const deniedShare = 0.6;

function isDenialOf({ terms, isVague, early }: Denial, denier: Claim, other: Claim): boolean {
  if (isVague && !(isShort(other) && isShort(denier))) return false;
  const missing = terms.filter(it => !other.terms.has(it));
  const covered = terms.length - missing.length;
  if (covered / terms.length < deniedShare) return false;
  if (missing.length === 0) return true;
  // Another number or name is of another case.
  if (missing.some(it => !/^\p{Ll}+$/u.test(it))) return false;
  const namesValue = other.values.some(it => terms.includes(it.term) && isTool(it.kind));
  const ofTheSame = terms.slice(0, early).every(it => other.terms.has(it));
  if (namesValue || (ofTheSame && covered >= enoughDenied)) return true;
  // "Editors can't delete products" says nothing about admins.
  return [...other.terms.values()].every(it => it.weight < telling || knows(denier, it.term));
}

/** So many words in common leave little doubt that one thing is spoken of. */
const enoughDenied = 3;

function isShort({ terms }: Claim): boolean {
  return sum([...terms.values()]) <= short;
}

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
  if (both.length === 0 && (onlyOlder.length > 0 || onlyNewer.length > 0 || !isTool(was.kind))) {
    return isTool(was.kind) && isShort(older) && (newer.isUpdate || isShort(newer))
      ? conflicting(0.55, `Both name the ${was.kind ?? ''}: ${was.written} and now ${is.written}.`)
      : undefined;
  }
  if (sum(both) < sharedShare * Math.min(contextOf(older), contextOf(newer))) {
    return unrelated(0.6, `They share little but ${about}.`, true);
  }
  const certainty = Math.min(0.95, 0.6 + 0.1 * Math.min(2, both.length) + (newer.isUpdate ? 0.1 : 0));
  const where = about === '' ? `Both name the ${was.kind ?? ''}` : `Both speak of ${about}`;
  return conflicting(certainty, `${where}: ${was.written} and now ${is.written}.`);
}

/** The share of its context that the shorter claim must have in common. */
const sharedShare = 0.4;

/** What a claim says besides values. */
function contextOf({ terms, values }: Claim): number {
  return sum([...terms.values()].filter(it => it.weight >= telling && !values.includes(it)));
}

type Change = readonly [was: Term, is: Term];

/** Per kind of value that both have and of which they share none: the older and the newer one. */
function changesOf(older: Claim, newer: Claim): Change[] {
  const found: Change[] = [];
  for (const kind of new Set(older.values.map(it => it.kind))) {
    const was = older.values.filter(it => it.kind === kind);
    const is = newer.values.filter(it => it.kind === kind);
    if (is.length === 0 || was.some(it => is.some(its => its.term === it.term))) continue;
    if (mayBeSeveral(kind, older) || mayBeSeveral(kind, newer)) continue;
    if (kind === 'name' && !(older.isOwnership && newer.isOwnership) && !(older.isSingle && newer.isSingle)) continue;
    if (namesSubject(older, was[0]!) && namesSubject(newer, is[0]!)) continue;
    found.push([was[0]!, is[0]!]);
  }
  return found;
}

/** Kinds that hold whatever is written; where such a value stands before the verb it is what the claim speaks of. */
const open = new Set(['name', 'literal', 'number']);
/** Kinds that nearly every statement may hold; that both do says nothing. */
const measures = new Set(
  'number duration frequency bytes percentage pixels characters weekday month date clock season'.split(' '),
);

function mayBeSeveral(kind: string | undefined, { isAdditive, isHaving }: Claim): boolean {
  if (kind === 'number') return false;
  return isAdditive || (isHaving && open.has(kind ?? ''));
}

function namesSubject(claim: Claim, { kind, isEarly }: Term): boolean {
  return isEarly && open.has(kind ?? '') && !(kind === 'name' && claim.isOwnership);
}

function isTool(kind: string | undefined): boolean {
  return kind !== undefined && !open.has(kind) && !measures.has(kind);
}

/** Whether each speaks of something that the other does not: then the values are of two slots. */
function competes(onlyOlder: readonly Term[], onlyNewer: readonly Term[], both: readonly Term[]): boolean {
  const least = Math.min(sum(onlyOlder), sum(onlyNewer));
  return least >= 1 || (least > 0 && sum(both.filter(it => !it.isVerb)) <= 1);
}

/** What tells the claim's subject apart and is not in the other claim, in the part that holds the changed value. */
function others(claim: Claim, other: Claim, changed: Term): Term[] {
  const slot = (changed.kind ?? '').split(' ').at(-1)!;
  const asserted = [...claim.terms.values()].filter(
    it =>
      it.weight >= telling &&
      !it.isVerb &&
      it.part === changed.part &&
      it.kind !== changed.kind &&
      it.term !== slot &&
      !knows(other, it.term),
  );
  const denied = claim.denials.flatMap(it => it.terms).filter(it => !knows(other, it));
  return [...asserted, ...denied.map(it => ({ ...changed, term: it, written: it, weight: 1 }))];
}

function knows(claim: Claim, term: string): boolean {
  return claim.terms.has(term) || claim.denials.some(it => it.terms.includes(term));
}

/** "Timestamps are stored as …": the same subject and slot, filled with other words that are no known values. */
function refilled(older: Claim, newer: Claim): Verdict | undefined {
  if (older.slot === undefined || older.slot !== newer.slot) return undefined;
  const subject = placed(older, true).join(' ');
  if (subject === '' || subject !== placed(newer, true).join(' ')) return undefined;
  const [was, is] = [placed(older, false), placed(newer, false)];
  if (was.length === 0 || is.length === 0 || was.length > maxFilling || is.length > maxFilling) return undefined;
  if (was.some(it => knows(newer, it)) || is.some(it => knows(older, it))) return undefined;
  return conflicting(0.65, `Both say ${older.slot} what "${subject}" is: ${was.join(' ')} and now ${is.join(' ')}.`);
}

/** Words that fill a slot at most; more of them are a description. */
const maxFilling = 3;

function placed({ terms }: Claim, early: boolean): string[] {
  return [...terms.values()]
    .filter(it => it.isEarly === early && it.weight >= telling && !it.isVerb)
    .map(it => it.term);
}

/** The share of the older claim that a newer one must keep to be a closer telling of it. */
const keptShare = 0.6;

/** Nothing conflicts: is the newer one the older with more? */
function detailed(older: Claim, newer: Claim, both: readonly Term[]): Verdict {
  const all = [...older.terms.values()];
  const ended = older.denials.flatMap(it => it.terms);
  const endedToo = ended.filter(it => newer.denials.some(its => its.terms.includes(it)));
  const whole = sum(all) + ended.length;
  const kept = whole === 0 ? 0 : (sum(all.filter(it => newer.terms.has(it.term))) + endedToo.length) / whole;
  const keepsValues = older.values.every(it => newer.terms.has(it.term) || it.kind === 'name');
  if (both.length + endedToo.length > 0 && kept >= keptShare && keepsValues && changesOf(older, newer).length === 0) {
    const about = [...both.map(it => it.written), ...endedToo].join(', ');
    const adds = [...newer.terms.values()].some(it => it.weight >= telling && !knows(older, it.term));
    const certainty = 0.5 + 0.4 * kept;
    return adds
      ? { relation: 'refining', certainty, reason: `The newer one says more about ${about}.`, uncertain: false }
      : { relation: 'refining', certainty, reason: `Both say nearly the same about ${about}.`, uncertain: true };
  }
  return unrelated(0.9 - 0.3 * kept, 'They do not speak of the same thing.', kept >= 0.4 && both.length > 0);
}

function sum(terms: readonly Term[]): number {
  return terms.reduce((total, it) => total + it.weight, 0);
}

function written(terms: readonly Term[]): string {
  return terms.map(it => it.written).join(', ');
}

function conflicting(certainty: number, reason: string): Verdict {
  return { relation: 'conflicting', certainty, reason, uncertain: certainty < 0.7 };
}

function unrelated(certainty: number, reason: string, uncertain = false): Verdict {
  return { relation: 'unrelated', certainty, reason, uncertain };
}

import { sentence } from '../model/sentences.js';
import type { Claim, Slot } from './claims.js';
import type { Verdict } from './compare.js';
import { conflicting, spokenOf, sum, telling, told, written } from './verdicts.js';

/** Rules for what fills one place of a sentence with other words, which are no known values. */

/** "Timestamps are stored as …": the same subject and slot, filled with other words that are no known values. */
export function refilled(older: Claim, newer: Claim): Verdict | undefined {
  const [was, is] = [older.slot, newer.slot];
  if (was === undefined || is === undefined) return undefined;
  // "Use A for X" and "use B for X" may both hold, unless A and B are names or the newer one says that it is new.
  const isTold = newer.isUpdate || (isNamed(was, older) && isNamed(is, newer));
  const verbs = [was.verb, is.verb].filter(it => it !== '');
  if (verbs.includes('use') ? !isTold : new Set(verbs).size > 1) return undefined;
  if (was.preposition !== is.preposition && !isTold) return undefined;
  if (older.isAdditive || newer.isAdditive || was.subject.length === 0) return undefined;
  if (!hasAll(was.subject, is.subject) || !hasAll(is.subject, was.subject)) return undefined;
  const [before, now] = [was.filling, is.filling];
  if (before.length === 0 || now.length === 0 || Math.max(before.length, now.length) > maxFilling) return undefined;
  if ([...before, ...was.rest].some(it => newer.spoken.has(it)) || now.some(it => older.spoken.has(it)))
    return undefined;
  if (was.rest.length > 0 && is.rest.length > 0) return undefined;
  return conflicting(0.65, sentence('changed', told(older, was.subject), told(older, before), told(newer, now)));
}

/** "Translators work in …": word for word the same, but for what follows the preposition. */
export function swapped(older: Claim, newer: Claim): Verdict | undefined {
  if (older.stance !== undefined || newer.stance !== undefined || older.isAdditive || newer.isAdditive)
    return undefined;
  if (!beginAlike(older.sequence, newer.sequence)) return undefined;
  const [was, is] = [older.sequence.split(' '), newer.sequence.split(' ')];
  const from = was.findIndex((it, i) => it !== is[i]);
  const [before, now] = [was.slice(from), is.slice(from)];
  if (from < 3 || !placings.has(was[from - 1]!) || Math.max(before.length, now.length) > 2) return undefined;
  const areNames = [before, now].every((its, i) => its.every(it => [older, newer][i]!.terms.get(it)?.kind === 'name'));
  // Of two names a word such as "team" is subject enough.
  const isOfSubject = was.slice(0, from).some(it => {
    const term = older.terms.get(it);
    return term?.isEarly === true && (term.weight === 1 || (areNames && !term.isVerb));
  });
  const isTelling = [before, now].every((its, i) =>
    its.every(it => ([older, newer][i]!.terms.get(it)?.weight ?? 0) >= telling),
  );
  if (!isOfSubject || !isTelling || before.length * now.length === 0) return undefined;
  return conflicting(0.6, sentence('changed', told(older, was.slice(0, 1)), told(older, before), told(newer, now)));
}

/** Whether three words are the same: most do not get so far. */
function beginAlike(one: string, other: string): boolean {
  let words = 0;
  for (let i = 0; words < 3; i++) {
    const letter = one.charCodeAt(i);
    if (letter !== other.charCodeAt(i) || Number.isNaN(letter)) return false;
    if (letter === space) words++;
  }
  return true;
}
const space = ' '.charCodeAt(0);

const placings = new Set('in with as from through via by at'.split(' '));

/** A name after any preposition tells where or with what. */
function isNamed({ filling }: Slot, { terms }: Claim): boolean {
  return filling.some(it => /^\p{Lu}/u.test(terms.get(it)?.written ?? ''));
}

function hasAll(all: readonly string[], some: readonly string[]): boolean {
  return some.every(it => all.includes(it));
}

/** Words that fill a slot at most; more of them are a description. */
const maxFilling = 3;

/** Where the other claim says by whom, what stands before the verb does it. */
function agentsOf({ agent, terms }: Claim, other: Claim): readonly string[] {
  if (agent.length > 0 || other.agent.length === 0 || other.isOwnership) return agent;
  return [...terms.values()].filter(it => it.isEarly && it.weight >= telling && !it.isVerb).map(it => it.term);
}

/** Another one is in charge of the same. */
export function handedOver(older: Claim, newer: Claim): Verdict | undefined {
  const [was, is] = [agentsOf(older, newer), agentsOf(newer, older)];
  if (was.length === 0 || is.length === 0 || Math.max(was.length, is.length) > maxFilling) return undefined;
  if (was.some(it => newer.terms.has(it)) || is.some(it => older.terms.has(it))) return undefined;
  const [onlyOlder, onlyNewer] = [
    spokenOf(older).filter(it => it.part === 0 && !it.isVerb && !newer.spoken.has(it.term) && !was.includes(it.term)),
    spokenOf(newer).filter(it => it.part === 0 && !it.isVerb && !older.spoken.has(it.term) && !is.includes(it.term)),
  ];
  const shared = spokenOf(older).filter(it => newer.spoken.has(it.term) && !it.isVerb);
  if (shared.length === 0 || Math.min(sum(onlyOlder), sum(onlyNewer)) > 0) return undefined;
  return conflicting(0.7, sentence('changed', written(shared), told(older, was), told(newer, is)));
}

import { hashOf } from '../text/hash.js';
import { weights, type Claim, type Term } from './claims.js';
import type { Statement } from './compare.js';
import { deniedShare, doubtfulShare, isPartOf, keptShare, slotKind, slotWords } from './relate.js';
import { areOpposed, type Stance } from './stance.js';
import { telling } from './verdicts.js';

/**
 * A claim in some thirty bytes: enough to tell of most pairs that the rules find nothing in them, so that neither text is
 * read for it. Hashes stand for words; where two are the same by chance, more is thought possible than is.
 */
export type Sketch = Uint16Array;

/** What the rules may find: nothing, which is certain; at most a doubt, which is `unrelated` but uncertain; or anything. */
export type Prospect = 'nothing' | 'doubt' | 'anything';

/** Where each field stands, 16 bits each; the terms follow, 13 bits of a hash and three for how it is said. */
const field = { stance: 0, agent: 1, leastDenied: 2, kinds: 3, begins: 5, bag: 6, subject: 7, terms: 8 } as const;
const all = 0xffff;
const stances: readonly (Stance | undefined)[] = [undefined, 'must', 'may', 'must not', 'need not'];
const agents = { none: 0, named: 1, inCharge: 2 } as const;
/** How a term is said: denied, or asserted with a weight; a firm one tells its claim's subject apart, whatever changes. */
const denied = 0;
const firm = 4;
const saidWeights: readonly number[] = [0, weights.generic, weights.weak, weights.specific, weights.specific];
const sayingBits = 3;
const saying = (1 << sayingBits) - 1;

/** Undefined of several claims, and of none. */
export function sketchOf({ claims }: Pick<Statement, 'claims'>): Sketch | undefined {
  return claims.length === 1 ? sketchOfClaim(claims[0]!) : undefined;
}

function sketchOfClaim(claim: Claim): Sketch {
  const { terms, denials, values, slot, agent, isOwnership, stance, bag, sequence } = claim;
  let deniedTerms = 0;
  for (const it of denials) deniedTerms += it.terms.length;
  const sketch = new Uint16Array(field.terms + terms.size + deniedTerms);
  sketch[field.stance] = stances.indexOf(stance);
  sketch[field.agent] = agents[agent.length === 0 ? 'none' : isOwnership ? 'inCharge' : 'named'];
  sketch[field.leastDenied] = denials.reduce((least, it) => Math.min(least, it.terms.length), all);
  let kinds = 0;
  const slots: string[] = [];
  for (const it of values) {
    kinds |= 1 << hashOf(slotKind(it) ?? '');
    slots.push(...slotWords(it));
  }
  sketch[field.kinds] = kinds;
  sketch[field.kinds + 1] = kinds >>> 16;
  sketch[field.begins] = sumOf(sequence.split(' ', 3));
  sketch[field.bag] = sumOf(bag.words);
  if (slot !== undefined) sketch[field.subject] = sumOf(new Set(slot.subject));
  let i = field.terms as number;
  for (const it of terms.values()) {
    sketch[i++] = termOf(it.term, isFirm(it, values, slots) ? firm : saidWeights.indexOf(it.weight));
  }
  for (const it of denials) for (const term of it.terms) sketch[i++] = termOf(term, denied);
  return sketch;
}

/** Whether it is counted among what only its claim speaks of (`others`), whichever of the claim's values changes. */
function isFirm(it: Term, values: readonly Term[], slots: readonly string[]): boolean {
  return (
    values.length > 0 &&
    it.weight === weights.specific &&
    it.kind === undefined &&
    !it.isVerb &&
    !slots.includes(it.term) &&
    values.every(value => it.part === value.part && !isPartOf(value, it))
  );
}

function termOf(term: string, said: number): number {
  return ((hashOf(term) << sayingBits) | said) & all;
}

/** Of words in any order. */
function sumOf(words: Iterable<string>): number {
  let sum = 0;
  for (const it of words) sum += hashOf(it) & all;
  return sum & all;
}

/**
 * What `relate` may find of two claims, whichever of them is the newer. For each of its rules what the rule cannot do
 * without is looked for here; who changes a rule changes it here too.
 */
export function prospect(one: Sketch, other: Sketch): Prospect {
  if (
    // saysTheSame and swapped
    one[field.begins] === other[field.begins] ||
    one[field.bag] === other[field.bag] ||
    // opposed
    areOpposed(stances[one[field.stance]!], stances[other[field.stance]!]) ||
    // handedOver
    mayBeHandedOver(one[field.agent]!, other[field.agent]!) ||
    // refilled
    (one[field.subject] === other[field.subject] && one[field.subject] !== 0)
  )
    return 'anything';
  // changed
  const mayChange =
    (one[field.kinds]! & other[field.kinds]!) !== 0 || (one[field.kinds + 1]! & other[field.kinds + 1]!) !== 0;
  const found = detail(one, other, mayChange);
  if (found === 'anything') return found;
  const reverse = detail(other, one, mayChange);
  return found === 'doubt' && reverse === 'nothing' ? found : reverse;
}

/** Both say who; or one of them does so by the way, and the other one's subject may be who. */
function mayBeHandedOver(one: number, other: number): boolean {
  return (one !== agents.none && other !== agents.none) || one === agents.named || other === agents.named;
}

/**
 * What `denied`, `changed` and `detailed` may find, where the first one is the older.
 * @param mayChange whether both have values of one kind
 */
function detail(older: Sketch, newer: Sketch, mayChange: boolean): Prospect {
  let [said, saidAgain, ended, endedToo, deniedOfNewer] = [0, 0, 0, 0, 0];
  let [shared, competes] = [false, false];
  for (let i = field.terms; i < older.length; i++) {
    const its = older[i]!;
    let [isSaid, isDenied] = [false, false];
    for (let j = field.terms; j < newer.length; j++) {
      const other = newer[j]!;
      if ((other ^ its) > saying) continue;
      if ((other & saying) === denied) isDenied = true;
      else isSaid = true;
    }
    const how = its & saying;
    if (how === denied) {
      ended++;
      if (isDenied) endedToo++;
      if (isSaid) deniedOfNewer++;
      continue;
    }
    const weight = saidWeights[how]!;
    said += weight;
    if (isSaid) saidAgain += weight;
    if (isSaid || isDenied) shared ||= weight >= telling;
    else competes ||= how === firm;
  }
  if (deniedOfNewer > 0 && deniedOfNewer / older[field.leastDenied]! >= deniedShare) return 'anything';
  // Where each speaks of something else the change is none, and doubtful where they share something.
  if (mayChange && !competes) return 'anything';
  if (!shared && endedToo === 0) return 'nothing';
  const whole = said + ended;
  const kept = whole === 0 ? 0 : (saidAgain + endedToo) / whole;
  if (kept >= keptShare) return 'anything';
  return shared && (mayChange || kept >= doubtfulShare) ? 'doubt' : 'nothing';
}

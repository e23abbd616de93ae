import type { Claim, Term } from './claims.js';
import { contraries, measured, times, tools } from './valueClasses.js';

/** Keys of a statement at most. */
const maxKeys = 8;
/** Nouns of a claim that are made into keys; the first ones are mostly its subject. */
const maxNouns = 4;
/** Of these, the ones that are joined with what is said of them. */
const maxSubjects = 3;
/** Terms of less weight are in too many statements. */
const least = 0.5;

/**
 * What claims speak of, so that a change is found by a look-up among very many statements: a tool or name itself (who
 * drops Jenkins names it), two nouns, and a noun with the kind of what is said of it (`port|gateway`); a noun by itself
 * only where there is no other, and never a value that stands in statements about anything ("daily", "enabled").
 */
export function keysOf(claims: readonly Claim[]): string[] {
  const keys = new Set<string>();
  for (const claim of claims) {
    for (const key of keysOfClaim(claim)) keys.add(key);
    if (keys.size >= maxKeys) break;
  }
  return [...keys].slice(0, maxKeys);
}

function keysOfClaim({ spoken, stance, denials }: Claim): string[] {
  const all = [...spoken.values()];
  const named = all.filter(isNamed).slice(0, 2);
  const nouns = nounsOf(all);
  const subjects = nouns.slice(0, maxSubjects);
  const kinds = new Set(
    all.filter(it => it.kind !== undefined && it.kind !== 'literal' && !it.kind.startsWith('scope:')).map(kindKey),
  );
  if (stance !== undefined || denials.length > 0) kinds.add('state');
  const said = [...kinds].flatMap(kind =>
    subjects.slice(0, kind === 'state' ? 2 : maxSubjects).map(it => `${kind}|${it}`),
  );
  const pairs = nouns.flatMap((one, i) => nouns.slice(i + 1).map(other => [one, other].sort().join(' ')));
  const alone = subjects.length > 0 ? subjects.slice(0, 1) : [...kinds];
  return [...named.map(it => it.term), ...pairs.slice(0, 2), ...alone, ...said, ...pairs.slice(2)];
}

/** The most telling first, in their order; verbs only where there is nothing else. */
function nounsOf(all: readonly Term[]): string[] {
  const plain = all.filter(it => it.weight >= least && (it.kind === undefined || it.kind.startsWith('scope:')));
  const nouns = plain.filter(it => !it.isVerb);
  return (nouns.length > 0 ? nouns : plain)
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, maxNouns)
    .map(it => it.term);
}

/** Opposites, orders and denials are all of one kind: each may be told by another. */
function kindKey({ kind = '' }: Term): string {
  return Object.hasOwn(contraries, kind) ? 'state' : kind;
}

function isNamed({ kind, term }: Term): boolean {
  if (kind === undefined || kind.startsWith('scope:') || /^\d/u.test(term)) return false;
  return (
    Object.hasOwn(tools, kind) ||
    (!Object.hasOwn(contraries, kind) && !Object.hasOwn(times, kind) && !measured.has(kind))
  );
}

import type { Claim, ClaimTerm } from './claimParser.js';
import { antonyms, quantityClasses, timeValues, toolCategories } from './lexicon/exclusiveValues.js';

/** Keys of a statement at most. */
const maxKeys = 8;
/** Nouns of a claim that are made into keys; the first ones are mostly its subject. */
const maxNouns = 4;
/** Of these, the ones that are joined with what is said of them. */
const maxSubjects = 3;
/** Terms of less weight are in too many statements. */
const minNounWeight = 0.5;

/**
 * What claims speak of, so that a change is found by a look-up among very many statements: a tool or name itself (who
 * drops Jenkins names it), two nouns, and a noun with the kind of what is said of it (`port|gateway`); a noun by itself
 * only where there is no other, and never a value that stands in statements about anything ("daily", "enabled").
 */
export function extractTopicKeys(claims: readonly Claim[]): string[] {
  const keys = new Set<string>();
  for (const claim of claims) {
    for (const key of claimTopicKeys(claim)) keys.add(key);
    if (keys.size >= maxKeys) break;
  }
  return [...keys].slice(0, maxKeys);
}

function claimTopicKeys({ allTerms, modality, negatedSpans }: Claim): string[] {
  const all = [...allTerms.values()];
  const names = all.filter(isNamedEntity).slice(0, 2);
  const nouns = rankNouns(all);
  const subjects = nouns.slice(0, maxSubjects);
  const classNames = new Set(
    all
      .filter(it => it.valueClass !== undefined && it.valueClass !== 'literal' && !it.valueClass.startsWith('scope:'))
      .map(predicateClass),
  );
  if (modality !== undefined || negatedSpans.length > 0) classNames.add('state');
  const predicateKeys = [...classNames].flatMap(className =>
    subjects.slice(0, className === 'state' ? 2 : maxSubjects).map(it => `${className}|${it}`),
  );
  const pairs = nouns.flatMap((noun, i) => nouns.slice(i + 1).map(nextNoun => [noun, nextNoun].sort().join(' ')));
  const standaloneKeys = subjects.length > 0 ? subjects.slice(0, 1) : [...classNames];
  return [...names.map(it => it.term), ...pairs.slice(0, 2), ...standaloneKeys, ...predicateKeys, ...pairs.slice(2)];
}

/** The most telling first, in their order; verbs only where there is nothing else. */
function rankNouns(all: readonly ClaimTerm[]): string[] {
  const plain = all.filter(
    it => it.weight >= minNounWeight && (it.valueClass === undefined || it.valueClass.startsWith('scope:')),
  );
  const nouns = plain.filter(it => !it.isVerb);
  return (nouns.length > 0 ? nouns : plain)
    .toSorted((left, right) => right.weight - left.weight)
    .slice(0, maxNouns)
    .map(it => it.term);
}

/** Opposites, orders and denials are all of one kind: each may be told by another. */
function predicateClass({ valueClass = '' }: ClaimTerm): string {
  return Object.hasOwn(antonyms, valueClass) ? 'state' : valueClass;
}

function isNamedEntity({ valueClass, term }: ClaimTerm): boolean {
  if (valueClass === undefined || valueClass.startsWith('scope:') || /^\d/u.test(term)) return false;
  return (
    Object.hasOwn(toolCategories, valueClass) ||
    (!Object.hasOwn(antonyms, valueClass) && !Object.hasOwn(timeValues, valueClass) && !quantityClasses.has(valueClass))
  );
}

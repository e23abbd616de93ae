import type { Claim, ClaimTerm } from './claimParser.js';
import { antonyms, quantityClasses, timeValues, toolCategories } from './lexicon/exclusiveValues.js';

/** Maximum number of keys of a statement. */
const maxKeys = 8;
/** Maximum number of nouns of a claim in its keys; the first ones are mostly its subject. */
const maxNouns = 4;
/** Maximum number of nouns that are joined with the predicate classes. */
const maxSubjects = 3;
/** Terms with less weight occur in too many statements. */
const minNounWeight = 0.5;

/**
 * The topic keys of claims, by which a lookup among many statements finds those to compare: tools, their classes and
 * names, pairs of nouns, and nouns with the class of their predicate (`port|gateway`). The first noun is a key by itself too. A value
 * that occurs in statements about anything ("daily", "enabled") is never one.
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
  // Of most classes of tools a project has one: what names another is compared, whatever it shares.
  const toolClasses = [...new Set(all.map(it => it.valueClass ?? '').filter(it => Object.hasOwn(toolCategories, it)))];
  return [
    ...names.map(it => it.term),
    ...toolClasses.slice(0, 2).map(it => `tool|${it}`),
    ...pairs.slice(0, 2),
    ...standaloneKeys,
    ...predicateKeys,
    ...pairs.slice(2),
  ];
}

/** Nouns by weight, then by position; verbs only if there are no nouns. */
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

/** Antonyms, modality and negation form one class, because each can be expressed by another. */
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

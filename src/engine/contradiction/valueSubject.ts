import type { Claim, ClaimTerm, ClaimWord } from './claimParser.js';
import { toolCategories } from './lexicon/exclusiveValues.js';

/** Two values of one class, the older claim's and the newer's. */
export type ValueChange = readonly [oldValue: ClaimTerm, newValue: ClaimTerm];

export function isToolClass(valueClass: string | undefined): boolean {
  return Object.hasOwn(toolCategories, valueClass ?? '');
}

/**
 * Whether claims of the same build differ in a word that names or describes what they speak of, besides the value: "the
 * read timeout is 5 s", "the write timeout is 30 s".
 */
export function namesOtherThing(older: Claim, newer: Claim, [oldValue, newValue]: ValueChange): boolean {
  const hasSelector = (claim: Claim, otherClaim: Claim): boolean =>
    claim.words.some(it => selectors.has(it.term) && !otherClaim.words.some(other => other.term === it.term));
  if (!newer.isUpdate && (hasSelector(older, newer) || hasSelector(newer, older))) return true;
  const isValue = ({ term }: ClaimWord): boolean => term === oldValue.term || term === newValue.term;
  const hasSameBuild =
    older.words.length === newer.words.length && older.words.findIndex(isValue) === newer.words.findIndex(isValue);
  if (!hasSameBuild) return false;
  const has = (claim: Claim, { term }: ClaimWord): boolean => claim.words.some(it => it.term === term);
  const differences = older.words.flatMap((it, i) => {
    const other = newer.words[i]!;
    return has(newer, it) || has(older, other) || isValue(it) || isValue(other)
      ? []
      : [it.isDescriptive && other.isDescriptive];
  });
  return differences.length <= maxRenamedWords && differences.includes(true);
}

/** Words that may differ between claims of the same build; where more do, one is a paraphrase of the other. */
const maxRenamedWords = 2;

/** Words that pick one of several things of a kind. */
const selectors = new Set(
  'next last previous first second third other another former upper lower inner outer'.split(' '),
);

/**
 * Whether the values belong to the subjects of claims that say different things: "the red button stops it", "the green
 * button starts it".
 */
export function selectsOtherThing({ isUpdate }: Claim, [oldValue, newValue]: ValueChange): boolean {
  if (isUpdate || isToolClass(oldValue.valueClass)) return false;
  return oldValue.isBeforeVerb && newValue.isBeforeVerb;
}

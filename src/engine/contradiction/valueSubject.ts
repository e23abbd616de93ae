import type { Claim, ClaimTerm, ClaimWord } from './claimParser.js';
import { minSubjectWeight } from './relationResult.js';
import { stem } from '../text/analyzer.js';
import { severalInUse, toolCategories } from './lexicon/exclusiveValues.js';

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
  if (!newer.isUpdate && (hasSelector(older, newer) || hasSelector(newer, older) || nameOpposites(older, newer))) {
    return true;
  }
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

/** What a project as a whole is called. */
const wholeProject = new Set(
  'project team repository code codebase stack company'.split(' ').flatMap(it => [it, stem(it)]),
);
/** Verbs of which one thing more says nothing about the others. */
const collectingVerbs = new Set('support speak know accept like have read'.split(' ').flatMap(it => [it, stem(it)]));

/** Whether claims name tools that a project uses next to each other, and nothing that only one of them can be for. */
export function mayUseBoth(older: Claim, newer: Claim, { valueClass = '' }: ClaimTerm): boolean {
  if (!severalInUse.has(valueClass) || newer.isUpdate || newer.isSingleValued) return false;
  return [older, newer].every(claim => {
    const verbs = [...claim.allTerms.values()].filter(it => it.isVerb || collectingVerbs.has(it.term));
    const isUsed = claim.slot?.verb === 'use' || verbs.some(it => collectingVerbs.has(it.term));
    return (
      isUsed &&
      [...claim.allTerms.values()].every(
        it =>
          it.valueClass === valueClass ||
          it.weight < minSubjectWeight ||
          verbs.includes(it) ||
          wholeProject.has(it.term),
      )
    );
  });
}

/** What has versions, besides the tools. */
const runtimes = new Set(
  'node nodejs node.js deno jdk jre .net dotnet android ios'.split(' ').flatMap(it => [it, stem(it)]),
);
const requirements = new Set(
  'required require requires minimum min mandatory needed need baseline'.split(' ').flatMap(it => [it, stem(it)]),
);

/** Whether a number is the version that is required of a tool: "Node 18 is required". It is a value, not another Node. */
export function isRequiredVersion({ words, allTerms }: Claim, number: string): boolean {
  const tool = words[words.findIndex(it => it.term === number) - 1]?.term;
  if (tool === undefined || !(runtimes.has(tool.toLowerCase()) || isToolClass(allTerms.get(tool)?.valueClass)))
    return false;
  return words.some(it => requirements.has(it.term));
}

/** Words that may differ between claims of the same build; where more do, one is a paraphrase of the other. */
const maxRenamedWords = 2;

/** Whether one claim is about reading and the other about writing, or about the two sides of another such pair. */
function nameOpposites(older: Claim, newer: Claim): boolean {
  const has = (claim: Claim, term: string): boolean => claim.words.some(it => it.term === term);
  const isOpposed = (one: string, other: string): boolean =>
    has(older, one) && has(newer, other) && !has(older, other) && !has(newer, one);
  return opposites.some(([one, other]) => isOpposed(one, other) || isOpposed(other, one));
}

/** Stems of the two sides of one thing, each with values of its own. */
const opposites: readonly (readonly [string, string])[] = (
  'read:write input:output inbound:outbound incoming:outgoing request:response client:server upload:download ' +
  'min:max minimum:maximum source:target import:export publisher:subscriber producer:consumer encode:decode'
)
  .split(' ')
  .map(it => it.split(':').map(stem) as [string, string]);

/**
 * Whether a number of both claims stands where the older claim has another number: "crane 0 lifts 5 tons", "crane 5 lifts
 * 10 tons". The claims then share no value, and probably no subject.
 */
export function sharesMovedNumber(older: Claim, newer: Claim): boolean {
  const [olderNumbers, newerNumbers] = [numberPlaces(older), numberPlaces(newer)];
  return hasMoved(olderNumbers, newerNumbers) || hasMoved(newerNumbers, olderNumbers);
}

function numberPlaces({ words }: Claim): NumberPlace[] {
  return words.flatMap(({ term }, i) =>
    /^\p{N}/u.test(term) ? [{ term, before: words[i - 1]?.term, after: words[i + 1]?.term }] : [],
  );
}

function hasMoved(from: readonly NumberPlace[], to: readonly NumberPlace[]): boolean {
  const isAt = (place: NumberPlace, other: NumberPlace): boolean =>
    place.before === undefined ? place.after === other.after : place.before === other.before;
  return to.some(it => {
    const same = from.filter(({ term }) => term === it.term);
    return (
      same.length > 0 &&
      !same.some(other => isAt(it, other)) &&
      from.some(other => other.term !== it.term && isAt(it, other))
    );
  });
}

/** A number of a claim and the words next to it. */
interface NumberPlace {
  readonly term: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

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

import type { Claim, ClaimTerm } from './claimParser.js';

/** The relation of the newer of two statements to the older. */
export type Relation = 'same' | 'conflicting' | 'refining' | 'unrelated';

export interface RelationResult {
  readonly relation: Relation;
  /** Between 0 and 1. */
  readonly certainty: number;
  /** One sentence to show to a person, naming the difference. */
  readonly reason: string;
  /** Set if the rules are not sure; a language model can then decide. */
  readonly uncertain: boolean;
}

/** Minimum weight of a term that can distinguish subjects. */
export const minSubjectWeight = 0.5;

export function totalWeight(terms: readonly ClaimTerm[]): number {
  return terms.reduce((total, it) => total + it.weight, 0);
}

export function joinTerms(terms: readonly ClaimTerm[]): string {
  return terms.map(it => it.surfaceForm).join(', ');
}

export function originalWords({ allTerms }: Claim, terms: readonly string[]): string {
  return terms.map(it => allTerms.get(it)?.surfaceForm ?? it).join(' ');
}

/** Certainty from which on a conflict has consequences; below it the pair is only related and undecided. */
const minConflictCertainty = 0.7;

export function conflictResult(certainty: number, reason: string): RelationResult {
  if (certainty < minConflictCertainty) return unrelatedResult(certainty, reason, true);
  return { relation: 'conflicting', certainty, reason, uncertain: false };
}

export function unrelatedResult(certainty: number, reason: string, uncertain = false): RelationResult {
  return { relation: 'unrelated', certainty, reason, uncertain };
}

/** The asserted or negated terms that can distinguish subjects. */
export function subjectTerms({ allTerms }: Claim): ClaimTerm[] {
  return [...allTerms.values()].filter(it => it.weight >= minSubjectWeight);
}

/** Whether a claim asserts or negates a term. */
export function mentions(claim: Claim, term: string): boolean {
  return claim.assertedTerms.has(term) || claim.negatedSpans.some(it => it.terms.includes(term));
}

import type { Claim, Term } from './claims.js';
import type { Verdict } from './compare.js';

/** Terms of less weight are no subject. */
export const telling = 0.5;

export function sum(terms: readonly Term[]): number {
  return terms.reduce((total, it) => total + it.weight, 0);
}

export function written(terms: readonly Term[]): string {
  return terms.map(it => it.written).join(', ');
}

export function told({ spoken }: Claim, terms: readonly string[]): string {
  return terms.map(it => spoken.get(it)?.written ?? it).join(' ');
}

export function conflicting(certainty: number, reason: string): Verdict {
  return { relation: 'conflicting', certainty, reason, uncertain: certainty < 0.7 };
}

export function unrelated(certainty: number, reason: string, uncertain = false): Verdict {
  return { relation: 'unrelated', certainty, reason, uncertain };
}

/** Those of its terms, asserted or denied, that tell what it is about. */
export function spokenOf({ spoken }: Claim): Term[] {
  return [...spoken.values()].filter(it => it.weight >= telling);
}

/** Whether a claim asserts or denies a term. */
export function knows(claim: Claim, term: string): boolean {
  return claim.terms.has(term) || claim.denials.some(it => it.terms.includes(term));
}

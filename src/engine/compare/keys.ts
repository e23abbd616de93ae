import type { Claim } from './claims.js';

/** Keys of a statement at most. */
const maxKeys = 6;
/** Terms of a claim that are made into keys. */
const maxTerms = 3;

/**
 * What claims speak of, so that a change is found by a look-up among very many statements: the kind of value with what
 * has it (`port|gateway`), the value itself (who drops Jenkins names it), and two terms where there is no value.
 */
export function keysOf(claims: readonly Claim[]): string[] {
  const keys = new Set<string>();
  for (const { terms, values, denials } of claims) {
    const all = [...terms.values()];
    const ended = denials.flatMap(it => it.terms);
    const subjects = all.filter(it => it.weight >= 0.5 && !values.includes(it)).map(it => it.term);
    const about = [...subjects.slice(0, maxTerms), ...ended.slice(0, maxTerms)];
    for (const kind of new Set(values.map(it => it.kind!))) {
      for (const term of about.slice(0, maxTerms)) keys.add(`${kind}|${term}`);
      if (about.length === 0) keys.add(kind);
    }
    for (const { term, kind } of values) if (kind !== 'number') keys.add(term);
    for (const [i, one] of about.entries()) {
      for (const other of about.slice(i + 1)) keys.add([one, other].sort().join(' '));
    }
    if (about.length === 1) keys.add(about[0]!);
    if (ended.length > 0) keys.add(ended[0]!);
    if (keys.size >= maxKeys) break;
  }
  return [...keys].slice(0, maxKeys);
}

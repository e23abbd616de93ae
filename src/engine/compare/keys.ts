import type { Claim } from './claims.js';

/** Keys of a statement at most. */
const maxKeys = 6;

/** What claims speak of, so that a change is found by a look-up among very many statements. */
export function keysOf(claims: readonly Claim[]): string[] {
  const keys = new Set<string>();
  for (const { terms, values, denials } of claims) {
    const subjects = [...terms.values()].filter(it => it.weight >= 0.5 && !values.includes(it)).map(it => it.term);
    const kinds = [...new Set(values.map(it => it.kind!))].slice(0, 2);
    for (const kind of kinds) for (const term of subjects.slice(0, 3)) keys.add(`${kind}|${term}`);
    if (kinds.length === 0) for (const term of subjects.slice(0, 3)) keys.add(term);
    for (const { terms: denied } of denials) for (const term of denied.slice(0, 3)) keys.add(term);
    if (keys.size === 0) for (const kind of kinds) keys.add(kind);
    if (keys.size >= maxKeys) break;
  }
  return [...keys].slice(0, maxKeys);
}

import names from './givenNames.json';

/**
 * Common given names of many countries: the best hint that the subject of "handles the data pipeline" is a person and
 * not a service. Without names that are also everyday words or products (Will, Mark, Grace, Jenkins, Dash).
 */
const givenNames: ReadonlySet<string> = new Set(names.flatMap(it => it.split(' ')));

/** Whether a word is a given name. Ignores case: people type names in lower case. */
export function isGivenName(word: string): boolean {
  return givenNames.has(word.toLowerCase());
}

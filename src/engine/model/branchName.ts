import { hidesCharacters } from './contextEnvelope.js';

const maxBranchLength = 200;
/** In a sentence for a model or a person a longer name is cut. */
const maxShownLength = 60;

/**
 * Whether git would give a branch this name (git-check-ref-format), and whether it shows as what it is. A file can say
 * anything.
 */
export function isBranchName(name: string): boolean {
  if (name === '' || name === 'HEAD' || name === '@' || name.length > maxBranchLength) return false;
  if (/[\s\p{Cc}~^:?*[\\]|\.\.|@\{|\.$|^-/u.test(name) || hidesCharacters(name)) return false;
  return name.split('/').every(it => it !== '' && !it.startsWith('.') && !it.endsWith('.lock'));
}

/** The name for a sentence: cut, and without signs that have a meaning around it. */
export function formatBranch(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{M}\p{N}._/#@+=-]/gu, '?');
  const characters = Array.from(plain);
  return characters.length <= maxShownLength ? plain : `${characters.slice(0, maxShownLength - 1).join('')}…`;
}

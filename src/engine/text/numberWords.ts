/** One to twelve in English, in their order. */
const numberWords = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** Alternatives of a regular expression for a number word. */
export const numberWordPattern = numberWords.join('|');

/** The number that "3", "three" or "a" means, in any case. */
export function numberOf(word: string): number {
  return /^\d/u.test(word) ? Number(word) : Math.max(1, numberWords.indexOf(word.toLowerCase()) + 1);
}

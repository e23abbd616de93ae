import type { Token } from './token.js';

/** The deontic modality of a sentence: obligation, permission, prohibition or exemption. */
export type Modality = 'must' | 'may' | 'must not' | 'need not';

/**
 * The first match decides: "not required" is no requirement. A row is a phrase of words separated by spaces; each word
 * is the source of a regular expression.
 */
const modalityRows: readonly (readonly [Modality, readonly string[]])[] = [
  ['must', ["not|isn't|aren't|never optional|voluntary"]],
  [
    'need not',
    [
      "optional|voluntary|voluntarily|unnecessary|needn't",
      'no need',
      "not|isn't|aren't|no_longer required|necessary|needed|mandatory|obligatory",
      'no longer required|necessary|needed|mandatory|obligatory',
      "don't|doesn't|didn't have|has to",
      "don't|doesn't|didn't needs?",
      'do|does not have|has to',
      'do|does not needs?',
      'no longer have|has to',
      'no longer needs?',
      'at your discretion',
    ],
  ],
  [
    'must not',
    [
      "never|mustn't|can't|cannot|shouldn't|don't|avoid|refrain",
      'must|can|should|may|do not',
      'nobody|none is|may|can|should|must',
      'no one is|may|can|should|must',
      "not|isn't|aren't allowed|permitted|ok|okay|fine|acceptable|tolerated",
      String.raw`no \S+ is|are allowed|permitted|ok|okay|fine|acceptable|tolerated`,
      'no longer allowed|permitted|ok|okay|fine|acceptable|tolerated',
      'forbidden|prohibited|banned|no-go|taboo|disallowed|unacceptable|(?:is_)?off.limits',
      '(?:is_)?off limits',
      'without asking',
    ],
  ],
  ['must', ['must|requires?|required|mandatory|compulsory|obligatory|needs?|always|enforce[sd]?', 'has|have to']],
  ['may', ['may|can|allowed|permitted|ok|okay|fine|acceptable|welcome|wherever|tolerated', 'free to', 'no problem']],
];

const modalityPatterns = modalityRows.map(([modality, rows]) => {
  const phrase = rows.map(row => row.replace(/\S+/g, '(?:$&)')).join('|');
  return [modality, new RegExp(String.raw`(?<!\S)(?:${phrase})(?!\S)`, 'u')] as const;
});
const firstWords = modalityRows.flatMap(([, rows]) => rows.map(row => row.split(' ', 1)[0]!));
const firstWord = new RegExp(`^(?:${firstWords.join('|')})$`, 'u');

/** Whether a modal phrase can start with the word. */
export function mayStartModality(word: string): boolean {
  return firstWord.test(word);
}

/** The modality of a sentence; undefined without a modal phrase. */
export function detectModality(tokens: readonly Token[]): Modality | undefined {
  const text = tokens.map(it => it.word).join(' ');
  const modality = modalityPatterns.find(([, phrase]) => phrase.test(text))?.[0];
  // "Without a review nothing can be merged" requires a review.
  return modality === 'must not' && text.startsWith('without ') ? 'must' : modality;
}

/** Whether no behavior complies with both. */
export function areIncompatible(first: Modality | undefined, second: Modality | undefined): boolean {
  return (
    (first === 'must not' && (second === 'must' || second === 'may')) ||
    (second === 'must not' && (first === 'must' || first === 'may')) ||
    (first === 'must' && second === 'need not') ||
    (first === 'need not' && second === 'must')
  );
}

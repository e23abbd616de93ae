import type { Token } from './token.js';

/** Whether a sentence orders, allows, forbids or excuses something. */
export type Stance = 'must' | 'may' | 'must not' | 'need not';

/** The first that is found decides: "not required" is no requirement. */
const stances: readonly (readonly [Stance, RegExp])[] = [
  [
    'need not',
    /(?:optional|voluntar(?:y|ily)|unnecessary|needn't|no need|not (?:required|necessary|needed|mandatory|obligatory)|(?:isn't|aren't|no_longer|no longer) (?:required|necessary|needed|mandatory|obligatory)|(?:don't|doesn't|do not|does not|didn't|no longer) (?:(?:have|has) to|needs?)|at your discretion)/u,
  ],
  [
    'must not',
    /(?:never|(?:nobody|no one|none) (?:is|may|can|should|must)|(?:mustn't|must not)|(?:not|isn't|aren't|no \S+ (?:is|are)|no longer) (?:allowed|permitted|ok|okay|fine|acceptable|tolerated)|forbidden|prohibited|banned|no-go|taboo|(?:is_)?off.limits|disallowed|unacceptable|(?:can't|cannot|can not)|(?:shouldn't|should not)|may not|don't|do not|avoid|refrain|without asking)/u,
  ],
  ['must', /(?:must|requires?|required|mandatory|compulsory|obligatory|ha(?:s|ve) to|needs?|always|enforce[sd]?)/u],
  ['may', /(?:may|can|allowed|permitted|ok|okay|fine|acceptable|welcome|free to|wherever|tolerated|no problem)/u],
];
const wholeWords = stances.map(
  ([stance, words]) => [stance, new RegExp(`(?<!\\S)${words.source}(?!\\S)`, 'u')] as const,
);

const anyStance = new RegExp(`(?<!\\S)(?:${stances.map(([, words]) => words.source).join('|')})(?!\\S)`, 'u');

export function stanceOf(tokens: readonly Token[]): Stance | undefined {
  const text = tokens.map(it => it.word).join(' ');
  if (!anyStance.test(text)) return undefined;
  const stance = wholeWords.find(([, words]) => words.test(text))?.[0];
  // "Without a review nothing can be merged" asks for a review.
  return stance === 'must not' && text.startsWith('without ') ? 'must' : stance;
}

/** One who follows both of them cannot do right. */
export function areOpposed(one: Stance | undefined, other: Stance | undefined): boolean {
  return (
    (one === 'must not' && (other === 'must' || other === 'may')) ||
    (other === 'must not' && (one === 'must' || one === 'may')) ||
    (one === 'must' && other === 'need not') ||
    (one === 'need not' && other === 'must')
  );
}

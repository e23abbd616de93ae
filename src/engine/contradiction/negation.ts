import { hasFlag, flag } from './lexicalFlags.js';
import type { Token } from './token.js';
import { changeVerbs, comparatives, negators, terminatedStates, terminationVerbs } from './lexicon/negation.js';
import { beForms } from './lexicon/verbs.js';

/** A span that a claim negates or declares ended. */
export interface NegatedSpan {
  /** The content terms of the span, at least one. */
  readonly terms: readonly string[];
  readonly surfaceForm: string;
  /** Number of terms before the negator: the subject of the negation. */
  readonly leadingTermCount: number;
  /** Set for a plain negator before a single word that is no value: insufficient in a long sentence. */
  readonly isUnderspecified: boolean;
}

interface NegationResult {
  /** Positions of the negated tokens. */
  readonly negatedPositions: ReadonlySet<number>;
  readonly spans: readonly NegatedSpan[];
}

export const noNegation: NegationResult = { negatedPositions: new Set(), spans: [] };

/** The negations of a sentence: "not X", "X is gone", "dropped X", "moved from X to Y", "Y instead of X", "X has been replaced". */
export function findNegations(tokens: readonly Token[], carriesContent: (token: Token) => boolean): NegationResult {
  const negatedPositions = new Set<number>();
  const spans: NegatedSpan[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.isPunctuation || negatedPositions.has(i) || !hasFlag(token, flag.mayNegate)) continue;
    const scope = negationScope(tokens, i);
    if (scope === undefined) continue;
    const [from, to] = scope;
    const newPositions: number[] = [];
    for (let position = from; position < to; position++) {
      const scopedToken = tokens[position]!;
      if (scopedToken.isPunctuation || negators.has(scopedToken.word)) continue;
      if (!negatedPositions.has(position)) newPositions.push(position);
      negatedPositions.add(position);
    }
    const contentPositions = newPositions.filter(position => carriesContent(tokens[position]!));
    if (contentPositions.length === 0) continue;
    const spanPositions = newPositions.slice(
      newPositions.indexOf(contentPositions[0]!),
      newPositions.indexOf(contentPositions.at(-1)!) + 1,
    );
    spans.push({
      terms: termsAt(tokens, contentPositions),
      leadingTermCount: contentPositions.filter(position => position < i).length,
      surfaceForm: spanPositions.map(position => tokens[position]!.surfaceForm).join(' '),
      isUnderspecified:
        contentPositions.length === 1 &&
        (tokens[contentPositions[0]!]!.valueClass ?? 'name') === 'name' &&
        negators.has(token.word) &&
        !terminationVerbs.has(token.word),
    });
  }
  return { negatedPositions, spans };
}

function termsAt(tokens: readonly Token[], positions: readonly number[]): string[] {
  const terms: string[] = [];
  for (const at of positions) terms.push(tokens[at]!.term);
  return terms;
}

/** Words that end the scope of a negation. */
const scopeEndWords = ['if', 'how', 'because', 'that', 'which', 'so', 'by', 'when', 'since', 'until', 'why', 'what'];

type NegationScope = readonly [from: number, to: number] | undefined;

/** The scope of the negation by the token at `position`; `to` is exclusive. */
function negationScope(tokens: readonly Token[], position: number): NegationScope {
  const { word } = tokens[position]!;
  const previous = tokens[position - 1];
  // "Not by Lena" negates Lena.
  const scopeEnd = (): number => {
    const end = findInClause(tokens, tokens[position + 1]?.word === 'by' ? position + 1 : position, scopeEndWords);
    // "Docs are mandatory, not optional: keep them short": but "never: push to main".
    const colon = tokens.findIndex((it, i) => i > position + 1 && i < end && it.word === ':');
    return colon < 0 ? end : colon;
  };
  const followingScope = (): NegationScope => [position + 1, scopeEnd()];
  const precedingScope = (): NegationScope => [clauseStart(tokens, position), position];
  if (negators.has(word)) {
    // "Without a review nothing can be merged" requires a review.
    if (tokens[0]?.word === 'without') return undefined;
    if (word === 'no_longer' || word === 'ya_no') return [clauseStart(tokens, position), scopeEnd()];
    if (tokens.slice(position + 1, position + 3).some(it => comparatives.has(it.word))) return undefined;
    // "X is not Y" includes X in the scope; "not Y" alone does not reach back.
    const negatesSubject = hasFlag(tokens[position], flag.auxiliary) || hasFlag(previous, flag.auxiliary);
    return [negatesSubject ? clauseStart(tokens, position) : position + 1, scopeEnd()];
  }
  const isPassive =
    previous !== undefined && (beForms.has(previous.word) || beForms.has(tokens[position - 2]?.word ?? ''));
  // "It used to be X"; but "the key used to sign builds is X" and "it is used to sign builds".
  if (word === 'used' && tokens[position + 1]?.word === 'to' && !isPassive && position > 0) {
    const from = tokens[position + 2]?.word === 'be' ? position + 3 : position + 2;
    if (!tokens.slice(from, scopeEnd()).some(it => hasFlag(it, flag.auxiliary)))
      return [clauseStart(tokens, position), scopeEnd()];
  }
  // "It is forbidden to …"
  if (terminatedStates.has(word) && isPassive && tokens[position + 1]?.word === 'to' && position <= 2)
    return followingScope();
  if ((terminatedStates.has(word) || (word === 'out' && clauseEnd(tokens, position) === position + 1)) && isPassive)
    return precedingScope();
  if (/^(?:left|leaves|quit)$/u.test(word) && previous?.valueClass === 'name') return precedingScope();
  if (word === 'took_over' || word === 'takes_over') {
    const from = findInClause(tokens, position, ['from']);
    return from < scopeEnd() ? [from + 1, scopeEnd()] : undefined;
  }
  if (terminationVerbs.has(word))
    return isPassive || clauseEnd(tokens, position) === position + 1 ? precedingScope() : followingScope();
  if (/^(?:leave|leaves|left)$/u.test(word)) {
    if (tokens[position + 1]?.word === 'out') return [position + 2, scopeEnd()];
    if (tokens[clauseEnd(tokens, position) - 1]?.word === 'out') return followingScope();
  }
  // "Prefer X to Y"
  if (word.startsWith('prefer')) {
    const to = findInClause(tokens, position, ['to']);
    if (to < scopeEnd() && to > position + 1 && !hasFlag(previous, flag.auxiliary)) return [to + 1, scopeEnd()];
  }
  if (word === 'replaced' || word === 'replace') {
    return isPassive ? precedingScope() : [position + 1, findInClause(tokens, position, ['with', 'by'])];
  }
  if (changeVerbs.has(word)) {
    const lastPosition = scopeEnd();
    const from = tokens.findIndex(
      (it, i) => i > position && i < lastPosition && (it.word === 'from' || it.word === 'off'),
    );
    if (from > 0) return [from + 1, findInClause(tokens, from, ['to', 'into'])];
    const to = findInClause(tokens, position, ['to', 'into']);
    if (word === 'renamed' && isPassive) return precedingScope();
    return word.startsWith('rename') && !isPassive && to < lastPosition ? [position + 1, to] : undefined;
  }
  const statesPreference = (): boolean => tokens.slice(0, position).some(it => /^(?:prefer|rather)/u.test(it.word));
  return (word === 'than' || word === 'over') && statesPreference() ? followingScope() : undefined;
}

function clauseStart(tokens: readonly Token[], position: number): number {
  return tokens.findLastIndex((it, i) => i < position && isClauseEnd(it)) + 1;
}

function clauseEnd(tokens: readonly Token[], position: number): number {
  const end = tokens.findIndex((it, i) => i > position && isClauseEnd(it));
  return end < 0 ? tokens.length : end;
}

function isClauseEnd(token: Token): boolean {
  return hasFlag(token, flag.clauseEnd);
}

function findInClause(tokens: readonly Token[], position: number, words: readonly string[]): number {
  const end = clauseEnd(tokens, position);
  const index = tokens.findIndex((it, i) => i > position && i < end && words.includes(it.word));
  return index < 0 ? end : index;
}

import { isMarked, mark } from './marks.js';
import type { Token } from './token.js';
import { beForms, changing, comparatives, denying, ending, over } from './words.js';

/** A stretch that a claim denies, or says is over. */
export interface Denial {
  /** Its terms that tell something, at least one. */
  readonly terms: readonly string[];
  readonly written: string;
  /** How many of its terms stand before the denial: they say of what it is denied. */
  readonly early: number;
  /** A plain "not" before a single word that names no value: too little to go by in a long sentence. */
  readonly isVague: boolean;
}

interface Denied {
  /** Positions of the tokens that are denied. */
  readonly denied: ReadonlySet<number>;
  readonly denials: readonly Denial[];
}

export const nothingDenied: Denied = { denied: new Set(), denials: [] };

/** What a sentence denies: "not X", "X is gone", "dropped X", "moved from X to Y", "Y instead of X", "X has been replaced". */
export function deniedIn(tokens: readonly Token[], isTelling: (token: Token) => boolean): Denied {
  const denied = new Set<number>();
  const denials: Denial[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.isPunctuation || denied.has(i) || !isMarked(token, mark.mayDeny)) continue;
    const stretch = deniedBy(tokens, i);
    if (stretch === undefined) continue;
    const [from, to] = stretch;
    const its: number[] = [];
    for (let at = from; at < to; at++) {
      const it = tokens[at]!;
      if (it.isPunctuation || denying.has(it.word)) continue;
      if (!denied.has(at)) its.push(at);
      denied.add(at);
    }
    const telling = its.filter(at => isTelling(tokens[at]!));
    if (telling.length === 0) continue;
    const span = its.slice(its.indexOf(telling[0]!), its.indexOf(telling.at(-1)!) + 1);
    denials.push({
      terms: termsAt(tokens, telling),
      early: telling.filter(at => at < i).length,
      written: span.map(at => tokens[at]!.written).join(' '),
      isVague:
        telling.length === 1 &&
        (tokens[telling[0]!]!.kind ?? 'name') === 'name' &&
        denying.has(token.word) &&
        !ending.has(token.word),
    });
  }
  return { denied, denials };
}

function termsAt(tokens: readonly Token[], places: readonly number[]): string[] {
  const terms: string[] = [];
  for (const at of places) terms.push(tokens[at]!.term);
  return terms;
}

/** What follows them is no more denied. */
const asides = ['if', 'how', 'because', 'that', 'which', 'so', 'by', 'when', 'since', 'until', 'why', 'what'];

type Stretch = readonly [from: number, to: number] | undefined;

/** The tokens that the token at `at` denies; `to` is exclusive. */
function deniedBy(tokens: readonly Token[], at: number): Stretch {
  const { word } = tokens[at]!;
  const before = tokens[at - 1];
  // "Not by Lena" is of Lena.
  const end = (): number => untilWord(tokens, tokens[at + 1]?.word === 'by' ? at + 1 : at, asides);
  const after = (): Stretch => [at + 1, end()];
  const beforeIt = (): Stretch => [startOfPart(tokens, at), at];
  if (denying.has(word)) {
    // "Without a review nothing can be merged" asks for a review.
    if (tokens[0]?.word === 'without') return undefined;
    if (word === 'no_longer' || word === 'ya_no') return [startOfPart(tokens, at), end()];
    if (tokens.slice(at + 1, at + 3).some(it => comparatives.has(it.word))) return undefined;
    // "X is not Y" denies it of X; "not X" alone does not reach back.
    const ofSubject = isMarked(tokens[at], mark.auxiliary) || isMarked(before, mark.auxiliary);
    return [ofSubject ? startOfPart(tokens, at) : at + 1, end()];
  }
  const isPassive = before !== undefined && (beForms.has(before.word) || beForms.has(tokens[at - 2]?.word ?? ''));
  // "It used to be X"; but "the key used to sign builds is X" and "it is used to sign builds".
  if (word === 'used' && tokens[at + 1]?.word === 'to' && !isPassive && at > 0) {
    const from = tokens[at + 2]?.word === 'be' ? at + 3 : at + 2;
    if (!tokens.slice(from, end()).some(it => isMarked(it, mark.auxiliary))) return [startOfPart(tokens, at), end()];
  }
  // "It is forbidden to …"
  if (over.has(word) && isPassive && tokens[at + 1]?.word === 'to' && at <= 2) return after();
  if ((over.has(word) || (word === 'out' && endOfPart(tokens, at) === at + 1)) && isPassive) return beforeIt();
  if (/^(?:left|leaves|quit)$/u.test(word) && before?.kind === 'name') return beforeIt();
  if (word === 'took_over' || word === 'takes_over') {
    const from = untilWord(tokens, at, ['from']);
    return from < end() ? [from + 1, end()] : undefined;
  }
  if (ending.has(word)) return isPassive || endOfPart(tokens, at) === at + 1 ? beforeIt() : after();
  if (/^(?:leave|leaves|left)$/u.test(word)) {
    if (tokens[at + 1]?.word === 'out') return [at + 2, end()];
    if (tokens[endOfPart(tokens, at) - 1]?.word === 'out') return after();
  }
  // "Prefer X to Y"
  if (word.startsWith('prefer')) {
    const to = untilWord(tokens, at, ['to']);
    if (to < end() && to > at + 1 && !isMarked(before, mark.auxiliary)) return [to + 1, end()];
  }
  if (word === 'replaced' || word === 'replace') {
    return isPassive ? beforeIt() : [at + 1, untilWord(tokens, at, ['with', 'by'])];
  }
  if (changing.has(word)) {
    const last = end();
    const from = tokens.findIndex((it, i) => i > at && i < last && (it.word === 'from' || it.word === 'off'));
    if (from > 0) return [from + 1, untilWord(tokens, from, ['to', 'into'])];
    const to = untilWord(tokens, at, ['to', 'into']);
    if (word === 'renamed' && isPassive) return beforeIt();
    return word.startsWith('rename') && !isPassive && to < last ? [at + 1, to] : undefined;
  }
  const prefers = (): boolean => tokens.slice(0, at).some(it => /^(?:prefer|rather)/u.test(it.word));
  return (word === 'than' || word === 'over') && prefers() ? after() : undefined;
}

function startOfPart(tokens: readonly Token[], at: number): number {
  return tokens.findLastIndex((it, i) => i < at && endsPart(it)) + 1;
}

function endOfPart(tokens: readonly Token[], at: number): number {
  const end = tokens.findIndex((it, i) => i > at && endsPart(it));
  return end < 0 ? tokens.length : end;
}

/** Where one part of a sentence ends and the next begins. */
function endsPart(token: Token): boolean {
  return isMarked(token, mark.partEnd);
}

function untilWord(tokens: readonly Token[], at: number, words: readonly string[]): number {
  const end = endOfPart(tokens, at);
  const found = tokens.findIndex((it, i) => i > at && i < end && words.includes(it.word));
  return found < 0 ? end : found;
}

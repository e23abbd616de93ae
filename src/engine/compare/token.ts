import { auxiliaries } from './words.js';

/** A word, number, quotation or sign of a statement, looked up in the tables. */
export interface Token {
  /** As told. */
  readonly written: string;
  /** Lower case, several words that are one joined by `_`. */
  readonly word: string;
  /** What is compared: one form for all words of one meaning, else the stem. */
  readonly term: string;
  /** The class of a value that excludes others of its class. */
  readonly kind: string | undefined;
  readonly isPunctuation: boolean;
  readonly isQuoted: boolean;
}

/** A word without a class. */
export function plain(written: string, word: string): Token {
  return { written, word, term: word, kind: undefined, isPunctuation: false, isQuoted: false };
}

export function isAuxiliary(token: Token | undefined): boolean {
  return token !== undefined && auxiliaries.has(token.word);
}

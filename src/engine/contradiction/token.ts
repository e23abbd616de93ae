/** A word, number, quotation or punctuation mark of a statement, resolved by the lexicon. */
export class Token {
  /** Cache of `flagsOf` (lexicalFlags.ts): the token of a word is shared by statements. */
  flags: number | undefined = undefined;
  /** Cache of the term's weight, 0-1 (claimParser.ts). */
  weight: number | undefined = undefined;
  private nameToken: Token | undefined = undefined;

  constructor(
    /** As written. */
    readonly surfaceForm: string,
    /** Lower case; the words of one expression joined by `_`. */
    readonly word: string,
    /** The form to compare: one for all synonyms, else the stem. */
    readonly term = word,
    /** The class of a value, which excludes other values of the class; undefined for a plain word. */
    readonly valueClass?: string,
    readonly isPunctuation = false,
    readonly isQuoted = false,
  ) {}

  /** A copy with another term and class. */
  withTerm(term: string, valueClass = this.valueClass): Token {
    return new Token(this.surfaceForm, this.word, term, valueClass, this.isPunctuation, this.isQuoted);
  }

  /** A copy as a name. */
  asName(): Token {
    return (this.nameToken ??= this.withTerm(this.word, 'name'));
  }

  /** A copy whose surface form includes the next token. */
  mergedWith({ surfaceForm }: Token): Token {
    const { word, term, valueClass, isPunctuation, isQuoted } = this;
    return new Token(`${this.surfaceForm} ${surfaceForm}`, word, term, valueClass, isPunctuation, isQuoted);
  }
}

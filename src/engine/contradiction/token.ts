/**
 * A word, number, quotation or sign of a statement, looked up in the tables. A class, so that V8 knows all of them by one
 * shape: code that meets several is made again and again.
 */
export class Token {
  /** In which tables it stands (marks.ts), once somebody has asked: most tokens are of words that are read again and again. */
  flags: number | undefined = undefined;
  /** 0-1, how well it tells subjects apart, once somebody has asked. */
  weight: number | undefined = undefined;
  private nameToken: Token | undefined = undefined;

  constructor(
    /** As told. */
    readonly surfaceForm: string,
    /** Lower case, several words that are one joined by `_`. */
    readonly word: string,
    /** What is compared: one form for all words of one meaning, else the stem. */
    readonly term = word,
    /** The class of a value that excludes others of its class; undefined for a plain word. */
    readonly valueClass?: string,
    readonly isPunctuation = false,
    readonly isQuoted = false,
  ) {}

  /** The same as another value. */
  withTerm(term: string, valueClass = this.valueClass): Token {
    return new Token(this.surfaceForm, this.word, term, valueClass, this.isPunctuation, this.isQuoted);
  }

  /** The same as a name. */
  asName(): Token {
    return (this.nameToken ??= this.withTerm(this.word, 'name'));
  }

  /** The same, written with what follows. */
  mergedWith({ surfaceForm }: Token): Token {
    const { word, term, valueClass, isPunctuation, isQuoted } = this;
    return new Token(`${this.surfaceForm} ${surfaceForm}`, word, term, valueClass, isPunctuation, isQuoted);
  }
}

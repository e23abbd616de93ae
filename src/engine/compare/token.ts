/**
 * A word, number, quotation or sign of a statement, looked up in the tables. A class, so that V8 knows all of them by one
 * shape: code that meets several is made again and again.
 */
export class Token {
  /** In which tables it stands (marks.ts), once somebody has asked: most tokens are of words that are read again and again. */
  marks: number | undefined = undefined;
  /** 0-1, how well it tells subjects apart, once somebody has asked. */
  weight: number | undefined = undefined;
  private named: Token | undefined = undefined;

  constructor(
    /** As told. */
    readonly written: string,
    /** Lower case, several words that are one joined by `_`. */
    readonly word: string,
    /** What is compared: one form for all words of one meaning, else the stem. */
    readonly term = word,
    /** The class of a value that excludes others of its class; undefined for a plain word. */
    readonly kind?: string,
    readonly isPunctuation = false,
    readonly isQuoted = false,
  ) {}

  /** The same as another value. */
  as(term: string, kind = this.kind): Token {
    return new Token(this.written, this.word, term, kind, this.isPunctuation, this.isQuoted);
  }

  /** The same as a name. */
  asName(): Token {
    return (this.named ??= this.as(this.word, 'name'));
  }

  /** The same, written with what follows. */
  joinedTo({ written }: Token): Token {
    const { word, term, kind, isPunctuation, isQuoted } = this;
    return new Token(`${this.written} ${written}`, word, term, kind, isPunctuation, isQuoted);
  }
}

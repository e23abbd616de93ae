import { openTokenizer } from '../base/tokenizer.js';

/** What the vocabulary is in the file: names of visible ASCII without quotes, and their numbers. */
const vocabularyStart = '"vocab":{';
/** What a token begins with that goes on with a word. */
const continuing = '##';
const [quote, zero, continuingSign] = [0x22, 0x30, 0x23];
/** FNV-1a. */
const [basis, prime] = [0x811c9dc5, 16_777_619];
const continuingHash = fnv1aStep(fnv1aStep(basis, continuingSign), continuingSign);

/**
 * WordPiece as `tokenizer.json` says. The package that reads such files makes an object, a map and a list of all 32,000
 * tokens, which takes longer than the rest of a first recall's search; here they stay bytes, with a table of where each is.
 * What comes before the pieces, normalising and splitting, is the package's.
 */
export class WordPieceTokenizer {
  /** By hash: where a token's name begins in the file; 0 for none. A power of two, at most half full. */
  private readonly slots: Int32Array;
  private readonly split: (text: string) => readonly string[];
  /** In UTF-16 units: whatever takes two of them is in no token. */
  private readonly longestWord: number;

  /** @param file the bytes of `tokenizer.json` @throws Error where it is not WordPiece, or its vocabulary of another form */
  constructor(private readonly file: Buffer) {
    const from = file.indexOf(vocabularyStart) + vocabularyStart.length;
    const to = file.indexOf('}', from);
    if (from < vocabularyStart.length || to < 0) throw new Error('it has no vocabulary');
    const rest = Buffer.concat([file.subarray(0, from), file.subarray(to)]).toString();
    const description = JSON.parse(rest) as {
      readonly model: {
        readonly type: string;
        readonly continuing_subword_prefix: string;
        readonly max_input_chars_per_word: number;
      };
    };
    const { type, continuing_subword_prefix: prefix, max_input_chars_per_word: longest } = description.model;
    if (type !== 'WordPiece' || prefix !== continuing) throw new Error(`it is ${type} with ${prefix}`);
    this.longestWord = longest;
    const { normalizer, pre_tokenizer: splitter } = openTokenizer(description);
    this.split = text => {
      const normal = normalizer?.normalize(text) ?? text;
      return splitter?.pre_tokenize(normal, {}) ?? [normal];
    };
    this.slots = this.placed(from, to);
  }

  /** The number of a token; undefined for what is none. */
  id(token: string): number | undefined {
    const longest = this.longest(token, 0);
    return longest?.to === token.length ? longest.id : undefined;
  }

  /** The tokens of a text; a word that cannot be put together from any is left out. */
  ids(text: string): readonly number[] {
    return this.split(text).flatMap(it => this.piecesOf(it));
  }

  /** The longest piece that fits, again and again. */
  private piecesOf(word: string): readonly number[] {
    if (word.length > this.longestWord) return [];
    const found: number[] = [];
    for (let from = 0; from < word.length;) {
      const piece = this.longest(word, from);
      if (piece === undefined) return [];
      found.push(piece.id);
      from = piece.to;
    }
    return found;
  }

  /** The longest token that a word has from here on: one that begins a word, or one that goes on with it. */
  private longest(word: string, from: number): { readonly id: number; readonly to: number } | undefined {
    const mask = this.slots.length - 1;
    let hash = from === 0 ? basis : continuingHash;
    let [found, to] = [0, from];
    for (let end = from; end < word.length;) {
      hash = fnv1aStep(hash, word.charCodeAt(end++));
      for (let slot = hash & mask; this.slots[slot] !== 0; slot = (slot + 1) & mask) {
        if (!this.isNamed(this.slots[slot]!, word, from, end)) continue;
        [found, to] = [this.slots[slot]!, end];
        break;
      }
    }
    // A quote and a colon stand between a name and its number.
    return to === from ? undefined : { id: this.numberAt(this.file.indexOf(quote, found) + 2), to };
  }

  /** Whether the name that begins `at` is this part of the word. */
  private isNamed(at: number, word: string, from: number, to: number): boolean {
    let next = at;
    if (from > 0 && (this.file[next++] !== continuingSign || this.file[next++] !== continuingSign)) return false;
    for (let i = from; i < to; i++) if (this.file[next++] !== word.charCodeAt(i)) return false;
    return this.file[next] === quote;
  }

  private numberAt(at: number): number {
    let value = 0;
    for (let i = at; this.file[i]! >= zero && this.file[i]! < zero + 10; i++) value = value * 10 + this.file[i]! - zero;
    return value;
  }

  /** Goes through the vocabulary once. */
  private placed(from: number, to: number): Int32Array {
    const { file } = this;
    // No entry has less than six bytes: `"a":0,`.
    const slots = new Int32Array(2 ** Math.ceil(Math.log2(((to - from) / 6) * 2)));
    const mask = slots.length - 1;
    for (let at = from; at < to; at++) {
      if (file[at] !== quote) throw new Error(`its vocabulary cannot be read at byte ${at}`);
      const name = ++at;
      let hash = basis;
      for (; file[at] !== quote; at++) {
        const sign = file[at]!;
        if (sign < 0x21 || sign > 0x7e || sign === 0x5c) throw new Error(`its vocabulary cannot be read at byte ${at}`);
        hash = fnv1aStep(hash, sign);
      }
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = name;
      // Past the colon and the number, to the comma or the end.
      for (at += 2; file[at]! >= zero && file[at]! < zero + 10;) at++;
    }
    return slots;
  }
}

function fnv1aStep(hash: number, sign: number): number {
  return Math.imul(hash ^ sign, prime);
}

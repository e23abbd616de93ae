import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openTokenizer, type Tokenizer } from '../../base/tokenizer.js';
import type { TokenMeanings } from './lateInteraction.js';

/** `RTOK`, version, tokens, dimensions; then a float32 weight per token, then its int8 row (test/support/makeTokenTable.ts). */
const magic = 'RTOK';
const version = 1;
const headerBytes = 16;
/** What the built-in tokenizer takes for words, so that a word's tokens do not depend on those beside it. */
const word = /[\p{L}\p{N}\p{M}]+|[+#]/gu;
/** Tokens of a text that are looked at: the same as the embedding model does. */
const maxTokens = 256;
/** Words whose tokens are remembered; a text is then read 15 times as fast as by the tokenizer. */
const knownWords = 50_000;

/** What the built-in model knows of single tokens, and how a text becomes tokens. */
export class TokenTable implements TokenMeanings {
  private readonly known = new Map<string, readonly number[]>();

  private constructor(
    readonly dimensions: number,
    readonly weights: Float32Array,
    private readonly rows: Int8Array,
    private readonly tokenizer: Tokenizer,
  ) {}

  /**
   * @param folder holds `tokens.bin` and the `tokenizer.json` it was made with
   * @throws when one is missing or the table is of another version
   */
  static open(folder: string): TokenTable {
    const file = readFileSync(path.join(folder, 'tokens.bin'));
    const found = file.toString('latin1', 0, magic.length);
    if (found !== magic || file.readUInt32LE(4) !== version) throw new Error(`${folder}/tokens.bin is no token table`);
    const count = file.readUInt32LE(8);
    const dimensions = file.readUInt32LE(12);
    const bytes = Uint8Array.from(file.subarray(headerBytes)).buffer;
    const tokenizer = JSON.parse(readFileSync(path.join(folder, 'tokenizer.json'), 'utf8')) as object;
    return new TokenTable(
      dimensions,
      new Float32Array(bytes, 0, count),
      new Int8Array(bytes, count * Float32Array.BYTES_PER_ELEMENT, count * dimensions),
      openTokenizer(tokenizer),
    );
  }

  row(token: number): Int8Array {
    return this.rows.subarray(token * this.dimensions, (token + 1) * this.dimensions);
  }

  /** A text's tokens in its order, without those that mean nothing. */
  tokens(text: string): readonly number[] {
    const found: number[] = [];
    for (const [it] of text.matchAll(word)) {
      found.push(...this.tokensOfWord(it));
      if (found.length >= maxTokens) break;
    }
    return found;
  }

  private tokensOfWord(it: string): readonly number[] {
    let tokens = this.known.get(it);
    if (tokens === undefined) {
      if (this.known.size >= knownWords) this.known.clear();
      tokens = this.tokenizer.encode(it).ids.filter(token => this.weights[token]! > 0);
      this.known.set(it, tokens);
    }
    return tokens;
  }
}

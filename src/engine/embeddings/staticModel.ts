import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { int8Scale } from '../base/int8Vector.js';
import { openStaticModelFile, staticModelFileName, type StaticModelFile } from './staticModelFile.js';
import { WordPieceTokenizer } from './wordPieceTokenizer.js';

/** Vectors of single tokens. */
export interface TokenVectorSource {
  readonly dimensions: number;
  /** The token's share in the vector of a text; 0 if it has none. */
  weight(token: number): number;
  /** The token's direction: int8 components of a unit vector. Computed at each call. */
  row(token: number): Int8Array;
}

/** The model is trained so that its leading dimensions work alone; these suffice to compare two tokens. */
const tokenVectorDimensions = 128;
/** Matches the words of the built-in tokenizer, so that a word's tokens do not depend on its neighbors. */
const wordPattern = /[\p{L}\p{N}\p{M}]+|[+#]/gu;
/** With cached words a text is tokenized 15 times as fast. */
const maxCachedWords = 50_000;
/** A text that was embedded is soon indexed, or compared with what is found. */
const maxCachedTexts = 1_000;
/** In UTF-16 units; longer texts are not cached. */
const maxCachedTextLength = 500;

/**
 * A static embedding model: the vector of a text is the normalized sum of its tokens' rows. Fast enough to run in the
 * search worker, without a runtime. ONNX Runtime returns the same vectors for the model's ONNX file, up to rounding.
 */
export class StaticModel {
  readonly dimensions: number;
  /** For the comparison of a question with a text token by token. */
  readonly tokenVectors: TokenVectorSource;
  private readonly tokenizer: WordPieceTokenizer;
  private readonly paddingToken: number | undefined;
  private readonly tokensByWord = new Map<string, readonly number[]>();
  private readonly tokensByText = new LRUCache<string, readonly number[]>({ max: maxCachedTexts });

  private constructor(private readonly file: StaticModelFile) {
    this.dimensions = file.header.model.dimensions;
    this.tokenizer = new WordPieceTokenizer(file.header.tokenizer, file.vocabulary);
    this.paddingToken = this.tokenizer.id('[PAD]');
    this.tokenVectors = new TokenVectors(this);
  }

  /** @param folder holds `model.bin` @throws Error if the file is missing or damaged */
  static open(folder: string): StaticModel {
    try {
      return new StaticModel(openStaticModelFile(path.join(folder, staticModelFileName)));
    } catch (cause) {
      throw new Error(`its ${staticModelFileName} cannot be read`, { cause });
    }
  }

  /** Identifies the tokens and their weights. */
  get id(): string {
    return this.file.header.tokensId;
  }

  /** A unit vector of `dimensions`; zeros if the model knows no word of the text. */
  embed(text: string): Float32Array {
    const { dimensions } = this;
    const { scales } = this.file;
    const sum = new Float64Array(dimensions);
    for (const token of this.tokens(text)) {
      const scale = scales[token]!;
      const row = this.row(token);
      for (let d = 0; d < dimensions; d++) sum[d]! += scale * row[d]!;
    }
    let square = 0;
    for (const component of sum) square += component * component;
    const vector = new Float32Array(dimensions);
    const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let d = 0; d < dimensions; d++) vector[d] = sum[d]! * factor;
    return vector;
  }

  /** The tokens of a text in order, without those of weight 0. */
  tokens(text: string): readonly number[] {
    let tokens = this.tokensByText.get(text);
    if (tokens === undefined) {
      tokens = this.tokenizeText(text);
      if (text.length <= maxCachedTextLength) this.tokensByText.set(text, tokens);
    }
    return tokens;
  }

  private tokenizeText(text: string): readonly number[] {
    const { maxTokens } = this.file.header;
    const found: number[] = [];
    wordPattern.lastIndex = 0;
    for (let match = wordPattern.exec(text); match !== null; match = wordPattern.exec(text)) {
      found.push(...this.tokensOfWord(match[0]));
      if (found.length >= maxTokens) return found.slice(0, maxTokens);
    }
    return found;
  }

  /** The row of a token as stored: a view, not to be written. */
  row(token: number): Int8Array {
    return this.file.rows.row(token);
  }

  /** The factor of a token's row; 0 for padding. */
  scale(token: number): number {
    return token === this.paddingToken ? 0 : this.file.scales[token]!;
  }

  get tokenCount(): number {
    return this.file.scales.length;
  }

  private tokensOfWord(word: string): readonly number[] {
    let tokens = this.tokensByWord.get(word);
    if (tokens === undefined) {
      if (this.tokensByWord.size >= maxCachedWords) this.tokensByWord.clear();
      tokens = this.tokenizer.ids(word).filter(token => this.tokenVectors.weight(token) > 0);
      this.tokensByWord.set(word, tokens);
    }
    return tokens;
  }
}

class TokenVectors implements TokenVectorSource {
  readonly dimensions = tokenVectorDimensions;
  /** Computed on first use; NaN until then. Most tokens are never used. */
  private readonly weights: Float32Array;

  constructor(private readonly model: StaticModel) {
    this.weights = new Float32Array(model.tokenCount).fill(Number.NaN);
  }

  weight(token: number): number {
    if (Number.isNaN(this.weights[token])) {
      this.weights[token] = vectorNorm(this.model.row(token)) * this.model.scale(token);
    }
    return this.weights[token]!;
  }

  row(token: number): Int8Array {
    const row = this.model.row(token).subarray(0, tokenVectorDimensions);
    const length = vectorNorm(row);
    return length === 0 ? new Int8Array(tokenVectorDimensions) : row.map(it => Math.round((it / length) * int8Scale));
  }
}

function vectorNorm(vector: Int8Array): number {
  let square = 0;
  for (const component of vector) square += component * component;
  return Math.sqrt(square);
}

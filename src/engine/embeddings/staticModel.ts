import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { int8Scale } from '../base/int8Vector.js';
import type { ModelDescription } from './modelFolder.js';
import { EmbeddingMatrix } from './embeddingMatrix.js';
import { WordPieceTokenizer } from './wordPieceTokenizer.js';

/** What single tokens mean. */
export interface TokenVectorSource {
  readonly dimensions: number;
  /** How much a token says; 0 for nothing. */
  weight(token: number): number;
  /** A token's direction: int8 components of a unit vector. Worked out at each call. */
  row(token: number): Int8Array;
}

/** The model is trained so that its first dimensions work alone: enough to tell how close two tokens are. */
const tokenVectorDimensions = 128;
/** What numbers of 16 bits can name. */
const maxTokenCount = 65_536;
/** What the built-in tokenizer takes for words, so that a word's tokens do not depend on those beside it. */
const wordPattern = /[\p{L}\p{N}\p{M}]+|[+#]/gu;
/** Words whose tokens are remembered; a text is then read 15 times as fast as by the tokenizer. */
const maxCachedWords = 50_000;
/** Texts whose tokens are kept: what is embedded is soon indexed, or compared with what is found. */
const maxCachedTexts = 1_000;
/** In UTF-16 units; a longer text is read again. */
const maxCachedTextLength = 500;

/**
 * A static model: a text's vector is the sum of its tokens' rows, made unit length. Small enough to be computed where the
 * search is, without a runtime; what it gives is what `model.onnx` gives in ONNX Runtime, but for the last digits.
 */
export class StaticModel {
  readonly dimensions: number;
  /** Of single tokens, for the comparison of a question with a text token by token. */
  readonly tokenVectors: TokenVectorSource;
  private readonly tokensByWord = new Map<string, readonly number[]>();
  private readonly tokensByText = new LRUCache<string, readonly number[]>({ max: maxCachedTexts });

  private constructor(
    /** Tells its tokens from those of another model. */
    readonly id: string,
    private readonly matrix: EmbeddingMatrix,
    private readonly tokenizer: WordPieceTokenizer,
    /** Of a text that are looked at. */
    private readonly maxTokens: number,
    private readonly paddingToken: number | undefined,
  ) {
    this.dimensions = matrix.dimensions;
    this.tokenVectors = new TokenVectors(this);
  }

  /**
   * @param folder holds `model.onnx`, of which only the tensors `table` and `scale` are read, its `tokenizer.json`, and
   * `model.json`
   * @throws Error naming the file that is missing or wrong
   */
  static open(folder: string): StaticModel {
    const table = withFileContext('model.onnx', () => EmbeddingMatrix.open(path.join(folder, 'model.onnx')));
    if (table.scale.length > maxTokenCount) throw new Error(`its model.onnx has more than ${maxTokenCount} tokens`);
    const { maxTokens } = withFileContext('model.json', () => {
      return JSON.parse(readFileSync(path.join(folder, 'model.json'), 'utf8')) as Pick<ModelDescription, 'maxTokens'>;
    });
    return withFileContext('tokenizer.json', () => {
      const file = readFileSync(path.join(folder, 'tokenizer.json'));
      const pieces = new WordPieceTokenizer(file);
      const id = hash('sha256', Buffer.concat([file, bytesOf(table.scale)]), 'base64url');
      return new StaticModel(id, table, pieces, maxTokens, pieces.id('[PAD]'));
    });
  }

  /** A unit vector of `dimensions`; zeros for a text that holds nothing the model knows. */
  embed(text: string): Float32Array {
    const { accumulator } = this.matrix;
    accumulator.fill(0);
    for (const token of this.tokens(text)) this.matrix.accumulateRow(token);
    let square = 0;
    for (const it of accumulator) square += it * it;
    const vector = new Float32Array(this.dimensions);
    const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let d = 0; d < vector.length; d++) vector[d] = accumulator[d]! * factor;
    return vector;
  }

  /** A text's tokens in its order, without those that mean nothing. */
  tokens(text: string): readonly number[] {
    let tokens = this.tokensByText.get(text);
    if (tokens === undefined) {
      tokens = this.tokenizeText(text);
      if (text.length <= maxCachedTextLength) this.tokensByText.set(text, tokens);
    }
    return tokens;
  }

  private tokenizeText(text: string): readonly number[] {
    const found: number[] = [];
    wordPattern.lastIndex = 0;
    for (let match = wordPattern.exec(text); match !== null; match = wordPattern.exec(text)) {
      found.push(...this.tokensOfWord(match[0]));
      if (found.length >= this.maxTokens) return found.slice(0, this.maxTokens);
    }
    return found;
  }

  /** The row of a token, as the file has it; valid until the next call. */
  row(token: number): Int8Array {
    return this.matrix.peekRow(token);
  }

  /** What a token's row is multiplied by; 0 for one that means nothing. */
  scale(token: number): number {
    return token === this.paddingToken ? 0 : this.matrix.scale[token]!;
  }

  get tokenCount(): number {
    return this.matrix.scale.length;
  }

  private tokensOfWord(it: string): readonly number[] {
    let tokens = this.tokensByWord.get(it);
    if (tokens === undefined) {
      if (this.tokensByWord.size >= maxCachedWords) this.tokensByWord.clear();
      tokens = this.tokenizer.ids(it).filter(token => this.tokenVectors.weight(token) > 0);
      this.tokensByWord.set(it, tokens);
    }
    return tokens;
  }
}

class TokenVectors implements TokenVectorSource {
  readonly dimensions = tokenVectorDimensions;
  /** Worked out for each token when it is first asked for: most never are. */
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
  for (const it of vector) square += it * it;
  return Math.sqrt(square);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function withFileContext<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`its ${file} cannot be read`, { cause });
  }
}

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LRUCache } from 'lru-cache';
import { quantisation } from '../base/quantise.js';
import type { ModelDescription } from './modelFolder.js';
import { TokenTable } from './tokenTable.js';
import { WordPieces } from './wordPieces.js';

/** What single tokens mean. */
export interface TokenMeanings {
  readonly dimensions: number;
  /** How much a token says; 0 for nothing. */
  weight(token: number): number;
  /** A token's direction: int8 components of a unit vector. Worked out at each call. */
  row(token: number): Int8Array;
}

/** The model is trained so that its first dimensions work alone: enough to tell how close two tokens are. */
const tokenDimensions = 128;
/** What numbers of 16 bits can name. */
const mostTokens = 65_536;
/** What the built-in tokenizer takes for words, so that a word's tokens do not depend on those beside it. */
const word = /[\p{L}\p{N}\p{M}]+|[+#]/gu;
/** Words whose tokens are remembered; a text is then read 15 times as fast as by the tokenizer. */
const knownWords = 50_000;
/** Texts whose tokens are kept: what is embedded is soon indexed, or compared with what is found. */
const keptTexts = 1_000;
/** In UTF-16 units; a longer text is read again. */
const longestKept = 500;

/**
 * A static model: a text's vector is the sum of its tokens' rows, made unit length. Small enough to be computed where the
 * search is, without a runtime; what it gives is what `model.onnx` gives in ONNX Runtime, but for the last digits.
 */
export class StaticModel {
  readonly dimensions: number;
  /** Of single tokens, for the comparison of a question with a text token by token. */
  readonly meanings: TokenMeanings;
  private readonly known = new Map<string, readonly number[]>();
  private readonly texts = new LRUCache<string, readonly number[]>({ max: keptTexts });

  private constructor(
    /** Tells its tokens from those of another model. */
    readonly id: string,
    private readonly table: TokenTable,
    private readonly pieces: WordPieces,
    /** Of a text that are looked at. */
    private readonly maxTokens: number,
    private readonly meaningless: number | undefined,
  ) {
    this.dimensions = table.dimensions;
    this.meanings = new Meanings(this);
  }

  /**
   * @param folder holds `model.onnx`, of which only the tensors `table` and `scale` are read, its `tokenizer.json`, and
   * `model.json`
   * @throws Error naming the file that is missing or wrong
   */
  static open(folder: string): StaticModel {
    const table = inFile('model.onnx', () => TokenTable.open(path.join(folder, 'model.onnx')));
    if (table.scale.length > mostTokens) throw new Error(`its model.onnx has more than ${mostTokens} tokens`);
    const { maxTokens } = inFile('model.json', () => {
      return JSON.parse(readFileSync(path.join(folder, 'model.json'), 'utf8')) as Pick<ModelDescription, 'maxTokens'>;
    });
    return inFile('tokenizer.json', () => {
      const file = readFileSync(path.join(folder, 'tokenizer.json'));
      const pieces = new WordPieces(file);
      const id = hash('sha256', Buffer.concat([file, bytesOf(table.scale)]), 'base64url');
      return new StaticModel(id, table, pieces, maxTokens, pieces.id('[PAD]'));
    });
  }

  /** A unit vector of `dimensions`; zeros for a text that holds nothing the model knows. */
  embed(text: string): Float32Array {
    const { sum } = this.table;
    sum.fill(0);
    for (const token of this.tokens(text)) this.table.add(token);
    let square = 0;
    for (const it of sum) square += it * it;
    const vector = new Float32Array(this.dimensions);
    const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
    for (let d = 0; d < vector.length; d++) vector[d] = sum[d]! * factor;
    return vector;
  }

  /** A text's tokens in its order, without those that mean nothing. */
  tokens(text: string): readonly number[] {
    let tokens = this.texts.get(text);
    if (tokens === undefined) {
      tokens = this.read(text);
      if (text.length <= longestKept) this.texts.set(text, tokens);
    }
    return tokens;
  }

  private read(text: string): readonly number[] {
    const found: number[] = [];
    word.lastIndex = 0;
    for (let match = word.exec(text); match !== null; match = word.exec(text)) {
      found.push(...this.tokensOfWord(match[0]));
      if (found.length >= this.maxTokens) return found.slice(0, this.maxTokens);
    }
    return found;
  }

  /** The row of a token, as the file has it; valid until the next call. */
  row(token: number): Int8Array {
    return this.table.glance(token);
  }

  /** What a token's row is multiplied by; 0 for one that means nothing. */
  scale(token: number): number {
    return token === this.meaningless ? 0 : this.table.scale[token]!;
  }

  get tokenCount(): number {
    return this.table.scale.length;
  }

  private tokensOfWord(it: string): readonly number[] {
    let tokens = this.known.get(it);
    if (tokens === undefined) {
      if (this.known.size >= knownWords) this.known.clear();
      tokens = this.pieces.ids(it).filter(token => this.meanings.weight(token) > 0);
      this.known.set(it, tokens);
    }
    return tokens;
  }
}

class Meanings implements TokenMeanings {
  readonly dimensions = tokenDimensions;
  /** Worked out for each token when it is first asked for: most never are. */
  private readonly weights: Float32Array;

  constructor(private readonly model: StaticModel) {
    this.weights = new Float32Array(model.tokenCount).fill(Number.NaN);
  }

  weight(token: number): number {
    if (Number.isNaN(this.weights[token])) {
      this.weights[token] = lengthOf(this.model.row(token)) * this.model.scale(token);
    }
    return this.weights[token]!;
  }

  row(token: number): Int8Array {
    const row = this.model.row(token).subarray(0, tokenDimensions);
    const length = lengthOf(row);
    return length === 0 ? new Int8Array(tokenDimensions) : row.map(it => Math.round((it / length) * quantisation));
  }
}

function lengthOf(vector: Int8Array): number {
  let square = 0;
  for (const it of vector) square += it * it;
  return Math.sqrt(square);
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function inFile<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new Error(`its ${file} cannot be read`, { cause });
  }
}

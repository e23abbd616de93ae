import path from 'node:path';
import { openStaticModelFile, staticModelFileName, type StaticModelFile } from './staticModelFile.js';
import { WordPieceTokenizer } from './wordPieceTokenizer.js';

/** Matches the words of the built-in tokenizer, so that a word's tokens do not depend on its neighbors. */
const wordPattern = /[\p{L}\p{N}\p{M}]+|[+#]/gu;
/** With cached words a text is tokenized 15 times as fast. */
const maxCachedWords = 50_000;

/**
 * A static embedding model: the vector of a text is the normalized sum of its tokens' rows. Fast enough to run in the
 * search worker, without a runtime. ONNX Runtime returns the same vectors for the model's ONNX file, up to rounding.
 */
export class StaticModel {
  readonly dimensions: number;
  private readonly tokenizer: WordPieceTokenizer;
  private readonly paddingToken: number | undefined;
  private readonly tokensByWord = new Map<string, readonly number[]>();

  private constructor(private readonly file: StaticModelFile) {
    this.dimensions = file.header.model.dimensions;
    this.tokenizer = new WordPieceTokenizer(file.header.tokenizer, file.vocabulary);
    this.paddingToken = this.tokenizer.id('[PAD]');
  }

  /** @param folder holds `model.bin` @throws Error if the file is missing or damaged */
  static open(folder: string): StaticModel {
    try {
      return new StaticModel(openStaticModelFile(path.join(folder, staticModelFileName)));
    } catch (cause) {
      throw new Error(`its ${staticModelFileName} cannot be read`, { cause });
    }
  }

  /** A unit vector of `dimensions`; zeros if the model knows no word of the text. */
  embed(text: string): Float32Array {
    const { dimensions } = this;
    const { scales } = this.file;
    const sum = new Float64Array(dimensions);
    for (const token of this.tokens(text)) {
      const scale = scales[token]!;
      const row = this.file.rows.row(token);
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
    const { maxTokens } = this.file.header;
    const found: number[] = [];
    wordPattern.lastIndex = 0;
    for (let match = wordPattern.exec(text); match !== null; match = wordPattern.exec(text)) {
      found.push(...this.tokensOfWord(match[0]));
      if (found.length >= maxTokens) return found.slice(0, maxTokens);
    }
    return found;
  }

  private tokensOfWord(word: string): readonly number[] {
    let tokens = this.tokensByWord.get(word);
    if (tokens === undefined) {
      if (this.tokensByWord.size >= maxCachedWords) this.tokensByWord.clear();
      tokens = this.tokenizer.ids(word).filter(token => this.hasWeight(token));
      this.tokensByWord.set(word, tokens);
    }
    return tokens;
  }

  /** Whether a token has a share in the vector of a text; padding has none. */
  private hasWeight(token: number): boolean {
    const { scales, rows } = this.file;
    return token !== this.paddingToken && scales[token]! > 0 && rows.row(token).some(it => it !== 0);
  }
}

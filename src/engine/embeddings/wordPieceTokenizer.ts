import { openTokenizer } from '../base/tokenizer.js';
import type { TokenizerDescription } from './staticModelFile.js';

/**
 * WordPiece: splits each word greedily into the longest tokens of a vocabulary. Normalization and word splitting are
 * those of `@huggingface/tokenizers`; its WordPiece model is not used, because building it takes longer than the rest of
 * a first recall.
 */
export class WordPieceTokenizer {
  private readonly idsByToken: ReadonlyMap<string, number>;
  private readonly split: (text: string) => readonly string[];
  /** Prefix of the tokens that continue a word. */
  private readonly continuationPrefix: string;
  /** In UTF-16 units, as are all lengths here; longer words have no tokens. */
  private readonly maxWordLength: number;
  private readonly maxTokenLength: number;

  /**
   * @param description `tokenizer.json`; its vocabulary may be empty
   * @param vocabulary tokens in the order of their ids
   * @throws Error if the tokenizer is not a WordPiece one
   */
  constructor(description: TokenizerDescription, vocabulary: readonly string[]) {
    const { type, continuing_subword_prefix: prefix, max_input_chars_per_word: maxWordLength } = description.model;
    if (type !== 'WordPiece') throw new Error(`it is ${type}`);
    this.continuationPrefix = prefix;
    this.maxWordLength = maxWordLength;
    const idsByToken = new Map<string, number>();
    let maxTokenLength = 0;
    // Not with entries(), which would triple the time to open a model.
    for (let id = 0; id < vocabulary.length; id++) {
      const token = vocabulary[id]!;
      idsByToken.set(token, id);
      if (token.length > maxTokenLength) maxTokenLength = token.length;
    }
    this.idsByToken = idsByToken;
    this.maxTokenLength = maxTokenLength;
    const { normalizer, pre_tokenizer: splitter } = openTokenizer(description);
    this.split = text => {
      const normalized = normalizer?.normalize(text) ?? text;
      return splitter?.pre_tokenize(normalized, {}) ?? [normalized];
    };
  }

  /** The id of a token; undefined if the vocabulary lacks it. */
  id(token: string): number | undefined {
    return this.idsByToken.get(token);
  }

  /** The token ids of a text, without words that the vocabulary cannot spell. */
  ids(text: string): readonly number[] {
    return this.split(text).flatMap(it => this.idsOfWord(it));
  }

  private idsOfWord(word: string): readonly number[] {
    if (word.length > this.maxWordLength) return [];
    const ids: number[] = [];
    for (let start = 0; start < word.length;) {
      const prefix = start === 0 ? '' : this.continuationPrefix;
      let end = Math.min(word.length, start + this.maxTokenLength - prefix.length);
      let id: number | undefined;
      for (; end > start; end--) {
        id = this.idsByToken.get(prefix + word.slice(start, end));
        if (id !== undefined) break;
      }
      if (id === undefined) return [];
      ids.push(id);
      start = end;
    }
    return ids;
  }
}

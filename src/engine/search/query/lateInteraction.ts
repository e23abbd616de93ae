import type { TokenVectorSource } from '../../embeddings/staticModel.js';
import { VectorIndex } from '../index/vectorIndex.js';

/** What 16 bits can name (numberLists.ts). */
const maxTokenIds = 65_536;

/** Compares texts with questions token by token; keeps the directions of the tokens it has met. */
export class LateInteraction {
  /** By token. */
  private readonly tokenVectors: VectorIndex;
  private readonly isLoaded = new Uint8Array(maxTokenIds);
  /** By token, during a call: its place among the texts' distinct tokens, from 1; zeros between two calls. */
  private readonly localIds = new Uint32Array(maxTokenIds);

  constructor(private readonly vectorSource: TokenVectorSource) {
    this.tokenVectors = new VectorIndex(vectorSource.dimensions);
  }

  /**
   * How well each text answers a question token by token, 0-1: for every distinct token of the question its best cosine
   * among the text's tokens, at least 0; the mean of these by the tokens' weights (late interaction after Khattab and
   * Zaharia's ColBERT, 2020, with a static table in the place of a network). A text or a question without tokens has 0.
   */
  scoreTexts(question: readonly number[], texts: readonly ArrayLike<number>[]): Float32Array {
    const { vectorSource, tokenVectors, localIds } = this;
    const questionTokens = new Set(question);
    let totalWeight = 0;
    for (const it of questionTokens) totalWeight += vectorSource.weight(it);
    const scores = new Float32Array(texts.length);
    if (totalWeight === 0) return scores;

    const tokens: number[] = [];
    const textLocalIds: Uint32Array[] = [];
    for (const text of texts) {
      const ids = new Uint32Array(text.length);
      for (let i = 0; i < ids.length; i++) {
        const token = text[i]!;
        if (localIds[token] === 0) localIds[token] = tokens.push(token);
        ids[i] = localIds[token]! - 1;
      }
      textLocalIds.push(ids);
    }
    for (const token of tokens) {
      localIds[token] = 0;
      this.loadToken(token);
    }
    for (const token of questionTokens) {
      const cosines = tokenVectors.cosines(vectorSource.row(token), tokens);
      const share = vectorSource.weight(token) / totalWeight;
      for (let text = 0; text < textLocalIds.length; text++) {
        let best = 0;
        const ids = textLocalIds[text]!;
        for (const place of ids) if (cosines[place]! > best) best = cosines[place]!;
        scores[text]! += share * best;
      }
    }
    return scores;
  }

  private loadToken(token: number): void {
    if (this.isLoaded[token] === 1) return;
    this.isLoaded[token] = 1;
    this.tokenVectors.reserve(token + 1);
    this.tokenVectors.set(token, this.vectorSource.row(token));
  }
}

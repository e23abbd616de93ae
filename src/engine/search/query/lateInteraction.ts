import type { TokenVectorSource } from '../../embeddings/staticModel.js';
import { VectorIndex } from '../index/vectorIndex.js';

/** Token ids have 16 bits (packedLists.ts). */
const maxTokenIds = 65_536;

/** Scores texts against questions token by token; caches the vectors of the tokens it has loaded. */
export class LateInteraction {
  private readonly tokenVectors: VectorIndex;
  private readonly isLoaded = new Uint8Array(maxTokenIds);
  /** During a call, by token: its index among the texts' distinct tokens, from 1; all zeros between calls. */
  private readonly localIds = new Uint32Array(maxTokenIds);

  constructor(private readonly vectorSource: TokenVectorSource) {
    this.tokenVectors = new VectorIndex(vectorSource.dimensions);
  }

  /**
   * Scores how well each text answers a question, 0-1: the mean over the question's distinct tokens, weighted by token, of
   * the best cosine among the text's tokens, at least 0 (late interaction after Khattab and Zaharia's ColBERT, 2020, with a
   * static table instead of a network). A text or a question without tokens scores 0.
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
        for (const id of ids) if (cosines[id]! > best) best = cosines[id]!;
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

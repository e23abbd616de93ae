import type { TokenMeanings } from '../../embeddings/staticModel.js';
import { VectorTable } from './vectors.js';

/** What 16 bits can name (numberLists.ts). */
const mostTokens = 65_536;

/** Compares texts with questions token by token; keeps the directions of the tokens it has met. */
export class LateInteraction {
  /** By token. */
  private readonly directions: VectorTable;
  private readonly isMet = new Uint8Array(mostTokens);
  /** By token, during a call: its place among the texts' distinct tokens, from 1; zeros between two calls. */
  private readonly places = new Uint32Array(mostTokens);

  constructor(private readonly meanings: TokenMeanings) {
    this.directions = new VectorTable(meanings.dimensions);
  }

  /**
   * How well each text answers a question token by token, 0-1: for every distinct token of the question its best cosine
   * among the text's tokens, at least 0; the mean of these by the tokens' weights (late interaction after Khattab and
   * Zaharia's ColBERT, 2020, with a static table in the place of a network). A text or a question without tokens has 0.
   */
  compare(question: readonly number[], texts: readonly ArrayLike<number>[]): Float32Array {
    const { meanings, directions, places } = this;
    const asked = new Set(question);
    let total = 0;
    for (const it of asked) total += meanings.weight(it);
    const scores = new Float32Array(texts.length);
    if (total === 0) return scores;

    const tokens: number[] = [];
    const placesOfTexts: Uint32Array[] = [];
    for (const text of texts) {
      const its = new Uint32Array(text.length);
      for (let i = 0; i < its.length; i++) {
        const token = text[i]!;
        if (places[token] === 0) places[token] = tokens.push(token);
        its[i] = places[token]! - 1;
      }
      placesOfTexts.push(its);
    }
    for (const token of tokens) {
      places[token] = 0;
      this.meet(token);
    }
    for (const token of asked) {
      const cosines = directions.cosines(meanings.row(token), tokens);
      const share = meanings.weight(token) / total;
      for (let text = 0; text < placesOfTexts.length; text++) {
        let best = 0;
        const its = placesOfTexts[text]!;
        for (const place of its) if (cosines[place]! > best) best = cosines[place]!;
        scores[text]! += share * best;
      }
    }
    return scores;
  }

  private meet(token: number): void {
    if (this.isMet[token] === 1) return;
    this.isMet[token] = 1;
    this.directions.reserve(token + 1);
    this.directions.set(token, this.meanings.row(token));
  }
}

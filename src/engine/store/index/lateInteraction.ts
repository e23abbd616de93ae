import type { TokenMeanings } from '../../embeddings/staticModel.js';
import { VectorTable } from './vectors.js';

/** Compares texts with questions token by token; keeps its workspace from one question to the next. */
export class LateInteraction {
  /** Every distinct token of the texts stands once in it, and each token of the question scans it. */
  private readonly table: VectorTable;

  constructor(private readonly meanings: TokenMeanings) {
    this.table = new VectorTable(meanings.dimensions);
  }

  /**
   * How well each text answers a question token by token, 0-1: for every distinct token of the question its best cosine
   * among the text's tokens, at least 0; the mean of these by the tokens' weights (late interaction after Khattab and
   * Zaharia's ColBERT, 2020, with a static table in the place of a network). A text or a question without tokens has 0.
   */
  compare(question: readonly number[], texts: readonly ArrayLike<number>[]): Float32Array {
    const { meanings, table } = this;
    const asked = [...new Set(question)];
    const total = asked.reduce((sum, it) => sum + meanings.weight(it), 0);
    const scores = new Float32Array(texts.length);
    if (total === 0) return scores;

    const places = new Map<number, number>();
    const placesOfTexts = texts.map(tokens => {
      const its = new Uint32Array(tokens.length);
      for (let i = 0; i < its.length; i++) {
        let place = places.get(tokens[i]!);
        if (place === undefined) places.set(tokens[i]!, (place = places.size));
        its[i] = place;
      }
      return its;
    });
    table.resize(places.size);
    for (const [token, place] of places) table.set(place, meanings.row(token));

    const cosines = new Float32Array(places.size);
    for (const token of asked) {
      table.scan(meanings.row(token), cosines);
      const share = meanings.weight(token) / total;
      for (let text = 0; text < texts.length; text++) {
        let best = 0;
        for (const place of placesOfTexts[text]!) if (cosines[place]! > best) best = cosines[place]!;
        scores[text]! += share * best;
      }
    }
    return scores;
  }
}

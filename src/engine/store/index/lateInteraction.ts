import type { TokenMeanings } from '../../embeddings/staticModel.js';
import { VectorTable } from './vectors.js';

/**
 * How well each text answers a question token by token, 0-1: for every distinct token of the question its best cosine
 * among the text's tokens, at least 0; the mean of these by the tokens' weights (late interaction after Khattab and
 * Zaharia's ColBERT, 2020, with a static table in the place of a network). A text or a question without tokens has 0.
 */
export function lateInteraction(
  meanings: TokenMeanings,
  question: readonly number[],
  texts: readonly (readonly number[])[],
): Float32Array {
  const asked = [...new Set(question)];
  const total = asked.reduce((sum, it) => sum + meanings.weight(it), 0);
  const scores = new Float32Array(texts.length);
  if (total === 0) return scores;

  // Every distinct token of the texts stands once in a table, which each token of the question scans.
  const places = new Map<number, number>();
  for (const tokens of texts) {
    for (const it of tokens) if (!places.has(it)) places.set(it, places.size);
  }
  const table = new VectorTable(meanings.dimensions);
  table.resize(places.size);
  for (const [token, place] of places) table.set(place, meanings.row(token));
  const placesOfTexts = texts.map(tokens => Uint32Array.from(tokens, it => places.get(it)!));

  const cosines = new Float32Array(places.size);
  for (const token of asked) {
    table.scan(meanings.row(token), cosines);
    const share = meanings.weight(token) / total;
    for (const [text, itsPlaces] of placesOfTexts.entries()) {
      let best = 0;
      for (const place of itsPlaces) if (cosines[place]! > best) best = cosines[place]!;
      scores[text]! += share * best;
    }
  }
  return scores;
}

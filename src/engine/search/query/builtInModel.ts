import { toInt8Vector } from '../../base/int8Vector.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { EmbeddingOutcome } from '../worker/searchProtocol.js';

/** What a search does with the built-in model, where there is one. */
export class BuiltInModel {
  private opened: StaticModel | undefined;

  /** @param openModel called on first use; undefined where there is none. @throws Error where it cannot be read */
  constructor(private readonly openModel: () => StaticModel | undefined) {}

  private open(): StaticModel | undefined {
    return (this.opened ??= this.openModel());
  }

  /** Embeds texts; the vectors are concatenated, and undefined without the model or any text. */
  embed(texts: readonly string[]): {
    readonly vectors: Int8Array | undefined;
    readonly embedding: EmbeddingOutcome | undefined;
  } {
    if (texts.length === 0) return { vectors: undefined, embedding: undefined };
    const start = performance.now();
    try {
      const model = this.open();
      const vectors = model && new Int8Array(texts.length * model.dimensions);
      for (const [i, it] of texts.entries()) vectors?.set(toInt8Vector(model!.embed(it)), i * model!.dimensions);
      return { vectors, embedding: { ms: performance.now() - start } };
    } catch (error) {
      return { vectors: undefined, embedding: { failed: error instanceof Error ? error.message : String(error) } };
    }
  }
}

/** The vectors of several texts that are one after the other; undefined without any. */
export function splitVectors(vectors: Int8Array | undefined, count: number): readonly Int8Array[] | undefined {
  if (vectors === undefined || count === 0) return undefined;
  const width = vectors.length / count;
  return Array.from({ length: count }, (_, i) => vectors.subarray(i * width, (i + 1) * width));
}

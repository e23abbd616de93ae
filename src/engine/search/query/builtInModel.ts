import { toInt8Vector } from '../../base/int8Vector.js';
import type { StaticModel } from '../../embeddings/staticModel.js';
import type { MemoryIndex } from '../index/memoryIndex.js';
import type { EmbeddingOutcome } from '../worker/searchProtocol.js';
import { LateInteraction } from './lateInteraction.js';
import type { DocumentRef } from './searchMemories.js';

/** What a search does with the built-in model, where there is one. */
export class BuiltInModel {
  private lateInteraction: LateInteraction | undefined;
  private opened: StaticModel | undefined;

  /** @param openModel called on first use; undefined where there is none. @throws Error where it cannot be read */
  constructor(private readonly openModel: () => StaticModel | undefined) {}

  /** The model; undefined where it cannot be read, which `embed` reports. */
  get readable(): StaticModel | undefined {
    try {
      return this.open();
    } catch {
      return undefined;
    }
  }

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

  /** Late-interaction scores of memories, 0-1 each; all 0 without the model. */
  rerank(
    index: MemoryIndex,
    question: string,
    documents: readonly DocumentRef[],
    names: readonly string[],
  ): Float32Array {
    const model = this.readable;
    if (model === undefined) return new Float32Array(documents.length);
    const excludedTokens = new Set(names.flatMap(it => model.tokens(it)));
    this.lateInteraction ??= new LateInteraction(model.tokenVectors);
    return this.lateInteraction.scoreTexts(
      model.tokens(question).filter(it => !excludedTokens.has(it)),
      documents.map(it => index.tokens.get(it.position)),
    );
  }
}

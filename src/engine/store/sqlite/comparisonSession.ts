import type { IndexedFact } from '../../search/neighbors/batchFacts.js';
import type { IndexKey } from '../../search/worker/searchProtocol.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import type { ComparisonOptions, ComparisonSession, FactComparison } from '../factComparison.js';

let lastBatchId = 0;

/** Compares one call's facts in the search worker. While the worker builds the index, facts have no relations. */
export class WorkerComparisonSession implements ComparisonSession {
  private readonly batchId = ++lastBatchId;
  /** Whether the worker has dropped the batch. */
  private hasEnded = false;

  constructor(
    private readonly searchWorker: SearchWorkerClient,
    private readonly indexKey: IndexKey,
    private readonly options: ComparisonOptions,
  ) {}

  async add(facts: readonly IndexedFact[], isLast: boolean): Promise<FactComparison> {
    const batch = { batchId: this.batchId, facts, isLast, ...this.options };
    const response = await this.searchWorker.compare(this.indexKey, batch);
    if (response === undefined) {
      return { relatedMemories: facts.map(() => []), vectors: facts.map(() => undefined), embedding: undefined };
    }
    const { relatedMemories, vectors, embedding } = response;
    this.hasEnded = isLast;
    const width = (vectors?.length ?? 0) / facts.length;
    return {
      relatedMemories,
      vectors: facts.map((_, i) => vectors?.subarray(i * width, (i + 1) * width)),
      embedding,
    };
  }

  end(): void {
    if (!this.hasEnded) this.searchWorker.endBatch(this.indexKey.file, this.batchId);
  }
}

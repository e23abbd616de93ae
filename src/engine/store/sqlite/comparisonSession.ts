import { Sequencer } from '../../base/sequencer.js';
import type { Log } from '../../model/host.js';
import { codeKindsSql, toFactInput } from '../../search/neighbors/compareFacts.js';
import { BatchFacts, type IndexedFact } from '../../search/neighbors/batchFacts.js';
import type { IndexKey } from '../../search/worker/searchProtocol.js';
import type { SearchWorkerClient } from '../../search/worker/searchWorkerClient.js';
import { classifyCandidates, ParsedTextCache, type RelatedMemory } from '../../search/neighbors/classifyCandidates.js';
import type { FactComparison, ComparisonSession } from '../store.js';
import type { Database } from '../../database/database.js';
import { readMeta } from '../../database/storeState.js';

/** Without the index so many facts of a call are compared with what is stored: each takes some milliseconds. */
const maxFtsComparisons = 32;
/** Best matches by words, and how many words are looked for. */
const maxFtsCandidates = 16;
const maxFtsTerms = 24;

let lastBatchId = 0;

/** One call's facts, compared by the index thread; while that cannot, by the words of the full-text index. */
export class SqliteComparisonSession implements ComparisonSession {
  revision = Infinity;
  private readonly batchId = ++lastBatchId;
  private readonly parsedTexts = new ParsedTextCache();
  private readonly earlierFacts = new BatchFacts(undefined);
  private ftsComparisons = 0;
  private readonly ftsSequencer = new Sequencer();
  /** The thread has let go of the call. */
  private hasEnded = false;

  constructor(
    private readonly database: Database,
    private readonly searchWorker: SearchWorkerClient,
    private readonly indexKey: IndexKey,
    private readonly options: { readonly relatedCosine: number; readonly embeds: boolean },
    private readonly log: Log,
  ) {}

  async add(facts: readonly IndexedFact[], isLast: boolean): Promise<FactComparison> {
    try {
      const compared = await this.searchWorker.compare(this.indexKey, {
        batchId: this.batchId,
        facts,
        isLast,
        ...this.options,
      });
      if (compared !== undefined) {
        const { relatedMemories, vectors, embedding, revision } = compared;
        this.hasEnded = isLast;
        this.revision = Math.min(this.revision, revision);
        const width = (vectors?.length ?? 0) / facts.length;
        return {
          relatedMemories,
          vectors: facts.map((_, i) => vectors?.subarray(i * width, (i + 1) * width)),
          embedding,
        };
      }
    } catch (error) {
      this.log.error(
        `The search index of ${this.indexKey.file} failed; new memories are compared by words alone.`,
        error,
      );
    }
    const relatedMemories = await this.ftsSequencer.run(() => this.compareByFullText(facts));
    return { relatedMemories, vectors: facts.map(() => undefined), embedding: undefined };
  }

  end(): void {
    if (!this.hasEnded) this.searchWorker.endBatch(this.indexKey.file, this.batchId);
  }

  private async compareByFullText(facts: readonly IndexedFact[]): Promise<readonly (readonly RelatedMemory[])[]> {
    this.revision = Math.min(this.revision, Number(await readMeta(this.database.read, 'revision')));
    const found: (readonly RelatedMemory[])[] = [];
    for (const fact of facts) {
      const parsedFact = { ...fact, parsed: this.parsedTexts.parse(fact) };
      const { terms } = parsedFact.parsed;
      const isCompared = terms.length > 0 && this.ftsComparisons++ < maxFtsComparisons;
      const rows = isCompared
        ? await this.database.read.all(
            `SELECT m.id, m.content, m.content_hash, m.reinforced_at
             FROM memory_terms JOIN memories m ON m.row = memory_terms.rowid
             WHERE memory_terms MATCH ? AND m.scope_id = ? AND m.status = 'active' AND m.kind NOT IN (${codeKindsSql})
             ORDER BY bm25(memory_terms), m.id DESC LIMIT ?`,
            [...new Set(terms)]
              .slice(0, maxFtsTerms)
              .map(it => `"${it.replaceAll('"', '""')}"`)
              .join(' OR '),
            fact.scopeId,
            maxFtsCandidates,
          )
        : [];
      const candidates = rows.map(toFactInput).map(it => {
        return { fact: it, parsed: this.parsedTexts.parse(it), cosine: undefined, isEmbeddingOnly: false };
      });
      const measures = { relatedCosine: this.options.relatedCosine, weight: () => 1 };
      found.push(
        classifyCandidates(parsedFact, [...candidates, ...this.earlierFacts.addAndFindEarlier(parsedFact)], measures),
      );
    }
    return found;
  }
}

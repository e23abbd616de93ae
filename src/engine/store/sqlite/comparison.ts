import { SerialQueue } from '../../base/serialQueue.js';
import type { Log } from '../../model/host.js';
import { codeKindsSql } from '../codeKindsSql.js';
import { CallFacts, type PlacedFact } from '../index/callFacts.js';
import type { IndexOf } from '../index/indexProtocol.js';
import type { IndexThread } from '../index/indexThread.js';
import { judge, Readings, type Relative } from '../index/judge.js';
import { toldFact } from '../index/knownTexts.js';
import type { ComparedFacts, Comparison } from '../store.js';
import type { Database } from './database.js';
import { meta } from './meta.js';

/** Without the index so many facts of a call are compared with what is stored: each takes some milliseconds. */
const mostByWords = 32;
/** Best matches by words, and how many words are looked for. */
const candidates = 16;
const mostTerms = 24;

let calls = 0;

/** One call's facts, compared by the index thread; while that cannot, by the words of the full-text index. */
export class SqliteComparison implements Comparison {
  revision = Infinity;
  private readonly call = ++calls;
  private readonly readings = new Readings();
  private readonly before = new CallFacts(undefined);
  private byWordsAlready = 0;
  private readonly byWordsInOrder = new SerialQueue();
  /** The thread has let go of the call. */
  private hasEnded = false;

  constructor(
    private readonly database: Database,
    private readonly indexes: IndexThread,
    private readonly of: IndexOf,
    private readonly measures: { readonly relatedCosine: number; readonly embeds: boolean },
    private readonly log: Log,
  ) {}

  async add(facts: readonly PlacedFact[], isLast: boolean): Promise<ComparedFacts> {
    try {
      const compared = await this.indexes.compare(this.of, { call: this.call, facts, isLast, ...this.measures });
      if (compared !== undefined) {
        const { relatives, vectors, embedding, revision } = compared;
        this.hasEnded = isLast;
        this.revision = Math.min(this.revision, revision);
        const width = (vectors?.length ?? 0) / facts.length;
        return {
          relatives,
          vectors: facts.map((_, i) => vectors?.subarray(i * width, (i + 1) * width)),
          embedding,
        };
      }
    } catch (error) {
      this.log.error(`The search index of ${this.of.file} failed; new memories are compared by words alone.`, error);
    }
    const relatives = await this.byWordsInOrder.run(() => this.byWords(facts));
    return { relatives, vectors: facts.map(() => undefined), embedding: undefined };
  }

  end(): void {
    if (!this.hasEnded) this.indexes.endCall(this.of.file, this.call);
  }

  private async byWords(facts: readonly PlacedFact[]): Promise<readonly (readonly Relative[])[]> {
    this.revision = Math.min(this.revision, Number(await meta(this.database.read, 'revision')));
    const found: (readonly Relative[])[] = [];
    for (const fact of facts) {
      const told = { ...fact, reading: this.readings.read(fact) };
      const { terms } = told.reading;
      const isCompared = terms.length > 0 && this.byWordsAlready++ < mostByWords;
      const rows = isCompared
        ? await this.database.read.all(
            `SELECT m.id, m.content, m.content_hash, m.reinforced_at
             FROM memory_terms JOIN memories m ON m.row = memory_terms.rowid
             WHERE memory_terms MATCH ? AND m.scope_id = ? AND m.status = 'active' AND m.kind NOT IN (${codeKindsSql})
             ORDER BY bm25(memory_terms), m.id DESC LIMIT ?`,
            [...new Set(terms)]
              .slice(0, mostTerms)
              .map(it => `"${it.replaceAll('"', '""')}"`)
              .join(' OR '),
            fact.scopeId,
            candidates,
          )
        : [];
      const known = rows.map(toldFact).map(it => {
        return { fact: it, reading: this.readings.read(it), cosine: undefined, isByMeaning: false };
      });
      const measures = { relatedCosine: this.measures.relatedCosine, weight: () => 1 };
      found.push(judge(told, [...known, ...this.before.next(told)], measures));
    }
    return found;
  }
}

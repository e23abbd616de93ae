import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import { unsearchableArchiveReasons } from '../../model/memory.js';
import type { CorpusStatistics } from '../../search/index/memoryIndex.js';

/** Statistics of terms, with the state of the store that they were read in. */
export interface TermStatistics {
  readonly revision: number;
  /** The write counter of the scopeId. */
  readonly sequence: number;
  readonly content: CorpusStatistics['content'];
  readonly aids: CorpusStatistics['aids'];
}

type StoreCounts = CorpusStatistics['counts'];

/** In how many memories each term is, in one round trip. */
export async function readTermStatistics(
  sql: PostgresSql,
  terms: readonly string[],
  scopeId: string,
): Promise<TermStatistics> {
  const row = (await sql.get(
    `SELECT (SELECT value FROM meta WHERE key = 'revision')::int AS revision,
       coalesce((SELECT value FROM sequences WHERE scope_id = $2), 0) AS sequence, memories, terms,
       (SELECT json_agg(json_build_array(l.term, l.memories, l.aids)) FROM lexemes l WHERE l.term = ANY ($1::text[])) AS lexemes
     FROM totals`,
    [...new Set(terms)],
    scopeId,
  ))!;
  const documents = row.memories as number;
  const lexemes = (row.lexemes ?? []) as readonly (readonly [term: string, memories: number, aids: number])[];
  return {
    revision: row.revision as number,
    sequence: row.sequence as number,
    content: {
      documents,
      averageLength: (row.terms as number) / Math.max(1, documents),
      documentFrequencies: new Map(lexemes.map(([term, memories]) => [term, memories])),
    },
    // Their length does not count.
    aids: { documents, averageLength: 1, documentFrequencies: new Map(lexemes.map(([term, , aids]) => [term, aids])) },
  };
}

/** Documents up to which counting takes no time that matters. */
const maxSmallStore = 5_000;
/** How old the counts of a larger store may be. */
const maxCountAgeMs = 30_000;

/** Counts that grow slowly in a large store: there they are renewed now and then, while searches go on with the last ones. */
export class CachedCounts {
  private cached:
    | {
        readonly model: string | undefined;
        readonly revision: number;
        readonly at: number;
        readonly counts: StoreCounts;
      }
    | undefined;
  private pending: Promise<StoreCounts> | undefined;

  constructor(private readonly sql: PostgresSql) {}

  async read(
    model: string | undefined,
    { revision, documents }: { revision: number; documents: number },
  ): Promise<StoreCounts> {
    const { cached } = this;
    if (cached === undefined || cached.model !== model) return this.renew(model, revision);
    if (cached.revision === revision) return cached.counts;
    if (documents <= maxSmallStore) return this.renew(model, revision);
    if (performance.now() - cached.at > maxCountAgeMs && this.pending === undefined) {
      this.pending = this.renew(model, revision).finally(() => (this.pending = undefined));
      this.pending.catch(() => undefined);
    }
    return cached.counts;
  }

  private async renew(model: string | undefined, revision: number): Promise<StoreCounts> {
    const at = performance.now();
    const row = (await this.sql.get(countsSql, model ?? '', [...unsearchableArchiveReasons]))!;
    const counts: StoreCounts = { embedded: row.embedded as number, searchable: row.searchable as number };
    this.cached = { model, revision, at, counts };
    return counts;
  }
}

const isSearchable = "m.status <> 'superseded' AND coalesce(m.archive_reason, '') <> ALL ($2::text[])";
const countsSql = `SELECT
  (SELECT count(*)::int FROM memories m WHERE ${isSearchable}) AS searchable,
  (SELECT count(*)::int FROM vectors v JOIN memories m ON m.id = v.id WHERE v.model = $1 AND ${isSearchable}) AS embedded`;

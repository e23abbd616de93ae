import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { Log } from '../../model/host.js';
import { VectorIndex } from '../../search/index/vectorIndex.js';
import type { StoreQuery } from '../store.js';
import { toInt8 } from './candidateIndex.js';
import { maxFullySearched } from './searchCandidates.js';

/** How long a question waits for vectors; reading goes on after that, for the next ones. */
const maxWaitMs = 1_000;
/** How many of the nearest are named: a filter leaves some of them. */
const nearestCount = 1_000;

type Model = NonNullable<StoreQuery['model']>;

/** The state of the store that vectors are needed of. */
export interface VectorsState {
  readonly revision: number;
  /** Number of memories. */
  readonly documents: number;
}

/** The vectors of a small store on a server without pgvector: 4 MB for 10,000 of 384 dimensions. A question reads only those that were written since the one before. */
export class CachedVectors {
  private cached: LoadedVectors | undefined;
  private reading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sql: PostgresSql,
    private readonly log: Log,
  ) {}

  /**
   * Rows of the memories nearest to a vector, nearest first. Deleted ones may be among them.
   * @returns undefined where the store is too large, or its vectors are not here in time
   */
  async findNearest(vector: Int8Array, model: Model, state: VectorsState): Promise<readonly number[] | undefined> {
    if (state.documents > maxFullySearched) {
      this.cached = undefined;
      return undefined;
    }
    const reading = this.reading.then(() => this.update(model, state));
    this.reading = reading.catch(() => {
      this.log.warn('The vectors on the server were not read: memories are found by their words.');
    });
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>(resolve => {
      timer = setTimeout(() => {
        resolve(undefined);
      }, maxWaitMs);
    });
    try {
      return (await Promise.race([reading, tooLate]))?.findNearest(vector);
    } finally {
      clearTimeout(timer);
    }
  }

  private async update(model: Model, { revision, documents }: VectorsState): Promise<LoadedVectors> {
    let { cached } = this;
    // More than there are: some of them were deleted.
    if (cached?.model !== model.id || cached.size > documents) {
      cached = new LoadedVectors(model);
    }
    if (cached.revision < revision) {
      const rows = await this.sql.all(
        `SELECT m.row, v.vector FROM memories m JOIN vectors v ON v.id = m.id AND v.model = $1
         WHERE m.change > $2 AND length(v.vector) = $3`,
        model.id,
        cached.revision,
        model.dimensions,
      );
      cached.add(rows as unknown as readonly VectorOfRow[]);
      cached.revision = revision;
    }
    return (this.cached = cached);
  }
}

interface VectorOfRow {
  readonly row: number;
  readonly vector: Uint8Array;
}

class LoadedVectors {
  /** Revision up to which all vectors are here. */
  revision = -1;
  readonly model: string;
  private readonly index: VectorIndex;
  private readonly rows: number[] = [];
  private readonly positions = new Map<number, number>();

  constructor({ id, dimensions }: Model) {
    this.model = id;
    this.index = new VectorIndex(dimensions);
  }

  get size(): number {
    return this.rows.length;
  }

  add(vectors: readonly VectorOfRow[]): void {
    for (const { row } of vectors) {
      if (!this.positions.has(row)) this.positions.set(row, this.rows.push(row) - 1);
    }
    this.index.reserve(this.size);
    for (const { row, vector } of vectors) this.index.set(this.positions.get(row)!, toInt8(vector));
  }

  findNearest(vector: Int8Array): readonly number[] {
    if (this.size === 0) return [];
    const cosines = this.index.scan(vector);
    const least = cosines.slice().sort()[Math.max(0, this.size - nearestCount)]!;
    return [...cosines.keys()]
      .filter(it => cosines[it]! >= least)
      .sort((a, b) => cosines[b]! - cosines[a]!)
      .map(it => this.rows[it]!);
  }
}

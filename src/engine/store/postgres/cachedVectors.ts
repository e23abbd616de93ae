import type { PostgresSql } from '../../database/postgres/postgresPool.js';
import type { Log } from '../../model/host.js';
import { VectorIndex } from '../../search/index/vectorIndex.js';
import type { StoreQuery } from '../store.js';

/** Memories of a store whose vectors are kept: 39 MB for 384 dimensions, as the index of a file takes. */
const maxMemories = 100_000;
/** Rows of the first reading per statement: 4 MB for 384 dimensions. */
const pageRows = 10_000;
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

/** All vectors of a store. */
export interface StoreVectors {
  /** Rows of the memories nearest to any of the vectors, nearest first. Deleted ones may be among them. */
  findNearest(vectors: readonly Int8Array[]): readonly number[];
  /** Of a memory; undefined without one. Valid until the next reading. */
  vectorOf(row: number): Int8Array | undefined;
}

/**
 * The vectors of a store on a server without pgvector, so that the nearest are found as exactly as in a file. A question reads
 * only those that were written since the one before.
 */
export class CachedVectors {
  private cached: LoadedVectors | undefined;
  private reading: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly sql: PostgresSql,
    private readonly log: Log,
  ) {}

  /** Reads the vectors ahead of the first question. @throws EngineError as PostgresSql does */
  async prepare(model: Model): Promise<void> {
    const row = await this.sql.get(
      "SELECT (SELECT value FROM meta WHERE key = 'revision')::int AS revision, memories FROM totals",
    );
    await this.read(model, { revision: row!.revision as number, documents: row!.memories as number });
  }

  /** @returns undefined where the store is too large, or its vectors are not here in time */
  async load(model: Model, state: VectorsState): Promise<StoreVectors | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<undefined>(resolve => {
      timer = setTimeout(() => {
        resolve(undefined);
      }, maxWaitMs);
    });
    try {
      return await Promise.race([this.read(model, state), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @returns undefined where the store is too large */
  private async read(model: Model, state: VectorsState): Promise<LoadedVectors | undefined> {
    if (state.documents > maxMemories) {
      this.cached = undefined;
      return undefined;
    }
    const reading = this.reading.then(() => this.update(model, state));
    this.reading = reading.catch(() => {
      this.log.warn('The vectors on the server were not read: memories are found by their words.');
    });
    return reading;
  }

  private async update(model: Model, { revision, documents }: VectorsState): Promise<LoadedVectors> {
    let { cached } = this;
    // More than there are: some of them were deleted.
    if (cached?.model !== model.id || cached.size > documents) {
      cached = new LoadedVectors(model);
      await this.readAll(cached, model);
      cached.revision = revision;
    }
    if (cached.revision < revision) {
      await this.readRows(cached, model, 'm.change > $3', cached.revision);
      cached.revision = revision;
    }
    return (this.cached = cached);
  }

  private async readAll(vectors: LoadedVectors, model: Model): Promise<void> {
    const { last } = (await this.sql.get('SELECT coalesce(max(row), 0) AS last FROM memories'))! as { last: number };
    for (let from = 0; from < last; from += pageRows)
      await this.readRows(vectors, model, 'm.row > $3 AND m.row <= $4', from, from + pageRows);
  }

  /** In one row: thousands of rows take the driver several times as long. */
  private async readRows(
    vectors: LoadedVectors,
    { id, dimensions }: Model,
    condition: string,
    ...values: readonly number[]
  ): Promise<void> {
    const found = await this.sql.get(
      `SELECT array_agg(m.row ORDER BY m.row) AS rows, string_agg(v.vector, ''::bytea ORDER BY m.row) AS vectors
       FROM memories m JOIN vectors v ON v.id = m.id AND v.model = $1 WHERE length(v.vector) = $2 AND ${condition}`,
      id,
      dimensions,
      ...values,
    );
    const { rows, vectors: bytes } = found! as { rows: readonly number[] | null; vectors: Uint8Array | null };
    if (rows !== null && bytes !== null) vectors.add(rows, bytes);
  }
}

class LoadedVectors implements StoreVectors {
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

  /** @param bytes the components of all rows, one after the other */
  add(rows: readonly number[], bytes: Uint8Array): void {
    for (const row of rows) {
      if (!this.positions.has(row)) this.positions.set(row, this.rows.push(row) - 1);
    }
    this.index.reserve(this.size);
    const { dimensions } = this.index;
    for (const [i, row] of rows.entries()) {
      const vector = new Int8Array(bytes.buffer, bytes.byteOffset + i * dimensions, dimensions);
      this.index.set(this.positions.get(row)!, vector);
    }
  }

  vectorOf(row: number): Int8Array | undefined {
    const position = this.positions.get(row);
    return position === undefined ? undefined : this.index.get(position);
  }

  findNearest(vectors: readonly Int8Array[]): readonly number[] {
    if (this.size === 0) return [];
    const nearness = new Float32Array(this.size).fill(-1);
    for (const vector of vectors) {
      const cosines = this.index.scan(vector);
      for (let i = 0; i < nearness.length; i++) if (cosines[i]! > nearness[i]!) nearness[i] = cosines[i]!;
    }
    const least = nearness.slice().sort()[Math.max(0, this.size - nearestCount)]!;
    return [...nearness.keys()]
      .filter(it => nearness[it]! >= least)
      .sort((a, b) => nearness[b]! - nearness[a]! || this.rows[b]! - this.rows[a]!)
      .map(it => this.rows[it]!);
  }
}

import { grow, nextCapacity, minCapacity, type SerializedIndex, type IndexReader } from './typedArrays.js';
import { InvertedIndex, type FieldStatistics } from './invertedIndex.js';
import { DocumentColumns, noEntry } from './documentColumns.js';
import { VectorIndex } from './vectorIndex.js';
import { ScratchBuffers } from './scratchBuffers.js';

/** A memory as the index takes it. */
export interface IndexedMemory {
  readonly row: number;
  /** Hash of the indexed text, at most 52 bits; it changes with the text. */
  readonly key: number;
  /** Whether a recall may return it: neither superseded nor archived for good. */
  readonly searchable: boolean;
  /** Whether new facts are compared with it. */
  readonly active: boolean;
  readonly scopeId: string;
  /** Terms of the body, without stop words. */
  readonly terms: readonly string[];
  /** Terms of the search aids and of the words kept with it, without stop words. */
  readonly aidTerms?: readonly string[];
  /** int8 components; undefined while it is not embedded yet. */
  readonly vector: Int8Array | undefined;
}

/** Counts of searchable memories: those with a vector, and all. */
export interface SearchableCounts {
  embedded: number;
  searchable: number;
}

/** Statistics of a whole store, for an index of some of its memories. */
export interface CorpusStatistics {
  readonly content: FieldStatistics;
  /** Of the search aids. */
  readonly aids: FieldStatistics;
  readonly counts: Readonly<SearchableCounts>;
}

const maxCachedMasks = 8;

/**
 * In-memory index of one store: inverted index and vectors over the same dense positions, so that a score of
 * all memories is one flat array. Positions are in the order of writing; a memory whose text changes moves to a new one and
 * leaves a tombstone: row 0, not searchable, no terms.
 */
export class MemoryIndex extends DocumentColumns {
  readonly postings: InvertedIndex;
  /** The memories' search aids, over the same positions. */
  readonly aids: InvertedIndex;
  readonly vectors: VectorIndex | undefined;
  readonly scratch = new ScratchBuffers<'words' | 'frequencies' | 'cosine' | 'alternative' | 'best'>();

  private readonly ownCounts: SearchableCounts = { embedded: 0, searchable: 0 };
  private readonly scopes = new Map<string, number>();

  /** By row: position plus 1, or 0. Rows are numbered from 1 without large gaps. */
  private positions = new Int32Array(minCapacity);
  /** Tombstones since the last `vacuum`: their terms are still in the posting lists. */
  private readonly tombstones = new Set<number>();
  /** By scope; cleared when a memory becomes searchable or ceases to be. */
  private readonly masks = new Map<number, Uint8Array>();

  /**
   * @param dimensions of the embedding model; undefined for an index without vectors
   * @param corpus statistics to score by, where the index holds a part of the memories only; default its own
   */
  constructor(
    dimensions: number | undefined,
    private readonly corpus?: CorpusStatistics,
  ) {
    super();
    this.postings = new InvertedIndex(corpus?.content);
    this.aids = new InvertedIndex(corpus?.aids);
    this.vectors = dimensions === undefined ? undefined : new VectorIndex(dimensions);
  }

  /** Number of positions, tombstones included. */
  get size(): number {
    return this.postings.positions;
  }

  /** Number of memories, of the whole corpus. */
  get documents(): number {
    return this.postings.documents;
  }

  /**
   * Memories that have a term in their own words or in their search aids, of the whole corpus.
   * @param own how many of this index do
   */
  documentFrequency(term: string, own: number): number {
    if (this.corpus === undefined) return own;
    return Math.max(this.postings.documentFrequency(term), this.aids.documentFrequency(term));
  }

  /** Whether it holds every memory of its corpus. */
  get isWhole(): boolean {
    return this.corpus === undefined;
  }

  /** Of the whole corpus. */
  get counts(): Readonly<SearchableCounts> {
    return this.corpus?.counts ?? this.ownCounts;
  }

  /** The number of a scope; undefined where no memory has it. */
  scopeNumber(scopeId: string): number | undefined {
    return this.scopes.get(scopeId);
  }

  /** The key of the indexed text of a row; undefined where the row is not indexed. */
  textKey(row: number): number | undefined {
    const position = this.positionOf(row);
    return position === noEntry ? undefined : this.keys[position];
  }

  /** Adds a memory, or replaces the one of the same row. */
  add(memory: IndexedMemory): void {
    const replaced = this.positionOf(memory.row);
    const position = this.postings.add(memory.terms);
    this.aids.add(memory.aidTerms ?? []);
    this.reserve(position + 1);
    this.vectors?.reserve(position + 1);
    if (memory.row >= this.positions.length) {
      this.positions = grow(this.positions, nextCapacity(memory.row + 1, this.positions.length));
    }
    this.rows[position] = memory.row;
    this.keys[position] = memory.key;
    this.scope[position] = numberFor(this.scopes, memory.scopeId);
    if (replaced !== noEntry) this.tombstone(replaced);
    this.positions[memory.row] = position + 1;
    this.setStatus(memory.row, memory);
    this.setVector(memory.row, memory.vector);
  }

  setStatus(row: number, { searchable, active }: Pick<IndexedMemory, 'searchable' | 'active'>): void {
    const position = this.positionOf(row);
    if (position === noEntry) return;
    this.active[position] = active ? 1 : 0;
    if (this.searchable[position] === (searchable ? 1 : 0)) return;
    this.searchable[position] = searchable ? 1 : 0;
    this.masks.clear();
    this.countSearchable(position, searchable ? 1 : -1);
  }

  setVector(row: number, vector: Int8Array | undefined): void {
    const position = this.positionOf(row);
    if (position === noEntry || this.vectors === undefined) return;
    const hasVector = vector === undefined ? 0 : 1;
    if (this.searchable[position] === 1) this.ownCounts.embedded += hasVector - this.hasVector[position]!;
    this.hasVector[position] = hasVector;
    this.vectors.set(position, vector);
  }

  /** Leaves a tombstone until `vacuum`. */
  remove(row: number): void {
    const position = this.positionOf(row);
    if (position === noEntry) return;
    this.tombstone(position);
    this.positions[row] = 0;
  }

  /** Removes the terms of removed and replaced memories; call it after changes and before the next search. */
  vacuum(): void {
    if (this.tombstones.size === 0) return;
    this.postings.removeDocuments(this.tombstones);
    this.aids.removeDocuments(this.tombstones);
    this.tombstones.clear();
  }

  /** 1 for each searchable position of a scope; shared, so callers must not write to it. */
  mask(scope: number): Uint8Array {
    let mask = this.masks.get(scope);
    if (mask?.length !== this.size) {
      mask = new Uint8Array(this.size);
      for (let p = 0; p < mask.length; p++) mask[p] = this.searchable[p]! & (this.scope[p] === scope ? 1 : 0);
      if (this.masks.size >= maxCachedMasks) this.masks.clear();
      this.masks.set(scope, mask);
    }
    return mask;
  }

  serialize(): SerializedIndex {
    return {
      arrays: {
        ...this.serializeColumns(this.size),
        ...this.postings.serialize(),
        ...prefixed(this.aids.serialize()),
        ...(this.vectors === undefined ? {} : { vectors: this.vectors.bytes() }),
      },
      names: { scopes: [...this.scopes.keys()] },
    };
  }

  /** Restores a serialized index into this empty one. @throws Error when it is damaged */
  restore(reader: IndexReader): void {
    const size = this.restoreColumns(reader);
    for (const name of reader.names.scopes ?? []) numberFor(this.scopes, name);
    let tombstoneCount = 0;
    for (let position = 0; position < size; position++) {
      const row = this.rows[position]!;
      if (row === 0) {
        tombstoneCount++;
        continue;
      }
      if (row >= this.positions.length)
        this.positions = grow(this.positions, nextCapacity(row + 1, this.positions.length));
      this.positions[row] = position + 1;
      if (this.searchable[position] === 1) this.countSearchable(position, 1);
    }
    this.postings.restore(reader, tombstoneCount);
    this.aids.restore(prefixedReader(reader), tombstoneCount);
    if (this.vectors !== undefined) {
      this.vectors.reserve(size);
      reader.read('vectors', this.vectors.bytes());
    }
  }

  private positionOf(row: number): number {
    return (this.positions[row] ?? 0) - 1;
  }

  private countSearchable(position: number, change: number): void {
    this.ownCounts.searchable += change;
    if (this.hasVector[position] === 1) this.ownCounts.embedded += change;
  }

  private tombstone(position: number): void {
    this.setStatus(this.rows[position]!, { searchable: false, active: false });
    this.vectors?.set(position, undefined);
    this.rows[position] = 0;
    this.keys[position] = 0;
    this.hasVector[position] = 0;
    this.tombstones.add(position);
  }
}

function numberFor(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

/** Names of the arrays of the second inverted index. */
const aidsPrefix = 'aids.';

function prefixed(arrays: SerializedIndex['arrays']): SerializedIndex['arrays'] {
  return Object.fromEntries(Object.entries(arrays).map(([name, array]) => [aidsPrefix + name, array]));
}

function prefixedReader(reader: IndexReader): IndexReader {
  return {
    names: reader.names,
    bytes: name => reader.bytes(aidsPrefix + name),
    read: (name, into) => {
      reader.read(aidsPrefix + name, into);
    },
  };
}

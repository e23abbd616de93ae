import { grow, nextCapacity, minCapacity, readArray, type SerializedIndex, type IndexReader } from './typedArrays.js';
import { topK } from './topK.js';
import { TermDictionary } from './termDictionary.js';

/** Statistics of all documents, for an index of some of them. */
export interface FieldStatistics {
  readonly documents: number;
  /** Mean number of terms. */
  readonly averageLength: number;
  /** Term -> documents that have it; terms that none has may be missing. */
  readonly documentFrequencies: ReadonlyMap<string, number>;
}

/** An entry holds the document's position and, in the lowest bits, the term frequency. */
const frequencyBits = 8;
const maxFrequency = (1 << frequencyBits) - 1;
/** Most terms are rare: the first block of a list is short, and each further one twice as long, up to the maximum. */
const initialBlockSize = 2;
const maxBlockSize = 1024;
/** Entries that `moreLikeThis` reads over all indexes; ten times as many if the rarest term alone exceeds this. */
const maxEntriesRead = 1_000;
/** Entries before blocks reach their maximum size: 2 + 4 + … + 1024. */
const entriesBeforeMaxBlock = 2 * maxBlockSize - initialBlockSize;

/**
 * In-memory inverted index over documents at dense positions from 0. Documents are only appended; a changed one is removed
 * and added again at a new position.
 *
 * All posting lists share one arena. A list is a chain of blocks; behind each block stands the offset of the next one.
 */
export class InvertedIndex {
  private readonly terms = new TermDictionary();
  private arena = new Uint32Array(4 * minCapacity);
  /** Offset 0 is unused, as 0 means none. */
  private arenaLength = 1;
  // By term.
  private firstBlocks = new Uint32Array(minCapacity);
  /** Where the next entry goes; at the end of a block, where the offset of the next block goes. */
  private writeCursors = new Uint32Array(minCapacity);
  private entryCounts = new Uint32Array(minCapacity);
  /** By position: number of terms. */
  private documentLengths = new Float32Array(minCapacity);
  private totalLength = 0;
  /** Scratch space of `moreLikeThis`, by position; all zeros between calls. */
  private scores = new Float32Array(0);
  /** Positions that have a score in the current call; the first `scoredCount` are valid. */
  private scoredDocs = new Uint32Array(maxEntriesRead);
  private scoredCount = 0;
  private positionCount = 0;
  private removedCount = 0;

  /** @param corpus statistics to score by, where the index holds a part of the documents only; default its own */
  constructor(private readonly corpus?: FieldStatistics) {}

  /** Number of positions, those of removed documents included. */
  get positions(): number {
    return this.positionCount;
  }

  /** Number of documents, of the whole corpus. */
  get documents(): number {
    return this.corpus?.documents ?? this.positionCount - this.removedCount;
  }

  /** Number of terms of a document. */
  length(position: number): number {
    return this.documentLengths[position]!;
  }

  /** Adds a document and returns its position. */
  add(terms: readonly string[]): number {
    const position = this.positionCount++;
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) this.append(this.terms.findOrAdd(term), position, frequency);
    if (position === this.documentLengths.length)
      this.documentLengths = grow(this.documentLengths, nextCapacity(this.positionCount, position));
    this.documentLengths[position] = terms.length;
    this.totalLength += terms.length;
    return position;
  }

  /** Removes every trace of documents. Scans all posting lists, so pass many positions at once. */
  removeDocuments(positions: ReadonlySet<number>): void {
    if (positions.size === 0) return;
    const removed = new Uint8Array(this.positionCount);
    for (const position of positions) {
      removed[position] = 1;
      this.totalLength -= this.documentLengths[position]!;
      this.documentLengths[position] = 0;
    }
    this.removedCount += positions.size;
    for (let term = 0; term < this.terms.size; term++) this.compactList(term, removed);
  }

  /** Calls back with each document that has the term and how often. */
  forEachEntry(term: string, visit: (document: number, frequency: number) => void): void {
    const termId = this.terms.find(term);
    if (termId < 0) return;
    const { arena } = this;
    let remaining = this.entryCounts[termId]!;
    for (
      let at = this.firstBlocks[termId]!, size = initialBlockSize;
      remaining > 0;
      at = arena[at + size]!, size = nextBlockSize(size)
    ) {
      const end = at + Math.min(remaining, size);
      for (let i = at; i < end; i++) visit(arena[i]! >>> frequencyBits, arena[i]! & maxFrequency);
      remaining -= size;
    }
  }

  /** Mean number of terms of a document, of the whole corpus. */
  get averageLength(): number {
    return this.corpusLength / Math.max(1, this.documents);
  }

  /** Inverse document frequency of a term over this and other indexes, at least 0. */
  weight(term: string, otherIndexes: readonly InvertedIndex[] = []): number {
    const documents = otherIndexes.reduce((sum, it) => sum + it.documents, this.documents);
    return inverseDocumentFrequency(this.documentFrequency(term, otherIndexes), documents);
  }

  /**
   * The wanted documents with the highest sum of term weights, best first, then newest first. Reads the posting lists of the
   * rarest terms only, so that the time does not grow with the number of documents.
   * @param otherIndexes indexes that count towards document frequencies and the average length
   */
  moreLikeThis(
    terms: Iterable<string>,
    count: number,
    isWanted: (position: number) => boolean,
    otherIndexes: readonly InvertedIndex[] = [],
  ): { readonly position: number; readonly score: number }[] {
    const documents = otherIndexes.reduce((sum, it) => sum + it.documents, this.documents);
    const total = otherIndexes.reduce((sum, it) => sum + it.corpusLength, this.corpusLength);
    const queryTerms: QueryTerm[] = [];
    for (const term of new Set(terms)) {
      const globalDocumentFrequency = this.documentFrequency(term, otherIndexes);
      if (globalDocumentFrequency > 0) queryTerms.push({ termId: this.terms.find(term), globalDocumentFrequency });
    }
    queryTerms.sort((a, b) => a.globalDocumentFrequency - b.globalDocumentFrequency);
    if (this.scores.length < this.positionCount)
      this.scores = new Float32Array(nextCapacity(this.positionCount, this.scores.length));
    let entriesRead = 0;
    this.scoredCount = 0;
    for (const { termId, globalDocumentFrequency } of queryTerms) {
      if (entriesRead + globalDocumentFrequency > maxEntriesRead * (entriesRead > 0 ? 1 : 10)) break;
      entriesRead += globalDocumentFrequency;
      if (termId >= 0) this.accumulate(termId, inverseDocumentFrequency(globalDocumentFrequency, documents));
    }
    const { scores } = this;
    const scored = this.scoredDocs.subarray(0, this.scoredCount);
    const average = total / Math.max(1, documents);
    // Long texts match more of any terms.
    for (const it of scored) scores[it]! /= 1 + this.documentLengths[it]! / average;
    const best = topK(scores, count, isWanted, scored).map(position => ({ position, score: scores[position]! }));
    for (const it of scored) scores[it] = 0;
    return best;
  }

  /** Adds `weight` to the score of each document that has the term, and records the newly scored ones. */
  private accumulate(term: number, weight: number): void {
    const { arena, scores } = this;
    let remaining = this.entryCounts[term]!;
    if (this.scoredCount + remaining > this.scoredDocs.length)
      this.scoredDocs = grow(this.scoredDocs, this.scoredCount + remaining);
    const { scoredDocs } = this;
    let count = this.scoredCount;
    for (
      let at = this.firstBlocks[term]!, size = initialBlockSize;
      remaining > 0;
      at = arena[at + size]!, size = nextBlockSize(size)
    ) {
      const end = at + Math.min(remaining, size);
      for (let i = at; i < end; i++) {
        const document = arena[i]! >>> frequencyBits;
        if (scores[document] === 0) scoredDocs[count++] = document;
        scores[document]! += weight;
      }
      remaining -= size;
    }
    this.scoredCount = count;
  }

  serialize(): SerializedIndex['arrays'] {
    const terms = this.terms.size;
    return {
      ...this.terms.serialize(),
      pool: this.arena.subarray(0, this.arenaLength),
      first: this.firstBlocks.subarray(0, terms),
      tail: this.writeCursors.subarray(0, terms),
      counts: this.entryCounts.subarray(0, terms),
      lengths: this.documentLengths.subarray(0, this.positionCount),
    };
  }

  /** @param removedCount number of positions without a document */
  restore(reader: IndexReader, removedCount: number): void {
    this.terms.restore(reader);
    ({ array: this.arena, length: this.arenaLength } = readArray(reader, 'pool', Uint32Array));
    this.firstBlocks = readArray(reader, 'first', Uint32Array).array;
    this.writeCursors = readArray(reader, 'tail', Uint32Array).array;
    this.entryCounts = readArray(reader, 'counts', Uint32Array).array;
    ({ array: this.documentLengths, length: this.positionCount } = readArray(reader, 'lengths', Float32Array));
    for (let i = 0; i < this.positionCount; i++) this.totalLength += this.documentLengths[i]!;
    this.removedCount = removedCount;
  }

  private ownDocumentFrequency(term: string, termId: number): number {
    if (this.corpus !== undefined) return this.corpus.documentFrequencies.get(term) ?? 0;
    return termId < 0 ? 0 : this.entryCounts[termId]!;
  }

  /** Number of terms of all documents together. */
  private get corpusLength(): number {
    return this.corpus === undefined ? this.totalLength : this.corpus.averageLength * this.corpus.documents;
  }

  /** Number of documents that have the term, over this and other indexes. */
  documentFrequency(term: string, otherIndexes: readonly InvertedIndex[] = noIndexes): number {
    let frequency = this.ownDocumentFrequency(term, this.terms.find(term));
    for (const it of otherIndexes) frequency += it.documentFrequency(term, noIndexes);
    return frequency;
  }

  private append(term: number, document: number, frequency: number): void {
    if (term >= this.entryCounts.length) {
      const capacity = nextCapacity(term + 1, this.entryCounts.length);
      this.firstBlocks = grow(this.firstBlocks, capacity);
      this.writeCursors = grow(this.writeCursors, capacity);
      this.entryCounts = grow(this.entryCounts, capacity);
    }
    const count = this.entryCounts[term]!;
    const size = blockSizeAt(count);
    if (size > 0) {
      const block = this.arenaLength;
      this.arenaLength += size + 1;
      if (this.arenaLength > this.arena.length)
        this.arena = grow(this.arena, nextCapacity(this.arenaLength, this.arena.length));
      if (count === 0) this.firstBlocks[term] = block;
      else this.arena[this.writeCursors[term]!] = block;
      this.writeCursors[term] = block;
    }
    this.arena[this.writeCursors[term]!++] = (document << frequencyBits) | Math.min(maxFrequency, frequency);
    this.entryCounts[term] = count + 1;
  }

  /** Moves the remaining entries to the front of the list and zeroes the rest. */
  private compactList(term: number, removed: Uint8Array): void {
    const { arena } = this;
    const entriesBefore = this.entryCounts[term]!;
    let kept = 0;
    let [to, toSize] = [this.firstBlocks[term]!, initialBlockSize];
    let toEnd = to + toSize;
    let remaining = entriesBefore;
    for (let at = to, size = initialBlockSize; remaining > 0; at = arena[at + size]!, size = nextBlockSize(size)) {
      const end = at + Math.min(remaining, size);
      for (let i = at; i < end; i++) {
        const entry = arena[i]!;
        arena[i] = 0;
        if (removed[entry >>> frequencyBits] === 1) continue;
        if (to === toEnd) {
          to = arena[to]!;
          toSize = nextBlockSize(toSize);
          toEnd = to + toSize;
        }
        arena[to++] = entry;
        kept++;
      }
      remaining -= size;
    }
    this.entryCounts[term] = kept;
    this.writeCursors[term] = to;
  }
}

const noIndexes: readonly InvertedIndex[] = [];

interface QueryTerm {
  /** -1 where only other indexes have the term. */
  readonly termId: number;
  readonly globalDocumentFrequency: number;
}

/** The inverse document frequency of BM25, never negative. */
export function inverseDocumentFrequency(documentFrequency: number, documents: number): number {
  return Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));
}

function nextBlockSize(size: number): number {
  return Math.min(maxBlockSize, size * 2);
}

/** Size of the block that begins with entry number `count` of a list; 0 where no block begins. */
function blockSizeAt(count: number): number {
  if (count >= entriesBeforeMaxBlock) return (count - entriesBeforeMaxBlock) % maxBlockSize === 0 ? maxBlockSize : 0;
  const nextSize = count + initialBlockSize;
  return (nextSize & (nextSize - 1)) === 0 ? nextSize : 0;
}

import { grown, roomFor, smallest, unpacked, type Packed, type Unpacking } from './columns.js';
import { highest } from './highest.js';
import { TermTable } from './termTable.js';

/** BM25's constants: how soon repetition stops counting, and how much length counts. */
export interface Bm25 {
  readonly k1: number;
  readonly b: number;
}

/** An entry is the document's position and, in the lowest bits, how often the term occurs in it. */
const frequencyBits = 8;
const maxFrequency = (1 << frequencyBits) - 1;
/** Most terms are rare: the first slice of a list is short, each further one twice as long, up to the longest. */
const firstSlice = 2;
const longestSlice = 1024;
/** Entries that `closest` reads, at most, here and in others; ten times as many where already the rarest term has more. */
const mostRead = 1_000;
/** Entries before slices stop growing: 2 + 4 + … + 1024. */
const growingEntries = 2 * longestSlice - firstSlice;

/**
 * An inverted index in memory: terms to documents, which are dense positions from 0. Documents are only ever added; one
 * that changes is dropped and added again at a new position.
 *
 * All lists share one pool of numbers. A list is a chain of slices; behind each slice stands where the next one begins.
 */
export class Postings {
  private readonly terms = new TermTable();
  private pool = new Uint32Array(4 * smallest);
  /** The pool's first number is not used: 0 means nowhere. */
  private used = 1;
  // By term.
  private first = new Uint32Array(smallest);
  /** Where the next entry goes; at the end of a slice, where the next slice is noted. */
  private tail = new Uint32Array(smallest);
  private counts = new Uint32Array(smallest);
  /** By position: how many terms. */
  private lengths = new Float32Array(smallest);
  private total = 0;
  /** By position, zeros between two calls of `closest`. */
  private scores = new Float32Array(0);
  /** The positions with a score in that call, so many of these. */
  private touched = new Uint32Array(mostRead);
  private touchedCount = 0;
  private count = 0;
  private dropped = 0;

  /** Positions given out, those of dropped documents included. */
  get positions(): number {
    return this.count;
  }

  /** How many documents there are. */
  get documents(): number {
    return this.count - this.dropped;
  }

  /** How many terms a document has. */
  length(position: number): number {
    return this.lengths[position]!;
  }

  /** Adds the next document. Returns its position. */
  add(terms: readonly string[]): number {
    const position = this.count++;
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) this.append(this.terms.findOrAdd(term), position, frequency);
    if (position === this.lengths.length) this.lengths = grown(this.lengths, roomFor(this.count, position));
    this.lengths[position] = terms.length;
    this.total += terms.length;
    this.groupsKnown = undefined;
    return position;
  }

  /** Takes documents out, so that nothing of them is left. Walks through every list: drop many at once. */
  drop(positions: ReadonlySet<number>): void {
    if (positions.size === 0) return;
    const gone = new Uint8Array(this.count);
    for (const position of positions) {
      gone[position] = 1;
      this.total -= this.lengths[position]!;
      this.lengths[position] = 0;
    }
    this.dropped += positions.size;
    for (let term = 0; term < this.terms.size; term++) this.dropFrom(term, gone);
    this.groupsKnown = undefined;
  }

  /**
   * Each document's BM25 for the terms.
   * @param into a zero for every position
   * @returns the positions that have any of the terms, in no particular order; valid until the next call
   */
  score(terms: readonly string[], { k1, b }: Bm25, into: Float32Array): Uint32Array {
    const average = this.total / Math.max(1, this.documents);
    const { pool, lengths } = this;
    let count = 0;
    for (const term of terms) {
      const number = this.terms.find(term);
      if (number < 0) continue;
      const idf = this.idf(this.counts[number]!);
      let left = this.counts[number]!;
      if (count + left > this.touched.length) this.touched = grown(this.touched, count + left);
      const { touched } = this;
      for (let at = this.first[number]!, size = firstSlice; left > 0; at = pool[at + size]!, size = sizeAfter(size)) {
        const end = at + Math.min(left, size);
        for (let i = at; i < end; i++) {
          const entry = pool[i]!;
          const document = entry >>> frequencyBits;
          const frequency = entry & maxFrequency;
          const norm = k1 * (1 - b + (b * lengths[document]!) / average);
          if (into[document] === 0) touched[count++] = document;
          into[document]! += (idf * frequency * (k1 + 1)) / (frequency + norm);
        }
        left -= size;
      }
    }
    return this.touched.subarray(0, count);
  }

  /**
   * BM25 of groups of documents taken as one text each, with the terms' document frequencies.
   * @param groupOf a group's number for each position, or a negative number for none
   * @returns a score for each group
   */
  scoreGroups(terms: readonly string[], { k1, b }: Bm25, groupOf: Int32Array, groups: number): Float32Array {
    const scores = new Float32Array(groups);
    if (groups === 0) return scores;
    const { lengths, average } = this.groupLengths(groupOf, groups);
    const frequencies = new Float32Array(groups);
    const { pool } = this;
    for (const term of terms) {
      const number = this.terms.find(term);
      if (number < 0) continue;
      const touched: number[] = [];
      let left = this.counts[number]!;
      for (let at = this.first[number]!, size = firstSlice; left > 0; at = pool[at + size]!, size = sizeAfter(size)) {
        const end = at + Math.min(left, size);
        for (let i = at; i < end; i++) {
          const entry = pool[i]!;
          const group = groupOf[entry >>> frequencyBits]!;
          if (group < 0) continue;
          if (frequencies[group] === 0) touched.push(group);
          frequencies[group]! += entry & maxFrequency;
        }
        left -= size;
      }
      const idf = this.idf(this.counts[number]!);
      for (const group of touched) {
        const frequency = frequencies[group]!;
        const norm = k1 * (1 - b + (b * lengths[group]!) / average);
        scores[group]! += (idf * frequency * (k1 + 1)) / (frequency + norm);
        frequencies[group] = 0;
      }
    }
    return scores;
  }

  /** How much a term tells documents apart, those of others among them, at least 0: the rarer, the more. */
  weight(term: string, others: readonly Postings[] = []): number {
    const documents = others.reduce((sum, it) => sum + it.documents, this.documents);
    return inverseFrequency(this.having(term, others), documents);
  }

  /**
   * The `count` wanted documents that share most with the terms, the closest first, of equals the newer. Reads the lists
   * of the rarest terms only, so that its time does not grow with the number of documents.
   * @param others what terms are rare, and how long texts are, is told over these as well
   */
  closest(
    terms: Iterable<string>,
    count: number,
    isWanted: (position: number) => boolean,
    others: readonly Postings[] = [],
  ): { readonly position: number; readonly score: number }[] {
    const documents = others.reduce((sum, it) => sum + it.documents, this.documents);
    const total = others.reduce((sum, it) => sum + it.total, this.total);
    const lists: TermList[] = [];
    for (const term of new Set(terms)) {
      const among = this.having(term, others);
      if (among > 0) lists.push(new TermList(this.terms.find(term), among));
    }
    lists.sort((a, b) => a.among - b.among);
    if (this.scores.length < this.count) this.scores = new Float32Array(roomFor(this.count, this.scores.length));
    let read = 0;
    this.touchedCount = 0;
    for (const { number, among } of lists) {
      if (read + among > mostRead * (read > 0 ? 1 : 10)) break;
      read += among;
      if (number >= 0) this.touch(number, inverseFrequency(among, documents));
    }
    const { scores } = this;
    const touched = this.touched.subarray(0, this.touchedCount);
    const average = total / Math.max(1, documents);
    // Long texts hold more of anything.
    for (const it of touched) scores[it]! /= 1 + this.lengths[it]! / average;
    const best = highest(scores, count, isWanted, touched).map(position => ({ position, score: scores[position]! }));
    for (const it of touched) scores[it] = 0;
    return best;
  }

  /** Adds `weight` to the score of each document that has a term; those that had none before are `touched`. */
  private touch(term: number, weight: number): void {
    const { pool, scores } = this;
    let left = this.counts[term]!;
    if (this.touchedCount + left > this.touched.length) this.touched = grown(this.touched, this.touchedCount + left);
    const { touched } = this;
    let count = this.touchedCount;
    for (let at = this.first[term]!, size = firstSlice; left > 0; at = pool[at + size]!, size = sizeAfter(size)) {
      const end = at + Math.min(left, size);
      for (let i = at; i < end; i++) {
        const document = pool[i]! >>> frequencyBits;
        if (scores[document] === 0) touched[count++] = document;
        scores[document]! += weight;
      }
      left -= size;
    }
    this.touchedCount = count;
  }

  pack(): Packed['arrays'] {
    const terms = this.terms.size;
    return {
      ...this.terms.pack(),
      pool: this.pool.subarray(0, this.used),
      first: this.first.subarray(0, terms),
      tail: this.tail.subarray(0, terms),
      counts: this.counts.subarray(0, terms),
      lengths: this.lengths.subarray(0, this.count),
    };
  }

  /** @param dropped how many of the positions hold no document */
  unpack(from: Unpacking, dropped: number): void {
    this.terms.unpack(from);
    ({ array: this.pool, length: this.used } = unpacked(from, 'pool', Uint32Array));
    this.first = unpacked(from, 'first', Uint32Array).array;
    this.tail = unpacked(from, 'tail', Uint32Array).array;
    this.counts = unpacked(from, 'counts', Uint32Array).array;
    ({ array: this.lengths, length: this.count } = unpacked(from, 'lengths', Float32Array));
    for (let i = 0; i < this.count; i++) this.total += this.lengths[i]!;
    this.dropped = dropped;
  }

  private groupsKnown: { readonly lengths: Float32Array; readonly average: number } | undefined;

  /** Kept until a document comes or goes. */
  private groupLengths(groupOf: Int32Array, groups: number): { lengths: Float32Array; average: number } {
    if (this.groupsKnown !== undefined) return this.groupsKnown;
    const lengths = new Float32Array(groups);
    let total = 0;
    for (let position = 0; position < this.count; position++) {
      const group = groupOf[position]!;
      if (group < 0) continue;
      lengths[group]! += this.lengths[position]!;
      total += this.lengths[position]!;
    }
    // Groups that nothing is left of do not count.
    const average = total / Math.max(1, lengths.filter(it => it > 0).length);
    return (this.groupsKnown = { lengths, average });
  }

  private idf(having: number): number {
    return inverseFrequency(having, this.documents);
  }

  /** How many documents have a term, here and in others. */
  private having(term: string, others: readonly Postings[]): number {
    const number = this.terms.find(term);
    let having = number < 0 ? 0 : this.counts[number]!;
    for (const it of others) having += it.having(term, none);
    return having;
  }

  private append(term: number, document: number, frequency: number): void {
    if (term >= this.counts.length) {
      const room = roomFor(term + 1, this.counts.length);
      this.first = grown(this.first, room);
      this.tail = grown(this.tail, room);
      this.counts = grown(this.counts, room);
    }
    const count = this.counts[term]!;
    const size = sliceFrom(count);
    if (size > 0) {
      const slice = this.used;
      this.used += size + 1;
      if (this.used > this.pool.length) this.pool = grown(this.pool, roomFor(this.used, this.pool.length));
      if (count === 0) this.first[term] = slice;
      else this.pool[this.tail[term]!] = slice;
      this.tail[term] = slice;
    }
    this.pool[this.tail[term]!++] = (document << frequencyBits) | Math.min(maxFrequency, frequency);
    this.counts[term] = count + 1;
  }

  /** Moves the entries that stay to the front of the list, and leaves zeros behind them. */
  private dropFrom(term: number, gone: Uint8Array): void {
    const { pool } = this;
    const before = this.counts[term]!;
    let kept = 0;
    let [to, toSize] = [this.first[term]!, firstSlice];
    let toEnd = to + toSize;
    let left = before;
    for (let at = to, size = firstSlice; left > 0; at = pool[at + size]!, size = sizeAfter(size)) {
      const end = at + Math.min(left, size);
      for (let i = at; i < end; i++) {
        const entry = pool[i]!;
        pool[i] = 0;
        if (gone[entry >>> frequencyBits] === 1) continue;
        if (to === toEnd) {
          to = pool[to]!;
          toSize = sizeAfter(toSize);
          toEnd = to + toSize;
        }
        pool[to++] = entry;
        kept++;
      }
      left -= size;
    }
    this.counts[term] = kept;
    this.tail[term] = to;
  }
}

const none: readonly Postings[] = [];

/** The list of a term, a negative number where only others know it, and how many documents of all have the term. */
class TermList {
  constructor(
    readonly number: number,
    readonly among: number,
  ) {}
}

/** BM25's, of a term that so many of the documents have. */
function inverseFrequency(having: number, documents: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}

function sizeAfter(size: number): number {
  return Math.min(longestSlice, size * 2);
}

/** How long the slice is that begins with a list's entry number `count`; 0 where none begins. */
function sliceFrom(count: number): number {
  if (count >= growingEntries) return (count - growingEntries) % longestSlice === 0 ? longestSlice : 0;
  const next = count + firstSlice;
  return (next & (next - 1)) === 0 ? next : 0;
}

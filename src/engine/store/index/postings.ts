/** BM25's constants: how soon repetition stops counting, and how much length counts. */
export interface Bm25 {
  readonly k1: number;
  readonly b: number;
}

/** Where one term occurs. */
interface PostingList {
  documents: Int32Array;
  frequencies: Uint8Array;
  length: number;
}

/**
 * An inverted index in memory: terms to documents, which are dense positions from 0. Documents are only ever added; one
 * that changes is added again at a new position, and whoever owns this ignores the old one.
 */
export class Postings {
  private readonly lists = new Map<string, PostingList>();
  private lengths = new Float32Array(256);
  private total = 0;
  private count = 0;

  /** How many terms a document has. */
  length(position: number): number {
    return this.lengths[position]!;
  }

  /** Adds the next document. Returns its position. */
  add(terms: readonly string[]): number {
    const position = this.count++;
    const frequencies = new Map<string, number>();
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
    for (const [term, frequency] of frequencies) this.append(term, position, Math.min(255, frequency));
    if (position === this.lengths.length) this.lengths = grown(this.lengths);
    this.lengths[position] = terms.length;
    this.total += terms.length;
    return position;
  }

  /** Adds each document's BM25 for the terms to `into`, which has a slot for every position. */
  score(terms: readonly string[], { k1, b }: Bm25, into: Float32Array): void {
    const average = this.total / Math.max(1, this.count);
    for (const term of terms) {
      const list = this.lists.get(term);
      if (list === undefined) continue;
      const { documents, frequencies, length } = list;
      const idf = this.idf(length);
      for (let i = 0; i < length; i++) {
        const document = documents[i]!;
        const frequency = frequencies[i]!;
        const norm = k1 * (1 - b + (b * this.lengths[document]!) / average);
        into[document]! += (idf * frequency * (k1 + 1)) / (frequency + norm);
      }
    }
  }

  /**
   * BM25 of groups of documents taken as one text each, with the terms' document frequencies.
   * @param groupOf a group's number for each position, or a negative number for none
   * @returns a score for each group
   */
  scoreGroups(terms: readonly string[], { k1, b }: Bm25, groupOf: readonly number[], groups: number): Float32Array {
    const scores = new Float32Array(groups);
    const lengths = this.groupLengths(groupOf, groups);
    const average = lengths.reduce((sum, it) => sum + it, 0) / Math.max(1, groups);
    const frequencies = new Float32Array(groups);
    for (const term of terms) {
      const list = this.lists.get(term);
      if (list === undefined) continue;
      const touched: number[] = [];
      for (let i = 0; i < list.length; i++) {
        const group = groupOf[list.documents[i]!]!;
        if (group < 0) continue;
        if (frequencies[group] === 0) touched.push(group);
        frequencies[group]! += list.frequencies[i]!;
      }
      const idf = this.idf(list.length);
      for (const group of touched) {
        const frequency = frequencies[group]!;
        const norm = k1 * (1 - b + (b * lengths[group]!) / average);
        scores[group]! += (idf * frequency * (k1 + 1)) / (frequency + norm);
        frequencies[group] = 0;
      }
    }
    return scores;
  }

  private groupsKnown: { readonly count: number; readonly lengths: Float32Array } | undefined;

  /** Kept until a document is added. */
  private groupLengths(groupOf: readonly number[], groups: number): Float32Array {
    if (this.groupsKnown?.count === this.count) return this.groupsKnown.lengths;
    const lengths = new Float32Array(groups);
    for (let position = 0; position < this.count; position++) {
      const group = groupOf[position]!;
      if (group >= 0) lengths[group]! += this.lengths[position]!;
    }
    this.groupsKnown = { count: this.count, lengths };
    return lengths;
  }

  private idf(documents: number): number {
    return Math.log(1 + (this.count - documents + 0.5) / (documents + 0.5));
  }

  private append(term: string, document: number, frequency: number): void {
    let list = this.lists.get(term);
    if (list === undefined) {
      // Most terms are rare: a first room of two keeps the many small lists small.
      list = { documents: new Int32Array(2), frequencies: new Uint8Array(2), length: 0 };
      this.lists.set(term, list);
    }
    if (list.length === list.documents.length) {
      list.documents = grown(list.documents);
      list.frequencies = grown(list.frequencies);
    }
    list.documents[list.length] = document;
    list.frequencies[list.length] = frequency;
    list.length++;
  }
}

function grown<T extends Float32Array | Int32Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(array.length * 2);
  larger.set(array);
  return larger;
}

import { stemmer } from 'stemmer';

/** Usual parameters of BM25. */
const k1 = 1.2;
const b = 0.75;

/**
 * English stop words of the Snowball project that carry no topic. Not the list of the engine, because the baseline must not
 * change with the engine.
 */
const stopWords = new Set(
  (
    'i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it ' +
    'its itself they them their theirs themselves what which who whom this that these those am is are was were be been ' +
    'being have has had having do does did doing would should could ought a an the and but if or because as until ' +
    'while of at by for with about against between into through during before after above below to from up down in ' +
    'out on off over under again further then once here there when where why how all any both each few more most other ' +
    'some such no nor not only own same so than too very can will just don s t m d ll re ve'
  ).split(' '),
);

/** Lower-case words without stop words, as Porter stems. */
export function words(text: string): string[] {
  const found = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return found.filter(it => !stopWords.has(it)).map(it => stemmer(it));
}

/** Plain BM25 (Robertson and Zaragoza) over documents in memory: the baseline of every figure. */
export class Bm25 {
  /** Posting lists by term: document number and term frequency. */
  private readonly postings = new Map<string, { readonly document: number; readonly count: number }[]>();
  private readonly lengths: number[];
  private readonly averageLength: number;

  constructor(private readonly documents: readonly { readonly id: string; readonly text: string }[]) {
    const tokens = documents.map(it => words(it.text));
    this.lengths = tokens.map(it => it.length);
    this.averageLength = this.lengths.reduce((sum, it) => sum + it, 0) / Math.max(1, documents.length);
    for (const [document, terms] of tokens.entries()) {
      const counts = new Map<string, number>();
      for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
      for (const [term, count] of counts) {
        const list = this.postings.get(term) ?? [];
        list.push({ document, count });
        this.postings.set(term, list);
      }
    }
  }

  /** Ids of the documents that share a term with the query, best first; ties in insertion order. */
  search(query: string, limit: number): string[] {
    return this.rank(query)
      .slice(0, limit)
      .map(it => it.id);
  }

  /** Scores of all documents that share a term with the query, best first. */
  rank(query: string): { readonly id: string; readonly score: number }[] {
    const scores = new Map<number, number>();
    for (const term of words(query)) {
      const list = this.postings.get(term) ?? [];
      const idf = Math.log(1 + (this.documents.length - list.length + 0.5) / (list.length + 0.5));
      for (const { document, count } of list) {
        const norm = k1 * (1 - b + (b * this.lengths[document]!) / this.averageLength);
        scores.set(document, (scores.get(document) ?? 0) + (idf * count * (k1 + 1)) / (count + norm));
      }
    }
    return [...scores]
      .sort(([a, scoreA], [z, scoreZ]) => scoreZ - scoreA || a - z)
      .map(([document, score]) => ({ id: this.documents[document]!.id, score }));
  }
}

import { LRUCache } from 'lru-cache';
import { compareClaims, readStatement, type Relation, type Statement } from '../../compare/compare.js';
import { sentence } from '../../model/sentences.js';
import { isStopWord, terms } from '../../text/terms.js';
import { bodyOf } from '../../text/traits.js';

/** A fact on its way into a store, as far as it is compared. */
export interface ToldFact {
  readonly id: string;
  readonly contentHash: string;
  readonly content: string;
  /** When it was told last, ISO-8601 UTC: of two that contradict each other the later one holds. */
  readonly toldAt: string;
}

/** How a told fact stands to a memory, or to a fact told before it in the same call. */
export interface Relative {
  readonly id: string;
  /** What it was when they were compared; when it differs by now, they must be compared again. */
  readonly contentHash: string;
  readonly toldAt: string;
  readonly relation: Relation;
  /** 0-1 */
  readonly certainty: number;
  readonly reason: string;
  readonly uncertain: boolean;
  /** 0-1: cosine, or shared words where one of them has no vector. */
  readonly similarity: number;
  /** Similar enough for an edge, whatever the relation. */
  readonly isRelated: boolean;
}

/** Similar by words from here on: nine of ten memories whose nearest is this close share their subject with it. */
const relatedWords = 0.3;
/** Characters up to which a text is a fact that the rules can judge; a longer one tells of several things. */
export const longestFact = 240;
/** Of each relation, the best so many are told. */
const atMost: Readonly<Record<Relation | 'doubtful', number>> = {
  same: 1,
  conflicting: 5,
  refining: 2,
  unrelated: 3,
  doubtful: 2,
};
/** Words that may be there or not without changing what is said. */
const fillers = new Set('a an the please just really also that'.split(' '));
/** Texts that stay read, up to twice as many, about 3 KB each: of an import, those that its next call is compared with. */
const kept = 2_000;

/** A text, read for comparing. */
export interface Reading {
  readonly statement: Statement;
  /** Of the body, without stop words; what the index holds of it. */
  readonly terms: readonly string[];
}

/** Texts as they are compared; those told lately are kept. */
export class Readings {
  private readonly kept = new LRUCache<string, ReadText>({ max: 2 * kept });

  read(text: Pick<ToldFact, 'contentHash' | 'content'>): Reading {
    const known = this.known(text);
    if (known !== undefined) return known;
    const made = new ReadText(text.content);
    this.kept.set(text.contentHash, made);
    return made;
  }

  /** What was read of it lately. */
  known({ contentHash, content }: Pick<ToldFact, 'contentHash' | 'content'>): Reading | undefined {
    const known = this.kept.get(contentHash);
    // Texts that normalise to the same are told apart by their case and signs.
    return known?.content === content ? known : undefined;
  }
}

/** Reads what it is asked for: of most that a fact is compared with one of both is enough, or neither. */
export class ReadText implements Reading {
  private read: Statement | undefined;
  private words: readonly string[] | undefined;

  constructor(readonly content: string) {}

  get statement(): Statement {
    return (this.read ??= readStatement(this.content));
  }

  get terms(): readonly string[] {
    return (this.words ??= terms(bodyOf(this.content)).filter(it => !isStopWord(it)));
  }
}

/** A memory to compare with. */
export interface Candidate {
  readonly fact: ToldFact;
  /** Cosine with the fact; undefined where one of them has no vector. */
  readonly cosine: number | undefined;
  /** Similar at most: no word of it is worth comparing. */
  readonly isByMeaning: boolean;
  readonly reading: Reading;
}

const similarAtMost = {
  relation: 'unrelated',
  certainty: 0.5,
  reason: 'They share no word that matters.',
  uncertain: false,
} as const;

export interface Measures {
  /** Cosine from which on two memories are related. */
  readonly relatedCosine: number;
  /** How much a term tells memories apart. */
  readonly weight: (term: string) => number;
}

/** How a fact stands to each candidate that it has something to do with, the most telling of each relation first. */
export function judge(
  told: ToldFact & { readonly reading: Reading },
  candidates: readonly Candidate[],
  { relatedCosine, weight }: Measures,
): Relative[] {
  const fact = told.reading;
  const found: Record<keyof typeof atMost, Relative[]> = {
    same: [],
    conflicting: [],
    refining: [],
    unrelated: [],
    doubtful: [],
  };
  for (const candidate of candidates) {
    const { id, contentHash, toldAt } = candidate.fact;
    if (contentHash === told.contentHash) continue; // The store knows it is the same fact.
    const { cosine, isByMeaning } = candidate;
    const other = candidate.reading;
    const similarity = Math.min(
      1,
      Math.max(0, cosine ?? sharedWords(new Set(fact.terms), new Set(other.terms), weight)),
    );
    const isRelated = similarity >= (cosine === undefined ? relatedWords : relatedCosine);
    const verdict = isByMeaning ? similarAtMost : relate(fact.statement, other.statement, told.toldAt >= toldAt);
    const { relation, uncertain } = verdict;
    if (relation === 'unrelated' && !uncertain && !isRelated) continue;
    const sort = relation === 'unrelated' && uncertain ? 'doubtful' : relation;
    const { certainty, reason } = verdict;
    found[sort].push({ id, contentHash, toldAt, relation, certainty, reason, uncertain, similarity, isRelated });
  }
  for (const sort of ['unrelated', 'doubtful'] as const) found[sort].sort((a, b) => b.similarity - a.similarity);
  for (const relation of ['same', 'refining'] as const) {
    found[relation].sort((a, b) => b.certainty - a.certainty || b.similarity - a.similarity);
  }
  // What was said last is what an update replaces; what that has replaced before matters less.
  found.conflicting.sort((a, b) => b.toldAt.localeCompare(a.toldAt) || b.certainty - a.certainty);
  return Object.entries(found).flatMap(([sort, its]) => its.slice(0, atMost[sort as keyof typeof atMost]));
}

/**
 * What the rules say of a told and a known statement, which are of different hashes and so of different forms.
 * @param inOrder whether the told one is the newer of them
 */
export function relate(
  told: Statement,
  known: Statement,
  inOrder: boolean,
): Pick<Relative, 'relation' | 'certainty' | 'reason' | 'uncertain'> {
  const found = inOrder ? compareClaims(known, told) : compareClaims(told, known);
  const isPassage = Math.max(told.content.length, known.content.length) > longestFact;
  // In a passage most of what sounds alike is said in another breath.
  const verdict: typeof found =
    isPassage && found.relation === 'conflicting' ? { ...found, relation: 'unrelated', uncertain: true } : found;
  if (verdict.relation !== 'same' || sameWords(told.content, known.content)) return verdict;
  // Not a word of what was said may get lost: only what differs in nothing but words without meaning is one memory.
  return { ...verdict, relation: 'refining', reason: sentence('nearlySame') };
}

/** Whether two texts have the same words in the same order, words without any meaning aside. */
function sameWords(one: string, other: string): boolean {
  const words = (text: string): string =>
    terms(text)
      .filter(it => !fillers.has(it))
      .join(' ');
  return words(one) === words(other);
}

/** The share of what two texts say that both say, 0-1, rare terms counting more (a weighted Jaccard index). */
function sharedWords(one: ReadonlySet<string>, other: ReadonlySet<string>, weight: (term: string) => number): number {
  let [shared, all] = [0, 0];
  for (const it of one) {
    const its = weight(it);
    all += its;
    if (other.has(it)) shared += its;
  }
  for (const it of other) if (!one.has(it)) all += weight(it);
  return all === 0 ? 0 : shared / all;
}

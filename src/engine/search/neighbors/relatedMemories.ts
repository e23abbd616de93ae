import { LRUCache } from 'lru-cache';
import { analyzeContent } from '../../text/analyzer.js';
import { stripSpeaker } from '../../text/textFeatures.js';

/** The fields of a fact that are compared. */
export interface FactInput {
  readonly id: string;
  readonly contentHash: string;
  readonly content: string;
  /** When the fact was last stated, ISO-8601 UTC. */
  readonly assertedAt: string;
}

/** A memory, or an earlier fact of the batch, that is like a new fact. It says nothing about which of the two holds. */
export interface RelatedMemory {
  readonly id: string;
  readonly content: string;
  /** 0-1, of terms. */
  readonly overlap: number;
  /** 0-1: the cosine, or the overlap of terms where either side has no vector. */
  readonly similarity: number;
  /** Similar enough for an edge. */
  readonly isRelated: boolean;
  /** 0-2, of any model: the cosine on the built-in model's scale plus the overlap of terms. */
  readonly likeness: number;
}

/** Term overlap from which two texts are related: measured, nine of ten such nearest neighbors share their subject. */
const minRelatedTermOverlap = 0.3;
/** How many are returned: more than are shown, because what has been replaced is left out later. */
const maxRelated = 8;
/** About 1 KB each. During an import, later batches are compared mostly with the texts of earlier ones. */
const maxCachedTexts = 8_000;

/** LRU cache of the indexed terms of texts, without stop words. */
export class TermCache {
  private readonly cache = new LRUCache<string, { readonly content: string; readonly terms: readonly string[] }>({
    max: maxCachedTexts,
  });

  termsOf(text: Pick<FactInput, 'contentHash' | 'content'>): readonly string[] {
    const cached = this.get(text);
    if (cached !== undefined) return cached;
    const terms = comparedTerms(text.content);
    this.cache.set(text.contentHash, { content: text.content, terms });
    return terms;
  }

  get({ contentHash, content }: Pick<FactInput, 'contentHash' | 'content'>): readonly string[] | undefined {
    const cached = this.cache.get(contentHash);
    // Texts that differ only in white space or at their end share a hash.
    return cached?.content === content ? cached.terms : undefined;
  }
}

/** The terms of a text's body. */
export function comparedTerms(content: string): readonly string[] {
  return analyzeContent(stripSpeaker(content));
}

/** A memory, or an earlier fact of the batch, that a fact is compared with. */
export interface ComparisonCandidate {
  readonly fact: FactInput;
  /** Cosine with the fact; undefined where either side has no vector. */
  readonly cosine: number | undefined;
  readonly terms: readonly string[];
}

/** The built-in model's cosine for an edge: other models' cosines are brought to its scale by theirs. */
const builtInRelatedCosine = 0.6;
/** Cosine on that scale from which on a memory is found by meaning. */
const minFoundCosine = 0.1;

/** The cosine of a model from which on a memory is found by meaning. */
export function minNeighborCosine(relatedCosine: number): number {
  return 1 - ((1 - minFoundCosine) * (1 - relatedCosine)) / (1 - builtInRelatedCosine);
}

/** Leaves 1 as it is and brings the cosine for an edge to the built-in model's; at least 0. */
function toBuiltInScale(cosine: number, relatedCosine: number): number {
  if (relatedCosine >= 1) return 0;
  return Math.max(0, 1 - ((1 - cosine) * (1 - builtInRelatedCosine)) / (1 - relatedCosine));
}

export interface SimilarityOptions {
  /** Cosine from which two memories are related. */
  readonly relatedCosine: number;
  /** Inverse document frequency of a term. */
  readonly weight: (term: string) => number;
}

/** The candidates that are like a fact, at most {@link maxRelated}, the most alike first. */
export function findRelated(
  fact: FactInput & { readonly terms: readonly string[] },
  candidates: readonly ComparisonCandidate[],
  { relatedCosine, weight }: SimilarityOptions,
): RelatedMemory[] {
  const factTerms = new Set(fact.terms);
  const related: RelatedMemory[] = [];
  for (const { fact: candidate, cosine, terms } of candidates) {
    if (candidate.contentHash === fact.contentHash) continue; // The same fact: the store merges it by its hash.
    const overlap = weightedJaccard(factTerms, new Set(terms), weight);
    const similarity = Math.min(1, Math.max(0, cosine ?? overlap));
    const isRelated = similarity >= (cosine === undefined ? minRelatedTermOverlap : relatedCosine);
    const likeness = overlap + (cosine === undefined ? overlap : toBuiltInScale(cosine, relatedCosine));
    if (isRelated || likeness > 0)
      related.push({ id: candidate.id, content: candidate.content, overlap, similarity, isRelated, likeness });
  }
  return related.sort((a, b) => b.likeness - a.likeness || b.similarity - a.similarity).slice(0, maxRelated);
}

/** Weighted Jaccard index of two sets of terms, 0-1. */
function weightedJaccard(
  left: ReadonlySet<string>,
  right: ReadonlySet<string>,
  weight: (term: string) => number,
): number {
  let [shared, all] = [0, 0];
  for (const it of left) {
    const termWeight = weight(it);
    all += termWeight;
    if (right.has(it)) shared += termWeight;
  }
  for (const it of right) if (!left.has(it)) all += weight(it);
  return all === 0 ? 0 : shared / all;
}

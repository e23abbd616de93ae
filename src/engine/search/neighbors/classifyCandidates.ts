import { LRUCache } from 'lru-cache';
import { compareDistinctStatements, parseStatement, type ParsedStatement } from '../../contradiction/statement.js';
import type { Relation } from '../../contradiction/relationResult.js';
import { formatMessage } from '../../model/engineMessages.js';
import { analyzeContent } from '../../text/analyzer.js';
import { stripSpeaker } from '../../text/textFeatures.js';

/** The fields of a fact that are compared. */
export interface FactInput {
  readonly id: string;
  readonly contentHash: string;
  readonly content: string;
  /** When the fact was last stated, ISO-8601 UTC. Of two contradicting facts the later one holds. */
  readonly assertedAt: string;
}

/** The relation of a new fact to a memory, or to an earlier fact of its batch. */
export interface RelatedMemory {
  readonly id: string;
  /** Hash at the time of the comparison; the pair must be compared again when it has changed since. */
  readonly contentHash: string;
  readonly assertedAt: string;
  readonly relation: Relation;
  /** 0-1 */
  readonly certainty: number;
  readonly reason: string;
  readonly uncertain: boolean;
  /** 0-1: the cosine, or the overlap of terms where either side has no vector. */
  readonly similarity: number;
  /** Similar enough for an edge, whatever the relation. */
  readonly isRelated: boolean;
}

/** Term overlap from which two texts are related: measured, nine of ten such nearest neighbors share their subject. */
const minRelatedTermOverlap = 0.3;
/** Characters up to which the rules can compare a text as one fact; a longer one states several things. */
export const maxFactLength = 240;
/** How many results of each relation are returned. */
const maxPerRelation: Readonly<Record<Relation | 'uncertain', number>> = {
  same: 1,
  conflicting: 5,
  refining: 2,
  unrelated: 5,
  uncertain: 2,
};
/** About 3 KB each. During an import, later batches are compared mostly with the texts of earlier ones. */
const maxCachedTexts = 8_000;

/** A text parsed for comparison. */
export interface ParsedText {
  readonly statement: ParsedStatement;
  /** The indexed terms of the body, without stop words. */
  readonly terms: readonly string[];
}

/** LRU cache of parsed texts. */
export class ParsedTextCache {
  private readonly cache = new LRUCache<string, LazyParsedText>({ max: maxCachedTexts });

  parse(text: Pick<FactInput, 'contentHash' | 'content'>): ParsedText {
    const cached = this.get(text);
    if (cached !== undefined) return cached;
    const parsed = new LazyParsedText(text.content);
    this.cache.set(text.contentHash, parsed);
    return parsed;
  }

  get({ contentHash, content }: Pick<FactInput, 'contentHash' | 'content'>): ParsedText | undefined {
    const cached = this.cache.get(contentHash);
    // Texts that differ only in white space or at their end share a hash.
    return cached?.content === content ? cached : undefined;
  }
}

/** Parses on first access: most comparisons need either the statement or the terms, or neither. */
export class LazyParsedText implements ParsedText {
  private parsedStatement: ParsedStatement | undefined;
  private cachedTerms: readonly string[] | undefined;

  constructor(readonly content: string) {}

  get statement(): ParsedStatement {
    return (this.parsedStatement ??= parseStatement(this.content));
  }

  get terms(): readonly string[] {
    return (this.cachedTerms ??= analyzeContent(stripSpeaker(this.content)));
  }
}

/** A memory, or an earlier fact of the batch, that a fact is compared with. */
export interface ComparisonCandidate {
  readonly fact: FactInput;
  /** Cosine with the fact; undefined where either side has no vector. */
  readonly cosine: number | undefined;
  /** Found by its vector alone; without a shared topic key or rare term the rules have nothing to compare. */
  readonly isEmbeddingOnly: boolean;
  readonly parsed: ParsedText;
}

/** Share of the threshold for an edge from which on a memory is near enough to be shown to the caller. */
export const nearShare = 0.6;

const embeddingOnlyResult = {
  relation: 'unrelated',
  certainty: 0.5,
  reason: 'They share no word that matters.',
  uncertain: false,
} as const;

export interface SimilarityOptions {
  /** Cosine from which two memories are related. */
  readonly relatedCosine: number;
  /** Inverse document frequency of a term. */
  readonly weight: (term: string) => number;
}

/**
 * The relations of a fact to its candidates, at most {@link maxPerRelation} of each kind, strongest first. Unrelated
 * candidates are returned only when they are similar or the result is uncertain.
 */
export function classifyCandidates(
  fact: FactInput & { readonly parsed: ParsedText },
  candidates: readonly ComparisonCandidate[],
  { relatedCosine, weight }: SimilarityOptions,
): RelatedMemory[] {
  const parsedFact = fact.parsed;
  const byRelation: Record<keyof typeof maxPerRelation, RelatedMemory[]> = {
    same: [],
    conflicting: [],
    refining: [],
    unrelated: [],
    uncertain: [],
  };
  for (const candidate of candidates) {
    const { id, contentHash, assertedAt } = candidate.fact;
    if (contentHash === fact.contentHash) continue; // The same fact: the store merges it by its hash.
    const { cosine, isEmbeddingOnly } = candidate;
    const parsedCandidate = candidate.parsed;
    const similarity = Math.min(
      1,
      Math.max(0, cosine ?? weightedJaccard(new Set(parsedFact.terms), new Set(parsedCandidate.terms), weight)),
    );
    const isRelated = similarity >= (cosine === undefined ? minRelatedTermOverlap : relatedCosine);
    const result = isEmbeddingOnly
      ? embeddingOnlyResult
      : classifyRelation(parsedFact.statement, parsedCandidate.statement, fact.assertedAt >= assertedAt);
    const { relation, uncertain } = result;
    const isNear = similarity >= nearShare * (cosine === undefined ? minRelatedTermOverlap : relatedCosine);
    if (relation === 'unrelated' && !uncertain && !isNear) continue;
    const group = relation === 'unrelated' && uncertain ? 'uncertain' : relation;
    const { certainty, reason } = result;
    byRelation[group].push({
      id,
      contentHash,
      assertedAt,
      relation,
      certainty,
      reason,
      uncertain,
      similarity,
      isRelated,
    });
  }
  for (const group of ['unrelated', 'uncertain'] as const)
    byRelation[group].sort((a, b) => b.similarity - a.similarity);
  for (const relation of ['same', 'refining'] as const) {
    byRelation[relation].sort((a, b) => b.certainty - a.certainty || b.similarity - a.similarity);
  }
  // An update replaces the latest assertion, which has replaced the earlier ones.
  byRelation.conflicting.sort((a, b) => b.assertedAt.localeCompare(a.assertedAt) || b.certainty - a.certainty);
  return Object.entries(byRelation).flatMap(([group, matches]) =>
    matches.slice(0, maxPerRelation[group as keyof typeof maxPerRelation]),
  );
}

/**
 * Compares two statements by the rules. Their hashes must differ, so their normalized texts do.
 * @param isNewer whether `statement` was asserted at or after `stored`
 */
export function classifyRelation(
  statement: ParsedStatement,
  stored: ParsedStatement,
  isNewer: boolean,
): Pick<RelatedMemory, 'relation' | 'certainty' | 'reason' | 'uncertain'> {
  const compared = isNewer
    ? compareDistinctStatements(stored, statement)
    : compareDistinctStatements(statement, stored);
  const isPassage = Math.max(statement.content.length, stored.content.length) > maxFactLength;
  // A passage makes several statements: its apparent contradictions are mostly between unrelated ones.
  const result: typeof compared =
    isPassage && compared.relation === 'conflicting'
      ? { ...compared, relation: 'unrelated', uncertain: true }
      : compared;
  // No character may get lost: only texts with the same hash are one memory.
  return result.relation === 'same' ? { ...result, relation: 'refining', reason: formatMessage('nearlySame') } : result;
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

import { LRUCache } from 'lru-cache';
import { compareDistinctStatements, parseStatement, type ParsedStatement } from '../../contradiction/statement.js';
import type { Relation } from '../../contradiction/relationResult.js';
import { formatMessage } from '../../model/engineMessages.js';
import { isStopWord, analyzeText } from '../../text/analyzer.js';
import { stripSpeaker } from '../../text/textFeatures.js';

/** A fact on its way into a store, as far as it is compared. */
export interface FactInput {
  readonly id: string;
  readonly contentHash: string;
  readonly content: string;
  /** When it was told last, ISO-8601 UTC: of two that contradict each other the later one holds. */
  readonly assertedAt: string;
}

/** How a told fact stands to a memory, or to a fact told before it in the same call. */
export interface RelatedMemory {
  readonly id: string;
  /** What it was when they were compared; when it differs by now, they must be compared again. */
  readonly contentHash: string;
  readonly assertedAt: string;
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
const minRelatedTermOverlap = 0.3;
/** Characters up to which a text is a fact that the rules can judge; a longer one tells of several things. */
export const maxFactLength = 240;
/** Of each relation, the best so many are told. */
const maxPerRelation: Readonly<Record<Relation | 'doubtful', number>> = {
  same: 1,
  conflicting: 5,
  refining: 2,
  unrelated: 3,
  doubtful: 2,
};
/** Words that may be there or not without changing what is said. */
const fillerWords = new Set('a an the please just really also that'.split(' '));
/** Texts that stay read, up to twice as many, about 3 KB each: of an import, those that its next call is compared with. */
const cachedTextCount = 2_000;

/** A text, read for comparing. */
export interface ParsedText {
  readonly statement: ParsedStatement;
  /** Of the body, without stop words; what the index holds of it. */
  readonly terms: readonly string[];
}

/** Texts as they are compared; those told lately are kept. */
export class ParsedTextCache {
  private readonly cache = new LRUCache<string, LazyParsedText>({ max: 2 * cachedTextCount });

  parse(text: Pick<FactInput, 'contentHash' | 'content'>): ParsedText {
    const cached = this.peek(text);
    if (cached !== undefined) return cached;
    const parsed = new LazyParsedText(text.content);
    this.cache.set(text.contentHash, parsed);
    return parsed;
  }

  /** What was read of it lately. */
  peek({ contentHash, content }: Pick<FactInput, 'contentHash' | 'content'>): ParsedText | undefined {
    const cached = this.cache.get(contentHash);
    // Texts that normalise to the same are told apart by their case and signs.
    return cached?.content === content ? cached : undefined;
  }
}

/** Reads what it is asked for: of most that a fact is compared with one of both is enough, or neither. */
export class LazyParsedText implements ParsedText {
  private parsedStatement: ParsedStatement | undefined;
  private cachedTerms: readonly string[] | undefined;

  constructor(readonly content: string) {}

  get statement(): ParsedStatement {
    return (this.parsedStatement ??= parseStatement(this.content));
  }

  get terms(): readonly string[] {
    return (this.cachedTerms ??= analyzeText(stripSpeaker(this.content)).filter(it => !isStopWord(it)));
  }
}

/** A memory to compare with. */
export interface ComparisonCandidate {
  readonly fact: FactInput;
  /** Cosine with the fact; undefined where one of them has no vector. */
  readonly cosine: number | undefined;
  /** Similar at most: no word of it is worth comparing. */
  readonly isEmbeddingOnly: boolean;
  readonly parsed: ParsedText;
}

const embeddingOnlyResult = {
  relation: 'unrelated',
  certainty: 0.5,
  reason: 'They share no word that matters.',
  uncertain: false,
} as const;

export interface SimilarityOptions {
  /** Cosine from which on two memories are related. */
  readonly relatedCosine: number;
  /** How much a term tells memories apart. */
  readonly weight: (term: string) => number;
}

/** How a fact stands to each candidate that it has something to do with, the most telling of each relation first. */
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
    doubtful: [],
  };
  for (const candidate of candidates) {
    const { id, contentHash, assertedAt } = candidate.fact;
    if (contentHash === fact.contentHash) continue; // The store knows it is the same fact.
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
    if (relation === 'unrelated' && !uncertain && !isRelated) continue;
    const group = relation === 'unrelated' && uncertain ? 'doubtful' : relation;
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
  for (const group of ['unrelated', 'doubtful'] as const) byRelation[group].sort((a, b) => b.similarity - a.similarity);
  for (const relation of ['same', 'refining'] as const) {
    byRelation[relation].sort((a, b) => b.certainty - a.certainty || b.similarity - a.similarity);
  }
  // What was said last is what an update replaces; what that has replaced before matters less.
  byRelation.conflicting.sort((a, b) => b.assertedAt.localeCompare(a.assertedAt) || b.certainty - a.certainty);
  return Object.entries(byRelation).flatMap(([group, matches]) =>
    matches.slice(0, maxPerRelation[group as keyof typeof maxPerRelation]),
  );
}

/**
 * What the rules say of a told and a known statement, which are of different hashes and so of different forms.
 * @param inOrder whether the told one is the newer of them
 */
export function classifyRelation(
  statement: ParsedStatement,
  stored: ParsedStatement,
  inOrder: boolean,
): Pick<RelatedMemory, 'relation' | 'certainty' | 'reason' | 'uncertain'> {
  const result = inOrder ? compareDistinctStatements(stored, statement) : compareDistinctStatements(statement, stored);
  const isPassage = Math.max(statement.content.length, stored.content.length) > maxFactLength;
  // In a passage most of what sounds alike is said in another breath.
  const relation: typeof result =
    isPassage && result.relation === 'conflicting' ? { ...result, relation: 'unrelated', uncertain: true } : result;
  if (relation.relation !== 'same' || haveSameWords(statement.content, stored.content)) return relation;
  // Not a word of what was said may get lost: only what differs in nothing but words without meaning is one memory.
  return { ...relation, relation: 'refining', reason: formatMessage('nearlySame') };
}

/** Whether two texts have the same words in the same order, words without any meaning aside. */
function haveSameWords(left: string, right: string): boolean {
  const words = (text: string): string =>
    analyzeText(text)
      .filter(it => !fillerWords.has(it))
      .join(' ');
  return words(left) === words(right);
}

/** The share of what two texts say that both say, 0-1, rare terms counting more (a weighted Jaccard index). */
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

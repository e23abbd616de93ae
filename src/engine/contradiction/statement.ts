import { formatMessage } from '../model/engineMessages.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import { normalizeText } from '../text/normalizeText.js';
import { parseClaim, type Claim } from './claimParser.js';
import { extractTopicKeys } from './topicKeys.js';
import { compareClaims } from './relationRules.js';
import type { RelationResult } from './relationResult.js';

/** A statement, read once so that it can be compared often. */
export interface ParsedStatement {
  /** As told. */
  readonly content: string;
  /** What it is about, normalised (`start|variable name`): two statements that share one are always compared. 0-8. */
  readonly topicKeys: readonly string[];
  /** Two statements of the same form are the same. */
  readonly normalizedText: string;
  /** Its sentences, read; of a long text the first ones. */
  readonly claims: readonly Claim[];
}

/** A text of more sentences is a document; the first ones say what it is about. */
const maxClaims = 16;
/** Sentences are looked for in this much of a text, in UTF-16 units. */
const maxParsedLength = 8_000;

/** A listing states nothing; its end may be missing. */
const codeBlock = /```[^`]*(?:```|$)/gu;

/** Reads a statement. Linear in its length, never throws. */
export function parseStatement(content: string): ParsedStatement {
  const text = content.slice(0, maxParsedLength).replace(codeBlock, ' ');
  const sentences = /[.!?。！？\n]\s*\S/u.test(text) ? text.split('\n').flatMap(splitSentences) : [text];
  const claims = sentences
    .filter(it => !it.endsWith('?'))
    .slice(0, maxClaims)
    .map(parseClaim);
  return new LazyStatement(content, claims);
}

/** Its keys and its form are worked out when they are asked for: most of what is found needs neither. */
class LazyStatement implements ParsedStatement {
  private cachedTopicKeys: readonly string[] | undefined;
  private cachedNormalizedText: string | undefined;

  constructor(
    readonly content: string,
    readonly claims: readonly Claim[],
  ) {}

  get normalizedText(): string {
    return (this.cachedNormalizedText ??= normalizeText(this.content));
  }

  get topicKeys(): readonly string[] {
    return (this.cachedTopicKeys ??= extractTopicKeys(this.claims));
  }
}

/** How the newer of two statements stands to the older. Never throws. */
export function compareStatements(older: ParsedStatement, newer: ParsedStatement): RelationResult {
  if (older.normalizedText === newer.normalizedText)
    return { relation: 'same', certainty: 1, reason: formatMessage('same'), uncertain: false };
  return compareDistinctStatements(older, newer);
}

/** The same for two statements that are known to be of different forms. */
export function compareDistinctStatements(older: ParsedStatement, newer: ParsedStatement): RelationResult {
  if (older.claims.length === 1 && newer.claims.length === 1) return compareClaims(older.claims[0]!, newer.claims[0]!);
  const results = older.claims.flatMap(olderClaim =>
    newer.claims.map(newerClaim => compareClaims(olderClaim, newerClaim)),
  );
  const conflict = mostCertain(results.filter(it => it.relation === 'conflicting'));
  if (conflict !== undefined) return conflict;
  const keepsEveryClaim = older.claims.every(olderClaim =>
    newer.claims.some(newerClaim => ['same', 'refining'].includes(compareClaims(olderClaim, newerClaim).relation)),
  );
  const refining = mostCertain(results.filter(it => it.relation === 'refining' || it.relation === 'same'));
  if (keepsEveryClaim && refining !== undefined) return { ...refining, relation: 'refining' };
  return (
    mostCertain(results) ?? { relation: 'unrelated', certainty: 0.9, reason: 'They share nothing.', uncertain: false }
  );
}

function mostCertain(results: readonly RelationResult[]): RelationResult | undefined {
  return results.reduce<RelationResult | undefined>(
    (most, it) => (most === undefined || it.certainty > most.certainty ? it : most),
    undefined,
  );
}

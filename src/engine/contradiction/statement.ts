import { formatMessage } from '../model/engineMessages.js';
import { splitSentences } from '../text/sentenceSplitter.js';
import { normalizeText } from '../text/normalizeText.js';
import { parseClaim, type Claim } from './claimParser.js';
import { extractTopicKeys } from './topicKeys.js';
import { compareClaims } from './relationRules.js';
import type { RelationResult } from './relationResult.js';

/** A parsed statement, for any number of comparisons. */
export interface ParsedStatement {
  /** The original text. */
  readonly content: string;
  /** 0-8 normalized topics (`start|variable name`): two statements that share one are always compared. */
  readonly topicKeys: readonly string[];
  /** Two statements with the same normalized text are the same. */
  readonly normalizedText: string;
  /** The parsed sentences; the first ones of a long text. */
  readonly claims: readonly Claim[];
}

/** A text with more sentences is a document; only the first ones are parsed. */
const maxClaims = 16;
/** Only this much of a text is parsed, in UTF-16 units. */
const maxParsedLength = 8_000;

/** Code states nothing. The closing fence can be missing. */
const codeBlock = /```[^`]*(?:```|$)/gu;

/** Parses a statement. Linear in its length, never throws. */
export function parseStatement(content: string): ParsedStatement {
  const text = content.slice(0, maxParsedLength).replace(codeBlock, ' ');
  const sentences = /[.!?。！？\n]\s*\S/u.test(text) ? text.split('\n').flatMap(splitSentences) : [text];
  const claims = sentences
    .filter(it => !it.endsWith('?'))
    .slice(0, maxClaims)
    .map(parseClaim);
  return new LazyStatement(content, claims);
}

/** Computes topic keys and normalized text on first access: most search candidates need neither. */
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

/** The relation of the newer of two statements to the older. Never throws. */
export function compareStatements(older: ParsedStatement, newer: ParsedStatement): RelationResult {
  if (older.normalizedText === newer.normalizedText)
    return { relation: 'same', certainty: 1, reason: formatMessage('same'), uncertain: false };
  return compareDistinctStatements(older, newer);
}

/** As {@link compareStatements}, for statements with different normalized texts. */
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

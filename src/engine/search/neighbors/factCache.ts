import { LRUCache } from 'lru-cache';
import type { SqlRow } from '../../database/database.js';
import { LazyParsedText, type ParsedText, type ParsedTextCache, type FactInput } from './classifyCandidates.js';

/** Memories kept, about 3 KB each. */
const maxCachedMemories = 8_000;

/** A memory to compare with. */
export interface CachedFact {
  readonly fact: FactInput;
  readonly parsed: ParsedText;
}

/**
 * The memories that were told or compared with lately, by row, so that comparing needs neither the file nor another
 * reading of the text. As far as the index has taken in what was written, they are what the file holds.
 */
export class FactCache {
  private readonly cache = new LRUCache<number, CachedFact>({ max: maxCachedMemories });
  /** Counts what the index took in. */
  version = 0;

  constructor(private readonly parsedTexts: ParsedTextCache) {}

  get(row: number): CachedFact | undefined {
    return this.cache.get(row);
  }

  /** A memory that is compared with. @param version what `changes` was before the memory was read from the file */
  add(row: number, fact: FactInput, version: number): CachedFact {
    const entry = { fact, parsed: new LazyParsedText(fact.content) };
    // What the index took in meanwhile may be newer.
    if (version !== this.version) return entry;
    this.cache.set(row, entry);
    return entry;
  }

  /** Reads a memory that the index takes in; one that was told just now stays at hand. */
  onIndexed(row: number, fact: FactInput, isCompared: boolean): ParsedText {
    this.invalidate(row);
    const parsed = this.parsedTexts.peek(fact);
    if (parsed === undefined) return new LazyParsedText(fact.content);
    if (isCompared) this.cache.set(row, { fact, parsed });
    return parsed;
  }

  /** Something else changed than its text. */
  refresh(row: number, fact: FactInput, isCompared: boolean): void {
    const cached = this.get(row);
    this.invalidate(row);
    if (cached !== undefined && isCompared) this.cache.set(row, { fact, parsed: cached.parsed });
  }

  /** It is another one by now, or gone. */
  invalidate(row: number): void {
    this.version++;
    this.cache.delete(row);
  }

  clear(): void {
    this.version++;
    this.cache.clear();
  }
}

export function toFactInput(row: SqlRow): FactInput {
  return {
    id: row.id as string,
    content: row.content as string,
    contentHash: row.content_hash as string,
    assertedAt: row.reinforced_at as string,
  };
}

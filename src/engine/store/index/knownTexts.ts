import { LRUCache } from 'lru-cache';
import type { Row } from '../sqlite/database.js';
import { ReadText, type Reading, type Readings, type ToldFact } from './judge.js';

/** Memories kept, about 3 KB each. */
const maxCachedMemories = 8_000;

/** A memory to compare with. */
export interface KnownText {
  readonly fact: ToldFact;
  readonly reading: Reading;
}

/**
 * The memories that were told or compared with lately, by row, so that comparing needs neither the file nor another
 * reading of the text. As far as the index has taken in what was written, they are what the file holds.
 */
export class KnownTexts {
  private readonly texts = new LRUCache<number, KnownText>({ max: maxCachedMemories });
  /** Counts what the index took in. */
  changes = 0;

  constructor(private readonly readings: Readings) {}

  get(row: number): KnownText | undefined {
    return this.texts.get(row);
  }

  /** A memory that is compared with. @param changes what `changes` was before the memory was read from the file */
  add(row: number, fact: ToldFact, changes: number): KnownText {
    const known = { fact, reading: new ReadText(fact.content) };
    // What the index took in meanwhile may be newer.
    if (changes !== this.changes) return known;
    this.texts.set(row, known);
    return known;
  }

  /** Reads a memory that the index takes in; one that was told just now stays at hand. */
  takeIn(row: number, fact: ToldFact, isCompared: boolean): Reading {
    this.drop(row);
    const reading = this.readings.known(fact);
    if (reading === undefined) return new ReadText(fact.content);
    if (isCompared) this.texts.set(row, { fact, reading });
    return reading;
  }

  /** Something else changed than its text. */
  update(row: number, fact: ToldFact, isCompared: boolean): void {
    const known = this.get(row);
    this.drop(row);
    if (known !== undefined && isCompared) this.texts.set(row, { fact, reading: known.reading });
  }

  /** It is another one by now, or gone. */
  drop(row: number): void {
    this.changes++;
    this.texts.delete(row);
  }

  clear(): void {
    this.changes++;
    this.texts.clear();
  }
}

export function toldFact(row: Row): ToldFact {
  return {
    id: row.id as string,
    content: row.content as string,
    contentHash: row.content_hash as string,
    toldAt: row.reinforced_at as string,
  };
}

import type { Row } from '../sqlite/database.js';
import { readText, type Reading, type Readings, type ToldFact } from './judge.js';

/** Memories that stay at hand, most that an import compares its facts with; twice as many right before half go. */
const kept = 4_000;

/** A memory to compare with, read. */
export interface KnownText {
  readonly fact: ToldFact;
  readonly reading: Reading;
}

/**
 * The memories that were told or compared with lately, by row, so that comparing needs neither the file nor another
 * reading of the text. As far as the index has taken in what was written, they are what the file holds.
 */
export class KnownTexts {
  /** Used since the older ones were set aside, and before. */
  private recent = new Map<number, KnownText>();
  private older = new Map<number, KnownText>();
  /** Counts what the index took in. */
  changes = 0;

  constructor(private readonly readings: Readings) {}

  get(row: number): KnownText | undefined {
    const recent = this.recent.get(row);
    if (recent !== undefined) return recent;
    const older = this.older.get(row);
    if (older !== undefined) this.keep(row, older);
    return older;
  }

  /** Reads a memory that is compared with. @param changes what `changes` was before the memory was read from the file */
  add(row: number, fact: ToldFact, changes: number): KnownText {
    const known = { fact, reading: this.readings.read(fact) };
    // What the index took in meanwhile may be newer.
    if (changes === this.changes) this.keep(row, known);
    return known;
  }

  /** Reads a memory that the index takes in; one that was told just now stays at hand. */
  takeIn(row: number, fact: ToldFact, isCompared: boolean): Reading {
    this.drop(row);
    const reading = this.readings.known(fact);
    if (reading === undefined) return readText(fact.content);
    if (isCompared) this.keep(row, { fact, reading });
    return reading;
  }

  /** Something else changed than its text. */
  update(row: number, fact: ToldFact, isCompared: boolean): void {
    const known = this.get(row);
    this.drop(row);
    if (known !== undefined && isCompared) this.keep(row, { fact, reading: known.reading });
  }

  /** It is another one by now, or gone. */
  drop(row: number): void {
    this.changes++;
    this.recent.delete(row);
    this.older.delete(row);
  }

  clear(): void {
    this.changes++;
    this.recent.clear();
    this.older.clear();
  }

  private keep(row: number, text: KnownText): void {
    if (this.recent.size >= kept) [this.older, this.recent] = [this.recent, new Map<number, KnownText>()];
    this.recent.set(row, text);
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

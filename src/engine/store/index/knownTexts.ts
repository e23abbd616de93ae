import type { Row } from '../sqlite/database.js';
import { RecentlyUsed } from '../../base/recentlyUsed.js';
import { ReadText, type Reading, type Readings, type ToldFact } from './judge.js';

/** Memories that stay at hand, 3 KB each; twice as many right before half go. */
const kept = 4_000;

/** A memory to compare with. */
export interface KnownText {
  readonly fact: ToldFact;
  readonly reading: Reading;
}

/** One that does not stay: it is read again each time, so that nothing of it outlives its comparison. */
class PassingText implements KnownText {
  constructor(readonly fact: ToldFact) {}

  get reading(): Reading {
    return new ReadText(this.fact.content);
  }
}

/**
 * The memories that were told lately, or compared with twice, by row, so that comparing needs neither the file nor another
 * reading of the text. As far as the index has taken in what was written, they are what the file holds.
 */
export class KnownTexts {
  private readonly texts = new RecentlyUsed<number, KnownText>(kept);
  /** Rows that were compared with lately. Most never are again: kept at once, each would cost a garbage collector more. */
  private readonly compared = new RecentlyUsed<number, true>(kept);
  /** Counts what the index took in. */
  changes = 0;

  constructor(private readonly readings: Readings) {}

  get(row: number): KnownText | undefined {
    return this.texts.get(row);
  }

  /** A memory that is compared with. @param changes what `changes` was before the memory was read from the file */
  add(row: number, fact: ToldFact, changes: number): KnownText {
    const isFirst = this.compared.get(row) === undefined;
    this.compared.set(row, true);
    // What the index took in meanwhile may be newer.
    if (isFirst || changes !== this.changes) return new PassingText(fact);
    const known = { fact, reading: new ReadText(fact.content) };
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

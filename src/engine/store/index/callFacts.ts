import type { Candidate, Reading, ToldFact } from './judge.js';
import type { KnownText } from './knownTexts.js';
import { MemoryIndex } from './memoryIndex.js';
import { nearest, type Place } from './nearest.js';

const noTraits = { speaker: undefined, body: '', flags: 0, properNouns: 0 };

/** A told fact with all that it is found by. */
export type PlacedFact = ToldFact & Pick<Place, 'scopeId' | 'vector'>;

/** The same, read. */
export type ReadFact = PlacedFact & { readonly reading: Reading };

/** The facts that one call has told so far: a later one may say otherwise before any of them is stored. */
export class CallFacts {
  private readonly facts: ReadFact[] = [];
  private indexed: MemoryIndex | undefined;

  constructor(private readonly dimensions: number | undefined) {}

  /** All of them, in rows from 1; undefined before the first. Most calls tell one fact, and need no index. */
  get index(): MemoryIndex | undefined {
    if (this.facts.length === 0) return undefined;
    this.indexed ??= new MemoryIndex(this.dimensions);
    while (this.indexed.size < this.facts.length) this.takeIn(this.indexed, this.facts[this.indexed.size]!);
    return this.indexed;
  }

  get(row: number): KnownText {
    const fact = this.facts[row - 1]!;
    return { fact, reading: fact.reading };
  }

  add(fact: ReadFact): void {
    this.facts.push(fact);
  }

  /** Those told before that the next fact must be compared with, where nothing else is. It is known from then on. */
  next(fact: ReadFact): Candidate[] {
    const { index } = this;
    this.add(fact);
    if (index === undefined) return [];
    return nearest([index], placeOf(fact), undefined).map(it => ({ ...this.get(it.row), ...it }));
  }

  private takeIn(index: MemoryIndex, { scopeId, vector, reading: { statement, terms } }: ReadFact): void {
    index.add({
      row: index.size + 1,
      key: 0,
      searchable: true,
      active: true,
      scopeId,
      session: undefined,
      createdAt: 0,
      traits: noTraits,
      terms,
      subjectKeys: statement.keys,
      tokens: [],
      vector,
    });
  }
}

export function placeOf({ scopeId, vector, reading: { statement, terms } }: ReadFact): Place {
  return { scopeId, vector, terms, subjectKeys: statement.keys };
}

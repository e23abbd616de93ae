import { MemoryIndex } from './memoryIndex.js';
import type { Candidate, Reading, Readings, ToldFact } from './judge.js';
import { nearest, type Place } from './nearest.js';

const noTraits = { speaker: undefined, body: '', flags: 0, properNouns: 0 };

/** A told fact with all that it is found by. */
export type PlacedFact = ToldFact & Pick<Place, 'scopeId' | 'vector'>;

/** The facts that one call has told so far: a later one may say otherwise before any of them is stored. */
export class CallFacts {
  private readonly facts: PlacedFact[] = [];
  private indexed = 0;
  private index: MemoryIndex | undefined;

  constructor(
    private readonly readings: Readings,
    private readonly dimensions: number | undefined,
  ) {}

  /** Those told before that the next fact must be compared with. It is known from then on. */
  next(fact: PlacedFact & { readonly reading: Reading }): Candidate[] {
    const { reading, ...told } = fact;
    this.facts.push(told);
    if (this.facts.length === 1) return []; // Most calls tell one fact, and need no index.
    this.index ??= new MemoryIndex(this.dimensions);
    for (; this.indexed < this.facts.length - 1; this.indexed++) this.take(this.index, this.facts[this.indexed]!);
    const { statement, terms } = reading;
    const place = { scopeId: fact.scopeId, subjectKeys: statement.keys, terms, vector: fact.vector };
    return nearest(this.index, place, false).map(({ row, cosine, isByMeaning }) => {
      const before = this.facts[row - 1]!;
      return { fact: before, reading: this.readings.read(before), cosine, isByMeaning };
    });
  }

  private take(index: MemoryIndex, fact: PlacedFact): void {
    const { statement, terms } = this.readings.read(fact);
    index.add({
      row: this.indexed + 1,
      key: 0,
      searchable: true,
      active: true,
      scopeId: fact.scopeId,
      session: undefined,
      createdAt: 0,
      traits: noTraits,
      terms,
      subjectKeys: statement.keys,
      tokens: [],
      vector: fact.vector,
    });
  }
}

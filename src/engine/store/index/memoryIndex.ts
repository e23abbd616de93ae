import { terms } from '../../text/terms.js';
import { trait, type Traits } from '../../text/traits.js';
import { Postings } from './postings.js';
import { VectorTable } from './vectors.js';

/** What the index is told of a memory. */
export interface IndexedMemory {
  readonly row: number;
  /** Of its content: another hash is another text. */
  readonly hash: string;
  /** Whether a recall may return it: neither superseded nor forgotten by a person. */
  readonly searchable: boolean;
  readonly scopeId: string;
  /** Conversation it belongs to; its neighbours are the memories of that conversation just before and after it. */
  readonly session: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly traits: Traits;
  /** Of the body, without stop words. */
  readonly terms: readonly string[];
  /** int8 components; undefined while it is not embedded yet. */
  readonly vector: Int8Array | undefined;
}

export const none = -1;

/**
 * Every memory of one store, in memory: an inverted index and a table of vectors over the same dense positions, so that
 * a score of all memories is one plain array. Positions are in the order of writing; a memory whose text changes moves
 * to a new one, and the old one is dead.
 */
export class MemoryIndex {
  readonly postings = new Postings();
  readonly vectors: VectorTable | undefined;
  /** Of the searchable memories: how many have a vector, how many there are, how many are standing instructions. */
  readonly counts = { embedded: 0, searchable: 0, instructions: 0 };

  private readonly positions = new Map<number, number>();
  private readonly scopes = new Map<string, number>();
  private readonly sessions = new Map<string, number>();
  private readonly speakers = new Map<string, number>();
  private readonly nameTerms = new Map<string, readonly string[]>();
  private readonly lastOfSession: number[] = [];

  // By position. Plain arrays of small numbers: the engine keeps them unboxed, and they grow by themselves.
  readonly rows: number[] = [];
  private readonly hashes: string[] = [];
  readonly alive: boolean[] = [];
  readonly hasVector: boolean[] = [];
  readonly scope: number[] = [];
  readonly session: number[] = [];
  readonly previous: number[] = [];
  readonly next: number[] = [];
  readonly speaker: number[] = [];
  readonly flags: number[] = [];
  readonly properNouns: number[] = [];
  /** Month 1-12 × 32 + day. */
  readonly calendar: number[] = [];

  /** @param dimensions of the embedder in use; undefined for words alone */
  constructor(dimensions: number | undefined) {
    this.vectors = dimensions === undefined ? undefined : new VectorTable(dimensions);
  }

  get size(): number {
    return this.rows.length;
  }

  get sessionCount(): number {
    return this.sessions.size;
  }

  /** The number of a scopeId; undefined when no memory has it. */
  scopeNumber(scopeId: string): number | undefined {
    return this.scopes.get(scopeId);
  }

  /** Names before the colon of dialogue turns, lower case, and their numbers. */
  get speakerNames(): ReadonlyMap<string, number> {
    return this.speakers;
  }

  /** The terms of a speaker's name. */
  speakerTerms(name: string): readonly string[] {
    let known = this.nameTerms.get(name);
    if (known === undefined) this.nameTerms.set(name, (known = terms(name)));
    return known;
  }

  /** The content hash of a memory's row; undefined when it is not indexed. */
  hash(row: number): string | undefined {
    const position = this.positions.get(row);
    return position === undefined ? undefined : this.hashes[position];
  }

  add(memory: IndexedMemory): void {
    this.remove(memory.row);
    const position = this.postings.add(memory.terms);
    this.positions.set(memory.row, position);
    this.rows.push(memory.row);
    this.hashes.push(memory.hash);
    this.alive.push(false);
    this.hasVector.push(false);
    this.scope.push(numberOf(this.scopes, memory.scopeId));
    this.link(position, memory.session);
    const { speaker } = memory.traits;
    this.speaker.push(speaker === undefined ? none : numberOf(this.speakers, speaker));
    this.flags.push(memory.traits.flags);
    this.properNouns.push(memory.traits.properNouns);
    const created = new Date(memory.createdAt);
    this.calendar.push((created.getUTCMonth() + 1) * 32 + created.getUTCDate());
    this.vectors?.resize(this.size);
    this.setSearchable(memory.row, memory.searchable);
    this.setVector(memory.row, memory.vector);
  }

  setSearchable(row: number, searchable: boolean): void {
    const position = this.positions.get(row);
    if (position === undefined || this.alive[position] === searchable) return;
    this.alive[position] = searchable;
    const change = searchable ? 1 : -1;
    this.counts.searchable += change;
    if ((this.flags[position]! & trait.instruction) !== 0) this.counts.instructions += change;
    if (this.hasVector[position] === true) this.counts.embedded += change;
  }

  setVector(row: number, vector: Int8Array | undefined): void {
    const position = this.positions.get(row);
    if (position === undefined || this.vectors === undefined) return;
    const has = vector !== undefined;
    if (this.alive[position] === true && has !== this.hasVector[position]) this.counts.embedded += has ? 1 : -1;
    this.hasVector[position] = has;
    this.vectors.set(position, vector);
  }

  remove(row: number): void {
    this.setSearchable(row, false);
    this.positions.delete(row);
  }

  /** Appends to the memory's conversation. */
  private link(position: number, session: string | undefined): void {
    this.next.push(none);
    if (session === undefined) {
      this.session.push(none);
      this.previous.push(none);
      return;
    }
    const number = numberOf(this.sessions, session);
    const last = this.lastOfSession[number] ?? none;
    this.session.push(number);
    this.previous.push(last);
    if (last !== none) this.next[last] = position;
    this.lastOfSession[number] = position;
  }
}

function numberOf(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

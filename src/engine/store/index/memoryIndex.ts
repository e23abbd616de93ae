import { terms } from '../../text/terms.js';
import { trait, type Traits } from '../../text/traits.js';
import { grown, roomFor, smallest, type Packed, type Unpacking } from './columns.js';
import { Postings } from './postings.js';
import { MemoryColumns, none } from './memoryColumns.js';
import { NumberLists } from './numberLists.js';
import { SubjectKeys } from './subjectKeys.js';
import { VectorTable } from './vectors.js';
import { Workspace } from './workspace.js';

/** What the index is told of a memory. */
export interface IndexedMemory {
  readonly row: number;
  /** Of its text, at most 52 bits: another key is another text. */
  readonly key: number;
  /** Whether a recall may return it: neither superseded nor archived for good. */
  readonly searchable: boolean;
  /** Whether what is told anew is compared with it. */
  readonly active: boolean;
  readonly scopeId: string;
  /** Conversation it belongs to; its neighbours are the memories of that conversation just before and after it. */
  readonly session: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly traits: Traits;
  /** Of the body, without stop words. */
  readonly terms: readonly string[];
  /** What it speaks of (compare/compare.ts). */
  readonly subjectKeys: readonly string[];
  /** Of the body, by the built-in model, of which each is kept once and in no order; none without it. */
  readonly tokens: readonly number[];
  /** int8 components; undefined while it is not embedded yet. */
  readonly vector: Int8Array | undefined;
}

/** Of how many scopeIds it is kept which memories they have. */
const masksAtMost = 8;

/**
 * Every memory of one store, in memory: an inverted index and a table of vectors over the same dense positions, so that
 * a score of all memories is one plain array. Positions are in the order of writing; a memory whose text changes moves
 * to a new one. Where a memory was is a hole: row 0, not alive, without terms.
 */
export class MemoryIndex extends MemoryColumns {
  readonly postings = new Postings();
  readonly subjects = new SubjectKeys();
  /** What a question is compared with closely, so that no text is read for it. */
  readonly tokens = new NumberLists();
  readonly vectors: VectorTable | undefined;
  readonly workspace = new Workspace<'words' | 'sessions' | 'meaning' | 'neighbours' | 'rough'>();
  /** Of the searchable memories: how many have a vector, how many there are, how many are standing instructions. */
  readonly counts = { embedded: 0, searchable: 0, instructions: 0 };

  private readonly scopes = new Map<string, number>();
  private readonly sessions = new Map<string, number>();
  private readonly speakers = new Map<string, number>();
  private readonly nameTerms = new Map<string, readonly string[]>();
  private readonly lastOfSession: number[] = [];
  /** By speaker: of how many memories. */
  private readonly said: number[] = [];

  /** By row: its position plus 1, or 0. Rows are numbered from 1 without large gaps. */
  private positions = new Int32Array(smallest);
  /** Holes whose terms are still in the lists. */
  private readonly unswept = new Set<number>();
  /** By scope, until a memory comes or goes. */
  private readonly masks = new Map<number, Uint8Array>();

  /** @param dimensions of the embedder in use; undefined for words alone */
  constructor(dimensions: number | undefined) {
    super();
    this.vectors = dimensions === undefined ? undefined : new VectorTable(dimensions);
  }

  /** Positions, holes included. */
  get size(): number {
    return this.postings.positions;
  }

  /** Memories. */
  get documents(): number {
    return this.postings.documents;
  }

  get sessionCount(): number {
    return this.sessions.size;
  }

  /** The number of a scopeId; undefined when no memory has it. */
  scopeNumber(scopeId: string): number | undefined {
    return this.scopes.get(scopeId);
  }

  /** Names before the colon of dialogue turns, lower case, and their numbers. */
  *speakerNames(): Generator<readonly [name: string, number: number]> {
    for (const it of this.speakers) if (this.said[it[1]]! > 0) yield it;
  }

  /** The terms of a speaker's name. */
  speakerTerms(name: string): readonly string[] {
    let known = this.nameTerms.get(name);
    if (known === undefined) this.nameTerms.set(name, (known = terms(name)));
    return known;
  }

  /** The key of the text that a memory's row has here; undefined when it is not indexed. */
  key(row: number): number | undefined {
    const position = this.position(row);
    return position === none ? undefined : this.keys[position];
  }

  /** Adds a memory; one whose row is known takes its place in the conversation. */
  add(memory: IndexedMemory): void {
    const replaced = this.position(memory.row);
    const position = this.postings.add(memory.terms);
    this.subjects.add(memory.subjectKeys, position);
    this.tokens.add(Uint16Array.from(new Set(memory.tokens)).sort());
    this.reserve(position + 1);
    this.vectors?.reserve(position + 1);
    if (memory.row >= this.positions.length) {
      this.positions = grown(this.positions, roomFor(memory.row + 1, this.positions.length));
    }
    this.rows[position] = memory.row;
    this.keys[position] = memory.key;
    this.scope[position] = numberOf(this.scopes, memory.scopeId);
    this.session[position] = memory.session === undefined ? none : numberOf(this.sessions, memory.session);
    if (replaced !== none && this.session[replaced] === this.session[position]) this.replace(replaced, position);
    else {
      if (replaced !== none) this.unlink(replaced);
      this.link(position);
    }
    if (replaced !== none) this.empty(replaced);
    this.positions[memory.row] = position + 1;
    const { speaker } = memory.traits;
    this.speaker[position] = speaker === undefined ? none : numberOf(this.speakers, speaker);
    if (speaker !== undefined) this.said[this.speaker[position]] = (this.said[this.speaker[position]] ?? 0) + 1;
    this.flags[position] = memory.traits.flags;
    this.properNouns[position] = memory.traits.properNouns;
    const created = new Date(memory.createdAt);
    this.calendar[position] = (created.getUTCMonth() + 1) * 32 + created.getUTCDate();
    this.setStatus(memory.row, memory);
    this.setVector(memory.row, memory.vector);
  }

  setStatus(row: number, { searchable, active }: Pick<IndexedMemory, 'searchable' | 'active'>): void {
    const position = this.position(row);
    if (position === none) return;
    this.active[position] = active ? 1 : 0;
    const alive = searchable ? 1 : 0;
    if (this.alive[position] === alive) return;
    this.alive[position] = alive;
    this.masks.clear();
    this.count(position, searchable ? 1 : -1);
  }

  setVector(row: number, vector: Int8Array | undefined): void {
    const position = this.position(row);
    if (position === none || this.vectors === undefined) return;
    const has = vector === undefined ? 0 : 1;
    if (this.alive[position] === 1) this.counts.embedded += has - this.hasVector[position]!;
    this.hasVector[position] = has;
    this.vectors.set(position, vector);
  }

  /** Its terms stay until `sweep`. */
  remove(row: number): void {
    const position = this.position(row);
    if (position === none) return;
    this.unlink(position);
    this.empty(position);
    this.positions[row] = 0;
  }

  /** Takes the terms of all removed and replaced memories out; answers are right only after it. */
  sweep(): void {
    if (this.unswept.size === 0) return;
    this.postings.drop(this.unswept);
    this.subjects.drop(this.unswept);
    this.unswept.clear();
  }

  /** 1 for each position whose memory a recall with this scopeId may return; shared, so never written to. */
  mask(scope: number): Uint8Array {
    let mask = this.masks.get(scope);
    if (mask?.length !== this.size) {
      mask = new Uint8Array(this.size);
      for (let p = 0; p < mask.length; p++) mask[p] = this.alive[p]! & (this.scope[p] === scope ? 1 : 0);
      if (this.masks.size >= masksAtMost) this.masks.clear();
      this.masks.set(scope, mask);
    }
    return mask;
  }

  pack(): Packed {
    return {
      arrays: {
        ...this.packColumns(this.size),
        ...this.postings.pack(),
        ...this.subjects.pack(),
        ...this.tokens.pack('tokens'),
        ...(this.vectors === undefined ? {} : { vectors: this.vectors.bytes() }),
      },
      names: {
        scopes: [...this.scopes.keys()],
        sessions: [...this.sessions.keys()],
        speakers: [...this.speakers.keys()],
      },
    };
  }

  /** Becomes what was packed; only while it is empty. @throws Error when that is damaged */
  unpack(from: Unpacking): void {
    const size = this.unpackColumns(from);
    for (const name of from.names.scopes ?? []) numberOf(this.scopes, name);
    for (const name of from.names.sessions ?? []) numberOf(this.sessions, name);
    for (const name of from.names.speakers ?? []) this.said[numberOf(this.speakers, name)] = 0;
    let holes = 0;
    for (let position = 0; position < size; position++) {
      const row = this.rows[position]!;
      if (row === 0) {
        holes++;
        continue;
      }
      if (row >= this.positions.length) this.positions = grown(this.positions, roomFor(row + 1, this.positions.length));
      this.positions[row] = position + 1;
      if (this.speaker[position] !== none) this.said[this.speaker[position]!]!++;
      if (this.session[position] !== none && this.next[position] === none) {
        this.lastOfSession[this.session[position]!] = position;
      }
      if (this.alive[position] === 1) this.count(position, 1);
    }
    this.postings.unpack(from, holes);
    this.subjects.unpack(from);
    this.tokens.unpack(from, 'tokens');
    if (this.vectors !== undefined) {
      this.vectors.reserve(size);
      from.read('vectors', this.vectors.bytes());
    }
  }

  private position(row: number): number {
    return (this.positions[row] ?? 0) - 1;
  }

  /** Counts a searchable memory in or out. */
  private count(position: number, change: number): void {
    this.counts.searchable += change;
    if ((this.flags[position]! & trait.instruction) !== 0) this.counts.instructions += change;
    if (this.hasVector[position] === 1) this.counts.embedded += change;
  }

  /** Makes a hole. */
  private empty(position: number): void {
    this.setStatus(this.rows[position]!, { searchable: false, active: false });
    this.vectors?.set(position, undefined);
    this.tokens.clear(position);
    if (this.speaker[position] !== none) this.said[this.speaker[position]!]!--;
    this.rows[position] = 0;
    this.keys[position] = 0;
    this.hasVector[position] = 0;
    this.session[position] = none;
    this.speaker[position] = none;
    this.unswept.add(position);
  }

  /** Appends to the memory's conversation. */
  private link(position: number): void {
    const session = this.session[position]!;
    this.next[position] = none;
    const last = session === none ? none : (this.lastOfSession[session] ?? none);
    this.previous[position] = last;
    if (last !== none) this.next[last] = position;
    if (session !== none) this.lastOfSession[session] = position;
  }

  private replace(old: number, position: number): void {
    const previous = (this.previous[position] = this.previous[old]!);
    const next = (this.next[position] = this.next[old]!);
    if (previous !== none) this.next[previous] = position;
    if (next !== none) this.previous[next] = position;
    const session = this.session[position]!;
    if (session !== none && next === none) this.lastOfSession[session] = position;
  }

  private unlink(position: number): void {
    const previous = this.previous[position]!;
    const next = this.next[position]!;
    if (previous !== none) this.next[previous] = next;
    if (next !== none) this.previous[next] = previous;
    const session = this.session[position]!;
    if (session !== none && next === none) this.lastOfSession[session] = previous;
  }
}

function numberOf(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

import { createHash, hash } from 'node:crypto';
import { parseObject } from '../database/jsonColumns.js';
import type { AuditAction } from '../model/auditAction.js';
import type { Edge } from '../model/edge.js';
import type { AuditEntry, LoggedRow } from './audit.js';
import { isQuestionModel } from './questionVectors.js';

/** Part of the last line of a write, as `state`: the edges and vectors that it left behind. '' = none. */
export interface DigestDetail {
  /** The edges that a memory is the source of. */
  readonly edges?: readonly MemoryDigest[];
  /** Memories whose vectors of all models were dropped, before those in `vectors` were written. */
  readonly dropped?: readonly string[];
  /** By model. Vectors of questions are not covered: they follow from the search aids. */
  readonly vectors?: readonly (readonly [model: string, digests: readonly MemoryDigest[]])[];
}

type MemoryDigest = readonly [id: string, digest: string];

/** Part of the `create` line of a memory whose edges and vectors all have digests: earlier versions wrote none. */
export const digestsMark = { digests: true };

/** Bytes of a digest: an accident or an edit, no forger of hashes, is what it is compared against. */
const digestBytes = 12;

/** Of edges in any order: the exclusive or of their hashes, as no two edges of a memory are equal. */
class EdgeDigest {
  private readonly bytes = Buffer.alloc(digestBytes);

  add({ target, type, strength, reason, createdAt, settledAt, mark }: Edge): this {
    const marked = mark === undefined ? null : [mark.outdated, mark.by, mark.at];
    const values = JSON.stringify([target, type, strength, reason, createdAt, settledAt ?? null, marked]);
    const edge = createHash('sha256').update(values).digest();
    for (let i = 0; i < digestBytes; i++) this.bytes[i]! ^= edge[i]!;
    return this;
  }

  toString(): string {
    return this.bytes.toString('base64url');
  }
}

/** Memory id -> digest of the edges that it is the source of. */
class EdgeDigests {
  private readonly digests = new Map<string, EdgeDigest>();

  add(edge: Edge): void {
    this.digests.set(edge.source, (this.digests.get(edge.source) ?? new EdgeDigest()).add(edge));
  }

  /** @returns '' where the memory is the source of none */
  get(id: string): string {
    return this.digests.get(id)?.toString() ?? '';
  }

  ids(): Iterable<string> {
    return this.digests.keys();
  }
}

function digestVector(vector: Uint8Array | Int8Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return hash('sha256', bytes, 'buffer').subarray(0, digestBytes).toString('base64url');
}

/** The edges and vectors that a write changes. */
export class WrittenState {
  /** Both ends of the edges added by this write, smaller id first, as one text. */
  private readonly addedPairs = new Set<string>();
  private readonly addedEnds = new Set<string>();
  /** Memories that may have lost or changed an edge. */
  private readonly changedEnds = new Set<string>();
  private readonly dropped = new Set<string>();
  /** By model and memory id. */
  private readonly vectors = new Map<string, Map<string, string>>();

  addEdge(source: string, target: string): void {
    this.addedPairs.add(toPair(source, target));
    this.addedEnds.add(source).add(target);
  }

  changeEdges(ids: readonly string[]): void {
    for (const id of ids) this.changedEnds.add(id);
  }

  setVector(id: string, { model, vector }: { readonly model: string; readonly vector: Int8Array }): void {
    const ofModel = this.vectors.get(model) ?? new Map<string, string>();
    this.vectors.set(model, ofModel.set(id, digestVector(vector)));
  }

  dropVectors(id: string): void {
    for (const it of this.vectors.values()) it.delete(id);
    this.dropped.add(id);
  }

  /** @param neighbors memories with an edge to or from the deleted one */
  deleteMemory(id: string, neighbors: readonly string[]): void {
    this.changeEdges(neighbors);
    for (const it of [this.addedEnds, this.changedEnds, this.dropped, ...this.vectors.values()]) it.delete(id);
  }

  /** @param findEdges finds every edge of the memories, as they are now */
  async toDetail(findEdges: (ids: readonly string[]) => Promise<readonly Edge[]>): Promise<DigestDetail | undefined> {
    const ids = [...new Set([...this.addedEnds, ...this.changedEnds])];
    const edges = ids.length === 0 ? [] : this.digestEdges(await findEdges(ids));
    const vectors = [...this.vectors].filter(([, digests]) => digests.size > 0);
    const detail = {
      ...(edges.length === 0 ? {} : { edges }),
      ...(this.dropped.size === 0 ? {} : { dropped: [...this.dropped] }),
      ...(vectors.length === 0 ? {} : { vectors: vectors.map(([model, it]) => [model, [...it]] as const) }),
    };
    return Object.keys(detail).length === 0 ? undefined : detail;
  }

  private digestEdges(edges: readonly Edge[]): readonly MemoryDigest[] {
    const digests = new EdgeDigests();
    const written = new Set(this.changedEnds);
    for (const it of edges) {
      digests.add(it);
      if (this.addedPairs.has(toPair(it.source, it.target))) written.add(it.source);
    }
    return [...written].map(id => [id, digests.get(id)]);
  }
}

function toPair(first: string, second: string): string {
  return first < second ? `${first} ${second}` : `${second} ${first}`;
}

/** Fields that are read from the detail of a line. */
interface LoggedDetail {
  readonly row?: LoggedRow;
  readonly digests?: unknown;
  readonly state?: DigestDetail;
}

/** Lines after which a memory is not there. */
const deletions: readonly AuditAction[] = ['prune', 'purge', 'move', 'rollback'];

/** State of rows, edges and vectors by the audit log, read line by line from its start. */
export class LoggedState {
  /** Memory id -> the row as last written. Lines of earlier versions have none. */
  readonly rows = new Map<string, LoggedRow>();
  private readonly edges = new Map<string, string>();
  private readonly vectors = new Map<string, Map<string, string>>();
  /** Memories without an edge or a vector unless a line says so. */
  private readonly covered = new Set<string>();
  /** The model of the last vectors: others may be out of use, and their vectors are deleted some day. */
  private lastModel = '';

  add(entries: readonly AuditEntry[]): void {
    for (const { action, memoryId, detail } of entries) {
      const parsed = (parseObject(detail) ?? {}) as LoggedDetail;
      if (memoryId === undefined) {
        this.addDigests(parsed.state);
        continue;
      }
      if (deletions.includes(action)) this.delete(memoryId);
      if (action === 'create' && parsed.digests === true) this.covered.add(memoryId);
      if (Array.isArray(parsed.row)) this.rows.set(memoryId, parsed.row);
      this.addDigests(parsed.state);
    }
  }

  private addDigests({ edges = [], dropped = [], vectors = [] }: DigestDetail = {}): void {
    for (const [id, digest] of edges) this.edges.set(id, digest);
    for (const ofModel of this.vectors.values()) for (const id of dropped) ofModel.delete(id);
    for (const [model, digests] of vectors) {
      const ofModel = this.vectors.get(model) ?? new Map<string, string>();
      for (const [id, digest] of digests) ofModel.set(id, digest);
      this.vectors.set(model, ofModel);
      this.lastModel = model;
    }
  }

  private delete(id: string): void {
    this.edges.delete(id);
    for (const it of this.vectors.values()) it.delete(id);
  }

  /** Edges and vectors of a store that differ from what was last written. */
  compare(stored: StoredState): OutsideChanges {
    const edges: MemoryDigest[] = [];
    for (const id of new Set([...this.edges.keys(), ...stored.edges.ids()])) {
      const now = stored.edges.get(id);
      const isKnown = this.edges.has(id) || this.covered.has(id);
      if (isKnown && stored.memories.has(id) && now !== (this.edges.get(id) ?? '')) edges.push([id, now]);
    }
    const vectors: (readonly [model: string, digests: readonly MemoryDigest[]])[] = [];
    for (const [model, digests] of stored.vectors) {
      const logged = this.vectors.get(model) ?? new Map<string, string>();
      const ids = new Set([...digests.keys(), ...(model === this.lastModel ? logged.keys() : [])]);
      const changed: MemoryDigest[] = [];
      for (const id of ids) {
        const now = digests.get(id) ?? '';
        const isKnown = logged.has(id) || this.covered.has(id);
        if (isKnown && stored.memories.has(id) && now !== (logged.get(id) ?? '')) changed.push([id, now]);
      }
      if (changed.length > 0) vectors.push([model, changed]);
    }
    return {
      edges: edges.map(([id]) => id),
      vectors: [...new Set(vectors.flatMap(([, digests]) => digests.map(([id]) => id)))],
      detail: { edges, vectors },
    };
  }
}

export interface OutsideChanges {
  /** Memories with changed edges. */
  readonly edges: readonly string[];
  /** Memories with changed vectors. */
  readonly vectors: readonly string[];
  /** The digests of now: a line with them makes what is there the state that was last written. */
  readonly detail: DigestDetail;
}

/** Part of a store that is compared with its audit log. */
export interface StoredState {
  readonly memories: ReadonlySet<string>;
  readonly edges: EdgeDigests;
  /** By model in use and memory id. */
  readonly vectors: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

type Pages<T> = AsyncIterable<readonly T[]>;

export async function readStoredState(store: {
  readonly memories: readonly string[];
  readonly models: readonly string[];
  readonly edges: Pages<Edge>;
  readonly vectors: Pages<{ readonly id: string; readonly model: string; readonly vector: Uint8Array }>;
}): Promise<StoredState> {
  const edges = new EdgeDigests();
  for await (const page of store.edges) for (const it of page) edges.add(it);
  const models = store.models.filter(it => !isQuestionModel(it));
  const vectors = new Map(models.map(it => [it, new Map<string, string>()]));
  for await (const page of store.vectors)
    for (const { id, model, vector } of page) vectors.get(model)?.set(id, digestVector(vector));
  return { memories: new Set(store.memories), edges, vectors };
}

export async function* mapPages<Row, T>(
  pages: AsyncIterable<readonly Row[]>,
  map: (row: Row) => T,
): AsyncGenerator<readonly T[]> {
  for await (const page of pages) yield page.map(map);
}

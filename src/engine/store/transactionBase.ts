import type { AuditAction } from '../model/auditAction.js';
import {
  markStrength,
  type Edge,
  type EdgeMark,
  type EdgeType,
  type NewEdge,
  type OutdatedMark,
  type Successor,
} from '../model/edge.js';
import type { Memory, SearchAids } from '../model/memory.js';
import { withoutSecrets } from '../secrets/secretGate.js';
import { digestsMark, WrittenState, type OutsideChanges } from './loggedState.js';
import { isSameRow, toLoggedRow, type AuditAppender } from './audit.js';
import { guardMemory, guardRecord, requirePlainId } from './secretGuard.js';
import type { MemoryWrite, NewMemory, RecordKind, StoredVector, StoreRecord, StoreTransaction } from './store.js';
import type { StoreLogs } from './sql/storeLogs.js';
import { isOutdatedEnd, type EdgeMarkInput } from './storedEdge.js';

/** A memory to insert. */
export interface InsertedMemory {
  readonly memory: NewMemory;
  readonly vector: StoredVector | undefined;
}

/** A memory to update. */
export interface UpdatedMemory {
  /** Undefined where there is no such memory. */
  readonly before: NewMemory | undefined;
  readonly memory: NewMemory;
}

/** The edges of a store as a transaction reads and writes them, without audit lines. */
export interface EdgeTable {
  find(ids: readonly string[], types?: readonly EdgeType[]): Promise<Edge[]>;
  /** Like `find`, without edges between memories of different sets. */
  findInSets(ids: readonly string[]): Promise<Edge[]>;
  /** Adds edges and updates the in-degrees. An existing edge keeps the greater strength. */
  insert(edges: readonly Pick<Edge, 'source' | 'target' | 'type' | 'strength' | 'reason'>[]): Promise<void>;
  /** Removes one edge; an edge of a symmetric type in either direction. */
  remove(source: string, target: string, type: EdgeType): Promise<void>;
  /** Marks a contradiction as settled, or without a time as open. A settled one keeps its time. */
  settle(first: string, second: string, at: string | undefined): Promise<void>;
  mark(mark: EdgeMarkInput): Promise<void>;
}

/**
 * Common part of the write transactions of all backends: which audit lines a change leaves, and what the operations on
 * edges mean.
 */
export abstract class TransactionBase implements StoreTransaction {
  /** Current state of the memories seen in this write, by id. */
  protected readonly identityMap = new Map<string, NewMemory>();
  protected abstract readonly edgeTable: EdgeTable;
  protected abstract readonly logs: StoreLogs;
  protected readonly written = new WrittenState();

  constructor(
    protected readonly audit: AuditAppender,
    protected readonly at: string,
  ) {}

  /** Revision made by this write. */
  abstract revision(): Promise<number>;
  abstract getMany(ids: readonly string[]): Promise<Memory[]>;
  abstract findByHash(contentHashes: readonly string[], scopeId: string): Promise<Memory[]>;
  abstract mergeTargetOf(id: string): Promise<Memory | undefined>;
  abstract nextSequence(scopeId: string): Promise<number>;
  abstract delete(id: string, action: 'prune' | 'purge' | 'move'): Promise<void>;
  abstract setVector(id: string, vector: StoredVector): Promise<void>;
  abstract saveScores(scores: ReadonlyMap<string, number>, version: number): Promise<void>;

  /** Writes what {@link setAids} was given, without its secrets. */
  protected abstract writeAids(id: string, aids: SearchAids, isEdit: boolean): Promise<void>;
  /** Writes the changes of a batch, each memory once. Their audit lines are pending. */
  protected abstract writeChanges(inserts: readonly InsertedMemory[], updates: readonly UpdatedMemory[]): Promise<void>;

  async get(id: string): Promise<Memory | undefined> {
    return (await this.getMany([id]))[0];
  }

  async putRecord(kind: RecordKind, id: string, body: unknown): Promise<void> {
    requirePlainId(id);
    await this.logs.putRecord(kind, id, guardRecord(kind, body), this.at);
  }

  record<T>(kind: RecordKind, id: string): Promise<StoreRecord<T> | undefined> {
    return this.logs.record<T>(kind, id);
  }

  deleteRecord(kind: RecordKind, id: string): Promise<void> {
    return this.logs.deleteRecord(kind, id);
  }

  withEditedAids(ids: readonly string[]): Promise<readonly string[]> {
    return this.logs.editedAids(ids);
  }

  setAids(id: string, aids: SearchAids, { isEdit = false } = {}): Promise<void> {
    return this.writeAids(id, withoutSecrets(aids), isEdit);
  }

  insertMany(memories: readonly NewMemory[], vectors: readonly (StoredVector | undefined)[] = []): Promise<void> {
    return this.applyBatch(memories.map((memory, i) => ({ op: 'insert', memory, vector: vectors[i] })));
  }

  update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return this.applyBatch([{ op: 'update', memory, action, detail }]);
  }

  async applyBatch(changes: readonly MemoryWrite[]): Promise<void> {
    if (changes.length === 0) return;
    const unseen = this.unseenIds(changes);
    if (unseen.length > 0) await this.getMany(unseen);
    const inserts: InsertedMemory[] = [];
    /** Memory id -> position in `inserts`. */
    const insertPositions = new Map<string, number>();
    const updates = new Map<string, UpdatedMemory>();
    for (const change of changes) {
      const { id } = change.memory;
      const memory = guardMemory(change.memory, this.identityMap.get(id));
      if (change.op === 'insert') {
        const cameFrom = change.isMoved === true ? { moved: true } : {};
        const row = toLoggedRow(memory);
        this.audit.add('create', id, {
          contentHash: memory.contentHash,
          lane: memory.lane,
          row,
          ...digestsMark,
          ...cameFrom,
        });
        insertPositions.set(id, inserts.push({ memory, vector: change.vector }) - 1);
      } else {
        const before = this.identityMap.get(id);
        // The confidence curve is drawn from these.
        const confidenceChanged = before !== undefined && before.confidence !== memory.confidence;
        const confidence = { from: before?.confidence, to: memory.confidence };
        this.audit.add(change.action, id, {
          ...withoutSecrets(change.detail),
          ...(confidenceChanged ? { confidence } : {}),
          ...(before === undefined || isSameRow(before, memory) ? {} : { row: toLoggedRow(memory) }),
        });
        const insertPosition = insertPositions.get(id);
        if (insertPosition === undefined) updates.set(id, { before: updates.get(id)?.before ?? before, memory });
        else {
          const { vector } = inserts[insertPosition]!;
          inserts[insertPosition] = { memory, vector: before?.content === memory.content ? vector : undefined };
        }
      }
      this.identityMap.set(id, memory);
    }
    for (const { memory, vector } of inserts) if (vector !== undefined) this.written.setVector(memory.id, vector);
    for (const { before, memory } of updates.values())
      if (before !== undefined && before.content !== memory.content) this.written.dropVectors(memory.id);
    await this.writeChanges(inserts, [...updates.values()]);
    const leaving = [...updates.values()].filter(it => it.before?.status === 'active' && it.memory.status !== 'active');
    await this.handOnReplacements(leaving.map(it => it.memory.id));
  }

  /**
   * Keeps replaced what memories had replaced when these leave the memory themselves: by what replaces them. Where nothing does, it
   * holds again.
   */
  protected async handOnReplacements(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const edges = await this.edgeTable.findInSets(ids);
    for (const id of ids) {
      const own = edges.filter(it => it.source === id || it.target === id);
      const open = own.filter(it => it.settledAt === undefined && it.mark !== undefined && it.mark.outdated !== 'none');
      const heirs = [
        ...own.filter(it => it.type === 'supersedes' && it.target === id),
        ...open.filter(it => isOutdatedEnd(it, id)),
      ];
      for (const { mark, reason, type, ...pair } of open.filter(it => !isOutdatedEnd(it, id))) {
        const outdated = otherEnd(pair, id);
        for (const heir of heirs) {
          const replacement = otherEnd(heir, id);
          if (replacement === outdated || (await this.areLinked(outdated, replacement))) continue;
          const isSame = type === 'relates_to' && heir.type === 'relates_to';
          const link = { type: isSame ? ('relates_to' as const) : ('contradicts' as const), by: mark!.by, reason };
          await this.markOutdated({ outdated, replacement, ...link });
        }
      }
    }
  }

  /** Whether something was stated about two memories. */
  private async areLinked(first: string, second: string): Promise<boolean> {
    const edges = await this.edgeTable.find([first], ['contradicts', 'relates_to', 'supersedes']);
    return edges.some(it => otherEnd(it, first) === second && (it.mark ?? it.settledAt) !== undefined);
  }

  /** Of the memories that a batch updates those whose state is not known yet. */
  private unseenIds(changes: readonly MemoryWrite[]): readonly string[] {
    const inserted = new Set(changes.filter(it => it.op === 'insert').map(it => it.memory.id));
    const ids = new Set(changes.map(it => it.memory.id));
    return [...ids].filter(it => !inserted.has(it) && !this.identityMap.has(it));
  }

  edges(ids: readonly string[]): Promise<Edge[]> {
    return this.edgeTable.find(ids);
  }

  async link(edges: readonly NewEdge[]): Promise<void> {
    if (edges.length === 0) return;
    await this.revision();
    // `relates_to` edges are most of the edges and can be recomputed; they get no audit line.
    const logged = edges.filter(it => it.type !== 'relates_to');
    for (const { source, type, target, strength } of logged) this.audit.add('link', source, { type, target, strength });
    for (const { source, target } of edges) this.written.addEdge(source, target);
    await this.edgeTable.insert(withoutSecrets(edges));
  }

  async unlink(source: string, target: string, type: EdgeType): Promise<void> {
    await this.revision();
    await this.edgeTable.remove(source, target, type);
    this.written.changeEdges([source, target]);
    this.audit.add('link', source, { type, target, removed: true });
  }

  async successors(id: string): Promise<readonly Successor[]> {
    const edges = await this.edgeTable.findInSets([id]);
    return edges.flatMap(it =>
      it.mark !== undefined && it.settledAt === undefined && isOutdatedEnd(it, id)
        ? [{ id: otherEnd(it, id), by: it.mark.by }]
        : [],
    );
  }

  async replacedAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const edges = await this.edgeTable.find(ids, ['contradicts', 'relates_to']);
    const given = new Set(ids);
    const replacements = edges.flatMap(it => {
      if (it.settledAt !== undefined) return [];
      const outdated = [it.source, it.target].find(end => isOutdatedEnd(it, end));
      const by = outdated === it.source ? it.target : it.source;
      return outdated !== undefined && given.has(outdated) ? [{ outdated, by }] : [];
    });
    if (replacements.length === 0) return new Set();
    const found = await this.getMany([...new Set(replacements.map(it => it.by))]);
    const active = new Set(found.filter(it => it.status === 'active').map(it => it.id));
    return new Set(replacements.filter(it => active.has(it.by)).map(it => it.outdated));
  }

  async isSettled(first: string, second: string): Promise<boolean> {
    const edges = await this.edgeTable.find([first, second], ['contradicts', 'relates_to']);
    return edges.some(
      it =>
        (it.settledAt !== undefined || it.mark?.by === 'person') &&
        [it.source, it.target].every(end => end === first || end === second),
    );
  }

  async settle(first: string, second: string): Promise<void> {
    await this.revision();
    await this.edgeTable.settle(first, second, this.at);
    this.written.changeEdges([first, second]);
    this.audit.add('settle', first, { other: second });
  }

  async supersede(winner: string, loser: string): Promise<void> {
    const memory = await this.get(loser);
    if (memory === undefined) return;
    const reason = 'A person replaced the one by the other.';
    await this.edgeTable.insert([{ source: winner, target: loser, type: 'supersedes', strength: 1, reason }]);
    await this.edgeTable.settle(winner, loser, this.at);
    this.written.changeEdges([winner, loser]);
    await this.update({ ...memory, status: 'superseded', updatedAt: this.at }, 'supersede', { by: winner });
  }

  async reopen(first: string, second: string): Promise<void> {
    await this.revision();
    await this.edgeTable.remove(first, second, 'supersedes');
    await this.edgeTable.remove(second, first, 'supersedes');
    await this.edgeTable.settle(first, second, undefined);
    this.written.changeEdges([first, second]);
    this.audit.add('settle', first, { other: second, undone: true });
  }

  async undoSupersede(id: string): Promise<void> {
    const memory = await this.get(id);
    if (memory === undefined) return;
    const edges = await this.edgeTable.find([id], ['supersedes']);
    for (const { source } of edges.filter(it => it.target === id)) await this.reopen(source, id);
    await this.update({ ...memory, status: 'active', updatedAt: this.at }, 'restore', {});
  }

  async markOutdated({ outdated, replacement, type, by, reason }: OutdatedMark): Promise<void> {
    await this.revision();
    const edge = { source: replacement, target: outdated, type, strength: markStrength, reason };
    await this.edgeTable.insert([withoutSecrets(edge)]);
    await this.mark({ ends: [outdated, replacement], outdatedId: outdated, type, by, at: this.at });
    this.audit.add('mark', outdated, { outdatedBy: replacement, by });
  }

  async markBothHold(outdated: string, replacement: string, by: EdgeMark['by']): Promise<void> {
    for (const { source, target, type, mark } of await this.edgeTable.findInSets([outdated])) {
      if (mark === undefined || (source !== replacement && target !== replacement)) continue;
      await this.revision();
      await this.mark({ ends: [source, target], outdatedId: undefined, type, by, at: this.at });
      this.audit.add('mark', outdated, { stillTrue: true, by });
    }
  }

  async restoreMark(
    { source, target, type }: Pick<Edge, 'source' | 'target' | 'type'>,
    { outdated, by, at }: EdgeMark,
  ): Promise<void> {
    await this.revision();
    const outdatedId = outdated === 'none' ? undefined : outdated === 'source' ? source : target;
    await this.mark({ ends: [source, target], outdatedId, type, by, at });
    const detail = outdated === 'none' ? { stillTrue: true, by } : { by };
    this.audit.add('mark', outdatedId ?? target, detail);
  }

  async clearMarks(id: string, by: EdgeMark['by']): Promise<boolean> {
    const open = (await this.edgeTable.findInSets([id])).filter(
      it => it.settledAt === undefined && isOutdatedEnd(it, id),
    );
    const edges = open.filter(it => by === 'person' || it.mark?.by !== 'person');
    for (const { source, target, type } of edges) {
      await this.revision();
      await this.mark({ ends: [source, target], outdatedId: undefined, type, by, at: this.at });
      this.audit.add('mark', id, { stillTrue: true, by });
    }
    return edges.length === open.length;
  }

  private async mark(mark: EdgeMarkInput): Promise<void> {
    this.written.changeEdges(mark.ends);
    await this.edgeTable.mark(mark);
  }

  /** Adds to the log by what `verify` recognizes edges and vectors that another program changed. Call it last. */
  protected async logDigests(): Promise<void> {
    const detail = await this.written.toDetail(ids => this.edgeTable.find(ids));
    if (detail !== undefined) this.audit.addState(detail);
  }

  log(action: AuditAction, detail: Readonly<Record<string, unknown>>): Promise<void> {
    this.audit.add(action, undefined, withoutSecrets(detail));
    return Promise.resolve();
  }

  async announce(): Promise<void> {
    await this.revision();
  }

  /** Adds one line per memory. */
  logMany(action: AuditAction, lines: readonly (readonly [id: string, detail: object])[]): void {
    for (const [id, detail] of lines) this.audit.add(action, id, withoutSecrets(detail));
  }

  /** Takes the edges and vectors that are there for what was last written, after a restore. */
  logState({ edges, vectors, detail }: OutsideChanges): void {
    if (edges.length + vectors.length > 0) this.audit.add('digest', undefined, { state: detail });
  }

  /** For an emptied log: its next line is the first. */
  resetAuditLog(): void {
    this.audit.reset();
  }
}

function otherEnd({ source, target }: Pick<Edge, 'source' | 'target'>, id: string): string {
  return source === id ? target : source;
}

import { isDeepStrictEqual } from 'node:util';
import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import { LocalizableMessage, message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { looksLikeProjectFact } from '../classify/projectFact.js';
import { storeForWrite, withWaitingStores, type Context } from '../context.js';
import type { Edge, MachineEdgeType } from '../model/edge.js';
import { messageTemplates } from '../model/engineMessages.js';
import { shortId, type Memory, type SearchAids, type StoreKind } from '../model/memory.js';
import type { Store, StoredVector, StoreTransaction } from '../store/store.js';
import { resolveReference, type LocatedMemory } from './memoryActions.js';

export interface MoveResult {
  /** In their new store. */
  readonly moved: readonly Memory[];
  readonly refused: readonly { readonly memory: Memory; readonly reason: LocalizableMessage }[];
}

/** The rest that a store keeps of a memory that left it: its edges there, which return with it. */
interface LeftEdges {
  readonly edges: readonly Edge[];
}

/** Fields that a person or a model decided; the others are counters, times and scores. */
const decidedFields = [
  'content',
  'scopeId',
  'status',
  'archiveReason',
  'gate',
  'kind',
  'lane',
  'decayClass',
  'pinned',
  'priority',
  'tags',
  'dueAt',
] as const satisfies readonly (keyof Memory)[];

const leftEdgesId = (id: string): string => `moved:${id}`;
const reviewRecordId = 'globalReview';

interface CopyOptions {
  /** Filled with what is refused. */
  readonly refused: MoveResult['refused'][number][];
  /** Whether the memories also stay where they are, so that the new ones need ids of their own. */
  readonly copies?: boolean;
  /** By whose word. */
  readonly by: 'person' | 'model';
}

/** Moving memories between the memory of a project and the global one. Nothing is moved but by a person's or a model's word. */
export class Moves {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Moves memories with their ids, aids, vectors and the edges between them. Moving back undoes it, edges included. Each is
   * written to its new store before it leaves the old one: an interrupted move leaves two, and moving again ends it.
   * @param references full ids or short ids
   * @param by who says so
   * @throws EngineError notFound | ambiguousId | invalidInput (nothing is moved then), and errors of Store.write
   */
  move(references: readonly string[], to: StoreKind, by: 'person' | 'model' = 'person'): Promise<MoveResult> {
    return this.calls.change(async onWritten => {
      if (to === 'project' && !this.ctx.stores.some(it => it.store.kind === 'project')) {
        const text = 'No project is open that could take the memory. Open its folder first.';
        throw new EngineError('invalidInput', text);
      }
      const located: LocatedMemory[] = [];
      for (const it of references) {
        const { id } = (await resolveReference(this.ctx, it)).memory;
        // An interrupted move leaves one memory in two stores.
        for (const { store } of withWaitingStores(this.ctx).stores)
          located.push(...(await store.get([id])).map(memory => ({ store, memory })));
      }
      const batches = new Map<Store, Map<Store, Memory[]>>();
      for (const { store: source, memory } of located) {
        const target = storeForWrite(this.ctx, to, memory.provenance.uri);
        if (target.kind === source.kind) continue;
        const byTarget = batches.get(source) ?? new Map<Store, Memory[]>();
        byTarget.set(target, [...(byTarget.get(target) ?? []).filter(it => it.id !== memory.id), memory]);
        batches.set(source, byTarget);
      }
      const refused: MoveResult['refused'][number][] = [];
      const moved: Memory[] = [];
      for (const [source, byTarget] of batches) {
        for (const [target, memories] of byTarget) {
          const taken = await this.copy(source, target, memories, { refused, by });
          await this.removeMoved(source, taken);
          const ids = taken.map(it => it.id);
          onWritten(source, ids);
          onWritten(target, ids);
          moved.push(...(await target.get(ids)));
        }
      }
      return { moved, refused };
    });
  }

  /**
   * Moves one memory to where it applies.
   * @throws EngineError invalidInput | notAllowed where it stays, and what `move` throws
   */
  async place(memory: Memory, appliesTo: 'project' | 'user'): Promise<Memory> {
    const to = appliesTo === 'user' ? 'global' : 'project';
    const { moved, refused } = await this.move([memory.id], to, 'model');
    if (refused[0] !== undefined) throw new EngineError('invalidInput', refused[0].reason);
    const placed = moved[0] ?? memory;
    if (placed.store === to) return placed;
    throw new EngineError(
      'notAllowed',
      message`#${shortId(placed)} stays where it is: this program may use one of the two memories only. The user allows both with: recollect clients allow`,
    );
  }

  /**
   * Moves or copies memories from one store to another one, whichever they are. A copy has an id of its own and no edges to
   * what stays behind. One that returns to the store that it left keeps the branch, which is of the repository there.
   * @throws EngineError notFound (nothing is moved then), and errors of Store.write
   */
  transfer(
    ids: readonly string[],
    { source: shown, target, copies }: { readonly source: Store; readonly target: Store; readonly copies: boolean },
  ): Promise<MoveResult> {
    return this.calls.change(async onWritten => {
      const source = shown.waiting ?? shown;
      const memories = await source.get(ids);
      if (memories.length < new Set(ids).size)
        throw new EngineError('notFound', 'The memory has just been removed. Look at the list again.');
      const refused: MoveResult['refused'][number][] = [];
      const taken = await this.copy(source, target, memories, { refused, copies, by: 'person' });
      if (!copies) await this.removeMoved(source, taken);
      const takenIds = taken.map(it => it.id);
      onWritten(target, takenIds);
      if (!copies) onWritten(source, takenIds);
      return { moved: await target.get(takenIds), refused };
    });
  }

  /** Global memories that look like a project's and that no person put there, newest first. */
  candidates(limit = 200): Promise<Memory[]> {
    return this.calls.run(() => this.findCandidates(limit));
  }

  /**
   * How many global memories look like a project's and were put there by no caller's word, once: later calls return 0. For the
   * first start after an upgrade.
   */
  firstReview(): Promise<number> {
    return this.calls.run(async () => {
      const global = this.globalStore();
      if (global.readOnly || (await global.record('state', reviewRecordId)) !== undefined) return 0;
      const found = await this.findCandidates(Number.MAX_SAFE_INTEGER);
      const count = found.filter(it => it.provenance.isPlaced !== true).length;
      await global.write(this.ctx.host.client, tx => tx.putRecord('state', reviewRecordId, { count }));
      return count;
    });
  }

  private globalStore(): Store {
    return this.ctx.globalStore;
  }

  private async findCandidates(limit: number): Promise<Memory[]> {
    const found: Memory[] = [];
    for await (const page of this.globalStore().scanAll({ scopeId: '', statuses: ['active'] })) {
      found.push(...page.filter(it => looksLikeProjectFact(it) && !isPlacedByPerson(it)));
    }
    return found.reverse().slice(0, limit);
  }

  /** Writes memories to their new store. @returns those that are there now */
  private async copy(
    source: Store,
    target: Store,
    memories: readonly Memory[],
    { refused, copies = false, by }: CopyOptions,
  ): Promise<Memory[]> {
    const ids = memories.map(it => it.id);
    const model = this.ctx.embedder.model?.id;
    const vectors = model === undefined ? new Map<string, Int8Array>() : await source.vectors(model, ids);
    const aids = await source.aids(ids);
    const edges = await source.edges(ids);
    // A copy is no text that was edited.
    const formerTexts = copies ? [] : await Promise.all(ids.map(it => source.record('formerText', it)));
    return target.write(this.ctx.host.client, async tx => {
      const taken: Memory[] = [];
      for (const memory of memories) {
        const there = await tx.get(memory.id);
        if (there !== undefined && !isSameInBoth(memory, there)) {
          const reason = new LocalizableMessage(messageTemplates.differsThere, [shortId(memory)]);
          refused.push({ memory, reason });
          continue;
        }
        if (there !== undefined && copies) {
          const reason = message`The memory #${shortId(memory)} is in both places already. Move it, and one is left.`;
          refused.push({ memory, reason });
          continue;
        }
        const [same] = await tx.findByHash([memory.contentHash], memory.scopeId ?? '');
        if (there === undefined && same !== undefined) {
          const reason = new LocalizableMessage(messageTemplates.sameThere, [shortId(same)]);
          refused.push({ memory, reason });
          continue;
        }
        const vector = vectors.get(memory.id);
        const hasLeft = (await tx.record('state', leftEdgesId(memory.id))) !== undefined;
        const placed = placedIn(target.kind, memory, { hasLeft, by });
        const written = copies ? { ...placed, id: newUuid(this.ctx.aging.writeTime()) } : placed;
        if (there === undefined)
          await insertTransferred(tx, written, {
            aids: aids.get(memory.id),
            vector: vector && { model: model!, vector },
            isMoved: !copies,
          });
        const former = formerTexts.find(it => it?.id === memory.id);
        if (former !== undefined) await tx.putRecord('formerText', memory.id, former.body);
        taken.push(written);
      }
      const takenIds = new Set(taken.map(it => it.id));
      await relink(
        tx,
        edges.filter(it => takenIds.has(it.source) && takenIds.has(it.target)),
      );
      for (const id of takenIds) {
        const left = await tx.record<LeftEdges>('state', leftEdgesId(id));
        if (left === undefined) continue;
        await relink(tx, left.body.edges);
        await tx.deleteRecord('state', leftEdgesId(id));
      }
      return taken;
    });
  }

  /** Removes memories that were moved, and keeps the edges that they leave behind. */
  private async removeMoved(source: Store, memories: readonly Memory[]): Promise<void> {
    const ids = memories.map(it => it.id);
    const edges = await source.edges(ids);
    await source.write(this.ctx.host.client, async tx => {
      for (const id of ids) {
        const own = edges.filter(it => it.source === id || it.target === id);
        const body: LeftEdges = { edges: own };
        await tx.putRecord('state', leftEdgesId(id), body);
        await tx.delete(id, 'move');
      }
    });
  }
}

/** A memory as it is in its new store: whether it was there before, and by whose word it comes. */
function placedIn(
  kind: StoreKind,
  memory: Memory,
  { hasLeft, by }: { readonly hasLeft: boolean; readonly by: 'person' | 'model' },
): Memory {
  const byPerson = by === 'person' && !hasLeft ? { placedBy: by } : {};
  if (kind === 'global') return { ...memory, provenance: { ...memory.provenance, isPlaced: true, ...byPerson } };
  // A branch is one of the repository where the memory was learned.
  return hasLeft ? memory : withoutBranch(memory);
}

/** A note that a model placed is listed with guesses: models say "for every project" of much that is true of one. */
function isPlacedByPerson({ lane, provenance: { isPlaced, placedBy } }: Memory): boolean {
  return placedBy === 'person' || (isPlaced === true && lane === 'confirmed');
}

function withoutBranch({ provenance: { branch: _, ...provenance }, ...memory }: Memory): Memory {
  return { ...memory, provenance };
}

/** Whether an interrupted move left them, and no one has changed one of the two since. */
function isSameInBoth(first: Memory, second: Memory): boolean {
  return decidedFields.every(it => isDeepStrictEqual(first[it], second[it]));
}

export async function insertTransferred(
  tx: StoreTransaction,
  transferred: Memory,
  {
    aids,
    vector,
    isMoved,
  }: {
    readonly aids: SearchAids | undefined;
    readonly vector: StoredVector | undefined;
    readonly isMoved: boolean;
  },
): Promise<void> {
  const { store, centrality, ...memory } = transferred;
  const sequence = await tx.nextSequence(memory.scopeId ?? '');
  await tx.applyBatch([{ op: 'insert', memory: { ...memory, sequence }, vector, isMoved }]);
  if (aids !== undefined) await tx.setAids(memory.id, aids);
}

/** Links edges again whose ends are both there, with what was said about them. */
export async function relink(tx: StoreTransaction, edges: readonly Edge[]): Promise<void> {
  const ids = new Set((await tx.getMany([...new Set(edges.flatMap(it => [it.source, it.target]))])).map(it => it.id));
  for (const { createdAt, settledAt, mark, type, ...rest } of edges) {
    const { source, target } = rest;
    if (!ids.has(source) || !ids.has(target)) continue;
    if (type === 'supersedes') {
      // A memory that the person restored since stays active.
      if ((await tx.get(target))?.status === 'superseded') await tx.supersede(source, target);
      continue;
    }
    const edge = { ...rest, type: type satisfies MachineEdgeType };
    await tx.link([edge]);
    if (settledAt !== undefined) await tx.settle(source, target);
    if (mark !== undefined) await tx.restoreMark(edge, mark);
  }
}

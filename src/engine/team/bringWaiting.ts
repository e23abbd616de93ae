import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import type { Context } from '../context.js';
import { insertTransferred, relink } from '../lifecycle/moves.js';
import type { Edge } from '../model/edge.js';
import type { Memory, SearchAids } from '../model/memory.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { arrivedRecordId, leavingRecordId } from '../store/waitingRecords.js';
import { noLinks, type PreparedFact } from '../remember/prepareFact.js';
import { rememberPrepared } from '../remember/remember.js';

/** Memories per transaction. */
const batchSize = 500;
/** One process of this machine at a time; should it die, the next one begins after this time. */
const leaseMs = 60_000;
const lease = 'waiting';
/** Batches of which a store remembers that they arrived. */
const maxArrived = 200;

/** Memories on their way: no longer where they waited, and kept there as a record until they have arrived. */
interface LeavingBatch {
  readonly id: string;
  readonly memories: readonly Memory[];
  readonly aids: readonly (readonly [id: string, SearchAids])[];
  readonly edges: readonly Edge[];
}

/** The newest last. */
interface ArrivedBatches {
  readonly ids: readonly string[];
}

/**
 * Takes what was remembered while the server of a store could not be used into the store, in its order, as `remember` would have:
 * what is known there already is said again, and what was stated of it holds there. Each batch arrives once, because that it
 * did is written with it.
 * @param options.signal ends it after a batch
 * @throws what Store.write throws; the next call goes on from there
 */
export async function bringWaiting(
  ctx: Context,
  { from, to, signal }: { readonly from: Store; readonly to: Store; readonly signal: AbortSignal },
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<void> {
  const holder = newUuid(ctx.host.now());
  try {
    while (await from.acquireLease(lease, holder, leaseMs)) {
      const batch = await takeOut(ctx, from);
      if (batch === undefined) return;
      await arrive(ctx, batch, to);
      await from.write(ctx.host.client, async tx => {
        // A process that held the lease before may come late.
        if ((await tx.record<LeavingBatch>('state', leavingRecordId))?.body.id === batch.id)
          await tx.deleteRecord('state', leavingRecordId);
      });
      const ids = batch.memories.map(it => it.id);
      onWritten(to, ids);
      if (signal.aborted) return;
    }
  } finally {
    await from.releaseLease(lease, holder).catch(() => undefined);
  }
}

/** @returns the batch that left before, else the oldest memories that wait; undefined where none does */
async function takeOut(ctx: Context, from: Store): Promise<LeavingBatch | undefined> {
  const ids: string[] = [];
  for await (const page of from.scanAll()) {
    ids.push(...page.map(it => it.id));
    if (ids.length >= batchSize) break;
  }
  ids.splice(batchSize);
  const [aids, edges] = [await from.aids(ids), await from.edges(ids)];
  if (ids.length === 0 && (await from.record('state', leavingRecordId)) === undefined) return undefined;
  return from.write(ctx.host.client, async tx => {
    const left = await tx.record<LeavingBatch>('state', leavingRecordId);
    if (left !== undefined) return left.body;
    const memories = await tx.getMany(ids);
    const byId = new Map(memories.map(it => [it.id, it]));
    const batch: LeavingBatch = {
      id: newUuid(ctx.host.now()),
      memories: ids.flatMap(it => byId.get(it) ?? []),
      aids: [...aids],
      edges,
    };
    await tx.putRecord('state', leavingRecordId, batch);
    for (const { id } of memories) await tx.delete(id, 'move');
    return batch;
  });
}

async function arrive(ctx: Context, batch: LeavingBatch, to: Store): Promise<void> {
  const aids = new Map(batch.aids);
  const there = new Set((await to.get(batch.memories.map(it => it.id))).map(it => it.id));
  // An id that is there has arrived by another way, as from a copy of this folder.
  const memories = batch.memories.filter(it => !there.has(it.id));
  const facts = memories
    .filter(it => it.status === 'active')
    .map(({ store, centrality, damaged, sequence, ...memory }): PreparedFact => {
      return { store: to, memory, aids: aids.get(memory.id) ?? { questions: [], keywords: [] }, links: noLinks };
    });
  const hasArrived = new EngineError('aborted', 'The batch has arrived before.');
  try {
    await rememberPrepared(ctx, to, facts, async tx => {
      const arrived = (await tx.record<ArrivedBatches>('state', arrivedRecordId))?.body.ids ?? [];
      if (arrived.includes(batch.id)) throw hasArrived;
      for (const it of memories) if (it.status !== 'active') await addInactive(tx, it, aids.get(it.id));
      await relink(tx, await redirect(tx, batch.edges.filter(isJudged), memories));
      const ids = [...arrived, batch.id].slice(-maxArrived);
      await tx.putRecord('state', arrivedRecordId, { ids } satisfies ArrivedBatches);
    });
  } catch (error) {
    if (error !== hasArrived) throw error;
  }
}

/** The edges, with what says a memory already there in the place of the one that waited. */
async function redirect(
  tx: StoreTransaction,
  edges: readonly Edge[],
  memories: readonly Memory[],
): Promise<readonly Edge[]> {
  if (edges.length === 0) return edges;
  const arrived = new Set((await tx.getMany(memories.map(it => it.id))).map(it => it.id));
  const same = new Map<string, string>();
  for (const { id, contentHash, scopeId = '' } of memories.filter(it => !arrived.has(it.id))) {
    const known = (await tx.findByHash([contentHash], scopeId)).find(it => it.status === 'active');
    if (known !== undefined) same.set(id, known.id);
  }
  return edges
    .map(it => ({ ...it, source: same.get(it.source) ?? it.source, target: same.get(it.target) ?? it.target }))
    .filter(it => it.source !== it.target);
}

/** What was stated; other links are found again where the memories arrive. */
function isJudged({ type, mark, settledAt }: Edge): boolean {
  return type === 'refines' || type === 'supersedes' || mark !== undefined || settledAt !== undefined;
}

/** What was replaced, forgotten or done while it waited; a memory there that says the same stays as it is. */
async function addInactive(tx: StoreTransaction, memory: Memory, aids: SearchAids | undefined): Promise<void> {
  const same = await tx.findByHash([memory.contentHash], memory.scopeId ?? '');
  if (same.length === 0) await insertTransferred(tx, memory, { aids, vector: undefined, isMoved: true });
}

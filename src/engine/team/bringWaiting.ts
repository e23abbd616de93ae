import { newUuid } from '../base/uuid.js';
import type { Context } from '../context.js';
import { insertTransferred, relink } from '../lifecycle/moves.js';
import type { Edge } from '../model/edge.js';
import type { Memory, SearchAids } from '../model/memory.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { noLinks, type PreparedFact } from '../remember/prepareFact.js';
import { rememberPrepared } from '../remember/remember.js';

/** Memories per transaction. */
const batchSize = 100;
/** One process at a time; of a batch. */
const leaseMs = 60_000;
const lease = 'waiting';
const leavingId = 'leaving';

/** Memories on their way: no longer where they waited, and kept there as a record until they have arrived. */
interface LeavingBatch {
  readonly id: string;
  readonly memories: readonly Memory[];
  readonly aids: readonly (readonly [id: string, SearchAids])[];
  readonly edges: readonly Edge[];
}

/**
 * Takes what was remembered while the server of a store could not be used into the store, in its order, as `remember` would have:
 * what is known there already is said again, and what contradicts it is listed. Each batch arrives once: that it did is written
 * with it, and forgotten when its record is gone.
 * @param options.signal ends it after a batch
 * @throws what Store.write throws; the next call goes on from there
 */
export async function bringWaiting(
  ctx: Context,
  { from, to, signal }: { readonly from: Store; readonly to: Store; readonly signal: AbortSignal },
  onWritten: (store: Store, ids: readonly string[]) => void,
): Promise<void> {
  const holder = newUuid(ctx.host.now());
  const next = async (): Promise<LeavingBatch | undefined> => {
    const left = await from.record<LeavingBatch>('state', leavingId);
    return left === undefined ? takeOut(ctx, from) : left.body;
  };
  try {
    while (await to.acquireLease(lease, holder, leaseMs)) {
      const batch = await next();
      if (batch === undefined) return;
      await arrive(ctx, batch, to);
      await from.write(ctx.host.client, tx => tx.deleteRecord('state', leavingId));
      await to.write(ctx.host.client, tx => tx.deleteRecord('state', arrivedId(batch)));
      const ids = batch.memories.map(it => it.id);
      onWritten(to, ids);
      if (signal.aborted) return;
    }
  } finally {
    await to.releaseLease(lease, holder).catch(() => undefined);
  }
}

const arrivedId = ({ id }: LeavingBatch): string => `arrived:${id}`;

/** @returns the oldest memories that wait; undefined where none does */
async function takeOut(ctx: Context, from: Store): Promise<LeavingBatch | undefined> {
  const ids: string[] = [];
  for await (const page of from.scanAll()) {
    ids.push(...page.map(it => it.id));
    if (ids.length >= batchSize) break;
  }
  if (ids.length === 0) return undefined;
  ids.splice(batchSize);
  const [aids, edges] = [await from.aids(ids), await from.edges(ids)];
  return from.write(ctx.host.client, async tx => {
    const memories = await tx.getMany(ids);
    const byId = new Map(memories.map(it => [it.id, it]));
    const batch: LeavingBatch = {
      id: newUuid(ctx.host.now()),
      memories: ids.flatMap(it => byId.get(it) ?? []),
      aids: [...aids],
      edges,
    };
    await tx.putRecord('state', leavingId, batch);
    for (const { id } of memories) await tx.delete(id, 'move');
    return batch;
  });
}

async function arrive(ctx: Context, batch: LeavingBatch, to: Store): Promise<void> {
  if ((await to.record('state', arrivedId(batch))) !== undefined) return;
  const aids = new Map(batch.aids);
  const facts = batch.memories
    .filter(it => it.status === 'active')
    .map(({ store, centrality, damaged, sequence, ...memory }): PreparedFact => {
      return { store: to, memory, aids: aids.get(memory.id) ?? { questions: [], keywords: [] }, links: noLinks };
    });
  await rememberPrepared(ctx, to, facts, async tx => {
    for (const it of batch.memories) if (it.status !== 'active') await addInactive(tx, it, aids.get(it.id));
    await relink(tx, batch.edges.filter(isJudged));
    await tx.putRecord('state', arrivedId(batch), {});
  });
}

/** The others are found again where the memories arrive. */
function isJudged({ type, mark, settledAt }: Edge): boolean {
  return type === 'refines' || type === 'supersedes' || mark !== undefined || settledAt !== undefined;
}

/** What was replaced, forgotten or done while it waited; a memory there that says the same stays as it is. */
async function addInactive(tx: StoreTransaction, memory: Memory, aids: SearchAids | undefined): Promise<void> {
  const same = await tx.findByHash([memory.contentHash], memory.scopeId ?? '');
  if (same.length === 0) await insertTransferred(tx, memory, { aids, vector: undefined, isMoved: true });
}

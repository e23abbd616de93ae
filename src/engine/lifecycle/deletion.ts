import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { requireReachable, storesInScope, type Context, type OpenStore } from '../context.js';
import { sumDeletions, type DeletionResult } from '../model/deletionResult.js';
import { shortId, type Memory, type StoreScope } from '../model/memory.js';
import { everySession } from '../store/permanentDeletion.js';
import type { Store } from '../store/store.js';
import { leavingRecordId } from '../store/waitingRecords.js';
import { resolveReference } from './memoryActions.js';

interface PurgeOptions {
  readonly session?: string | undefined;
  /** In the place of `session`: of every one. */
  readonly everySession?: boolean;
  readonly scope?: StoreScope | undefined;
}

/**
 * Deletes permanently, while `forget` archives. The caller must have asked the person and said that it cannot be
 * undone. Files outside the stores (CLAUDE.md, synced Markdown, exports) are not changed.
 */
export class Deletion {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Deletes memories, including pinned ones, from every open store, its checkpoints and its backups; only audit lines remain.
   * @param references full ids or short ids
   * @param options `session`: what was kept of the capture of this session goes too, but not how far it was read; `scope`:
   *   of a memory that is in two stores, only what is in these
   * @throws EngineError notFound | ambiguousId (nothing is deleted then) | storeReadOnly | storeFull | storeBusy
   */
  purge(
    references: readonly string[],
    { session: oneSession, everySession: isEvery = false, scope = 'project-then-global' }: PurgeOptions = {},
  ): Promise<DeletionResult> {
    const session = isEvery ? everySession : oneSession;
    return this.calls.change(async onWritten => {
      const wanted = new Set<string>();
      for (const it of references) wanted.add((await resolveReference(this.ctx, it)).memory.id);
      // An interrupted move leaves a memory in two.
      const memoriesByStore = new Map<Store, readonly Memory[]>();
      for (const it of storesInScope(this.ctx, scope)) memoriesByStore.set(it, await it.get([...wanted]));
      const memories = [...memoriesByStore.values()].flat();
      const found = new Set(memories.map(it => it.id));
      const elsewhere = [...wanted].find(it => !found.has(it));
      if (elsewhere !== undefined)
        throw new EngineError(
          'notFound',
          message`#${shortId({ id: elsewhere })} is in another store. Nothing was deleted.`,
        );
      await this.ctx.usage.flush(); // Buffered traces name the memories too.
      const results: DeletionResult[] = [];
      const texts = memories.flatMap(it => [it.content, it.summary]);
      for (const [store, { length }] of memoriesByStore) {
        // One that has none of them may have had one before it was moved, or quote one: its copies and traces hold it still.
        const isOther = length === 0 && session === undefined;
        if (isOther && !(await store.hardDeletion.knowsAny([...wanted], texts))) continue;
        if (isOther && store.readOnly) {
          results.push({ memories: 0, copies: 0, left: [store.file] });
          continue;
        }
        results.push(await store.hardDeletion.purge(this.ctx.host.client, [...wanted], { session, texts }));
        await this.calls.followDeletion(store);
        onWritten(store, length === 0 ? [] : [...wanted]);
      }
      for (const { store, key } of this.ctx.stores) {
        if (key === undefined || !memoriesByStore.has(store)) continue;
        results.push(...(await this.withWaiting(store, key, it => this.purgeWaiting(it, [...wanted], texts))));
      }
      const sum = sumDeletions(results);
      const repeated = sum.memories - wanted.size;
      const ids = new Set((await Promise.all([...memoriesByStore.keys()].map(readSharedIds))).flat());
      const shared = [...wanted].filter(it => ids.has(it));
      return {
        ...sum,
        ...(repeated > 0 ? { memories: wanted.size, repeated } : {}),
        ...(shared.length > 0 ? { shared } : {}),
      };
    });
  }

  /** How many memories a store has shared with a team, which a reset forgets and git does not. @throws EngineError notFound */
  countShared(file: string): Promise<number> {
    return this.calls.run(async () => new Set(await readSharedIds(this.findStore(file))).size);
  }

  /**
   * Empties one store: memories, goals, runs, traces, capture positions, consents, the audit log, checkpoints and
   * backups.
   * @param file one of `MemoryEngine.stores`
   * @throws EngineError notFound | storeReadOnly | storeFull | storeBusy
   */
  reset(file: string): Promise<DeletionResult> {
    return this.calls.run(async () => {
      const { store, key } = this.findOpen(file);
      requireReachable(this.ctx, store);
      await this.ctx.usage.flush();
      const result = await store.hardDeletion.reset(this.ctx.host.client);
      const ofWaiting =
        key === undefined ? [] : await this.withWaiting(store, key, it => it.hardDeletion.reset(this.ctx.host.client));
      await this.calls.followDeletion(store);
      this.calls.notifyChanged(store, []);
      return sumDeletions([result, ...ofWaiting]);
    });
  }

  private findStore(file: string): Store {
    return this.findOpen(file).store;
  }

  private findOpen(file: string): OpenStore {
    const found = this.ctx.stores.find(it => it.store.file === file);
    if (found === undefined)
      throw new EngineError('notFound', message`${file} is no open store. Name one that is open.`);
    return found;
  }

  /** Runs work on what waits for a store that is open itself, where anything ever did. */
  private async withWaiting(
    { waiting }: Store,
    key: string,
    work: (waiting: Store) => Promise<DeletionResult>,
  ): Promise<DeletionResult[]> {
    const other = waiting === undefined ? await this.ctx.movedStores.openWaiting(key) : undefined;
    if (other === undefined) return [];
    try {
      return [await work(other)];
    } finally {
      await other.close();
    }
  }

  private async purgeWaiting(store: Store, ids: readonly string[], texts: readonly string[]): Promise<DeletionResult> {
    if (!(await store.hardDeletion.knowsAny(ids, texts))) return { memories: 0, copies: 0, left: [] };
    // Others are on their way together with it.
    if ((await store.record('state', leavingRecordId)) !== undefined)
      return { memories: 0, copies: 0, left: [store.file] };
    return store.hardDeletion.purge(this.ctx.host.client, ids, { session: undefined, texts });
  }
}

/** Ids of memories of which a team's folder has a line, withdrawn or not. */
async function readSharedIds(store: Store): Promise<string[]> {
  const records = await store.records<{ readonly memory: string }>('sharedLine', Number.MAX_SAFE_INTEGER);
  return records.map(it => it.body.memory);
}

import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../callTracker.js';
import { storesInScope, type Context } from '../context.js';
import { sumDeletions, type DeletionResult } from '../model/deletionResult.js';
import { shortId, type StoreScope } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { resolveReference } from './memoryActions.js';

interface PurgeOptions {
  readonly session?: string | undefined;
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
   * Deletes memories, including pinned ones, from every open store that has them, and from its checkpoints and backups; only
   * audit lines remain.
   * @param references full ids or short ids
   * @param options `session`: what was kept of the capture of this session goes too, but not how far it was read; `scope`:
   *   of a memory that is in two stores, only what is in these
   * @throws EngineError notFound | ambiguousId (nothing is deleted then) | storeReadOnly | storeFull | storeBusy
   */
  purge(
    references: readonly string[],
    { session, scope = 'project-then-global' }: PurgeOptions = {},
  ): Promise<DeletionResult> {
    return this.calls.change(async onWritten => {
      const wanted = new Set<string>();
      for (const it of references) wanted.add((await resolveReference(this.ctx, it)).memory.id);
      // An interrupted move leaves a memory in two.
      const idsByStore = new Map<Store, readonly string[]>();
      for (const it of storesInScope(this.ctx, scope))
        idsByStore.set(
          it,
          (await it.get([...wanted])).map(({ id }) => id),
        );
      const found = new Set([...idsByStore.values()].flat());
      const elsewhere = [...wanted].find(it => !found.has(it));
      if (elsewhere !== undefined)
        throw new EngineError(
          'notFound',
          message`#${shortId({ id: elsewhere })} is in another store. Nothing was deleted.`,
        );
      await this.ctx.usage.flush(); // Buffered traces name the memories too.
      const results: DeletionResult[] = [];
      for (const [store, ids] of idsByStore) {
        if (ids.length === 0 && session === undefined) continue;
        results.push(await store.hardDeletion.purge(this.ctx.host.client, ids, { session }));
        onWritten(store, ids);
      }
      const sum = sumDeletions(results);
      const repeated = sum.memories - wanted.size;
      return repeated > 0 ? { ...sum, memories: wanted.size, repeated } : sum;
    });
  }

  /**
   * Empties one store: memories, goals, runs, traces, capture positions, consents, the audit log, checkpoints and
   * backups.
   * @param file one of `MemoryEngine.stores`
   * @throws EngineError notFound | storeReadOnly | storeFull | storeBusy
   */
  reset(file: string): Promise<DeletionResult> {
    return this.calls.run(async () => {
      const store = this.findStore(file);
      await this.ctx.usage.flush();
      const result = await store.hardDeletion.reset(this.ctx.host.client);
      this.calls.notifyChanged(store, []);
      return result;
    });
  }

  private findStore(file: string): Store {
    const found = this.ctx.stores.find(it => it.store.file === file);
    if (found === undefined)
      throw new EngineError('notFound', message`${file} is no open store. Name one that is open.`);
    return found.store;
  }
}

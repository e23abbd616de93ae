import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import { sumDeletions, type DeletionResult } from '../model/deletionResult.js';
import type { Store } from '../store/store.js';
import { resolveReference } from './memoryActions.js';

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
   * Deletes memories, including pinned ones, from their stores and from every checkpoint and backup; only audit lines
   * remain.
   * @param references full ids or short ids
   * @param options `session`: what was kept of the capture of this session goes too, but not how far it was read
   * @throws EngineError notFound | ambiguousId (nothing is deleted then) | storeReadOnly | storeFull | storeBusy
   */
  purge(
    references: readonly string[],
    options: { readonly session?: string | undefined } = {},
  ): Promise<DeletionResult> {
    return this.calls.change(async onWritten => {
      const found = [];
      for (const it of references) found.push(await resolveReference(this.ctx, it));
      await this.ctx.usage.flush(); // Buffered traces name the memories too.
      const results: DeletionResult[] = [];
      for (const { store } of this.ctx.stores) {
        const ids = [...new Set(found.filter(it => it.store === store).map(it => it.memory.id))];
        if (ids.length === 0 && options.session === undefined) continue;
        results.push(await store.hardDeletion.purge(this.ctx.host.client, ids, options));
        onWritten(store, ids);
      }
      return sumDeletions(results);
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

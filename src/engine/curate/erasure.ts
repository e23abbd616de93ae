import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import type { Context } from '../context.js';
import type { Erased } from '../model/erasure.js';
import type { Store } from '../store/store.js';
import { find } from './curate.js';

/**
 * Deletes for good, where `forget` archives. Whoever calls this has asked the person, and said that nothing undoes it.
 * Files outside the stores (CLAUDE.md, synced Markdown, exports) stay as they are.
 */
export class Erasure {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /**
   * Deletes memories from their stores and from every checkpoint and backup of these; only the audit log knows that they
   * were there. Also pinned ones.
   * @param references full ids or handles
   * @throws EngineError notFound | ambiguousId (then nothing is deleted) | storeReadOnly | storeFull | storeBusy
   */
  purge(references: readonly string[]): Promise<Erased> {
    return this.calls.change(async changed => {
      const found = [];
      for (const it of references) found.push(await find(this.ctx, it));
      await this.ctx.usage.flush(); // Traces that wait to be written name them too.
      const erased: Erased[] = [];
      for (const store of new Set(found.map(it => it.store))) {
        const ids = [...new Set(found.filter(it => it.store === store).map(it => it.memory.id))];
        erased.push(await store.erasure.purge(this.ctx.host.client, ids));
        changed(store, ids);
      }
      return total(erased);
    });
  }

  /**
   * Empties one store: memories, goals, runs, traces, what was read of sessions, consents, the audit log, checkpoints and
   * backups.
   * @param file one of `MemoryEngine.stores`
   * @throws EngineError notFound | storeReadOnly | storeFull | storeBusy
   */
  reset(file: string): Promise<Erased> {
    return this.calls.run(async () => {
      const store = this.store(file);
      await this.ctx.usage.flush();
      const erased = await store.erasure.reset(this.ctx.host.client);
      this.calls.announce(store, []);
      return erased;
    });
  }

  private store(file: string): Store {
    const found = this.ctx.stores.find(it => it.store.file === file);
    if (found === undefined)
      throw new EngineError('notFound', message`${file} is no open store. Name one that is open.`);
    return found.store;
  }
}

function total(all: readonly Erased[]): Erased {
  return {
    memories: all.reduce((sum, it) => sum + it.memories, 0),
    copies: all.reduce((sum, it) => sum + it.copies, 0),
    left: all.flatMap(it => it.left),
  };
}

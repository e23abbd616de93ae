import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { Checkpoint, RestoreResult } from '../model/checkpoint.js';
import { redactSecrets } from '../secrets/secretScanner.js';
import type { Store } from '../store/store.js';

/** Longer reasons are truncated to one line of a list. */
const maxReasonLength = 120;

/** Checkpoints of whole stores: made, listed and restored by a person. */
export class Checkpoints {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Copies every writable store, project stores first.
   * @throws EngineError storeReadOnly (if no store is writable) | storeFull | storeUnavailable
   */
  make(reason = 'made by hand'): Promise<Checkpoint[]> {
    return this.calls.run(async () => {
      await this.ctx.usage.flush();
      const writable = this.ctx.stores.filter(it => !it.store.readOnly);
      const stores = (writable.length > 0 ? writable : this.ctx.stores).map(it => it.store);
      const made: Checkpoint[] = [];
      for (const it of stores)
        made.push(await it.checkpoints.make({ reason: oneLine(redactSecrets(reason)), origin: 'person' }));
      return made;
    });
  }

  /** Checkpoints and daily backups of every store, newest first. */
  list(): Promise<Checkpoint[]> {
    return this.calls.run(async () => {
      const lists = await Promise.all(this.ctx.stores.map(it => it.store.checkpoints.list()));
      return lists.flat().sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
    });
  }

  /** A checkpoint by its id. @throws EngineError notFound */
  get(id: string): Promise<Checkpoint> {
    return this.calls.run(async () => (await this.findCheckpoint(id)).checkpoint);
  }

  /**
   * Restores a store to a checkpoint, even while other processes have it open. Restoring `before` undoes it. The caller
   * must have asked the person.
   * @throws EngineError notFound | storeDamaged | storeTooNew | storeReadOnly | storeFull | storeBusy; nothing is
   * changed then
   */
  restore(id: string): Promise<RestoreResult> {
    return this.calls.run(async () => {
      await this.ctx.usage.flush();
      const { store, checkpoint } = await this.findCheckpoint(id);
      const result = await store.checkpoints.restore(this.ctx.host.client, checkpoint.id);
      this.calls.notifyChanged(store, []);
      return result;
    });
  }

  /** @throws EngineError notFound | invalidInput (a backup) | storeReadOnly */
  delete(id: string): Promise<Checkpoint> {
    return this.calls.run(async () => {
      const { store, checkpoint } = await this.findCheckpoint(id);
      return store.checkpoints.delete(checkpoint.id);
    });
  }

  private async findCheckpoint(id: string): Promise<{ readonly store: Store; readonly checkpoint: Checkpoint }> {
    for (const { store } of this.ctx.stores) {
      const checkpoint = (await store.checkpoints.list()).find(it => it.id === id.trim().toLowerCase());
      if (checkpoint !== undefined) return { store, checkpoint };
    }
    throw new EngineError(
      'notFound',
      message`There is no checkpoint "${oneLine(id).slice(0, 40)}". List them: recollect checkpoint list.`,
    );
  }
}

function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength - 1)}…` : line;
}

import { EngineError } from './base/errors.js';
import type { ChangeEvent } from './model/change.js';
import type { Log } from './model/host.js';
import type { Store } from './store/store.js';

/** How soon a change by another process is announced. */
const watchEveryMs = 250;

/** The calls of one engine: that none begins after closing, who runs, and who is told of what they changed. */
export class Calls {
  private readonly listeners = new Set<(event: ChangeEvent) => void>();
  private readonly revisions = new Map<Store, number>();
  private watcher: NodeJS.Timeout | undefined;
  private closed = false;
  /** Calls under way; closing waits for them. */
  private readonly running = new Set<Promise<unknown>>();
  /** Work that makes way for calls; closing cancels it. */
  private readonly background = new Set<Promise<unknown>>();
  private readonly closing = new AbortController();

  constructor(
    private readonly stores: readonly Store[],
    private readonly log: Log,
  ) {}

  /** @throws EngineError closed */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.checkOpen();
    const running = work();
    this.running.add(running);
    try {
      return await running;
    } finally {
      this.running.delete(running);
    }
  }

  /** A call that changes what stores hold: `work` says which memories of which store. */
  async change<T>(work: (changed: (store: Store, ids: readonly string[]) => void) => Promise<T>): Promise<T> {
    return this.run(async () => {
      const changed = new Map<Store, string[]>();
      try {
        return await work((store, ids) => changed.set(store, [...(changed.get(store) ?? []), ...ids]));
      } finally {
        // Also when it failed half-way: what was written is written.
        for (const [store, ids] of changed) if (ids.length > 0) this.announce(store, ids);
      }
    });
  }

  /** Work that nobody waits for. Its signal aborts with `signal`, and at closing. @throws EngineError closed */
  async inBackground<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.checkOpen();
    const working = work(AbortSignal.any([...(signal === undefined ? [] : [signal]), this.closing.signal]));
    this.background.add(working);
    try {
      return await working;
    } finally {
      this.background.delete(working);
    }
  }

  /** Resolves when no call is under way. */
  async whenIdle(): Promise<void> {
    while (this.running.size > 0) await Promise.allSettled(this.running);
  }

  /** Calls back after every change, by this process at once, by others within a quarter of a second. */
  onDidChange(listener: (event: ChangeEvent) => void): { dispose(): void } {
    this.listeners.add(listener);
    if (this.watcher === undefined) {
      this.watcher = setInterval(() => void this.lookForChanges(), watchEveryMs).unref();
      void this.lookForChanges(); // From where on changes count.
    }
    return {
      dispose: () => {
        this.listeners.delete(listener);
        if (this.listeners.size > 0) return;
        clearInterval(this.watcher);
        this.watcher = undefined;
      },
    };
  }

  announce(store: Store, ids: readonly string[]): void {
    this.tell({ store: store.kind, ids });
  }

  tell(event: ChangeEvent): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(event);
      } catch (error) {
        // What was written is written: the caller must not take it for failed.
        this.log.error('A listener to changes failed.', error);
      }
    }
  }

  checkOpen(): void {
    if (this.closed) throw new EngineError('closed', 'The memory is closed. Open it again to go on.');
  }

  /** Refuses later calls, and waits for those that were made before. */
  async close(): Promise<void> {
    this.closed = true;
    clearInterval(this.watcher);
    this.listeners.clear();
    this.closing.abort();
    await Promise.allSettled([...this.running, ...this.background]);
  }

  /** A revision that moved without us is another process's doing. Ours move it too: saying so twice does no harm. */
  private async lookForChanges(): Promise<void> {
    for (const store of this.stores) {
      const revision = await store.revision().catch(() => undefined);
      if (revision === undefined || this.closed) continue;
      const before = this.revisions.get(store);
      this.revisions.set(store, revision);
      if (before !== undefined && before !== revision) this.announce(store, []);
    }
  }
}

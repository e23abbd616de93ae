import { EngineError, type EngineErrorCode } from '../base/errors.js';
import type { ChangeEvent } from '../model/changeEvent.js';
import type { Log } from '../model/host.js';
import type { Store } from './store.js';

/** How soon a change by another process is announced. */
const revisionPollIntervalMs = 250;

/** Errors that keep a store from being written, and do not pass by themselves. */
const writeErrorCodes: readonly EngineErrorCode[] = ['storeFull', 'storeReadOnly', 'storeUnavailable', 'storeDamaged'];

/** Keeps something up to date with the memories of the stores. */
export interface ChangeFollower {
  /** A store has changed, by this process or, where that is listened for, by another one. */
  schedule(store: Store): void;
  /** Does what is scheduled now. */
  flush(): Promise<void>;
  /** Does what is scheduled; later changes are not followed. */
  close(): Promise<void>;
}

/** The calls of one engine: none begins after closing, those in progress are known, and listeners hear of what they changed. */
export class CallTracker {
  private readonly listeners = new Set<(event: ChangeEvent) => void>();
  private readonly lastRevisions = new Map<Store, number>();
  private pollTimer: NodeJS.Timeout | undefined;
  private stopListening: readonly (() => void)[] = [];
  private closed = false;
  private lastWriteError: EngineError | undefined;
  /** Calls under way; closing waits for them. */
  private readonly runningCalls = new Set<Promise<unknown>>();
  /** Work that makes way for calls; closing cancels it. */
  private readonly backgroundWork = new Set<Promise<unknown>>();
  private readonly closeController = new AbortController();

  constructor(
    private readonly stores: readonly Store[],
    private readonly log: Log,
    private readonly follower?: ChangeFollower,
  ) {}

  /** @throws EngineError closed */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const call = work();
    this.runningCalls.add(call);
    try {
      return await call;
    } finally {
      this.runningCalls.delete(call);
    }
  }

  /** A call that changes what stores hold: `work` says which memories of which store. */
  async change<T>(work: (onWritten: (store: Store, ids: readonly string[]) => void) => Promise<T>): Promise<T> {
    return this.run(async () => {
      const changed = new Map<Store, string[]>();
      try {
        const result = await work((store, ids) => changed.set(store, [...(changed.get(store) ?? []), ...ids]));
        if (changed.size > 0) this.lastWriteError = undefined;
        return result;
      } catch (error) {
        this.noteWriteError(error);
        throw error;
      } finally {
        // Also when it failed half-way: what was written is written.
        for (const [store, ids] of changed) if (ids.length > 0) this.notifyChanged(store, ids);
      }
    });
  }

  /** Why the last change could not be written; undefined after one that was, or once a person has seen it. */
  get writeError(): EngineError | undefined {
    return this.lastWriteError;
  }

  forgetWriteError(): void {
    this.lastWriteError = undefined;
  }

  /** Background work, which no caller awaits. Its signal aborts with `signal`, and at closing. @throws EngineError closed */
  async runInBackground<T>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.assertOpen();
    const promise = work(AbortSignal.any([...(signal === undefined ? [] : [signal]), this.closeController.signal]));
    this.backgroundWork.add(promise);
    try {
      return await promise;
    } finally {
      this.backgroundWork.delete(promise);
    }
  }

  /** Resolves when no call is under way. */
  async whenIdle(): Promise<void> {
    while (this.runningCalls.size > 0) await Promise.allSettled(this.runningCalls);
  }

  /** Calls back after every change, by this process at once, by others within a quarter of a second. */
  onDidChange(listener: (event: ChangeEvent) => void): { dispose(): void } {
    this.listeners.add(listener);
    if (this.pollTimer === undefined) this.watchStores();
    return {
      dispose: () => {
        this.listeners.delete(listener);
        if (this.listeners.size === 0) this.stopWatching();
      },
    };
  }

  /** After a deletion for good: what follows the store holds nothing of it any more when this resolves. */
  async followDeletion(store: Store): Promise<void> {
    this.follower?.schedule(store);
    await this.follower?.flush();
  }

  notifyChanged(store: Store, ids: readonly string[]): void {
    this.follower?.schedule(store);
    this.notify({ store: store.kind, ids });
  }

  notify(event: ChangeEvent): void {
    for (const listener of [...this.listeners]) {
      try {
        listener(event);
      } catch (error) {
        // The write is done: the caller must not take it for failed.
        this.log.error('A listener to changes failed.', error);
      }
    }
  }

  assertOpen(): void {
    if (this.closed) throw new EngineError('closed', 'The memory is closed. Open it again to go on.');
  }

  /** Refuses later calls, and waits for those that were made before. */
  async close(): Promise<void> {
    this.closed = true;
    this.stopWatching();
    this.listeners.clear();
    this.closeController.abort();
    await Promise.allSettled([...this.runningCalls, ...this.backgroundWork]);
    await this.follower?.close();
  }

  /** Listeners hear of the first of several failures. */
  private noteWriteError(error: unknown): void {
    if (!EngineError.is(error) || !writeErrorCodes.includes(error.code)) return;
    const isFirst = this.lastWriteError === undefined;
    this.lastWriteError = error;
    if (isFirst) this.notify({ store: 'global', ids: [] });
  }

  private watchStores(): void {
    const polled = this.stores.filter(it => it.listen === undefined);
    this.pollTimer = setInterval(() => void this.compareRevisions(polled), revisionPollIntervalMs).unref();
    void this.compareRevisions(polled); // From where on changes count.
    this.stopListening = this.stores.flatMap(store => store.listen?.(() => void this.compareRevisions([store])) ?? []);
  }

  private stopWatching(): void {
    clearInterval(this.pollTimer);
    this.pollTimer = undefined;
    for (const stop of this.stopListening) stop();
    this.stopListening = [];
  }

  /** A revision that moved without us is another process's doing. Ours move it too: saying so twice does no harm. */
  private async compareRevisions(stores: readonly Store[]): Promise<void> {
    for (const store of stores) {
      const revision = await store.revision().catch((error: unknown) => {
        // A file that is busy says nothing.
        const isAway = EngineError.is(error, 'storeUnavailable');
        if (isAway && !this.closed) this.notify({ store: store.kind, ids: [], isAway });
      });
      if (revision === undefined || this.closed) continue;
      const previous = this.lastRevisions.get(store);
      this.lastRevisions.set(store, revision);
      if (previous !== undefined && previous !== revision) this.notifyChanged(store, []);
    }
  }
}

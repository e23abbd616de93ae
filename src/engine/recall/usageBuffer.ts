import type { EngineHost } from '../model/host.js';
import type { Hit } from '../model/query.js';
import type { Trace } from '../model/trace.js';
import { appendAccesses, type NewAccess } from '../access/accessLog.js';
import type { Store, UsageFlush } from '../store/store.js';
import { encodeTrace } from '../store/traceCodec.js';

/** How long after the last recall usage is written: recalls during a write wait for it. */
const flushDebounceMs = 1_000;
/** Longest delay after the first one, while recalls keep coming. */
const flushMaxDelayMs = 10_000;

/** Usage that waits to be written to one store. */
interface PendingUsage {
  readonly accessed: Map<string, number>;
  /** The newest, as many as are kept. */
  readonly traces: EncodedTrace[];
}

type EncodedTrace = UsageFlush['traces'][number];

/**
 * Access counts, traces of recalls and lines for the log of reads, kept in memory and written a little later, so that a recall never waits for a
 * write. What a crash takes with it is a second of counts, ten at most where many ask all the time, never a memory.
 */
export class UsageBuffer {
  private pendingByStore = new Map<Store, PendingUsage>();
  private unencoded: { readonly traceStore: Store; readonly trace: Trace }[] = [];
  private pendingAccesses: Omit<NewAccess, 'client' | 'session'>[] = [];
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  private appending: Promise<void> = Promise.resolve();
  /** When it is written at the latest, as `performance.now()`; undefined while nothing waits. */
  private flushDueAtMs: number | undefined;

  constructor(
    private readonly host: EngineHost,
    /** Receives the ids of memories that a recall brought back from the archive. */
    private readonly onRestored: (store: Store, ids: readonly string[]) => void,
  ) {}

  /** @param traceStore the store that keeps the trace. */
  add(traceStore: Store, trace: Trace, hits: readonly { readonly store: Store; readonly hit: Hit }[]): void {
    this.unencoded.push({ traceStore, trace });
    // After the answer has gone out: as text a trace takes a fifth, and a thousand at once would block the event loop.
    if (this.unencoded.length === 1)
      setImmediate(() => {
        this.encodeTraces();
      });
    for (const { store, hit } of hits) {
      const { accessed } = this.pendingFor(store);
      accessed.set(hit.memory.id, (accessed.get(hit.memory.id) ?? 0) + 1);
    }
    this.addAccess({ via: 'recall', memories: hits.map(it => it.hit.memory), isByPerson: trace.asker === 'person' });
  }

  /** Notes a call and the memories that it gave to the client, for the log of reads. */
  addAccess({ isByPerson, ...access }: Pick<NewAccess, 'via' | 'memories'> & { readonly isByPerson?: boolean }): void {
    const byPerson = isByPerson === true && this.host.client !== 'cli';
    this.pendingAccesses.push({ ...access, at: this.host.now(), ...(byPerson ? { byPerson } : {}) });
    const now = performance.now();
    this.flushDueAtMs ??= now + flushMaxDelayMs;
    clearTimeout(this.timer);
    const delayMs = Math.max(0, Math.min(flushDebounceMs, this.flushDueAtMs - now));
    this.timer = setTimeout(() => void this.flush(), delayMs).unref();
  }

  /** Writes what is buffered. A store that cannot be written loses its counts, is logged, and stops nothing. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.flushDueAtMs = undefined;
    this.encodeTraces();
    const { pendingByStore, pendingAccesses } = this;
    this.pendingByStore = new Map();
    this.pendingAccesses = [];
    this.flushing = this.flushing.then(async () => {
      for (const [store, pending] of pendingByStore) await this.write(store, pending);
    });
    this.appending = this.appending.then(() => this.writeAccesses(pendingAccesses));
    return Promise.all([this.flushing, this.appending]).then(() => undefined);
  }

  private encodeTraces(): void {
    const { keep } = this.host.config().traces;
    for (const { traceStore, trace } of this.unencoded.splice(0)) {
      const { traces } = this.pendingFor(traceStore);
      traces.push({ id: trace.id, at: trace.at, text: encodeTrace(trace) });
      // It would go as soon as it is written.
      if (traces.length > keep) traces.shift();
    }
  }

  private pendingFor(store: Store): PendingUsage {
    let pending = this.pendingByStore.get(store);
    if (pending === undefined) {
      pending = { accessed: new Map(), traces: [] };
      this.pendingByStore.set(store, pending);
    }
    return pending;
  }

  private async writeAccesses(pending: readonly Omit<NewAccess, 'client' | 'session'>[]): Promise<void> {
    if (pending.length === 0) return;
    const { client, session, dataDir, log } = this.host;
    const accesses = pending.map(it => ({ ...it, client, session }));
    await appendAccesses(dataDir, accesses).catch((error: unknown) => {
      log.error('The log of reads could not be written.', error);
    });
  }

  private async write(store: Store, pending: PendingUsage): Promise<void> {
    if (store.readOnly) return;
    try {
      const usage = { ...pending, at: this.host.now().toISOString() };
      const restored = await store.flushUsage(this.host.client, usage, this.host.config().traces.keep);
      if (restored.length > 0) this.onRestored(store, restored);
    } catch (error) {
      this.host.log.error(`Usage of ${store.file} could not be written.`, error);
    }
  }
}

import type { EngineHost } from '../model/host.js';
import type { Hit } from '../model/query.js';
import type { Trace } from '../model/trace.js';
import type { Store, UsageFlush } from '../store/store.js';
import { encodeTrace } from '../store/traceCodec.js';

/** How long after the last recall usage is written: recalls beside a write wait for it. */
const flushDebounceMs = 1_000;
/** How long after the first one, where somebody asks all the time. */
const flushMaxDelayMs = 10_000;

/** What waits to be written to one store. */
interface PendingUsage {
  readonly accessed: Map<string, number>;
  /** The newest, as many as are kept. */
  readonly traces: Trace[];
  readonly reads: UsageFlush['reads'][number][];
}

/**
 * Access counts and traces of recalls, kept in memory and written a little later, so that a recall never waits for a
 * write. What a crash takes with it is a second of counts, ten at most where many ask all the time, never a memory.
 */
export class UsageBuffer {
  private pendingByStore = new Map<Store, PendingUsage>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  /** When it is written at the latest, as `performance.now()`; undefined while nothing waits. */
  private flushDueAtMs: number | undefined;

  constructor(
    private readonly host: EngineHost,
    /** Receives the ids of memories that a recall brought back from the archive. */
    private readonly onRestored: (store: Store, ids: readonly string[]) => void,
  ) {}

  /** @param traceStore the store that keeps the trace. */
  add(traceStore: Store, trace: Trace, hits: readonly { readonly store: Store; readonly hit: Hit }[]): void {
    const { traces, reads } = this.pendingFor(traceStore);
    traces.push(trace);
    // It would go as soon as it is written.
    if (traces.length > this.host.config().traces.keep) traces.shift();
    const ids = hits.filter(it => it.store === traceStore).map(it => it.hit.memory.id);
    if (ids.length > 0) reads.push({ trace: trace.id, ids });
    for (const { store, hit } of hits) {
      const { accessed } = this.pendingFor(store);
      accessed.set(hit.memory.id, (accessed.get(hit.memory.id) ?? 0) + 1);
    }
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
    const { pendingByStore } = this;
    this.pendingByStore = new Map();
    this.flushing = this.flushing.then(async () => {
      for (const [store, pending] of pendingByStore) await this.write(store, pending);
    });
    return this.flushing;
  }

  private pendingFor(store: Store): PendingUsage {
    let pending = this.pendingByStore.get(store);
    if (pending === undefined) {
      pending = { accessed: new Map(), traces: [], reads: [] };
      this.pendingByStore.set(store, pending);
    }
    return pending;
  }

  private async write(store: Store, pending: PendingUsage): Promise<void> {
    if (store.readOnly) return;
    try {
      const traces = pending.traces.map(it => ({ id: it.id, at: it.at, text: encodeTrace(it) }));
      const usage = { ...pending, traces, at: this.host.now().toISOString() };
      const restored = await store.flushUsage(this.host.client, usage, this.host.config().traces.keep);
      if (restored.length > 0) this.onRestored(store, restored);
    } catch (error) {
      this.host.log.error(`Usage of ${store.file} could not be written.`, error);
    }
  }
}

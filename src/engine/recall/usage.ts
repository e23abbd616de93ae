import type { Host } from '../model/host.js';
import type { Hit } from '../model/query.js';
import type { Trace } from '../model/trace.js';
import type { Store, UsageFlush } from '../store/store.js';
import { traceText } from '../store/traceText.js';

/** How long after the last recall usage is written: recalls beside a write wait for it. */
const flushAfterMs = 1_000;
/** How long after the first one, where somebody asks all the time. */
const flushAtLatestMs = 10_000;

/** What waits to be written to one store. */
interface Used {
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
  private used = new Map<Store, Used>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();
  /** When it is written at the latest, as `performance.now()`; undefined while nothing waits. */
  private dueAt: number | undefined;

  constructor(
    private readonly host: Host,
    /** Told about memories that a recall brought back from the archive. */
    private readonly onRestored: (store: Store, ids: readonly string[]) => void,
  ) {}

  /** @param home the store that keeps the trace. */
  add(home: Store, trace: Trace, hits: readonly { readonly store: Store; readonly hit: Hit }[]): void {
    const { traces, reads } = this.usedOf(home);
    traces.push(trace);
    // It would go as soon as it is written.
    if (traces.length > this.host.config().traces.keep) traces.shift();
    const ids = hits.filter(it => it.store === home).map(it => it.hit.memory.id);
    if (ids.length > 0) reads.push({ trace: trace.id, ids });
    for (const { store, hit } of hits) {
      const { accessed } = this.usedOf(store);
      accessed.set(hit.memory.id, (accessed.get(hit.memory.id) ?? 0) + 1);
    }
    const now = performance.now();
    this.dueAt ??= now + flushAtLatestMs;
    clearTimeout(this.timer);
    const afterMs = Math.max(0, Math.min(flushAfterMs, this.dueAt - now));
    this.timer = setTimeout(() => void this.flush(), afterMs).unref();
  }

  /** Writes what is buffered. A store that cannot be written loses its counts, is logged, and stops nothing. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.dueAt = undefined;
    const { used } = this;
    this.used = new Map();
    this.flushing = this.flushing.then(async () => {
      for (const [store, its] of used) await this.write(store, its);
    });
    return this.flushing;
  }

  private usedOf(store: Store): Used {
    let its = this.used.get(store);
    if (its === undefined) {
      its = { accessed: new Map(), traces: [], reads: [] };
      this.used.set(store, its);
    }
    return its;
  }

  private async write(store: Store, used: Used): Promise<void> {
    if (store.readOnly) return;
    try {
      const traces = used.traces.map(it => ({ id: it.id, at: it.at, text: traceText(it) }));
      const usage = { ...used, traces, at: this.host.now().toISOString() };
      const restored = await store.flushUsage(this.host.client, usage, this.host.config().traces.keep);
      if (restored.length > 0) this.onRestored(store, restored);
    } catch (error) {
      this.host.log.error(`Usage of ${store.file} could not be written.`, error);
    }
  }
}

import type { Host } from '../model/host.js';
import type { Hit } from '../model/query.js';
import type { Trace } from '../model/trace.js';
import type { Store, UsageFlush } from '../store/store.js';

/** How long usage waits to be written; a burst of recalls is one write. */
const flushAfterMs = 1_000;
/** Recalls beside a write wait for it. Where many ask all the time, so many times as long passes until the next one. */
const restsPerFlush = 30;
const longestRestMs = 10_000;

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
  /** Until when nothing is written by itself, as `performance.now()`. */
  private restsUntil = 0;

  constructor(
    private readonly host: Host,
    /** Told about memories that a recall brought back from the archive. */
    private readonly onRestored: (store: Store, ids: readonly string[]) => void,
  ) {}

  /** @param home the store that keeps the trace. */
  add(home: Store, trace: Trace, hits: readonly { readonly store: Store; readonly hit: Hit }[]): void {
    const { traces, reads } = this.usedOf(home);
    traces.push(trace);
    const { keep } = this.host.config().traces;
    // Those before would go as soon as they are written.
    if (traces.length >= 2 * keep) traces.splice(0, traces.length - keep);
    const returned = trace.candidates.filter(it => it.outcome === 'returned' && it.store === home.kind);
    if (returned.length > 0) reads.push({ trace: trace.id, ids: returned.map(it => it.id) });
    for (const { store, hit } of hits) {
      const { accessed } = this.usedOf(store);
      accessed.set(hit.memory.id, (accessed.get(hit.memory.id) ?? 0) + 1);
    }
    const afterMs = Math.max(flushAfterMs, this.restsUntil - performance.now());
    this.timer ??= setTimeout(() => void this.flush(), afterMs).unref();
  }

  /** Writes what is buffered. A store that cannot be written loses its counts, is logged, and stops nothing. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { used } = this;
    this.used = new Map();
    this.flushing = this.flushing.then(async () => {
      const start = performance.now();
      for (const [store, its] of used) await this.write(store, its);
      const end = performance.now();
      this.restsUntil = end + Math.min(longestRestMs, restsPerFlush * (end - start));
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
      const usage = { ...used, at: this.host.now().toISOString() };
      const restored = await store.flushUsage(this.host.client, usage, this.host.config().traces.keep);
      if (restored.length > 0) this.onRestored(store, restored);
    } catch (error) {
      this.host.log.error(`Usage of ${store.file} could not be written.`, error);
    }
  }
}

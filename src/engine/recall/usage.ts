import type { Host } from '../model/host.js';
import type { Hit } from '../model/query.js';
import type { Trace } from '../model/trace.js';
import type { Store } from '../store/store.js';

/** How long usage waits to be written; a burst of recalls is one write. */
const flushAfterMs = 1_000;

/**
 * Access counts and traces of recalls, kept in memory and written a little later, so that a recall never waits for a
 * write. What a crash takes with it is at most a second of counts, never a memory.
 */
export class UsageBuffer {
  private accessed = new Map<Store, Map<string, number>>();
  private traces = new Map<Store, Trace[]>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly host: Host,
    /** Told about memories that a recall brought back from the archive. */
    private readonly onRestored: (store: Store, ids: readonly string[]) => void,
  ) {}

  /** @param home the store that keeps the trace. */
  add(home: Store, trace: Trace, hits: readonly { readonly store: Store; readonly hit: Hit }[]): void {
    const traces = this.traces.get(home) ?? [];
    this.traces.set(home, traces);
    traces.push(trace);
    for (const { store, hit } of hits) {
      const counts = this.accessed.get(store) ?? new Map<string, number>();
      counts.set(hit.memory.id, (counts.get(hit.memory.id) ?? 0) + 1);
      this.accessed.set(store, counts);
    }
    this.timer ??= setTimeout(() => void this.flush(), flushAfterMs).unref();
  }

  /** Writes what is buffered. A store that cannot be written loses its counts, is logged, and stops nothing. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { accessed, traces } = this;
    this.accessed = new Map();
    this.traces = new Map();
    const stores = new Set([...accessed.keys(), ...traces.keys()]);
    this.flushing = this.flushing.then(async () => {
      for (const store of stores) await this.write(store, accessed.get(store), traces.get(store));
    });
    return this.flushing;
  }

  private async write(
    store: Store,
    accessed = new Map<string, number>(),
    traces: readonly Trace[] = [],
  ): Promise<void> {
    if (store.readOnly) return;
    try {
      const usage = { accessed, traces, at: this.host.now().toISOString() };
      const restored = await store.flushUsage(this.host.client, usage, this.host.config().traces.keep);
      if (restored.length > 0) this.onRestored(store, restored);
    } catch (error) {
      this.host.log.error(`Usage of ${store.file} could not be written.`, error);
    }
  }
}

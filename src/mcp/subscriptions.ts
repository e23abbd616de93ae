import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';

/** URI of a memory as a resource, before its id. */
export const memoryUriPrefix = 'recollect://memory/';

/** Changes that come together are sent together. */
const notificationDelayMs = 100;

/** Notifies one client. */
export interface ChangeNotifier {
  resourceUpdated(uri: string): Promise<void>;
  resourcesChanged(): Promise<void>;
}

/** Parts of the server that subscriptions need. */
export interface SubscriptionContext {
  readonly log: Log;
  /** The engine, if one is open. */
  currentEngine(): Promise<MemoryEngine | undefined>;
  /** URIs that the client listens to the way of 2026-07-28. */
  listenedUris(): readonly string[];
}

/** Notifies a client of changes to memories, by any process. A client that never looked at resources gets no notification. */
export class Subscriptions {
  /** URIs the client subscribed to the way of 2025. */
  private readonly subscribedUris = new Set<string>();
  /** By URI: the memory as the client can know it. A change by another process does not say what changed. */
  private readonly lastFingerprints = new Map<string, string>();
  private isWatching = false;
  private notificationTimer: NodeJS.Timeout | undefined;
  private notifier: ChangeNotifier | undefined;

  constructor(private readonly context: SubscriptionContext) {}

  /** From now on the client hears of changes this way. */
  attach(notifier: ChangeNotifier): void {
    this.notifier = notifier;
  }

  /** The client has looked at the list of resources. */
  watchResourceList(): void {
    this.isWatching = true;
  }

  async subscribe(engine: MemoryEngine, uri: string): Promise<void> {
    this.subscribedUris.add(uri);
    await this.watchSubscribed(engine);
  }

  unsubscribe(uri: string): void {
    this.subscribedUris.delete(uri);
  }

  /** Notes how everything subscribed is now: from here on changes count. */
  async watchSubscribed(engine: MemoryEngine): Promise<void> {
    this.isWatching = true;
    for (const uri of this.watchedUris()) {
      if (!this.lastFingerprints.has(uri)) this.lastFingerprints.set(uri, await fingerprintResource(engine, uri));
    }
  }

  /** Memories have changed, by this process or another. */
  onMemoriesChanged(): void {
    if (!this.isWatching) return;
    this.notificationTimer ??= setTimeout(() => {
      this.notificationTimer = undefined;
      this.notifyClient().catch((error: unknown) => {
        this.context.log.error('A client could not be notified of a change.', error);
      });
    }, notificationDelayMs).unref();
  }

  private async notifyClient(): Promise<void> {
    const engine = await this.context.currentEngine();
    const { notifier } = this;
    if (engine === undefined || notifier === undefined) return;
    const uris = this.watchedUris();
    for (const uri of uris) {
      const previous = this.lastFingerprints.get(uri);
      const current = await fingerprintResource(engine, uri);
      this.lastFingerprints.set(uri, current);
      if (previous !== undefined && previous !== current) await notifier.resourceUpdated(uri);
    }
    for (const uri of [...this.lastFingerprints.keys()]) if (!uris.has(uri)) this.lastFingerprints.delete(uri);
    await notifier.resourcesChanged();
  }

  private watchedUris(): ReadonlySet<string> {
    return new Set([...this.subscribedUris, ...this.context.listenedUris()]);
  }
}

/** Everything about a memory but how often it was read; empty for what is no memory. */
async function fingerprintResource(engine: MemoryEngine, uri: string): Promise<string> {
  if (!uri.startsWith(memoryUriPrefix)) return '';
  try {
    const { accessCount, accessedAt, ...rest } = await engine.get(uri.slice(memoryUriPrefix.length));
    return JSON.stringify(rest);
  } catch (error) {
    if (EngineError.is(error, 'notFound') || EngineError.is(error, 'ambiguousId')) return '';
    throw error;
  }
}

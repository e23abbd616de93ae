import type { McpServer } from '@modelcontextprotocol/server';
import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';

/** URI of a memory as a resource, before its id. */
export const memoryScheme = 'recollect://memory/';

/** Changes that come together are told together. */
const gatherMs = 100;

/** What subscriptions need to know of the server. */
export interface SubscriptionParts {
  readonly log: Log;
  /** The engine, if one is open. */
  openNow(): Promise<MemoryEngine | undefined>;
  /** URIs that the client listens to the way of 2026-07-28. */
  listenedTo(): readonly string[];
}

/** Tells a client of changes to memories, by whatever process. One that never looked at resources is told nothing. */
export class Subscriptions {
  /** URIs the client subscribed to the way of 2025. */
  private readonly subscribed = new Set<string>();
  /** By URI: the memory as the client can know it. A change by another process does not say what changed. */
  private readonly known = new Map<string, string>();
  private watching = false;
  private gathering: NodeJS.Timeout | undefined;
  private server: McpServer | undefined;

  constructor(private readonly parts: SubscriptionParts) {}

  /** From now on it is this server that speaks to the client. */
  speakThrough(server: McpServer): void {
    this.server = server;
  }

  /** The client has looked at the list of resources. */
  watchList(): void {
    this.watching = true;
  }

  async subscribe(engine: MemoryEngine, uri: string): Promise<void> {
    this.subscribed.add(uri);
    await this.watchAll(engine);
  }

  unsubscribe(uri: string): void {
    this.subscribed.delete(uri);
  }

  /** Notes how everything subscribed is now: from here on changes count. */
  async watchAll(engine: MemoryEngine): Promise<void> {
    this.watching = true;
    for (const uri of this.uris()) {
      if (!this.known.has(uri)) this.known.set(uri, await fingerprint(engine, uri));
    }
  }

  /** Memories have changed, by this process or another. */
  changed(): void {
    if (!this.watching) return;
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      this.tell().catch((error: unknown) => {
        this.parts.log.error('A client could not be told of a change.', error);
      });
    }, gatherMs).unref();
  }

  private async tell(): Promise<void> {
    const engine = await this.parts.openNow();
    const server = this.server?.server;
    if (engine === undefined || server === undefined) return;
    const uris = this.uris();
    for (const uri of uris) {
      const before = this.known.get(uri);
      const now = await fingerprint(engine, uri);
      this.known.set(uri, now);
      if (before !== undefined && before !== now) await server.sendResourceUpdated({ uri });
    }
    for (const uri of [...this.known.keys()]) if (!uris.has(uri)) this.known.delete(uri);
    await server.sendResourceListChanged();
  }

  private uris(): ReadonlySet<string> {
    return new Set([...this.subscribed, ...this.parts.listenedTo()]);
  }
}

/** Everything about a memory but how often it was read; empty for what is no memory. */
async function fingerprint(engine: MemoryEngine, uri: string): Promise<string> {
  if (!uri.startsWith(memoryScheme)) return '';
  try {
    const { accessCount, accessedAt, ...rest } = await engine.get(uri.slice(memoryScheme.length));
    return JSON.stringify(rest);
  } catch (error) {
    if (EngineError.is(error, 'notFound') || EngineError.is(error, 'ambiguousId')) return '';
    throw error;
  }
}

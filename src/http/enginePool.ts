import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';
import {
  ServerEngineHolder,
  type EngineRequest,
  type EngineSource,
  type OpenEngineFor,
} from '../mcp/serverEngineHolder.js';

/** Engines that are kept open while no client uses them: one is open in a tenth of a second. */
const maxIdleEngines = 3;

interface PooledEngine {
  readonly holder: ServerEngineHolder;
  /** Calls and sessions that use it now. */
  users: number;
  readonly listeners: Set<() => void>;
}

/** The engines of a server with many clients: one for each client, project and right. */
export class EnginePool {
  /** The least recently used first. */
  private readonly engines = new Map<string, PooledEngine>();
  private readonly closing = new Set<Promise<void>>();

  constructor(
    private readonly open: OpenEngineFor,
    private readonly log: Log,
  ) {}

  /** Runs `work` with the engine of a client, which stays open until it is done. @throws EngineError as openEngine does */
  async use<T>(request: EngineRequest, work: (engine: MemoryEngine, source: EngineSource) => Promise<T>): Promise<T> {
    const source = this.createSource(() => undefined);
    try {
      return await work(await source.engine(request), source);
    } finally {
      await source.close();
    }
  }

  /** For a session: its engine stays open as long as it does. @param onDidChange of the memories, by any process */
  createSource(onDidChange: () => void): EngineSource {
    let current: PooledEngine | undefined;
    const leave = (): void => {
      if (current === undefined) return;
      current.listeners.delete(onDidChange);
      this.leave(current);
      current = undefined;
    };
    return {
      engine: request => {
        const entered = this.enter(request);
        leave();
        current = entered;
        entered.listeners.add(onDidChange);
        return entered.holder.engine(request);
      },
      currentEngine: () => current?.holder.currentEngine() ?? Promise.resolve(undefined),
      updateCodeAnchors: engine => {
        current?.holder.updateCodeAnchors(engine);
      },
      close: () => {
        leave();
        return Promise.resolve();
      },
    };
  }

  /** Finishes what was asked for and writes what is buffered. */
  async close(): Promise<void> {
    for (const [key, engine] of this.engines) this.closeEngine(key, engine);
    await Promise.all(this.closing);
  }

  private enter({ client, folders, onlyStore }: EngineRequest): PooledEngine {
    const key = JSON.stringify([client, folders, onlyStore]);
    const engine = this.engines.get(key) ?? this.createEngine();
    this.engines.delete(key);
    this.engines.set(key, engine);
    engine.users++;
    return engine;
  }

  private leave(engine: PooledEngine): void {
    engine.users--;
    const idle = [...this.engines].filter(([, it]) => it.users === 0);
    for (const [key, it] of idle.slice(0, -maxIdleEngines)) this.closeEngine(key, it);
  }

  private createEngine(): PooledEngine {
    const listeners = new Set<() => void>();
    const holder = new ServerEngineHolder(this.open, this.log, () => {
      for (const notify of listeners) notify();
    });
    return { holder, users: 0, listeners };
  }

  private closeEngine(key: string, { holder }: PooledEngine): void {
    this.engines.delete(key);
    const closing = holder.close().catch((error: unknown) => {
      this.log.error('A memory could not be closed.', error);
    });
    this.closing.add(closing);
    void closing.finally(() => this.closing.delete(closing));
  }
}

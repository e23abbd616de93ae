import { EngineError } from '../engine/base/errors.js';
import { Reopenable } from '../engine/base/reopenable.js';
import type { MemoryEngine } from '../engine/engine.js';
import { maintenanceBudgetMs } from '../engine/model/maintenance.js';
import type { Log } from '../engine/model/host.js';
import type { StoreKind } from '../engine/model/memory.js';

/** A recall of memories whose code is gone for good would otherwise read all files of the project each time. */
const anchorUpdateIntervalMs = 10_000;
/** How long a call waits for what the team shares: a few facts are in its answer, and many are read behind it. */
const arrivalWaitMs = 250;
/** A server that keeps running embeds memories that have no vector; the first answer does not wait for it. */
const embedDelayMs = 2_000;
const maintenanceDelayMs = 4_000;
/** How often it looks whether the server of a project's memories can be used again. */
const defaultReturnIntervalMs = 15_000;
/** How often a server that gets no question syncs with the server of a team: at the next question its news are here. */
const teamSyncIntervalMs = 60_000;
/** How often a server that stays looks whether maintenance is due. */
const maintenanceIntervalMs = 60 * 60_000;

/** Whose engine it is, and what it shows. */
export interface EngineRequest {
  readonly client: string;
  /** The folders that the client works in. */
  readonly folders: readonly string[];
  /** The only kind of store that the client may use; undefined = both. */
  readonly onlyStore: StoreKind | undefined;
  /** Whether the call compares meanings: the first engine that such a call opens loads the encoder at once. */
  readonly comparesMeaning: boolean;
}

const comparingTools: ReadonlySet<string> = new Set(['context', 'recall', 'remember']);

/** Whether a tool's call compares meanings. */
export const comparesMeaning = (tool: string): boolean => comparingTools.has(tool);

/** Where a server gets its engine from. */
export interface EngineSource {
  /** @throws EngineError as openEngine does, and `closed` after the end; after a failure the next call tries again */
  engine(request: EngineRequest): Promise<MemoryEngine>;
  /** The engine that is open now. */
  currentEngine(): Promise<MemoryEngine | undefined>;
  /** Lets memories follow code that has moved, in the background: the next recall knows. */
  updateCodeAnchors(engine: MemoryEngine): void;
  /** Finishes what was asked for and writes what is buffered. */
  close(): Promise<void>;
}

/** Opens an engine for a client. */
export type OpenEngineFor = (request: EngineRequest) => Promise<MemoryEngine>;

/**
 * The one engine of a server: opened at the first need, and again when the client works in other folders. A server that
 * is started and never asked opens nothing.
 */
export class ServerEngineHolder implements EngineSource {
  private readonly lifetime = new Reopenable<MemoryEngine>();
  /** The request that the current engine was opened for. */
  private currentKey: string | undefined;
  private isClosed = false;
  private nextAnchorUpdateAt = 0;
  private nextReturnLookAt = 0;
  /** Whether the server of a project's memories went away, or is back. */
  private isStale = false;

  constructor(
    private readonly open: OpenEngineFor,
    private readonly log: Log,
    private readonly onDidChange: () => void,
    private readonly returnIntervalMs = defaultReturnIntervalMs,
  ) {}

  async engine(request: EngineRequest): Promise<MemoryEngine> {
    if (this.isClosed) throw new EngineError('closed', 'The server is ending. Start it again to go on.');
    const key = JSON.stringify([request.client, request.folders, request.onlyStore]);
    // A person may have linked the folder to another project meanwhile.
    const isOutdated = (await (await this.currentEngine())?.projects.isOutdated()) === true;
    if (this.currentKey !== key || isOutdated || this.isStale) this.lifetime.release();
    this.isStale = false;
    this.currentKey = key;
    const engine = await this.lifetime.get(() => this.openEngine(request));
    this.lookForReturn(engine);
    await Promise.all([engine.team.arrival.look(arrivalWaitMs), engine.team.serverArrival.look(arrivalWaitMs)]);
    return engine;
  }

  async currentEngine(): Promise<MemoryEngine | undefined> {
    return this.lifetime.current?.catch(() => undefined);
  }

  updateCodeAnchors(engine: MemoryEngine): void {
    const now = performance.now();
    if (now < this.nextAnchorUpdateAt) return;
    this.nextAnchorUpdateAt = now + anchorUpdateIntervalMs;
    engine.codeAnchors.update().catch((error: unknown) => {
      this.log.error('Memories could not follow their code.', error);
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.lifetime.close();
  }

  /** Where memories are missing, in the background: the call after their server is back has them. */
  private lookForReturn(engine: MemoryEngine): void {
    const now = performance.now();
    if (engine.team.store.notices.length === 0 || now < this.nextReturnLookAt) return;
    this.nextReturnLookAt = now + this.returnIntervalMs;
    engine.team.store.checkServer().then(
      () => this.noteStale(engine),
      () => undefined,
    );
  }

  /** The next call opens the engine again: one that is under way goes on with this one. */
  private async noteStale(engine: MemoryEngine): Promise<void> {
    if ((await this.currentEngine()) === engine) this.isStale = true;
  }

  private async openEngine(request: EngineRequest): Promise<MemoryEngine> {
    const engine = await this.open(request);
    for (const notice of engine.notices) this.log.warn(String(notice));
    engine.onDidChange(({ isEndpointUse, isAway }) => {
      // Opened again, it has everything but what is on that server, and takes what is remembered.
      if (isAway === true) void this.noteStale(engine);
      else if (isEndpointUse === undefined) this.onDidChange();
    });
    setTimeout(() => {
      if (this.isClosed) return;
      this.embedMissing(engine);
      engine.missingAids.schedule();
    }, embedDelayMs).unref();
    this.scheduleMaintenance(engine, maintenanceDelayMs);
    this.scheduleTeamSync(engine);
    return engine;
  }

  /** As long as the engine is the current one. */
  private scheduleTeamSync(engine: MemoryEngine): void {
    setTimeout(() => {
      void this.currentEngine().then(current => {
        if (this.isClosed || current !== engine) return;
        void engine.team.serverArrival.look(0);
        this.scheduleTeamSync(engine);
      });
    }, teamSyncIntervalMs).unref();
  }

  /** Runs what is due after a delay, and looks again every hour as long as the engine is the current one. */
  private scheduleMaintenance(engine: MemoryEngine, delayMs: number): void {
    setTimeout(() => {
      if (this.isClosed) return;
      engine.maintenance
        .runIfDue({ signal: AbortSignal.timeout(maintenanceBudgetMs) })
        .then(() => {
          this.scheduleMaintenance(engine, maintenanceIntervalMs);
        })
        .catch((error: unknown) => {
          // Given up for another one since.
          if (!EngineError.is(error, 'closed')) this.log.error('Maintenance failed.', error);
        });
    }, delayMs).unref();
  }

  private embedMissing(engine: MemoryEngine): void {
    engine.embedMissing().catch((error: unknown) => {
      // Released for another one since.
      if (!EngineError.is(error, 'closed')) this.log.error('Memories could not be embedded in the background.', error);
    });
  }
}

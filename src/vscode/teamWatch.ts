import { EngineError } from '../engine/base/errors.js';
import type { MemoryEngine } from '../engine/engine.js';
import type { Log } from '../engine/model/host.js';
import type { TeamSyncReport } from '../engine/model/team.js';
import type { EngineHolder } from './engineHolder.js';

/** Keeps the startup of a window free of connections. */
const initialDelayMs = 20_000;
/** Between two tries, and the longest that news take where the server's notifications do not come. */
const intervalMs = 10 * 60_000;
/** Changes that come together are fetched together. */
const settleMs = 3_000;

/** What a window knows of its team's server; undefined where the project is connected to none. */
export type TeamConnectionState =
  | {
      readonly isOffline: boolean;
      readonly waiting: number;
      /** Why the server was not reached, or does not take all: a sentence. */
      readonly problem?: string;
    }
  | undefined;

export interface TeamWatchHost {
  readonly engineHolder: Pick<EngineHolder, 'state'>;
  readonly log: Log;
  readonly isTrusted: () => boolean;
  readonly onState: (state: TeamConnectionState) => void;
  /** Something new came from the team. */
  readonly onNews: (report: TeamSyncReport) => void;
  /** A project is open that is connected to no server. */
  readonly onFolder: (engine: MemoryEngine) => Promise<void>;
}

/**
 * Keeps a window in touch with the team's server: sends what waits, and hears what others share. Only for a project that a person
 * has connected, where the engine is open, and never in an untrusted workspace. Must not import `vscode`.
 */
export class TeamWatch {
  private timer: NodeJS.Timeout | undefined;
  private stopListening: (() => Promise<void>) | undefined;
  private listeningEngine: MemoryEngine | undefined;
  private isDisposed = false;
  private isSettling = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly host: TeamWatchHost) {}

  /** Looks in a while, for the engine was opened. */
  lookSoon(): void {
    this.schedule(initialDelayMs);
  }

  /** Looks now, for the connection was changed or something was shared. */
  lookNow(): void {
    void this.stop();
    this.schedule(0);
  }

  /** Reads what the folder of the team brings, in the background. */
  lookIntoFolder(): void {
    const { engineHolder, isTrusted } = this.host;
    if (engineHolder.state.kind === 'open' && isTrusted()) void engineHolder.state.engine.team.arrival.look(0);
  }

  /** Syncs once, and listens from then on. Never rejects. */
  look(): Promise<void> {
    this.running = this.running.then(() => this.lookOnce());
    return this.running;
  }

  dispose(): void {
    this.isDisposed = true;
    clearTimeout(this.timer);
    void this.stop();
  }

  private schedule(delayMs: number): void {
    clearTimeout(this.timer);
    if (this.isDisposed) return;
    this.timer = setTimeout(() => {
      void this.look().then(() => {
        // What was heard meanwhile is looked at soon.
        this.schedule(this.isSettling ? settleMs : intervalMs);
      });
    }, delayMs).unref();
  }

  private async lookOnce(): Promise<void> {
    this.isSettling = false;
    const { engineHolder, log, isTrusted, onState, onNews, onFolder } = this.host;
    if (engineHolder.state.kind !== 'open' || !isTrusted()) return;
    const { engine } = engineHolder.state;
    try {
      if (!(await hasServer(engine))) {
        await this.stop();
        onState(undefined);
        await engine.team.arrival.look(0);
        await onFolder(engine);
        return;
      }
      // First the listener: what is shared while the sync runs is heard.
      await this.listen(engine);
      const report = await engine.team.sync();
      const { isOffline, problem, waiting } = report;
      onState({ isOffline, waiting, ...(problem === undefined ? {} : { problem }) });
      if (report.read.id !== undefined) onNews(report);
    } catch (error) {
      if (EngineError.is(error, 'storeBusy')) return; // Another window does it.
      await this.stop();
      const waiting = await countWaiting(engine);
      const problem = EngineError.is(error) ? { problem: error.message } : {};
      const isOffline = EngineError.is(error, 'storeUnavailable');
      onState(waiting === undefined ? undefined : { isOffline, waiting, ...problem });
      log.warn(`The team's server was not reached: ${EngineError.is(error) ? error.code : 'internal'}`);
    }
  }

  private async listen(engine: MemoryEngine): Promise<void> {
    if (this.stopListening !== undefined && this.listeningEngine === engine) return;
    await this.stop();
    const onEnd = (): void => {
      this.stopListening = undefined;
      this.schedule(settleMs);
    };
    const onChange = (): void => {
      // The first of many: others that follow it do not put the look off.
      if (this.isSettling) return;
      this.isSettling = true;
      this.schedule(settleMs);
    };
    this.stopListening = await engine.team.watch({ onChange, onEnd });
    this.listeningEngine = engine;
    if (this.isDisposed) await this.stop();
  }

  private async stop(): Promise<void> {
    const { stopListening } = this;
    this.stopListening = undefined;
    await stopListening?.();
  }
}

async function hasServer(engine: MemoryEngine): Promise<boolean> {
  return (await countWaiting(engine)) !== undefined;
}

/** Undefined where the project is connected to no server, or there is none open. */
async function countWaiting(engine: MemoryEngine): Promise<number | undefined> {
  try {
    return (await engine.team.serverStatus())?.waiting;
  } catch {
    return undefined;
  }
}

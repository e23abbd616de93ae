import { setTimeout } from 'node:timers/promises';
import { EngineError } from '../../base/errors.js';
import type { CallTracker } from '../../store/callTracker.js';
import type { Context } from '../../context.js';
import { readServerLink } from './serverLink.js';
import { syncTeam } from './teamSync.js';

/** Between two looks at a server that answered, and at one that did not. */
const intervalMs = 10_000;
const failedIntervalMs = 120_000;

/** Keeps a project in touch with its team's server behind the answers of a program that stays, as a server of MCP. */
export class ServerArrival {
  private nextLookAt = 0;
  /** Whether the server answered last time: only then an answer waits for it. */
  private isResponsive = false;
  private syncing: Promise<void> | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Sends what waits and takes in what others shared, where the project is connected and has not been synced just now. Returns at
   * once, or within `waitMs` where the server answered last time. Never rejects: an answer does not depend on it.
   */
  async look(waitMs: number): Promise<void> {
    if (this.syncing === undefined) {
      if (performance.now() < this.nextLookAt) return;
      this.syncing = this.sync().finally(() => (this.syncing = undefined));
    }
    if (!this.isResponsive) return;
    const timeout = new AbortController();
    const wait = setTimeout(waitMs, undefined, { signal: timeout.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.syncing, wait]);
    timeout.abort();
  }

  private async sync(): Promise<void> {
    this.nextLookAt = performance.now() + failedIntervalMs;
    try {
      await this.calls.runInBackground(undefined, async signal => {
        const [folder] = this.ctx.host.workspaceFolders;
        const store = folder === undefined ? undefined : this.ctx.stores.find(it => it.folders.includes(folder))?.store;
        if (store === undefined || store.readOnly) return;
        const link = await readServerLink(store);
        if (link === undefined) return;
        const onWritten: Parameters<typeof syncTeam>[2] = (it, ids) => {
          this.calls.notifyChanged(it, ids);
        };
        const { isOffline } = await syncTeam(this.ctx, { store, link }, onWritten, signal);
        this.isResponsive = !isOffline;
        if (!isOffline) this.nextLookAt = performance.now() + intervalMs;
      });
    } catch (error) {
      this.isResponsive = false;
      if (EngineError.is(error, 'storeBusy')) this.nextLookAt = performance.now() + intervalMs;
      if (['closed', 'aborted', 'storeBusy'].some(it => EngineError.is(error) && error.code === it)) return;
      this.ctx.host.log.warn(`The team's server was not reached: ${EngineError.is(error) ? error.code : 'internal'}`);
    }
  }
}

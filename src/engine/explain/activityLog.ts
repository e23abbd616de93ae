import { readAccesses, summarizeClients } from '../access/accessLog.js';
import { clientKey } from '../access/clientRights.js';
import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import type { Access, ActivityFilter, Change, SeenClient } from '../model/access.js';
import type { Memory } from '../model/memory.js';

/** What was read, changed and refused, and by which client. Part of the façade. */
export class ActivityLog {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Notes a call of the client and the memories that it was given; a recall is noted by itself. */
  noteCall(via: string, memories: readonly Pick<Memory, 'id'>[]): void {
    this.ctx.usage.addAccess({ via, memories });
  }

  /** Reads and refused calls of every program on the data folder, oldest first, as far back as the log goes. */
  reads(filter: ActivityFilter = {}): Promise<readonly Access[]> {
    return this.calls.run(async () => {
      await this.ctx.usage.flush();
      const accesses = await readAccesses(this.ctx.host.dataDir);
      return accesses.filter(it => isWanted(it.client, it.at, filter));
    });
  }

  /** Changes in the stores of the folder, oldest first: the audit log. */
  changes(filter: ActivityFilter = {}): Promise<readonly Change[]> {
    return this.calls.run(async () => {
      const lines = await Promise.all(
        this.ctx.stores.map(async ({ store }) =>
          (await store.auditLog(filter.since ?? '')).map(it => ({ ...it, store: store.kind })),
        ),
      );
      return lines
        .flat()
        .filter(it => isWanted(it.actor, it.at, filter))
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    });
  }

  /** The clients that have called, the latest first. */
  async clients(): Promise<readonly SeenClient[]> {
    return summarizeClients(await this.reads());
  }
}

function isWanted(client: string, at: string, { since, client: wanted }: ActivityFilter): boolean {
  return (since === undefined || at >= since) && (wanted === undefined || clientKey(client) === clientKey(wanted));
}

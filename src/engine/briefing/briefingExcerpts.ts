import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import type { ChangeFollower } from '../store/callTracker.js';
import type { OpenStore } from '../context.js';
import { Database } from '../database/database.js';
import { readChosenServer } from '../database/postgres/chosenServer.js';
import { PostgresPool } from '../database/postgres/postgresPool.js';
import type { EngineHost } from '../model/host.js';
import { makeSqliteFile } from '../store/sqlite/openSqliteStore.js';
import type { Store } from '../store/store.js';
import { excerptFile, isOnServer, readStorePlacement } from '../store/storePlacement.js';
import { copyExcerpt } from '../store/move/copyToFile.js';
import { requireMovedStore } from '../store/move/movedStore.js';

/**
 * Keeps an excerpt of each moved store on this machine, for the start of a session, which asks no server. A change deletes it, so
 * that nothing is briefed that was forgotten or purged since; the end of this program makes it again, or the next opening.
 */
class BriefingExcerpts implements Omit<ChangeFollower, 'flush'> {
  /** Folders of projects whose excerpt is missing. */
  private readonly missing = new Set<string>();
  private readonly folders: ReadonlyMap<Store, string>;

  constructor(
    private readonly host: EngineHost,
    stores: readonly OpenStore[],
  ) {
    const moved = stores.flatMap(({ store, key }) => {
      const folder = key === undefined ? undefined : path.join(host.dataDir, 'projects', key);
      return folder !== undefined && !store.readOnly && isOnServer(folder) ? [[store, folder] as const] : [];
    });
    this.folders = new Map(moved);
    for (const folder of this.folders.values()) if (!existsSync(excerptFile(folder))) this.missing.add(folder);
  }

  schedule(store: Store): void {
    const folder = this.folders.get(store);
    if (folder === undefined) return;
    rmSync(path.dirname(excerptFile(folder)), { recursive: true, force: true });
    this.missing.add(folder);
  }

  /** Makes those that are missing. An excerpt that cannot be made is made by the next program. */
  async close(): Promise<void> {
    for (const folder of this.missing) await this.make(folder);
    this.missing.clear();
  }

  private async make(folder: string): Promise<void> {
    const file = excerptFile(folder);
    try {
      const placement = await readStorePlacement(folder);
      if (placement === undefined) return;
      const incoming = await mkdtemp(path.join(folder, 'incoming-'));
      const pool = await PostgresPool.open(await readChosenServer(this.host), placement.schema, 1);
      try {
        await requireMovedStore(pool, placement);
        await makeSqliteFile('project', incoming, this.host);
        const database = await Database.open(path.join(incoming, 'memory.db'), { readOnly: false, wal: false });
        try {
          await pool.transaction(async sql => {
            await sql.exec('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
            await copyExcerpt(sql, database);
          });
        } finally {
          await database.close();
        }
        await rm(path.dirname(file), { recursive: true, force: true });
        await rename(incoming, path.dirname(file));
      } finally {
        await pool.close();
        await rm(incoming, { recursive: true, force: true });
      }
    } catch (error) {
      this.host.log.warn(`A briefing is not kept here: ${EngineError.is(error) ? error.code : 'internal'}`);
    }
  }
}

/** A follower of changes that keeps the excerpts, besides another one. */
export function followChanges(host: EngineHost, stores: readonly OpenStore[], other: ChangeFollower): ChangeFollower {
  const excerpts = new BriefingExcerpts(host, stores);
  return {
    schedule(store): void {
      other.schedule(store);
      excerpts.schedule(store);
    },
    flush: () => other.flush(),
    async close(): Promise<void> {
      await other.close();
      await excerpts.close();
    },
  };
}

import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../base/errors.js';
import type { LocalizableMessage } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { requireWorkspaceFolder, type Context } from '../context.js';
import { readChosenServer } from '../database/postgres/chosenServer.js';
import { PostgresPool } from '../database/postgres/postgresPool.js';
import { describeAddress } from '../database/postgres/postgresSettings.js';
import type { StoreCopy, StorePlace } from '../model/team.js';
import type { CopyOptions } from '../store/move/copyToServer.js';
import { copyStore, deleteMovedFile, deleteMovedSchema, moveToFile, switchToServer } from '../store/move/moveStore.js';
import {
  listStoresOnServer,
  nameRepository,
  useStoreOnServer,
  type StoreOnServer,
} from '../store/move/storesOnServer.js';
import { requireMovedStore } from '../store/move/movedStore.js';
import { bringWaiting } from './bringWaiting.js';
import { makeSqliteFile } from '../store/sqlite/openSqliteStore.js';
import { excerptFile, readStorePlacement, storeSchema, type StorePlacement } from '../store/storePlacement.js';

/**
 * Moves the memories of a project from this machine to a server and back. What they are moved from stays until a person deletes it.
 * The engine uses the new place from its next opening on. For a person alone. Part of the façade.
 */
export class StoreMove {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Why memories of projects are missing here: their server could not be used when they were opened. */
  get notices(): readonly LocalizableMessage[] {
    return this.ctx.movedStores.notices;
  }

  /**
   * Takes what was remembered while the server of a project's store could not be used into that store, in the background.
   * @throws EngineError closed, and errors of Store.write; the rest waits on
   */
  bringWaiting(): Promise<void> {
    return this.calls.runInBackground(undefined, async signal => {
      for (const { store, key } of this.ctx.stores) {
        if (key === undefined || store.readOnly) continue;
        const from = await this.ctx.movedStores.openWaiting(key);
        if (from === undefined) continue;
        try {
          await bringWaiting(this.ctx, { from, to: store, signal }, (it, ids) => {
            this.calls.notifyChanged(it, ids);
          });
        } finally {
          await from.close();
        }
      }
    });
  }

  /** Number of active memories that wait here for a server that cannot be used now. */
  countWaiting(): Promise<number> {
    return this.calls.run(async () => {
      const stores = this.ctx.stores.flatMap(it => it.store.waiting ?? []);
      const groups = (await Promise.all(stores.map(it => it.groups('')))).flat();
      return groups.filter(it => it.status === 'active').reduce((sum, it) => sum + it.count, 0);
    });
  }

  /** Asks no server. @throws EngineError invalidInput (no project) | storeUnavailable */
  place(): Promise<StorePlace> {
    return this.calls.run(async () => {
      const { file, folder } = this.projectFile();
      const placement = await readStorePlacement(folder);
      if (placement === undefined) return { kind: 'local', name: file };
      const settings = await readChosenServer(this.ctx.host).catch(() => undefined);
      const name = settings === undefined ? placement.schema : `${describeAddress(settings)} (${placement.schema})`;
      return { kind: 'server', name, ...((await exists(file)) ? { source: file } : {}) };
    });
  }

  /**
   * Copies the project's store to the chosen server and compares both. Nothing else changes; a copy that was interrupted goes on.
   * @throws EngineError invalidInput (no project, no server, it is there already, another store is) | notAllowed | storeUnavailable |
   * storeTooNew | aborted
   */
  copyToServer(options: CopyOptions = {}): Promise<StoreCopy> {
    return this.calls.run(async () => {
      const { file } = await this.requirePlace('local');
      return this.withServer(async (pool, to) => ({ from: file, to, ...(await copyStore(file, pool, options)) }));
    });
  }

  /** Uses a copy from the next opening on. @throws EngineError storeBusy (memories changed meanwhile), and as copyToServer */
  useServer({ memories, state }: StoreCopy): Promise<void> {
    return this.calls.run(async () => {
      const { file } = await this.requirePlace('local');
      await this.withServer(async pool => {
        await switchToServer(file, pool, { memories, state });
        const [remote] = this.remotes();
        if (remote !== undefined) await nameRepository(pool, remote);
      });
    });
  }

  /**
   * The stores that this person has on the chosen server, those of this project's repository first: another machine moved them.
   * @throws EngineError as copyToServer
   */
  listOnServer(): Promise<readonly StoreOnServer[]> {
    return this.calls.run(async () => {
      await this.requirePlace('local');
      const remotes = this.remotes();
      const rank = ({ repository = '' }: StoreOnServer): number => (remotes.includes(repository) ? 0 : 1);
      const stores = await this.withServer(listStoresOnServer);
      return [...stores].sort((a, b) => rank(a) - rank(b));
    });
  }

  /** The one of {@link listOnServer} that is of this project's repository; undefined where none or several are. */
  ownOnServer(stores: readonly StoreOnServer[]): StoreOnServer | undefined {
    const remotes = this.remotes();
    const [found, other] = stores.filter(it => it.repository !== undefined && remotes.includes(it.repository));
    return other === undefined ? found : undefined;
  }

  /**
   * Uses a store that another machine of this person moved to the server, from the next opening on.
   * @returns number of memories there
   * @throws EngineError invalidInput (memories are here, there is no such store) and as copyToServer
   */
  openOnServer(schema: string): Promise<number> {
    return this.calls.run(async () => {
      const { file } = await this.requirePlace('local');
      return this.withServer(pool => useStoreOnServer(file, pool, schema), schema);
    });
  }

  /**
   * Moves the project's store from the server back to this machine, and uses it from the next opening on.
   * @returns number of memories
   * @throws EngineError invalidInput (it is here already) and as copyToServer; nothing is switched then
   */
  moveHere(options: CopyOptions = {}): Promise<number> {
    return this.calls.run(async () => {
      const { file, placement } = await this.requirePlace('server');
      const makeEmpty = (folder: string): Promise<void> => makeSqliteFile('project', folder, this.ctx.host);
      return this.withServer(async pool => {
        await requireMovedStore(pool, placement!);
        const memories = await moveToFile(file, pool, makeEmpty, options);
        await rm(path.dirname(excerptFile(path.dirname(file))), { recursive: true, force: true });
        return memories;
      }, placement!.schema);
    });
  }

  /**
   * Deletes what the store was moved from: the file with its backups and checkpoints, or the schema of the server.
   * @throws EngineError invalidInput where there is none, or not all of it has arrived; and as copyToServer
   */
  deleteSource(): Promise<void> {
    return this.calls.run(async () => {
      const { file, folder } = this.projectFile();
      const placement = await readStorePlacement(folder);
      if (placement !== undefined && !(await exists(file)))
        throw new EngineError('invalidInput', 'Nothing is left here of what was moved to the server.');
      await this.withServer(async pool => {
        if (placement === undefined) return deleteMovedSchema(pool, file);
        await requireMovedStore(pool, placement);
        await deleteMovedFile(file, pool);
      }, placement?.schema);
    });
  }

  /**
   * Asks the chosen server whether the memories that were moved can be used there: those that are missing here, else the project's.
   * Those that have come back to this machine meanwhile can be used.
   * @throws EngineError as moveHere, where not
   */
  checkServer(): Promise<void> {
    return this.calls.run(async () => {
      const missing = this.ctx.stores.flatMap(it => (it.store.waiting === undefined ? [] : (it.key ?? [])));
      const placements = await Promise.all(missing.map(it => readStorePlacement(this.folderOf(it))));
      if (missing.length === 0) placements.push((await this.requirePlace('server')).placement);
      for (const it of placements)
        if (it !== undefined) await this.withServer(pool => requireMovedStore(pool, it), it.schema);
    });
  }

  private projectFile(): { readonly file: string; readonly folder: string; readonly key: string } {
    const workspaceFolder = requireWorkspaceFolder(this.ctx, undefined);
    const key = this.ctx.projects.find(it => it.folder === workspaceFolder)!.storeKeys[0];
    const folder = this.folderOf(key);
    return { file: path.join(folder, 'memory.db'), folder, key };
  }

  /** Of the project's repository on a host, normalized. */
  private remotes(): readonly string[] {
    const folder = requireWorkspaceFolder(this.ctx, undefined);
    const { remotes = [] } = this.ctx.projects.find(it => it.folder === folder)?.keys ?? {};
    return remotes.filter(it => !path.isAbsolute(it));
  }

  private folderOf(key: string): string {
    return path.join(this.ctx.host.dataDir, 'projects', key);
  }

  private async requirePlace(
    kind: StorePlace['kind'],
  ): Promise<{ readonly file: string; readonly placement: StorePlacement | undefined }> {
    const { file, folder } = this.projectFile();
    const placement = await readStorePlacement(folder);
    const found = placement === undefined ? 'local' : 'server';
    if (found === kind) return { file, placement };
    throw new EngineError(
      'invalidInput',
      kind === 'local'
        ? 'The memories of this project are on the server already. To move them back: recollect store move --back'
        : 'The memories of this project are on this machine already.',
    );
  }

  private async withServer<T>(
    work: (pool: PostgresPool, name: string) => Promise<T>,
    schema = storeSchema(this.projectFile().key),
  ): Promise<T> {
    const settings = await readChosenServer(this.ctx.host);
    const pool = await PostgresPool.open(settings, schema);
    try {
      return await work(pool, `${describeAddress(settings)} (${schema})`);
    } finally {
      await pool.close();
    }
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

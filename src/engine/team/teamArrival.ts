import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { TeamJoin, TeamReadReport } from '../model/team.js';
import type { Store } from '../store/store.js';
import { isJoined, previewJoin, readFolderTree, writeJoin } from './folderJoin.js';
import {
  defaultTeamFolder,
  folderRecordId,
  leftToRead,
  readingNotice,
  readFolderFiles,
  readingLeaseMs,
  readingRecordId,
  readRecordId,
  topOfFolders,
  type FolderState,
  type ReadingRecord,
} from './folderState.js';
import { readShares } from './readShares.js';
import { readServerLink } from './server/serverLink.js';
import { noFolderError, noTeamError, shareDecisions } from './shareMemories.js';
import { locateTeamFolder, teamFolderExists, type TeamFolder } from './teamFolder.js';
import { sourceOfFolder } from './teamState.js';

/** Record that joining was offered. */
const offerRecordId = 'teamOffer';
/** One process reads at a time; its lease is renewed with each batch. */
const lease = 'teamRead';
/** How long a person who asks waits for a program that reads. */
const maxWaitMs = 20_000;
const waitStepMs = 250;
/** How long git, which may name authors alone, leaves the processor to the answer. */
const gitDelayMs = 1_000;

/**
 * Brings what others share through the folder of a team, wherever the project is open and its person has joined. The folder is
 * read where it has changed, in the background. Part of the façade.
 */
export class TeamArrival {
  /** Settles once an answer has no reason to wait for the look at the folder that is under way. */
  private looking: Promise<void> | undefined;
  /** Facts that this process has still to read; 0 where it does not know yet how many, undefined where it reads none. */
  private left: number | undefined;
  /** The files as they were when this engine looked last. */
  private seenFiles: string | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** What joining would read. Opens no file of the folder. @throws EngineError invalidInput (no project) | unsupportedFile */
  previewJoin(): Promise<TeamJoin> {
    return this.calls.run(async () => previewJoin(await locateTeamFolder(this.ctx)));
  }

  /**
   * What joining would read, where it has not been offered yet: once for each project. Later calls, and those for a folder
   * without files, return undefined.
   */
  firstOffer(): Promise<TeamJoin | undefined> {
    return this.calls.run(async () => {
      const store = this.projectStore();
      if (store === undefined || store.readOnly || (await store.record('state', offerRecordId)) !== undefined) return;
      if ((await isJoined(store)) || (await readServerLink(store)) !== undefined) return;
      const folder = await locateTeamFolder(this.ctx);
      if ((await readFolderFiles(folder.root)) === undefined) return;
      const offer = await previewJoin(folder);
      if (offer.files === 0) return;
      await store.write(this.ctx.host.client, tx => tx.putRecord('state', offerRecordId, {}));
      return offer;
    });
  }

  /** Has the folder read from now on. Reads nothing by itself. @throws EngineError invalidInput (no folder) | unsupportedFile */
  join(): Promise<void> {
    return this.calls.run(async () => {
      const folder = await locateTeamFolder(this.ctx);
      if (!(await teamFolderExists(folder))) throw noFolderError(folder);
      await writeJoin(this.ctx, folder.store, true);
      this.seenFiles = undefined;
    });
  }

  /** No longer reads the folder. What came from it stays. */
  leave(): Promise<void> {
    return this.calls.run(async () => {
      await writeJoin(this.ctx, (await locateTeamFolder(this.ctx)).store, false);
    });
  }

  /**
   * Looks whether the folder has changed since it was read, by its names, sizes and times, and reads it then in the background.
   * Returns when it is read, at once where its files are as they were, or after `waitMs`. Never rejects: an answer does not depend
   * on it.
   */
  async look(waitMs: number): Promise<void> {
    this.looking ??= new Promise(resolve => {
      void this.lookNow(resolve).finally(() => {
        resolve();
        this.looking = undefined;
      });
    });
    const timeout = new AbortController();
    const wait = setTimeout(waitMs, undefined, { signal: timeout.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.looking, wait]);
    timeout.abort();
  }

  /** That shared facts are being read now, by this process or another one, as a sentence; undefined for most. */
  async readingNotice(): Promise<string | undefined> {
    if (this.left !== undefined) return readingNotice(this.left);
    const record = await this.projectStore()
      ?.record<ReadingRecord>('state', readingRecordId)
      .catch(() => undefined);
    const left = leftToRead(record?.body, this.ctx.host.now());
    return left === 0 ? undefined : readingNotice(left);
  }

  /**
   * Reads the folder now, for a person who asks, and adds to it what they decided about shared facts.
   * @throws EngineError invalidInput (no folder, not joined) | storeBusy (another program reads it), and what writing throws
   */
  read(onProgress?: (left: number) => void): Promise<TeamReadReport> {
    return this.calls.change(async onWritten => {
      const folder = await locateTeamFolder(this.ctx);
      if (!(await teamFolderExists(folder))) throw noTeamError(folder);
      if (!(await isJoined(folder.store)))
        throw new EngineError(
          'invalidInput',
          'You have not joined this team, so nothing that others share is read. To join: recollect team join',
        );
      const read = (): Promise<TeamReadReport | undefined> =>
        this.readFolder(folder, { onWritten, afterBatch: it => Promise.resolve(onProgress?.(it)) });
      for (let waited = 0; ; waited += waitStepMs) {
        const report = await read();
        if (report !== undefined) return { ...report, ...(await shareDecisions(this.ctx, folder)) };
        if (waited >= maxWaitMs)
          throw new EngineError(
            'storeBusy',
            'Another program is reading what your team shares. Try again in a minute.',
          );
        await setTimeout(waitStepMs);
      }
    });
  }

  private projectStore(): Store | undefined {
    const [opened] = this.ctx.host.workspaceFolders;
    return opened === undefined ? undefined : this.ctx.stores.find(it => it.folders.includes(opened))?.store;
  }

  /** @param onKnown called where the files are those that were read: git, which is asked then, may name authors alone */
  private async lookNow(onKnown: () => void): Promise<void> {
    try {
      await this.calls.runInBackground(undefined, async signal => {
        const store = this.projectStore();
        if (store === undefined || store.readOnly || !(await isJoined(store))) return;
        if ((await readServerLink(store)) !== undefined) return;
        const known = await this.knownFiles(store);
        if (known !== undefined && known === this.seenFiles) return;
        if (known !== undefined) {
          onKnown();
          // The answer comes first; on a closing engine there is none.
          await setTimeout(gitDelayMs, undefined, { signal, ref: false }).catch(() => undefined);
        }
        const folder = await locateTeamFolder(this.ctx);
        const files = await readFolderFiles(folder.root);
        if (files === undefined || files === this.seenFiles) return;
        const state = { files, tree: await readFolderTree(folder) };
        if (await isRead(store, state)) this.seenFiles = files;
        else await this.readInBackground(folder, signal);
      });
    } catch (error) {
      if (EngineError.is(error, 'closed') || EngineError.is(error, 'aborted')) return;
      this.ctx.host.log.warn(`What the team shares was not read: ${EngineError.is(error) ? error.code : 'internal'}`);
    }
  }

  /** The files as they are, where they are as they were read, without asking git; undefined where they are others. */
  private async knownFiles(store: Store): Promise<string | undefined> {
    const [opened] = this.ctx.host.workspaceFolders;
    const top = topOfFolders(this.ctx.projects.find(it => it.folder === opened)?.keys.folders ?? []);
    if (top === undefined) return undefined;
    const [chosen, read] = await Promise.all([
      store.record<{ readonly folder: string }>('state', folderRecordId),
      store.record<FolderState>('state', readRecordId),
    ]);
    const files = await readFolderFiles(path.resolve(top, chosen?.body.folder ?? defaultTeamFolder));
    return files !== undefined && files === read?.body.files ? files : undefined;
  }

  private async readInBackground(folder: TeamFolder, signal: AbortSignal): Promise<void> {
    await this.readFolder(folder, {
      onWritten: (store, ids) => {
        this.calls.notifyChanged(store, ids);
      },
      afterBatch: async () => {
        // Calls come first.
        await this.calls.whenIdle();
        if (signal.aborted) throw new EngineError('aborted', 'Reading what the team shares was cancelled.');
      },
    });
  }

  /** @returns undefined where another process reads */
  private async readFolder(
    folder: TeamFolder,
    {
      onWritten,
      afterBatch,
    }: {
      readonly onWritten: Parameters<typeof readShares>[2];
      readonly afterBatch: (left: number) => Promise<void>;
    },
  ): Promise<TeamReadReport | undefined> {
    const { store } = folder;
    const holder = newUuid(this.ctx.host.now());
    if (!(await store.acquireLease(lease, holder, readingLeaseMs))) return undefined;
    const note = async (left: number): Promise<void> => {
      this.left = left;
      await store.acquireLease(lease, holder, readingLeaseMs);
      const at = this.ctx.host.now().toISOString();
      await store.write(this.ctx.host.client, tx =>
        tx.putRecord('state', readingRecordId, { left, at } satisfies ReadingRecord),
      );
      await afterBatch(left);
    };
    this.left = 0;
    try {
      const files = (await readFolderFiles(folder.root)) ?? '';
      const state: FolderState = { files, tree: await readFolderTree(folder) };
      const report = await readShares(this.ctx, sourceOfFolder(folder), onWritten, note);
      await store.write(this.ctx.host.client, async tx => {
        await tx.putRecord('state', readRecordId, state);
        await tx.deleteRecord('state', readingRecordId);
      });
      this.seenFiles = files;
      return report;
    } finally {
      this.left = undefined;
      await store.releaseLease(lease, holder).catch(() => undefined);
    }
  }
}

async function isRead(store: Store, { files, tree }: FolderState): Promise<boolean> {
  const read = (await store.record<FolderState>('state', readRecordId))?.body;
  return read?.files === files && read.tree === tree;
}

import path from 'node:path';
import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { requireWorkspaceFolder, storeOfFolder, type Context } from '../context.js';
import { readChosenServer } from '../database/postgres/chosenServer.js';
import { describeInvitation } from '../database/postgres/postgresSettings.js';
import { messageTemplates } from '../model/engineMessages.js';
import type { Memory } from '../model/memory.js';
import {
  type Colleague,
  type ConnectInput,
  type ShareInput,
  type SharePreview,
  type TeamConnection,
  type TeamInit,
  type TeamServerStatus,
  type TeamStatus,
  type TeamSyncReport,
} from '../model/team.js';
import type { Store } from '../store/store.js';
import { commitFolder } from './commitFolder.js';
import { isJoined, previewJoin, writeJoin } from './folderJoin.js';
import {
  describeLink,
  forgetServer,
  readOutbox,
  readServerLink,
  sourceOfServer,
  type LinkedStore,
  type ServerLink,
} from './server/serverLink.js';
import { ServerArrival } from './server/serverArrival.js';
import { TeamServerAdmin } from './server/teamServerAdmin.js';
import {
  connectProject,
  listColleagues,
  listTeams,
  previewConnection,
  syncTeam,
  watchServer,
  withTeamLease,
  type ProjectFolderKeys,
} from './server/teamSync.js';
import {
  noTeamError,
  findMember,
  placeInFolder,
  previewShare,
  queueShare,
  readMember,
  writeShare,
  type FindMemory,
} from './shareMemories.js';
import { endShareRequests, requireShareable } from './shareProposals.js';
import { StoreMove } from './storeMove.js';
import { TeamArrival } from './teamArrival.js';
import {
  locateTeamFolder,
  makeTeamFolder,
  previewTeamFolder,
  teamFolderExists,
  type TeamFolder,
} from './teamFolder.js';
import { sharedIdOf, sourceOfFolder } from './teamState.js';
import { describeSource, describeUnnamed } from './teamStatus.js';

/**
 * Memories that a team shares, through a folder of its git repository or through a server. Git is asked for authors, and never to
 * commit, fetch or push; the server is asked by `connect` and `sync` alone. For a person alone: a tool of a model may only ask whether a memory can be
 * shared. Part of the façade.
 */
export class Team {
  /** What an administrator does on a server. */
  readonly server: TeamServerAdmin;
  /** Where the project's memories lie. */
  readonly store: StoreMove;
  /** Reading the folder of a team that this person has joined. */
  readonly arrival: TeamArrival;
  /** Staying in touch with the server of a team, behind the answers. */
  readonly serverArrival: ServerArrival;
  private syncing: Promise<unknown> = Promise.resolve();

  /** @param find looks a memory up in all open stores */
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly find: FindMemory,
  ) {
    this.server = new TeamServerAdmin(ctx, calls);
    this.store = new StoreMove(ctx, calls);
    this.arrival = new TeamArrival(ctx, calls);
    this.serverArrival = new ServerArrival(ctx, calls);
  }

  /**
   * What making the team's folder would write.
   * @param folder absolute or from the top of the working copy; by default the one that is used, or `.recollect/team`
   * @throws EngineError invalidInput | unsupportedFile
   */
  previewInit(folder?: string): Promise<TeamInit> {
    return this.calls.run(async () => previewTeamFolder(await locateTeamFolder(this.ctx, folder)));
  }

  /** Makes the folder of a preview, which from now on is the project's, and joins its team. @throws as {@link previewInit} */
  init(preview: TeamInit): Promise<void> {
    return this.calls.run(async () => {
      const folder = await locateTeamFolder(this.ctx, preview.folder);
      await makeTeamFolder(this.ctx, folder, preview);
      await writeJoin(this.ctx, folder.store, true);
    });
  }

  /**
   * The lines that sharing, or withdrawing, would add to the folder, or send to the server that the project is connected to.
   * @throws EngineError notFound | ambiguousId | invalidInput | unsupportedFile
   */
  previewShare(input: ShareInput): Promise<SharePreview> {
    return this.calls.run(async () => {
      const link = await this.serverLink();
      if (link !== undefined) {
        const source = sourceOfServer(link);
        const member = { by: link.link.name, fileOf: () => Promise.resolve('') };
        return previewShare(this.ctx, { source, member: () => Promise.resolve(member) }, input, this.find);
      }
      const folder = await this.requireJoinedFolder();
      return previewShare(this.ctx, placeInFolder(this.ctx, folder, input.as), input, this.find);
    });
  }

  /**
   * The memory that an assistant proposes to share, where it can be shared at all. Writes nothing.
   * @throws EngineError invalidInput (with the reason) | notFound | ambiguousId | unsupportedFile
   */
  requireShareable(reference: string): Promise<Memory> {
    return this.calls.run(async () => {
      const link = await this.serverLink();
      const source = link === undefined ? sourceOfFolder(await this.requireJoinedFolder()) : sourceOfServer(link);
      return requireShareable(this.ctx, source, reference, this.find);
    });
  }

  /**
   * Adds the lines of a preview that a person has seen to the folder, or to what the next {@link sync} sends.
   * @throws EngineError unsupportedFile | invalidInput (the server was left)
   */
  share(preview: SharePreview): Promise<void> {
    return this.calls.change(async onWritten => {
      if (preview.server === undefined) await writeShare(this.ctx, await locateTeamFolder(this.ctx), preview);
      else await queueShare(this.ctx, await this.requireLink(), preview);
      const copies = preview.copies.map(it => it.id);
      await endShareRequests(this.ctx, [...preview.memories.map(it => it.id), ...preview.copies.map(it => it.from)]);
      if (copies.length > 0) onWritten((await this.projectStore()).store, copies);
    });
  }

  /** Has git commit the folder, and nothing else. Only for a person who asked for it. @throws EngineError notAllowed, and as init */
  commit(subject: string): Promise<void> {
    return this.calls.run(async () => commitFolder(await locateTeamFolder(this.ctx), subject));
  }

  /**
   * One line for someone who may join: what to do, and where. Holds no password.
   * @throws EngineError invalidInput (the project takes part in no team, no server is chosen) | unsupportedFile
   */
  invitation(): Promise<string> {
    return this.calls.run(async () => {
      const linked = await this.serverLink();
      if (linked !== undefined) return describeInvitation(await readChosenServer(this.ctx.host), 'LOGIN');
      const folder = await locateTeamFolder(this.ctx);
      if (!(await teamFolderExists(folder))) throw noTeamError(folder);
      const [remote = path.basename(folder.project)] = this.folderKeys(
        requireWorkspaceFolder(this.ctx, undefined),
      ).remotes;
      return `git pull in ${remote}, then: recollect team join`;
    });
  }

  /**
   * The people who take part: the members that the server knows, or whose commits changed the folder. Asks the server.
   * @throws EngineError notAllowed | storeUnavailable | unsupportedFile
   */
  colleagues(): Promise<readonly Colleague[]> {
    return this.calls.run(async () => {
      const linked = await this.serverLink();
      if (linked !== undefined) return listColleagues(this.ctx, linked.link);
      const { authors } = await previewJoin(await locateTeamFolder(this.ctx));
      return authors.map(name => ({ name, hasDeparted: false }));
    });
  }

  /** The teams of the chosen server that this person is in, by name. @throws as {@link previewConnect} */
  listTeams(): Promise<readonly string[]> {
    return this.calls.run(() => listTeams(this.ctx));
  }

  /**
   * What connecting the project to the team's server would do. Asks the server.
   * @throws EngineError invalidInput | notAllowed | storeUnavailable | storeTooNew
   */
  previewConnect(input: ConnectInput = {}): Promise<TeamConnection> {
    return this.calls.run(async () => {
      const { folder, link } = await this.projectStore();
      const shown = this.folderKeys(folder);
      if (link !== undefined && (link.project.repository !== undefined || shown.remotes.length === 0)) {
        throw new EngineError(
          'invalidInput',
          message`The project is connected to ${describeLink(link)} already. To leave it: recollect team leave`,
        );
      }
      return previewConnection(this.ctx, shown, input, link);
    });
  }

  /** Connects the project as a preview says. Shares nothing. @throws as {@link previewConnect} */
  connect(preview: TeamConnection): Promise<void> {
    return this.inTurn(() =>
      this.calls.run(async () => {
        const { store } = await this.projectStore();
        await connectProject(this.ctx, store, preview);
      }),
    );
  }

  /**
   * Sends what waits to the server, fetches what is new, and takes in what others shared, as notes.
   * @throws EngineError invalidInput (connected to none) | notAllowed | storeBusy | storeTooNew, and what writing a store throws
   */
  sync(): Promise<TeamSyncReport> {
    return this.inTurn(() =>
      this.calls.change(async onWritten => syncTeam(this.ctx, await this.requireLink(), onWritten)),
    );
  }

  /**
   * Listens for what others share, until the returned function is called. Takes nothing in: that is {@link sync}.
   * @param listeners.onEnd called once, when the server or the network ends it
   * @throws EngineError invalidInput (connected to none) | notAllowed | storeUnavailable
   */
  watch(listeners: Parameters<typeof watchServer>[2]): Promise<() => Promise<void>> {
    return this.calls.run(async () => watchServer(this.ctx, (await this.requireLink()).link, listeners));
  }

  /**
   * Ends the connection of the project. What came from the team stays; what this person shared stays the team's.
   * @throws EngineError invalidInput (connected to none)
   */
  leave(): Promise<void> {
    return this.inTurn(() =>
      this.calls.run(async () => {
        const { store } = await this.requireLink();
        await withTeamLease(this.ctx, store, () => forgetServer(store, this.ctx.host.client));
      }),
    );
  }

  /** What is shared by whom, what waits and what is new. Changes nothing, and asks no server. @throws as {@link read} */
  status(): Promise<TeamStatus> {
    return this.calls.run(async () => {
      const linked = await this.serverLink();
      if (linked !== undefined) return this.statusOfServer(linked);
      const folder = await locateTeamFolder(this.ctx);
      const member = await readMember(folder);
      const base = { folder: folder.name, ...(member === undefined ? {} : { name: member.name }) };
      const exists = await teamFolderExists(folder);
      const joined = exists && (await isJoined(folder.store));
      if (!joined)
        return { ...base, exists, isJoined: joined, own: [], received: [], withdrawalsToRead: 0, refused: [] };
      const source = await describeSource(this.ctx, sourceOfFolder(folder));
      return { ...base, exists, isJoined: true, ...source, ...(await describeUnnamed(this.ctx, folder)) };
    });
  }

  /**
   * Why a person's decision about these memories does not reach the team that they came from, as a sentence with the next step;
   * undefined for most.
   */
  unnamedNotice(memories: readonly Memory[]): Promise<string | undefined> {
    return this.calls.run(async () => {
      const { workspaceFolders } = this.ctx.host;
      if (workspaceFolders.length === 0 || memories.every(it => it.provenance.author === undefined)) return undefined;
      const { store, link } = await this.projectStore();
      if (link !== undefined || !(await isJoined(store))) return undefined;
      const member = await findMember(this.ctx, await locateTeamFolder(this.ctx));
      return member === undefined ? messageTemplates.unnamedDecisions : undefined;
    });
  }

  /** The id under which the whole team knows a memory of the project; undefined where it is not shared. */
  sharedId(memory: Memory): Promise<string | undefined> {
    return this.calls.run(async () => {
      const [folder] = this.ctx.host.workspaceFolders;
      if (folder === undefined || memory.store !== 'project') return undefined;
      return sharedIdOf(storeOfFolder(this.ctx, folder), memory.id);
    });
  }

  /** What is known here of the project's server; undefined where it is connected to none, or no project is open. */
  serverStatus(): Promise<TeamServerStatus | undefined> {
    return this.calls.run(async () => {
      if (this.ctx.host.workspaceFolders.length === 0) return undefined;
      const linked = await this.serverLink();
      return linked === undefined ? undefined : this.describeServer(linked);
    });
  }

  private async statusOfServer(linked: LinkedStore): Promise<TeamStatus> {
    const { link } = linked;
    return {
      folder: describeLink(link),
      server: await this.describeServer(linked),
      name: link.name,
      exists: true,
      isJoined: true,
      ...(await describeSource(this.ctx, sourceOfServer(linked))),
    };
  }

  private async describeServer({ store, link }: LinkedStore): Promise<TeamServerStatus> {
    const { team, project, name, syncedAt } = link;
    const [remote] = this.folderKeys(requireWorkspaceFolder(this.ctx, undefined)).remotes;
    return {
      team: team.name,
      project: project.name,
      ...(project.repository !== undefined
        ? { repository: project.repository }
        : remote === undefined
          ? {}
          : { unnamedRepository: remote }),
      name,
      waiting: (await readOutbox(store, link)).length,
      ...(syncedAt === undefined ? {} : { syncedAt }),
    };
  }

  /** Name and remotes of a folder, for a team's server. */
  private folderKeys(folder: string): ProjectFolderKeys {
    const keys = this.ctx.projects.find(it => it.folder === folder)?.keys;
    // A path says nothing to another machine.
    const remotes = (keys?.remotes ?? []).filter(it => !path.isAbsolute(it));
    return { name: keys?.name ?? path.basename(folder), remotes };
  }

  /** One after the other: a person asks while the window syncs by itself. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.syncing.then(work);
    this.syncing = next.catch(() => undefined);
    return next;
  }

  private async requireJoinedFolder(): Promise<TeamFolder> {
    const folder = await locateTeamFolder(this.ctx);
    if (!(await teamFolderExists(folder))) throw noTeamError(folder);
    if (await isJoined(folder.store)) return folder;
    throw new EngineError(
      'invalidInput',
      message`Your team shares through ${folder.name}, and you have not joined it. To join: recollect team join`,
    );
  }

  private async projectStore(): Promise<{
    readonly folder: string;
    readonly store: Store;
    readonly link: ServerLink | undefined;
  }> {
    const folder = requireWorkspaceFolder(this.ctx, undefined);
    const store = storeOfFolder(this.ctx, folder);
    return { folder, store, link: await readServerLink(store) };
  }

  private async serverLink(): Promise<LinkedStore | undefined> {
    const { store, link } = await this.projectStore();
    return link === undefined ? undefined : { store, link };
  }

  private async requireLink(): Promise<LinkedStore> {
    const linked = await this.serverLink();
    if (linked !== undefined) return linked;
    throw new EngineError(
      'invalidInput',
      'The project is connected to no team’s server. Join one: recollect team join',
    );
  }
}

import type { CallTracker } from '../callTracker.js';
import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import {
  lineIsUncommitted,
  type ReceivedShare,
  type ShareInput,
  type SharePreview,
  type TeamInit,
  type TeamReadReport,
  type TeamStatus,
} from '../model/team.js';
import { hashContent } from '../store/contentHash.js';
import { readShares } from './readShares.js';
import { noFolderError, previewShare, readMember, writeShare, type FindMemory } from './shareMemories.js';
import {
  locateTeamFolder,
  makeTeamFolder,
  previewTeamFolder,
  teamFolderExists,
  type TeamFolder,
} from './teamFolder.js';
import type { PlacedLine } from './teamLine.js';
import {
  AuthorReader,
  contradictionsOf,
  isNews,
  isOutdated,
  readTeamState,
  type ReceivedLine,
  type TeamState,
} from './teamState.js';

/**
 * Memories that a team shares through a folder of its git repository, without a server. Git is asked for authors, and never
 * to commit, fetch or push. For a person alone: no tool of a model calls it. Part of the façade.
 */
export class Team {
  /** @param find looks a memory up in all open stores */
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly find: FindMemory,
  ) {}

  /**
   * What making the team's folder would write.
   * @param folder absolute or from the top of the working copy; by default the one that is used, or `.recollect/team`
   * @throws EngineError invalidInput | unsupportedFile
   */
  previewInit(folder?: string): Promise<TeamInit> {
    return this.calls.run(async () => previewTeamFolder(await locateTeamFolder(this.ctx, folder)));
  }

  /** Makes the folder of a preview, which from now on is the project's. @throws as {@link previewInit} */
  init(preview: TeamInit): Promise<void> {
    return this.calls.run(async () =>
      makeTeamFolder(this.ctx, await locateTeamFolder(this.ctx, preview.folder), preview),
    );
  }

  /**
   * The lines that sharing, or withdrawing, would add to the folder.
   * @throws EngineError notFound | ambiguousId | invalidInput | unsupportedFile
   */
  previewShare(input: ShareInput): Promise<SharePreview> {
    return this.calls.run(async () => previewShare(this.ctx, await locateTeamFolder(this.ctx), input, this.find));
  }

  /** Adds the lines of a preview that a person has seen. @throws EngineError unsupportedFile */
  share(preview: SharePreview): Promise<void> {
    return this.calls.run(async () => writeShare(this.ctx, await locateTeamFolder(this.ctx), preview));
  }

  /**
   * Takes in what others shared and git has brought, as notes. Reading twice changes nothing.
   * @throws EngineError invalidInput | unsupportedFile, and what writing a store throws
   */
  read(): Promise<TeamReadReport> {
    return this.calls.change(async onWritten => {
      const folder = await locateTeamFolder(this.ctx);
      if (!(await teamFolderExists(folder))) throw noFolderError(folder);
      return readShares(this.ctx, folder, onWritten);
    });
  }

  /** What is shared by whom, what waits and what is new. Changes nothing. @throws as {@link read} */
  status(): Promise<TeamStatus> {
    return this.calls.run(async () => {
      const folder = await locateTeamFolder(this.ctx);
      const member = await readMember(folder);
      const base = { folder: folder.name, ...(member === undefined ? {} : { name: member.name }) };
      if (!(await teamFolderExists(folder)))
        return { ...base, exists: false, own: [], received: [], withdrawalsToRead: 0, refused: [] };
      const state = await readTeamState(this.ctx, folder);
      const lines = [...state.newest.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
      const withdrawals = lines.filter(it => it.fact === undefined && !state.isOwn(it));
      return {
        ...base,
        exists: true,
        own: await describeOwn(folder, state),
        received: await describeReceived(folder, state),
        withdrawalsToRead: withdrawals.filter(it => isUnreadWithdrawal(it, state.received.get(it.id))).length,
        refused: state.refused,
      };
    });
  }
}

function isUnreadWithdrawal(line: PlacedLine, received: ReceivedLine | undefined): boolean {
  return received?.isMade === true && isNews(line, received);
}

async function describeOwn(folder: TeamFolder, { newest, isOwn }: TeamState): Promise<TeamStatus['own']> {
  const lines = [...newest.values()]
    .filter(isOwn)
    .flatMap(it => (it.fact === undefined ? [] : [{ ...it, fact: it.fact }]));
  const memories = new Map((await folder.store.get(lines.map(it => it.id))).map(it => [it.id, it]));
  const authors = new AuthorReader(folder.root);
  const own = [];
  for (const line of lines.sort((a, b) => (a.at < b.at ? 1 : -1))) {
    const memory = memories.get(line.id);
    own.push({
      id: line.id,
      content: line.fact.content,
      at: line.at,
      isCommitted: (await authors.authorOf(line)) !== lineIsUncommitted,
      isStale: memory?.status !== 'active' || memory.contentHash !== hashContent(line.fact.content),
    });
  }
  return own;
}

async function describeReceived(
  { root, store }: TeamFolder,
  { newest, received, isOwn }: TeamState,
): Promise<TeamStatus['received']> {
  const lines = [...newest.values()].filter(it => !isOwn(it) && it.fact !== undefined);
  const ids = lines.flatMap(it => received.get(it.id)?.memory ?? []);
  const memories = new Map((await store.get(ids)).map(it => [it.id, it]));
  const contradictions = await contradictionsOf(store, ids);
  const authors = new AuthorReader(root);
  const shares: ReceivedShare[] = [];
  for (const line of lines.sort((a, b) => (a.at < b.at ? 1 : -1))) {
    const before = received.get(line.id);
    const memory = memories.get(before?.memory ?? '');
    const isRead = before !== undefined && !isNews(line, before);
    const isOld = isOutdated(line, before);
    shares.push({
      ...(memory === undefined ? {} : { id: memory.id }),
      content: isOld && memory !== undefined ? memory.content : line.fact!.content,
      author: isRead && (isOld || before.author.endsWith('>')) ? before.author : await authors.authorOf(line),
      by: line.by,
      state: isRead ? stateOf(before, memory) : 'new',
      contradicts: isRead && memory !== undefined ? (contradictions.get(memory.id) ?? []) : [],
    });
  }
  return shares;
}

function stateOf({ isMade }: ReceivedLine, memory: Memory | undefined): ReceivedShare['state'] {
  if (memory !== undefined && memory.status !== 'active') return 'dropped';
  if (!isMade) return 'known';
  if (memory === undefined) return 'dropped';
  return memory.lane === 'confirmed' ? 'confirmed' : 'note';
}

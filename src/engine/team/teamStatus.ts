import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import { lineIsUncommitted, type ReceivedShare, type TeamStatus } from '../model/team.js';
import { messageTemplates } from '../model/engineMessages.js';
import { hashContent } from '../store/contentHash.js';
import { findDecisions } from './decisions.js';
import { describeFolderClock } from './earlyLines.js';
import { findMember } from './shareMemories.js';
import type { TeamFolder } from './teamFolder.js';
import type { PlacedLine } from './teamLine.js';
import {
  contradictionsOf,
  isNews,
  isOutdated,
  readTeamState,
  sharedIdsOf,
  sourceOfFolder,
  type ReceivedLine,
  type TeamSource,
  type TeamState,
} from './teamState.js';

/** Shared facts with their authors, withdrawals that are new, and lines that were left out. */
export async function describeSource(
  ctx: Context,
  source: TeamSource,
): Promise<Pick<TeamStatus, 'own' | 'received' | 'withdrawalsToRead' | 'refused' | 'clock'>> {
  const state = await readTeamState(ctx, source);
  const withdrawals = [...state.newest.values()].filter(it => it.fact === undefined && !state.isOwn(it));
  const clock = await describeFolderClock(source, state);
  return {
    ...(clock === undefined ? {} : { clock }),
    own: await describeOwn(source, state),
    received: await describeReceived(source, state),
    withdrawalsToRead: withdrawals.filter(it => isUnreadWithdrawal(it, state.received.get(it.id))).length,
    refused: state.refused,
  };
}

/** A sentence where the team does not learn what this person decided, with the next step. */
export async function describeUnnamed(ctx: Context, folder: TeamFolder): Promise<Pick<TeamStatus, 'unnamed'>> {
  if ((await findMember(ctx, folder)) !== undefined) return {};
  const source = sourceOfFolder(folder);
  const decisions = await findDecisions(ctx, source, await readTeamState(ctx, source), { by: '', seed: '' });
  return decisions.length === 0 ? {} : { unnamed: messageTemplates.unnamedDecisions };
}

function isUnreadWithdrawal(line: PlacedLine, received: ReceivedLine | undefined): boolean {
  return received?.isMade === true && isNews(line, received);
}

async function describeOwn(source: TeamSource, state: TeamState): Promise<TeamStatus['own']> {
  const { newest, isOwn } = state;
  const sharedIds = sharedIdsOf(state);
  const lines = [...newest.values()]
    .filter(isOwn)
    .flatMap(it => (it.fact === undefined ? [] : [{ ...it, fact: it.fact }]));
  const memories = new Map((await source.store.get(lines.map(it => it.id))).map(it => [it.id, it]));
  const own = [];
  for (const line of lines.sort((a, b) => (a.at < b.at ? 1 : -1))) {
    const memory = memories.get(line.id);
    own.push({
      id: line.id,
      sharedId: sharedIds.get(line.id) ?? line.id,
      content: line.fact.content,
      at: line.at,
      isCommitted: (await source.authorOf(line)) !== lineIsUncommitted,
      isStale: memory?.status !== 'active' || memory.contentHash !== hashContent(line.fact.content),
    });
  }
  return own;
}

async function describeReceived(source: TeamSource, state: TeamState): Promise<TeamStatus['received']> {
  const { newest, received, isOwn } = state;
  const sharedIds = sharedIdsOf(state);
  const lines = [...newest.values()].filter(it => !isOwn(it) && it.fact !== undefined);
  const ids = lines.flatMap(it => received.get(it.id)?.memory ?? []);
  const memories = new Map((await source.store.get(ids)).map(it => [it.id, it]));
  const contradictions = await contradictionsOf(source.store, ids);
  const shares: ReceivedShare[] = [];
  for (const line of lines.sort((a, b) => (a.at < b.at ? 1 : -1))) {
    const before = received.get(line.id);
    const memory = memories.get(before?.memory ?? '');
    const isRead = before !== undefined && !isNews(line, before);
    const isOld = isOutdated(line, before);
    shares.push({
      ...(memory === undefined ? {} : { id: memory.id }),
      sharedId: sharedIds.get(memory?.id ?? '') ?? line.id,
      content: isOld && memory !== undefined ? memory.content : line.fact!.content,
      author: isRead && (isOld || before.author.endsWith('>')) ? before.author : await source.authorOf(line),
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

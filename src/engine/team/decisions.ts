import { createHash } from 'node:crypto';
import type { Context } from '../context.js';
import type { Edge } from '../model/edge.js';
import { reinforce } from '../scoring/confidence.js';
import type { StoreTransaction } from '../store/store.js';
import { findEarly } from './earlyLines.js';
import { hashTeamLine, renderTeamLine, type TeamDecision, type TeamLine } from './teamLine.js';
import {
  localIdOf,
  sharedIdsOf,
  type DecisionLine,
  type OwnLine,
  type ReceivedLine,
  type TeamSource,
  type TeamState,
} from './teamState.js';

/**
 * Lines of this person's decisions about shared facts that the team does not know yet: facts that they confirmed, replaced by a shared
 * fact, and settled so that both hold. A line holds ids, and no text.
 * @param member.seed distinguishes this member from others: two of them may decide the same
 */
export async function findDecisions(
  ctx: Context,
  { store }: TeamSource,
  state: TeamState,
  member: { readonly by: string; readonly seed: string },
): Promise<readonly TeamLine[]> {
  const sharedIds = sharedIdsOf(state);
  const memories = await store.get([...sharedIds.keys()]);
  const came = new Set([...state.received.values()].filter(it => it.isMade).map(it => it.memory));
  const confirmed = memories.filter(it => it.lane === 'confirmed' && it.status === 'active' && came.has(it.id));
  const active = new Set(memories.filter(it => it.status === 'active').map(it => it.id));
  const edges = await store.edges([...sharedIds.keys()], ['supersedes', 'contradicts', 'relates_to']);
  const decisions: readonly TeamDecision[] = [
    ...confirmed.map(({ id }): TeamDecision => ({ what: 'confirms', about: sharedIds.get(id)! })),
    ...edges.flatMap(it => toDecision(it, { sharedIds, active, state })),
    ...findEarly(state),
  ];
  const known = new Set(state.decisions.map(it => keyOf(it.decision, state.isOwn(it) ? member.seed : '')));
  const at = ctx.host.now().toISOString();
  const lines = new Map<string, TeamLine>();
  for (const decision of decisions) {
    const id = decisionId(`${member.seed} ${keyOf(decision, '')}`);
    // A confirmation is each member's own; the others need be said once.
    const others = decision.what === 'confirms' ? [] : [keyOf(decision, '')];
    if ([keyOf(decision, member.seed), ...others].some(it => known.has(it))) continue;
    lines.set(id, { id, at, by: member.by, fact: undefined, decision });
  }
  return [...lines.values()];
}

/** The decision that an edge between two shared facts holds, by a person's word; or by a model's, where this person shared the new fact. */
function toDecision(
  { source, target, type, mark, settledAt }: Edge,
  {
    sharedIds,
    active,
    state,
  }: {
    readonly sharedIds: ReadonlyMap<string, string>;
    /** Ids of memories that are in use. */
    readonly active: ReadonlySet<string>;
    readonly state: TeamState;
  },
): readonly TeamDecision[] {
  const [newer, older] = [sharedIds.get(source), sharedIds.get(target)];
  if (newer === undefined || older === undefined || newer === older) return [];
  if (type === 'supersedes') return [{ what: 'replaces', about: older, other: newer }];
  if (type === 'contradicts' && settledAt !== undefined)
    return active.has(source) && active.has(target) ? [{ what: 'settles', about: older, other: newer }] : [];
  if (mark === undefined || mark.outdated === 'none') return [];
  const [about, other] = mark.outdated === 'source' ? [newer, older] : [older, newer];
  return mark.by === 'person' || state.isOwnMemory(other) ? [{ what: 'replaces', about, other }] : [];
}

function keyOf({ what, about, other, dated = '' }: TeamDecision, seed: string): string {
  // Which of two that both hold came first is the same decision.
  const ends = what === 'settles' ? [about, other].sort() : [about, other ?? dated];
  return [seed, what, ...ends].join(' ');
}

/** A UUID of version 8: the same decision of one member has one id, from whichever machine. */
function decisionId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** Keeps lines as this store's own. */
export async function recordOwnDecisions(
  tx: StoreTransaction,
  lines: readonly TeamLine[],
  place: string | undefined,
): Promise<void> {
  for (const line of lines) {
    const own: OwnLine = { memory: line.id, ...(place === undefined ? {} : { place }) };
    await tx.putRecord('sharedLine', hashTeamLine(renderTeamLine(line)), own);
  }
}

/** The effect of a decision of another member here. */
export type DecisionEffect =
  | { readonly kind: 'confirmed' | 'replaced' | 'settled'; readonly memory: string }
  /** A person here confirmed it: they decide. */
  | { readonly kind: 'asked'; readonly memory: string };

/**
 * Applies a decision of another member: to notes, as a model's word does, so that what a person here confirmed stays until they
 * decide.
 * @param isOfTeamAlone whether no person here vouches for a memory
 * @returns undefined where it changes nothing; `wait` where what it is about is not here yet
 */
export async function applyDecision(
  tx: StoreTransaction,
  { decision, at }: DecisionLine,
  {
    state,
    author,
    isOfTeamAlone,
  }: {
    readonly state: TeamState;
    readonly author: string;
    readonly isOfTeamAlone: (memory: Awaited<ReturnType<StoreTransaction['get']>> & object) => boolean;
  },
): Promise<DecisionEffect | 'wait' | undefined> {
  const { what, about, other } = decision;
  // It is about a clock: the report names it.
  if (what === 'early') return undefined;
  const id = localIdOf(state, about);
  const otherId = other === undefined ? undefined : localIdOf(state, other);
  if (id === undefined || (other !== undefined && otherId === undefined))
    return isAwaited(state, decision) ? 'wait' : undefined;
  const memory = await tx.get(id);
  if (memory?.status !== 'active' || id === otherId) return undefined;
  if (what === 'confirms') {
    if (!isOfTeamAlone(memory)) return undefined;
    const { expiresAt, ...lasting } = memory;
    const reinforcedAt = at > memory.reinforcedAt ? at : memory.reinforcedAt;
    await tx.update({ ...lasting, ...reinforce(memory), reinforcedAt }, 'reinforce', { by: 'team' });
    return { kind: 'confirmed', memory: id };
  }
  const second = await tx.get(otherId!);
  if (second?.status !== 'active') return undefined;
  if (what === 'settles') {
    if (!isOfTeamAlone(memory) || !isOfTeamAlone(second) || (await tx.isSettled(id, second.id))) return undefined;
    await tx.settle(id, second.id);
    return { kind: 'settled', memory: id };
  }
  if (await tx.isSettled(id, second.id)) return undefined;
  if (isOfTeamAlone(memory)) {
    const reason = 'A colleague replaced the one by the other.';
    await tx.markOutdated({ outdated: id, replacement: second.id, type: 'contradicts', by: 'model', reason });
    return { kind: 'replaced', memory: id };
  }
  await tx.putRecord('request', id, { action: 'replace', replacedBy: second.id, client: 'team', author, at });
  await tx.announce();
  return { kind: 'asked', memory: id };
}

/** Whether what a decision is about is shared, and may still come. */
function isAwaited({ newest, received }: TeamState, { about, other }: TeamDecision): boolean {
  return [about, other].some(
    it => it !== undefined && newest.get(it)?.fact !== undefined && received.get(it) === undefined,
  );
}

/** Whether a decision was applied before, by the record of its line. */
export function isApplied({ id, hash }: DecisionLine, received: ReadonlyMap<string, ReceivedLine>): boolean {
  return received.get(id)?.line === hash;
}

import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { storesInScope, type Context } from '../context.js';
import { isDecided, type Edge, type NewEdge } from '../model/edge.js';
import { formatMessage } from '../model/engineMessages.js';
import { shortId, type Memory, type StoreScope } from '../model/memory.js';
import type {
  Conflict,
  ConflictResolution,
  MemoryWithConfidence,
  Replacement,
  ResolutionResult,
} from '../model/conflict.js';
import { penalizeContradiction, restoreConfidence } from '../scoring/confidence.js';
import { effectiveConfidence } from '../scoring/decay.js';
import { findReplacements } from '../store/replacements.js';
import type { ConflictPair, HistoryLine, Store, StoreTransaction } from '../store/store.js';
import { likelyConflictId, withoutGuess } from '../remember/likelyConflict.js';
import { findLikelyConflict, listLikelyConflicts, maxLikelyConflicts } from './likelyConflicts.js';
import { resolveReference } from './memoryActions.js';

/** Resolution of a conflict between two memories, or `open`. */
type ConflictState = ResolutionResult['previousState'];

/** Pairs read where the decided ones are left out. */
const maxPairsLookedAt = 10_000;

/** Fields of a memory that a resolution may change. */
const restoredFields = ['status', 'lane', 'confidence', 'reinforcementCount', 'updatedAt'] as const;

/** Lists contradicting memories and applies a person's decision between them. Part of the façade. */
export class Conflicts {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * Pairs of active memories of which, by a model's or a person's word, one no longer holds, and which no person has settled;
   * newest first. Then at most {@link maxLikelyConflicts} of which the encoder takes that to be likely (likelyConflicts.ts).
   * @param input.undecidedOnly leaves out what that word decides: a model's about a note, and a person's
   */
  list(
    input: {
      readonly scope?: StoreScope;
      readonly scopeId?: string;
      readonly limit?: number;
      readonly undecidedOnly?: boolean;
    } = {},
  ): Promise<readonly Conflict[]> {
    const { scope = 'project-then-global', scopeId = '', limit = 100, undecidedOnly = false } = input;
    return this.calls.run(async () => {
      const maxPairs = undecidedOnly ? maxPairsLookedAt : limit;
      const stores = storesInScope(this.ctx, scope);
      const stated = (await Promise.all(stores.map(it => it.conflicts(scopeId, maxPairs))))
        .flat()
        .sort((a, b) => (a.edge.createdAt < b.edge.createdAt ? 1 : -1))
        .map((it): Conflict => this.toConflict(it))
        .filter(it => !undecidedOnly || !it.decided);
      return [...stated, ...(await this.likely(stores, scopeId))].slice(0, limit);
    });
  }

  private toConflict({ newer, older, edge }: ConflictPair): Conflict {
    const mark = markOfPair(edge, newer.id);
    return {
      newer: this.withConfidence(newer),
      older: this.withConfidence(older),
      certainty: edge.strength,
      reason: edge.reason,
      since: edge.createdAt,
      mark,
      decided: isDecided(mark.outdated === 'newer' ? newer : older, mark.by),
    };
  }

  private async likely(stores: readonly Store[], scopeId: string): Promise<readonly Conflict[]> {
    const found = await Promise.all(stores.map(it => listLikelyConflicts(it, scopeId)));
    return found
      .flat()
      .sort((a, b) => (a.newer.createdAt < b.newer.createdAt ? 1 : -1))
      .slice(0, maxLikelyConflicts)
      .map(({ newer, older, probability }) => ({
        newer: this.withConfidence(newer),
        older: this.withConfidence(older),
        certainty: probability,
        reason: formatMessage('perhapsReplaces'),
        since: newer.createdAt,
        decided: false,
      }));
  }

  /** By memory id: what replaces it ({@link findReplacements}). */
  replacements(memories: readonly Memory[]): Promise<ReadonlyMap<string, Replacement>> {
    return this.calls.run(async () => {
      const found = await Promise.all(this.ctx.stores.map(({ store }) => findReplacements(store, memories)));
      return new Map(found.flatMap(it => [...it]));
    });
  }

  /**
   * Applies a person's decision between two contradicting memories; never called by a model's tool. The kept memory
   * becomes confirmed and active and gets back the confidence that a contradiction cost; the other is superseded by it and
   * loses confidence (CMK). `keepBoth` returns the confidence of both. Can be repeated with another resolution. Of two that
   * nothing was stated about, `keepA` and `keepB` are the statement.
   * @throws EngineError notFound | ambiguousId | invalidInput if they are in two stores or sets, or `keepBoth` has nothing to settle
   */
  resolve(a: string, b: string, resolution: ConflictResolution): Promise<ResolutionResult> {
    return this.calls.change(async onWritten => {
      const { store, ids, edges, pair } = await this.locatePair(a, b, { isStatement: resolution !== 'keepBoth' });
      const certainty = pair?.certainty ?? edges.find(it => it.type === 'contradicts')!.strength;
      const histories = [await store.history(ids[0]), await store.history(ids[1])] as const;
      const settlement = await store.write(this.ctx.host.client, async tx => {
        const memories = [await requireMemory(tx, ids[0]), await requireMemory(tx, ids[1])] as const;
        const previousState = conflictStateOf(edges, memories);
        const restoredIds: string[] = [];
        const penalizedIds: string[] = [];
        const settlement: ResolutionResult = {
          resolution,
          previousState,
          memories,
          confidenceRestored: restoredIds,
          confidenceTaken: penalizedIds,
        };
        if (previousState === resolution) return settlement;
        if (pair !== undefined) await tx.link([toContradiction(pair)]);
        await applyResolution(tx, memories, { from: previousState, to: resolution });
        const at = this.ctx.host.now().toISOString();
        for (const [i, kept] of (['keepA', 'keepB'] as const).entries()) {
          const otherId = ids[1 - i]!;
          if (resolution !== 'keepBoth' && resolution !== kept) {
            if (await penalizeLoser(tx, ids[i]!, { by: otherId, certainty, history: histories[i]! }))
              penalizedIds.push(ids[i]!);
            continue;
          }
          const isPenaltyOwed = hasPenaltyToRestore(histories[i]!, otherId);
          if (isPenaltyOwed) restoredIds.push(ids[i]!);
          const current = await requireMemory(tx, ids[i]!);
          const { archivedAt, archiveReason, ...rest } = current;
          const { expiresAt, ...lasting } = rest;
          const next: Memory = {
            ...(resolution === 'keepBoth' ? rest : { ...lasting, lane: 'confirmed' }),
            provenance: withoutGuess(current.provenance, otherId),
            status: 'active',
            updatedAt: at,
            ...(isPenaltyOwed ? restoreConfidence(current, certainty) : {}),
          };
          await tx.update(next, 'settle', {
            other: otherId,
            verdict: resolution,
            ...(isPenaltyOwed ? { vindicated: true } : {}),
          });
        }
        return settlement;
      });
      onWritten(store, ids);
      return settlement;
    });
  }

  /**
   * Undoes a resolution: restores both memories and the edges between them.
   * @throws EngineError notFound if a memory was deleted since
   */
  undo({
    resolution,
    previousState,
    memories,
    confidenceRestored: restoredIds,
    confidenceTaken: penalizedIds,
  }: ResolutionResult): Promise<void> {
    return this.calls.change(async onWritten => {
      const { store, ids } = await this.locatePair(memories[0].id, memories[1].id);
      await store.write(this.ctx.host.client, async tx => {
        await applyResolution(tx, memories, { from: resolution, to: previousState });
        for (const [i, original] of memories.entries()) {
          const { archivedAt, archiveReason, expiresAt, ...current } = await requireMemory(tx, original.id);
          const { archivedAt: archived, archiveReason: reason, expiresAt: expires } = original;
          const next: Memory = {
            ...current,
            ...Object.fromEntries(restoredFields.map(it => [it, original[it]])),
            ...(archived === undefined ? {} : { archivedAt: archived }),
            ...(reason === undefined ? {} : { archiveReason: reason }),
            ...(expires === undefined ? {} : { expiresAt: expires }),
          };
          const penaltyDetail = restoredIds.includes(original.id)
            ? { vindicated: false }
            : penalizedIds.includes(original.id)
              ? { vindicated: true }
              : {};
          await tx.update(next, 'settle', { other: ids[1 - i], undone: true, ...penaltyDetail });
        }
      });
      onWritten(store, ids);
    });
  }

  /** Two memories of one store, and the edges between them; `pair` without a contradiction, where the encoder or a person sees one. */
  private async locatePair(
    a: string,
    b: string,
    { isStatement = false }: { readonly isStatement?: boolean } = {},
  ): Promise<{
    readonly store: Store;
    readonly ids: readonly [string, string];
    readonly edges: readonly Edge[];
    readonly pair?: UnstatedPair;
  }> {
    const [first, second] = [await resolveReference(this.ctx, a), await resolveReference(this.ctx, b)];
    const [ids, store] = [[first.memory.id, second.memory.id] as const, first.store];
    if (ids[0] === ids[1])
      throw new EngineError(
        'invalidInput',
        message`Both ids are of #${shortId(first.memory)}. Name the two memories of which one holds.`,
      );
    const all = store === second.store ? await store.edgesInSets([ids[0]], ['contradicts', 'supersedes']) : [];
    const edges = all.filter(it => it.source === ids[1] || it.target === ids[1]);
    if (edges.some(it => it.type === 'contradicts')) return { store, ids, edges };
    const likely = store === second.store ? await findLikelyConflict(store, likelyConflictId(...ids)) : undefined;
    if (likely !== undefined) {
      const { newer, older, probability } = likely;
      return { store, ids, edges, pair: { newer, older, certainty: probability, reason: 'perhapsReplaces' } };
    }
    const isOfOnePlace = store === second.store && first.memory.scopeId === second.memory.scopeId;
    if (isStatement && isOfOnePlace) {
      const [older, newer] = ids[0] < ids[1] ? ids : ([ids[1], ids[0]] as const);
      return { store, ids, edges, pair: { newer, older, certainty: 1, reason: 'onlyOneHolds' } };
    }
    throw new EngineError(
      'invalidInput',
      message`#${shortId(first.memory)} and #${shortId(second.memory)} do not contradict each other. The list of conflicts shows the pairs that do.`,
    );
  }

  private withConfidence(memory: Memory): MemoryWithConfidence {
    const { decay: rules } = this.ctx.host.config();
    const { centrality } = memory;
    const effective = effectiveConfidence(memory, { rules, centrality, now: this.ctx.aging.now() });
    return { memory, effectiveConfidence: effective };
  }
}

function markOfPair({ source, mark }: Edge, newerId: string): NonNullable<Conflict['mark']> {
  const { outdated, by, at } = mark!;
  const isNewer = (outdated === 'source') === (source === newerId);
  return { outdated: isNewer ? 'newer' : 'older', by, at };
}

/** Two memories, by id, of which a person says which one holds, without a statement before. */
interface UnstatedPair {
  readonly newer: string;
  readonly older: string;
  /** Of the encoder, or 1 of a person; 0-1. */
  readonly certainty: number;
  readonly reason: 'perhapsReplaces' | 'onlyOneHolds';
}

/** The edge that a person's decision about such a pair settles. */
function toContradiction({ newer, older, certainty, reason }: UnstatedPair): NewEdge {
  return { source: newer, target: older, type: 'contradicts', strength: certainty, reason: formatMessage(reason) };
}

/** A person's word against a memory costs it confidence, once. Returns whether it did. */
async function penalizeLoser(
  tx: StoreTransaction,
  id: string,
  {
    by,
    certainty,
    history,
  }: { readonly by: string; readonly certainty: number; readonly history: readonly HistoryLine[] },
): Promise<boolean> {
  const loser = await requireMemory(tx, id);
  if (hasPenaltyToRestore(history, by) || loser.pinned) return false;
  const penalized = { ...loser, ...penalizeContradiction(loser, certainty) };
  await tx.update(penalized, 'weaken', { by, certainty, person: true });
  return true;
}

async function requireMemory(tx: StoreTransaction, id: string): Promise<Memory> {
  const memory = await tx.get(id);
  if (memory !== undefined) return memory;
  throw new EngineError(
    'notFound',
    message`The memory #${shortId({ id })} has just been removed. Look at the list again.`,
  );
}

function conflictStateOf(edges: readonly Edge[], [a]: readonly [Memory, Memory]): ConflictState {
  const supersedesEdge = edges.find(it => it.type === 'supersedes');
  if (supersedesEdge !== undefined) return supersedesEdge.source === a.id ? 'keepA' : 'keepB';
  return edges.some(it => it.type === 'contradicts' && it.settledAt !== undefined) ? 'keepBoth' : 'open';
}

/** Applies a resolution to the edges of two memories. Of the memories only the loser's status changes. */
async function applyResolution(
  tx: StoreTransaction,
  [a, b]: readonly [Memory, Memory],
  { from, to }: { readonly from: ConflictState; readonly to: ConflictState },
): Promise<void> {
  if (from !== 'open') await tx.reopen(a.id, b.id);
  switch (to) {
    case 'keepA':
      return tx.supersede(a.id, b.id);
    case 'keepB':
      return tx.supersede(b.id, a.id);
    case 'keepBoth':
      return tx.settle(a.id, b.id);
    case 'open':
      return undefined;
  }
}

/** Whether the other memory reduced the confidence of this one and no resolution in effect has returned it. */
function hasPenaltyToRestore(history: readonly HistoryLine[], otherId: string): boolean {
  const last = history.findLast(
    ({ action, detail }) =>
      (action === 'weaken' && detail.by === otherId) ||
      (action === 'settle' && detail.other === otherId && detail.vindicated !== undefined),
  );
  return last !== undefined && last.detail.vindicated !== true;
}

import { EngineError } from './base/errors.js';
import type { CallTracker } from './callTracker.js';
import { decideCandidates, listCandidates, restoreCandidates, type RemovedCandidates } from './capture/candidates.js';
import { capturedIds, listCaptures } from './capture/captureLog.js';
import type { Context } from './context.js';
import { importedIds, listImports } from './exchange/importLog.js';
import { applyActionTo, type MemoryAction } from './lifecycle/memoryActions.js';
import type { Moves } from './lifecycle/moves.js';
import {
  candidatesIntakeId,
  type DecidedIntake,
  type Intake,
  type IntakeChoice,
  type IntakeDecision,
  type IntakeItem,
  type IntakeReview,
} from './model/intake.js';
import type { Memory } from './model/memory.js';
import { dayMs } from './scoring/decay.js';
import type { Store } from './store/store.js';

/** A decision and what takes it back: a record of kind `state`, one per intake. */
interface DecisionRecord extends IntakeDecision {
  readonly dropped: readonly string[];
  readonly restored: readonly string[];
  readonly moved: readonly string[];
  readonly candidates: readonly RemovedCandidates[];
}

const decisionRecordId = (intake: string): string => `reviewed:${intake}`;

/**
 * The review of what imports and captures brought in: what a person keeps, drops or moves to the global memory, with one
 * undo for each decision. Part of the façade, and of a person alone.
 */
export class IntakeReviews {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly moves: Moves,
  ) {}

  /** What captured sessions left undecided, then imports and captures, newest first. */
  list(): Promise<readonly Intake[]> {
    return this.calls.run(() => this.findIntakes());
  }

  /**
   * What came in by one of them, and what the person decided last.
   * @param options.limit items at most
   * @throws EngineError notFound
   */
  review(id: string, { limit }: { readonly limit: number }): Promise<IntakeReview> {
    return this.calls.run(async () => {
      const intake = await this.requireIntake(id);
      const [{ ids, items }, decision] = await Promise.all([this.readItems(intake, limit), this.readDecision(id)]);
      return {
        intake,
        items,
        more: Math.max(0, ids.length - limit),
        ...(decision === undefined ? {} : { decision: { at: decision.at, counts: decision.counts } }),
      };
    });
  }

  /**
   * Carries out a person's choices. What is kept is not surer for that: a note stays a note.
   * @param choices by the id of a memory or candidate; the others stay as they are
   * @throws EngineError notFound, and what writing a store throws
   */
  async decide(id: string, choices: Readonly<Record<string, IntakeChoice>>): Promise<DecidedIntake> {
    const intake = await this.calls.run(() => this.requireIntake(id));
    const { ids } = await this.calls.run(() => this.readItems(intake, 0));
    const chosen = (choice: IntakeChoice): readonly string[] => ids.filter(it => choices[it] === choice);
    const at = this.ctx.host.now().toISOString();
    const isOfCandidates = intake.by === 'candidates';
    const { refused, ...undo } = isOfCandidates
      ? await this.decideCandidates({ keep: chosen('keep'), drop: chosen('drop'), global: chosen('global') })
      : await this.decideMemories({ keep: chosen('keep'), drop: chosen('drop'), global: chosen('global') });
    const counts = isOfCandidates
      ? countCandidates(undo, { keep: chosen('keep'), global: chosen('global'), drop: chosen('drop') }, refused)
      : { keep: undo.restored.length, drop: undo.dropped.length, global: undo.moved.length };
    const record: DecisionRecord = { at, counts, ...undo };
    await this.writeDecision(id, record);
    return { at, counts, refused };
  }

  /**
   * Takes the last decision about an intake back. What was changed since stays.
   * @returns how many memories and candidates are as before
   * @throws EngineError notFound (nothing was decided), and what writing a store throws
   */
  async undo(id: string): Promise<number> {
    const decision = await this.calls.run(() => this.readDecision(id));
    if (decision === undefined)
      throw new EngineError('notFound', 'There is no decision to undo. It may have been undone already.');
    const [dropped, restored, moved] = await Promise.all(
      [decision.dropped, decision.restored, decision.moved].map(it => this.readMemories(it)),
    );
    const isMoved = moved!.filter(it => it.store === 'global').map(it => it.id);
    const movedBack = isMoved.length === 0 ? [] : (await this.moves.move(isMoved, 'project')).moved;
    const back = await this.applyToAll([
      ['restore', dropped!.filter(isForgotten)],
      ['forget', restored!.filter(it => it.status === 'active')],
    ]);
    await this.calls.run(() => restoreCandidates(this.ctx, decision.candidates));
    await this.writeDecision(id, undefined);
    const candidates = decision.candidates.flatMap(it => it.items).length;
    return movedBack.length + (decision.candidates.length > 0 ? candidates : back);
  }

  private async findIntakes(): Promise<readonly Intake[]> {
    const candidates = await listCandidates(this.ctx);
    const imports = (await listImports(this.ctx)).map(({ id, at, source, memories }): Intake => ({
      id,
      at,
      by: 'import',
      source,
      count: memories,
    }));
    const newestFirst = [...imports.filter(it => it.count > 0), ...(await listCaptures(this.ctx))].sort((a, b) =>
      a.at < b.at ? 1 : -1,
    );
    const decided = await this.readDecision(candidatesIntakeId);
    const undecided: Intake = {
      id: candidatesIntakeId,
      at: candidates[0]?.at ?? decided?.at ?? this.ctx.host.now().toISOString(),
      by: 'candidates',
      source: '',
      count: candidates.length,
    };
    const isRecent = decided !== undefined && this.ctx.host.now().getTime() - Date.parse(decided.at) < dayMs;
    return [...(candidates.length > 0 || isRecent ? [undecided] : []), ...newestFirst];
  }

  private async requireIntake(id: string): Promise<Intake> {
    const found = (await this.findIntakes()).find(it => it.id === id);
    if (found === undefined)
      throw new EngineError('notFound', 'It is no longer listed: it was undone, or newer ones took its place.');
    return found;
  }

  /** @returns the ids of all, and the first of them that are there */
  private async readItems(
    { id, by }: Intake,
    limit: number,
  ): Promise<{ readonly ids: readonly string[]; readonly items: readonly IntakeItem[] }> {
    if (by === 'candidates') {
      const candidates = await listCandidates(this.ctx);
      return { ids: candidates.map(it => it.id), items: candidates.slice(0, limit).map(candidate => ({ candidate })) };
    }
    const ids = by === 'import' ? await importedIds(this.ctx, id) : await capturedIds(this.ctx, id);
    return { ids, items: (await this.readMemories(ids.slice(0, limit))).map(memory => ({ memory })) };
  }

  /** Those of the ids that exist, in the order given. */
  private async readMemories(ids: readonly string[]): Promise<readonly Memory[]> {
    const found = await Promise.all(this.ctx.stores.map(it => it.store.get(ids)));
    const byId = new Map(found.flat().map(it => [it.id, it]));
    return ids.flatMap(it => byId.get(it) ?? []);
  }

  private async decideMemories({
    keep,
    drop,
    global,
  }: Readonly<Record<IntakeChoice, readonly string[]>>): Promise<Omit<DecisionRecord, 'at' | 'counts'> & Refusals> {
    const restored = (await this.readMemories(keep)).filter(isForgotten);
    const dropped = (await this.readMemories(drop)).filter(it => it.status === 'active');
    // First, because a global memory that cannot be written is no reason to have done half of it.
    const toMove = (await this.readMemories(global)).filter(it => it.store === 'project').map(it => it.id);
    const { moved, refused } =
      toMove.length === 0 ? { moved: [], refused: [] } : await this.moves.move(toMove, 'global');
    await this.applyToAll([
      ['restore', restored],
      ['forget', dropped],
    ]);
    const idsOf = (its: readonly Memory[]): readonly string[] => its.map(it => it.id);
    return {
      dropped: idsOf(dropped),
      restored: idsOf(restored),
      moved: idsOf(moved),
      candidates: [],
      refused: refused.map(({ memory, reason }) => ({ id: memory.id, reason: reason.toString() })),
    };
  }

  private decideCandidates(
    decision: Readonly<Record<IntakeChoice, readonly string[]>>,
  ): Promise<Omit<DecisionRecord, 'at' | 'counts'> & Refusals> {
    return this.calls.change(async onWritten => {
      const { outcomes, removed } = await decideCandidates(this.ctx, decision, onWritten);
      const stored = outcomes.flatMap(it => it.outcomes).filter(it => it.outcome === 'stored');
      return {
        dropped: [],
        // Undoing it forgets them, as the undo of one that came back does.
        restored: stored.map(it => it.id),
        moved: [],
        candidates: removed,
        refused: outcomes.flatMap(({ id, outcomes: its }) =>
          its.flatMap(it => (it.outcome === 'refused' ? [{ id, reason: it.reason }] : [])),
        ),
      };
    });
  }

  /** Applies actions to memories, all of a store in one transaction. @returns how many */
  private applyToAll(actions: readonly (readonly [MemoryAction, readonly Memory[]])[]): Promise<number> {
    return this.calls.change(async onWritten => {
      let applied = 0;
      const at = this.ctx.host.now().toISOString();
      for (const { store } of this.ctx.stores) {
        const there = new Set((await store.get(actions.flatMap(([, its]) => its.map(it => it.id)))).map(it => it.id));
        if (there.size === 0) continue;
        await store.write(this.ctx.host.client, async tx => {
          for (const [action, its] of actions) {
            for (const { id } of its.filter(it => there.has(it.id))) {
              const memory = await tx.get(id);
              if (memory === undefined) continue;
              await applyActionTo(this.ctx, memory, action, { tx, at });
              applied++;
            }
          }
        });
        onWritten(store, [...there]);
      }
      return applied;
    });
  }

  private get writableStore(): Store {
    return this.ctx.stores.find(it => !it.store.readOnly)?.store ?? this.ctx.globalStore;
  }

  private async readDecision(intake: string): Promise<DecisionRecord | undefined> {
    for (const { store } of this.ctx.stores) {
      const found = await store.record<DecisionRecord>('state', decisionRecordId(intake));
      if (found !== undefined) return found.body;
    }
    return undefined;
  }

  private writeDecision(intake: string, decision: DecisionRecord | undefined): Promise<void> {
    const id = decisionRecordId(intake);
    return this.calls.run(() =>
      this.writableStore.write(this.ctx.host.client, tx =>
        decision === undefined ? tx.deleteRecord('state', id) : tx.putRecord('state', id, decision),
      ),
    );
  }
}

interface Refusals {
  readonly refused: DecidedIntake['refused'];
}

function countCandidates(
  { candidates }: Pick<DecisionRecord, 'candidates'>,
  chosen: Readonly<Record<IntakeChoice, readonly string[]>>,
  refused: DecidedIntake['refused'],
): IntakeDecision['counts'] {
  const removed = new Set(candidates.flatMap(it => it.items.map(item => item.id)));
  const isDone = (id: string): boolean => removed.has(id) && !refused.some(it => it.id === id);
  return {
    keep: chosen.keep.filter(isDone).length,
    drop: chosen.drop.filter(isDone).length,
    global: chosen.global.filter(isDone).length,
  };
}

function isForgotten({ status, archiveReason }: Memory): boolean {
  return status === 'archived' && archiveReason === 'forgotten';
}

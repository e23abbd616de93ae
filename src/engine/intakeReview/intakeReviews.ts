import { EngineError } from '../base/errors.js';
import type { LocalizableMessage } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { decideCandidates, listCandidates, restoreCandidates } from '../capture/candidates.js';
import { storeForWrite, type Context } from '../context.js';
import { applyActionTo, type MemoryAction } from '../lifecycle/memoryActions.js';
import type { Moves } from '../lifecycle/moves.js';
import type { CaptureSource } from '../model/capture.js';
import { messageTemplates } from '../model/engineMessages.js';
import {
  candidatesIntakeId,
  isUndecided,
  type DecidedIntake,
  type ImportedLine,
  type Intake,
  type IntakeChoice,
  type IntakeItem,
  type IntakeReview,
  type KeptItem,
  type UndoneIntake,
} from '../model/intake.js';
import type { Memory } from '../model/memory.js';
import { createdBy, listLoggedIntakes, pruneCandidateDecisions, readIntakeParts } from '../remember/intakeLog.js';
import { changedFields, digestMemory, logWrites, undoWrites } from '../remember/writeLog.js';
import type { StoreTransaction } from '../store/store.js';
import { importedLines } from './importedLines.js';
import {
  choiceOf,
  forgetDecided,
  listDecisions,
  nameDecision,
  noCounts,
  putRest,
  recordDecision,
  type DecidedMemory,
  type DecisionName,
  type DecisionPart,
  type LoggedDecision,
} from './decisionLog.js';

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
      const [{ ids, items }, [decision]] = await Promise.all([
        this.readItems(intake, limit),
        listDecisions(this.ctx, id),
      ]);
      return {
        intake,
        items,
        more: Math.max(0, ids.length - limit),
        ...(decision === undefined ? {} : { decision: { at: decision.at, counts: decision.counts } }),
      };
    });
  }

  /** The undecided lines of an import, by file and heading, in the order of the files. @throws EngineError notFound */
  undecidedLines(id: string): Promise<readonly ImportedLine[]> {
    return this.calls.run(async () => {
      const intake = await this.requireIntake(id);
      const { items } = await this.readItems(intake, Math.max(1, intake.count));
      return importedLines(
        items.flatMap(it => it.memory ?? []),
        intake.source,
      ).filter(it => isUndecided(it.memory));
    });
  }

  /** Imported memories, each with its file and the heading that it was below there, in the order of the import. */
  linesOf(memories: readonly Memory[]): readonly ImportedLine[] {
    const imported = memories.filter(it => it.provenance.source === 'import' && it.provenance.file !== undefined);
    // Ids ascend as they were made; files were read one after the other.
    return importedLines(
      imported.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
      '',
    );
  }

  /**
   * Carries out a person's choices.
   * @param choices by the id of a memory or candidate; the others stay as they are
   * @throws EngineError notFound, and what writing a store throws
   */
  async decide(id: string, choices: Readonly<Record<string, IntakeChoice>>): Promise<DecidedIntake> {
    const intake = await this.calls.run(() => this.requireIntake(id));
    const { ids } = await this.calls.run(() => this.readItems(intake, 0));
    const chosen = (choice: IntakeChoice): readonly string[] => ids.filter(it => choices[it] === choice);
    const decision = { keep: chosen('keep'), drop: chosen('drop'), global: chosen('global') };
    const name = nameDecision(id, this.ctx.host.now());
    const refused =
      intake.by === 'candidates'
        ? await this.decideCandidates(name, decision)
        : await this.decideMemories(name, decision);
    const made = (await this.calls.run(() => listDecisions(this.ctx, id))).find(it => it.recordId === name.recordId);
    return { at: name.at, counts: made?.counts ?? noCounts, refused };
  }

  /**
   * Takes the last decision about an intake back, and the one before it the next time. What was changed since stays; what
   * could not be moved back can be once the reason is gone.
   * @throws EngineError notFound (nothing was decided), and what writing a store throws
   */
  async undo(id: string): Promise<UndoneIntake> {
    const [last] = await this.calls.run(async () => {
      for (const { store } of this.ctx.stores) await pruneCandidateDecisions(this.ctx, store);
      return listDecisions(this.ctx, id);
    });
    if (last === undefined)
      throw new EngineError('notFound', 'There is no decision to undo. It may have been undone already.');
    const progress: UndoProgress = { undone: new Set(), kept: new Map(), left: new Set() };
    // A memory that was moved is as it was before it is moved back.
    const globalStore = storeForWrite(this.ctx, 'global', undefined);
    const parts = [...last.parts].sort((a, b) => Number(b.store === globalStore) - Number(a.store === globalStore));
    await this.calls.change(async onWritten => {
      for (const part of parts) {
        await this.moveBack(part, progress);
        onWritten(part.store, await this.undoWrites(part, last.recordId, progress));
      }
      // What stays is recorded until every statement is back: an undo that is repeated after a crash finds it again.
      for (const part of last.parts) await this.undoCandidates(part, last.recordId, progress);
      for (const part of last.parts) await this.forgetKept(part, last.recordId, progress);
    });
    const undone = [...progress.undone].filter(it => !progress.kept.has(it)).length;
    return { undone, kept: [...progress.kept.values()] };
  }

  private async findIntakes(): Promise<readonly Intake[]> {
    for (const { store } of this.ctx.stores) await pruneCandidateDecisions(this.ctx, store);
    const candidates = await listCandidates(this.ctx);
    const listed = await Promise.all(
      (['import', 'capture'] as const).map(async kind =>
        listLoggedIntakes(await readIntakeParts(this.ctx, kind)).map(async ({ created, source, ...rest }) => {
          const count = created.length;
          return kind === 'import'
            ? { ...rest, by: kind, source, count, undecided: await this.countUndecided(created) }
            : { ...rest, by: source as CaptureSource, source: '', count, undecided: 0 };
        }),
      ),
    );
    const intakes: readonly Intake[] = await Promise.all(listed.flat());
    const newestFirst = intakes.filter(it => it.count > 0).sort((a, b) => (a.at < b.at ? 1 : -1));
    const [decided] = await listDecisions(this.ctx, candidatesIntakeId);
    const undecided: Intake = {
      id: candidatesIntakeId,
      at: candidates[0]?.at ?? decided?.at ?? this.ctx.host.now().toISOString(),
      by: 'candidates',
      source: '',
      count: candidates.length,
      undecided: candidates.length,
    };
    return [...(candidates.length > 0 || decided !== undefined ? [undecided] : []), ...newestFirst];
  }

  /** @param ids of memories that an import made */
  private async countUndecided(ids: readonly string[]): Promise<number> {
    if (ids.length === 0) return 0;
    const filter = { scopeId: '', ids, lane: 'note', statuses: ['active'] } as const;
    const counts = await Promise.all(this.ctx.stores.map(it => it.store.count(filter)));
    return counts.reduce((total, it) => total + it, 0);
  }

  private async requireIntake(id: string): Promise<Intake> {
    const found = (await this.findIntakes()).find(it => it.id === id);
    if (found === undefined)
      throw new EngineError('notFound', 'It is no longer listed: it was undone, or newer ones took its place.');
    return found;
  }

  /** @returns the ids of all, and the first of them that are there */
  private async readItems(
    { id, by, source }: Intake,
    limit: number,
  ): Promise<{ readonly ids: readonly string[]; readonly items: readonly IntakeItem[] }> {
    if (by === 'candidates') {
      const candidates = await listCandidates(this.ctx);
      return { ids: candidates.map(it => it.id), items: candidates.slice(0, limit).map(candidate => ({ candidate })) };
    }
    const ids = await createdBy(this.ctx, by === 'import' ? 'import' : 'capture', id);
    const memories = await this.readMemories(ids.slice(0, limit));
    if (by !== 'import') return { ids, items: memories.map(memory => ({ memory })) };
    return { ids, items: importedLines(memories, source).map(({ memory, ...line }) => ({ memory, line })) };
  }

  /** Those of the ids that exist, in the order given. */
  private async readMemories(ids: readonly string[]): Promise<readonly Memory[]> {
    const found = await Promise.all(this.ctx.stores.map(it => it.store.get(ids)));
    const byId = new Map(found.flat().map(it => [it.id, it]));
    return ids.flatMap(it => byId.get(it) ?? []);
  }

  /** @returns why some stay where they are */
  private async decideMemories(
    name: DecisionName,
    { keep, drop, global }: Readonly<Record<IntakeChoice, readonly string[]>>,
  ): Promise<DecidedIntake['refused']> {
    // First, because a global memory that cannot be written is no reason to have done half of it.
    const refused = await this.moveToGlobal(name, global);
    await this.calls.change(async onWritten => {
      const globalStore = storeForWrite(this.ctx, 'global', undefined);
      for (const { store } of this.ctx.stores) {
        const moved = store === globalStore ? global : [];
        if ((await store.get([...keep, ...drop, ...moved])).length === 0) continue;
        const memories = await store.write(this.ctx.host.client, async tx => {
          const done = [
            ...(await this.applyTo(tx, 'keep', keep, actionsToKeep)),
            ...(await this.applyTo(tx, 'global', moved, actionsToKeep)),
            ...(await this.applyTo(tx, 'drop', drop, it => (it.status === 'active' ? ['forget'] : []))),
          ];
          await recordDecision(tx, name, { memories: Object.fromEntries(done) });
          return done.map(([id]) => id);
        });
        onWritten(store, memories);
      }
    });
    return refused;
  }

  private async applyTo(
    tx: StoreTransaction,
    choice: IntakeChoice,
    ids: readonly string[],
    actionsFor: (memory: Memory) => readonly MemoryAction[],
  ): Promise<readonly (readonly [id: string, DecidedMemory])[]> {
    const at = this.ctx.host.now().toISOString();
    const done: (readonly [string, DecidedMemory])[] = [];
    for (const before of await tx.getMany(ids)) {
      const actions = actionsFor(before);
      for (const action of actions) await applyActionTo(this.ctx, (await tx.get(before.id))!, action, { tx, at });
      if (actions.length === 0) continue;
      const after = (await tx.get(before.id))!;
      const fields = changedFields(before, after);
      done.push([before.id, { did: 'change', choice, fields, digest: digestMemory(after) }]);
    }
    return done;
  }

  /** Each is recorded in the store that it leaves, before it leaves it: so it can be moved back after a crash too. */
  private async moveToGlobal(name: DecisionName, ids: readonly string[]): Promise<DecidedIntake['refused']> {
    const refused: DecidedIntake['refused'][number][] = [];
    const target = storeForWrite(this.ctx, 'global', undefined);
    for (const { store: source } of this.ctx.stores) {
      if (source === target || (await source.get(ids)).length === 0) continue;
      const moving = await source.write(this.ctx.host.client, async tx => {
        const found = await tx.getMany(ids);
        const memories = found.map(it => [it.id, { did: 'move', digest: digestMemory(it) }] as const);
        await recordDecision(tx, name, { memories: Object.fromEntries(memories) });
        return found.map(it => it.id);
      });
      const result = await this.moves.transfer(moving, { source, target, copies: false });
      if (result.refused.length === 0) continue;
      const refusedIds = new Set(result.refused.map(it => it.memory.id));
      await source.write(this.ctx.host.client, tx => forgetDecided(tx, name, refusedIds));
      refused.push(...result.refused.map(({ memory, reason }) => describeKept(memory, reason)));
    }
    return refused;
  }

  /** @returns why some are undecided still */
  private decideCandidates(
    name: DecisionName,
    decision: Readonly<Record<IntakeChoice, readonly string[]>>,
  ): Promise<DecidedIntake['refused']> {
    return this.calls.change(async onWritten => {
      const listed = new Map((await listCandidates(this.ctx)).map(it => [it.id, it.content]));
      const outcomes = await decideCandidates(this.ctx, decision, onWritten, {
        remembered: (tx, changes) => {
          const { created, changed } = logWrites(changes);
          const memories: readonly (readonly [string, DecidedMemory])[] = [
            ...created.map(([id, digest]) => [id, { did: 'create', digest }] as const),
            ...changed.map(({ id, fields }) => [id, { did: 'change', fields }] as const),
          ];
          return recordDecision(tx, name, { memories: Object.fromEntries(memories) });
        },
        removed: (tx, candidates) => recordDecision(tx, name, { candidates }),
      });
      return outcomes.flatMap(({ id, outcomes: its }) => {
        if (its.some(it => it.outcome !== 'refused')) return [];
        const [first] = its.flatMap(it => (it.outcome === 'refused' ? [it.reason] : []));
        return [{ id, text: listed.get(id) ?? '', reason: first ?? messageTemplates.saysNothing }];
      });
    });
  }

  /** Moves what a part of a decision moved back into its store. */
  private async moveBack(
    { store: target, body }: LoggedDecision['parts'][number],
    { undone, kept, left }: UndoProgress,
  ): Promise<void> {
    const source = storeForWrite(this.ctx, 'global', undefined);
    const digests = new Map(
      Object.entries(body.memories).flatMap(([id, it]) => (it.did === 'move' ? [[id, it.digest] as const] : [])),
    );
    const found = new Map((await source.get([...digests.keys()])).map(it => [it.id, it]));
    const returning = [...digests].flatMap(([id, digest]) => {
      const memory = found.get(id);
      return memory !== undefined && digestMemory(memory) === digest ? [id] : [];
    });
    const isReturning = new Set(returning);
    await this.noteKept(
      [...digests.keys()].filter(it => !isReturning.has(it)),
      kept,
    );
    if (returning.length === 0) return;
    const result = await this.moves.transfer(returning, { source, target, copies: false });
    for (const it of result.moved) undone.add(it.id);
    for (const { memory, reason } of result.refused) {
      kept.set(memory.id, describeKept(memory, reason));
      left.add(memory.id);
    }
  }

  /** Notes memories that are not as before; of those that are gone only the ones that were to come back. */
  private async noteKept(
    ids: readonly string[],
    kept: UndoProgress['kept'],
    isWanted: (id: string) => boolean = () => true,
  ): Promise<void> {
    const stored = new Map((await this.readMemories(ids)).map(it => [it.id, it]));
    for (const id of ids) {
      const memory = stored.get(id);
      if (memory !== undefined) kept.set(id, describeKept(memory, messageTemplates.changedSince));
      else if (isWanted(id)) kept.set(id, { id, text: '', reason: messageTemplates.deletedSince });
    }
  }

  /** Takes back what a part of a decision did in its store; what stays as it is stays recorded. */
  private async undoWrites(
    { store }: LoggedDecision['parts'][number],
    recordId: string,
    { undone, kept }: UndoProgress,
  ): Promise<readonly string[]> {
    const { memories, ...result } = await store.write(this.ctx.host.client, async tx => {
      const known = (await tx.record<DecisionPart>('review', recordId))?.body;
      // Another window has taken it back meanwhile.
      if (known === undefined) return { removed: [], restored: [], kept: [], memories: {} };
      const entries = Object.entries(known.memories);
      const created = entries.flatMap(([id, it]) => (it.did === 'create' ? [[id, it.digest] as const] : []));
      const changed = entries.flatMap(([id, it]) => (it.did === 'change' ? [{ id, ...it }] : []));
      const writes = await undoWrites(tx, { created, changed }, 'the review was undone');
      const staying = new Set([...writes.kept, ...kept.keys()]);
      const rest = Object.fromEntries(entries.filter(([id]) => staying.has(id)));
      await putRest(tx, recordId, { ...known, memories: rest });
      return { ...writes, memories: known.memories };
    });
    for (const id of [...result.removed, ...result.restored]) if (choiceOf(memories[id]!) !== undefined) undone.add(id);
    await this.noteKept(result.kept, kept, id => choiceOf(memories[id]!) !== undefined);
    return [...result.removed, ...result.restored];
  }

  /** Puts candidates back on their lists, without those whose memory stays. */
  private async undoCandidates(
    { store, body }: LoggedDecision['parts'][number],
    recordId: string,
    { undone, kept }: UndoProgress,
  ): Promise<void> {
    if (body.candidates.length === 0) return;
    const restored = await store.write(this.ctx.host.client, async tx => {
      const known = (await tx.record<DecisionPart>('review', recordId))?.body;
      if (known === undefined) return [];
      const back = known.candidates.map(({ record, items }) => ({
        record,
        items: items.filter(it => !it.memories.some(id => kept.has(id))),
      }));
      await restoreCandidates(tx, back);
      await putRest(tx, recordId, { ...known, candidates: [] });
      return back.flatMap(it => it.items);
    });
    for (const it of restored) undone.add(it.id);
  }

  /** Ends the undo of a part, of which only what could not be moved back stays recorded. */
  private async forgetKept(
    { store }: LoggedDecision['parts'][number],
    recordId: string,
    { left }: UndoProgress,
  ): Promise<void> {
    const stays = (await store.record<DecisionPart>('review', recordId))?.body.memories;
    if (stays === undefined) return;
    const done = new Set(Object.keys(stays).filter(it => !left.has(it)));
    if (done.size > 0) await store.write(this.ctx.host.client, tx => forgetDecided(tx, { recordId }, done));
  }
}

interface UndoProgress {
  /** Ids of memories and candidates about which something was chosen. */
  readonly undone: Set<string>;
  readonly kept: Map<string, KeptItem>;
  /** Ids of memories that could not be moved back now. */
  readonly left: Set<string>;
}

function describeKept({ id, summary }: Memory, reason: string | LocalizableMessage): KeptItem {
  return { id, text: summary, reason: String(reason) };
}

/** A note is confirmed, and one that a person forgot comes back first. */
function actionsToKeep({ status, lane, archiveReason }: Memory): readonly MemoryAction[] {
  const isForgotten = status === 'archived' && archiveReason === 'forgotten';
  if (status !== 'active' && !isForgotten) return [];
  return [...(isForgotten ? (['restore'] as const) : []), ...(lane === 'note' ? (['promote'] as const) : [])];
}

import { EngineError } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { ResolutionResult } from '../../engine/model/conflict.js';
import type { Memory, Standing, StoreKind } from '../../engine/model/memory.js';

/** One call that brings memories back to their former state. It has ids only: no text of a memory lies outside of its store. */
export type UndoStep =
  | { readonly do: 'restore' | 'forget' | 'pin' | 'unpin' | 'undoEdit'; readonly ids: readonly string[] }
  | { readonly do: 'reopen'; readonly result: ResolutionResult }
  | { readonly do: 'prioritize'; readonly ids: readonly string[]; readonly priority: number }
  | { readonly do: 'setStanding'; readonly ids: readonly string[]; readonly standing: Standing }
  | { readonly do: 'move'; readonly ids: readonly string[]; readonly to: StoreKind }
  | { readonly do: 'moveToSet'; readonly ids: readonly string[]; readonly scopeId: string }
  /** Between the memories of any two projects: from where they are now. */
  | { readonly do: 'transfer'; readonly ids: readonly string[]; readonly from: string; readonly to: string }
  | { readonly do: 'removeCopies'; readonly ids: readonly string[]; readonly place: string }
  /** One decision about what an import or a capture brought in, by its time. */
  | { readonly do: 'undoReview'; readonly intake: string; readonly at: string };

/** The step that takes back a change of what a memory counts as, and how long it lasts. */
export function standingStep({ id, lane, decayClass, expiresAt }: Memory): UndoStep {
  const standing = { lane, decayClass, ...(expiresAt === undefined ? {} : { expiresAt }) };
  return { do: 'setStanding', ids: [id], standing };
}

/** Whether a step does anything: its memories may be deleted since, or be again as they were before. */
export async function hasEffect(engine: MemoryEngine, step: UndoStep): Promise<boolean> {
  const isAny = async (isOther: (memory: Memory) => boolean, ids: readonly string[]): Promise<boolean> =>
    (await engine.getMany([...ids])).some(isOther);
  switch (step.do) {
    case 'forget':
    case 'restore':
      return isAny(it => (it.status === 'active') === (step.do === 'forget'), step.ids);
    case 'pin':
    case 'unpin':
      return isAny(it => it.pinned === (step.do === 'unpin'), step.ids);
    case 'undoEdit': {
      const memories = await engine.getMany([...step.ids]);
      return (await Promise.all(memories.map(it => engine.textEdits.canUndo(it.id)))).includes(true);
    }
    case 'prioritize':
      return isAny(it => it.priority !== step.priority, step.ids);
    case 'setStanding': {
      const { lane, decayClass } = step.standing;
      return isAny(it => it.lane !== lane || it.decayClass !== decayClass, step.ids);
    }
    case 'move':
      return isAny(it => it.store !== step.to, step.ids);
    case 'moveToSet':
      return isAny(it => (it.scopeId ?? '') !== step.scopeId, step.ids);
    case 'reopen':
      return isAny(
        () => true,
        step.result.memories.map(it => it.id),
      );
    case 'transfer': {
      // One that is nowhere in this session may be in a project that is not open.
      const place = await engine.hub.placeOf(step.ids[0] ?? '');
      return place === undefined || place.id === step.from;
    }
    case 'removeCopies':
      return true;
    case 'undoReview':
      return (await lastDecisionAt(engine, step.intake)) === step.at;
  }
}

export async function takeStep(engine: MemoryEngine, step: UndoStep): Promise<unknown> {
  switch (step.do) {
    case 'reopen':
      return engine.conflicts.undo(step.result);
    case 'move':
      return engine.moves.move([...step.ids], step.to);
    case 'moveToSet':
      return engine.sets.move([...step.ids], step.scopeId);
    case 'transfer':
      return unlessGone(engine.hub.transfer(step.ids, { from: step.from, to: step.to, copies: false }));
    case 'removeCopies':
      return unlessGone(engine.hub.removeCopies(step.ids, step.place));
    case 'undoReview':
      return (await lastDecisionAt(engine, step.intake)) === step.at ? engine.intakes.undo(step.intake) : undefined;
    case 'prioritize':
      return forEach(engine, step.ids, it => engine.setPriority(it.id, step.priority));
    case 'setStanding':
      return forEach(engine, step.ids, it => engine.textEdits.restoreStanding(it.id, step.standing));
    case 'restore':
      return forEach(engine, step.ids, it => (it.status === 'active' ? undefined : engine.restore(it.id)));
    case 'forget':
      return forEach(engine, step.ids, it => (it.status === 'active' ? engine.forget(it.id) : undefined));
    case 'undoEdit':
      return forEach(engine, step.ids, it => engine.textEdits.undo(it.id));
    case 'pin':
    case 'unpin':
      return forEach(engine, step.ids, it => (step.do === 'pin' ? engine.pin(it.id) : engine.unpin(it.id)));
  }
}

/** A resolution holds both memories, of which an undo needs the state alone. */
export function withoutTexts(step: UndoStep): UndoStep {
  if (step.do !== 'reopen') return step;
  const [a, b] = step.result.memories;
  const strip = (it: Memory): Memory => ({
    ...it,
    content: '',
    summary: '',
    tags: [],
    provenance: { source: it.provenance.source },
  });
  return { ...step, result: { ...step.result, memories: [strip(a), strip(b)] } };
}

/** The time of the last decision that there is; undefined where all are taken back, or what they are about is no longer listed. */
async function lastDecisionAt(engine: MemoryEngine, intake: string): Promise<string | undefined> {
  return (await unlessGone(engine.intakes.review(intake, { limit: 0 })))?.decision?.at;
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (EngineError.is(error, 'notFound')) return undefined;
    throw error;
  }
}

/** Passes over memories that were deleted since. */
async function forEach(
  engine: MemoryEngine,
  ids: readonly string[],
  work: (memory: Memory) => Promise<unknown> | undefined,
): Promise<void> {
  for (const memory of await engine.getMany([...ids])) await work(memory);
}

import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import { storesInScope, type Context } from '../context.js';
import { shortId, type Memory, type StoreScope } from '../model/memory.js';
import type { PlanToReview } from '../model/conflict.js';
import { effectiveConfidence, isBelowArchiveThreshold } from '../scoring/decay.js';
import { findReplacements } from '../store/replacements.js';
import { applyAction, resolveReference, updateMemory, type LocatedMemory } from './memoryActions.js';

/** Per category and store; a person does not review more. */
const maxPlansPerCategory = 500;

/** Overdue and decayed plans, which a person decides on. Part of the façade. */
export class PlanReview {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Overdue plans, longest overdue first, then decayed ones, most recently confirmed first; none that something replaces. */
  list(input: { readonly scope?: StoreScope; readonly scopeId?: string } = {}): Promise<readonly PlanToReview[]> {
    const { scope = 'project-then-global', scopeId = '' } = input;
    return this.calls.run(async () => {
      const now = this.ctx.host.now();
      const stores = storesInScope(this.ctx, scope);
      const memoriesByStore = await Promise.all(
        stores.map(async store => {
          const plans = await store.plansToReview(scopeId, now.toISOString(), maxPlansPerCategory);
          const replaced = await findReplacements(store, plans);
          return plans.filter(it => !replaced.has(it.id));
        }),
      );
      const plans = memoriesByStore.flat().flatMap(it => this.toPlanToReview(it, now) ?? []);
      const overdue = plans.filter(it => it.why === 'overdue').sort((a, b) => (a.since < b.since ? -1 : 1));
      const faded = plans.filter(it => it.why === 'faded').sort((a, b) => (a.since < b.since ? 1 : -1));
      return [...overdue, ...faded];
    });
  }

  /**
   * Marks a plan as completed: archived and not returned by recalls; `restore` undoes it. For a person's decision only.
   */
  complete(reference: string): Promise<Memory> {
    return this.applyDecision(reference, () => applyAction(this.ctx, reference, 'complete'));
  }

  /**
   * Sets a new due date, from which the plan counts again. For a person's decision only.
   * @param until a future day (2030-03-01, due at its end) or time
   * @throws EngineError invalidInput
   */
  extend(reference: string, until: string): Promise<Memory> {
    return this.applyDecision(reference, () => {
      const time = Date.parse(isCalendarDate(until) ? `${until}T23:59:59.999Z` : until);
      if (Number.isNaN(time) || time <= this.ctx.host.now().getTime()) {
        throw new EngineError(
          'invalidInput',
          message`The new day must be a date to come, such as 2030-03-01; it was "${until.slice(0, 40)}".`,
        );
      }
      return updateMemory(this.ctx, reference, async (tx, memory, at) => {
        const { archivedAt, archiveReason, ...rest } = memory;
        const dueAt = new Date(time).toISOString();
        await tx.update({ ...rest, status: 'active', dueAt, updatedAt: at }, 'edit', { change: 'extend', dueAt });
      });
    });
  }

  /** Cancels a plan: it is forgotten; `restore` undoes it. */
  drop(reference: string): Promise<Memory> {
    return this.applyDecision(reference, () => applyAction(this.ctx, reference, 'forget'));
  }

  private applyDecision(reference: string, work: () => Promise<LocatedMemory>): Promise<Memory> {
    return this.calls.change(async onWritten => {
      const found = await resolveReference(this.ctx, reference);
      if (found.memory.gate !== 'promissory' || found.memory.status === 'superseded') {
        throw new EngineError(
          'invalidInput',
          message`#${shortId(found.memory)} is no plan that could be done, extended or dropped. The list of what to revisit shows those that are.`,
        );
      }
      const { store, memory } = await work();
      onWritten(store, [memory.id]);
      return memory;
    });
  }

  private toPlanToReview(memory: Memory, now: Date): PlanToReview | undefined {
    const { decay: rules } = this.ctx.host.config();
    const decay = { rules, centrality: memory.centrality, now };
    const memoryWithConfidence = { memory, effectiveConfidence: effectiveConfidence(memory, decay) };
    if (memory.dueAt !== undefined && memory.dueAt < now.toISOString()) {
      return { ...memoryWithConfidence, why: 'overdue', since: memory.dueAt };
    }
    if (memory.status === 'active' && !isBelowArchiveThreshold(memory, decay)) return undefined;
    const { updatedAt, reinforcedAt } = memory;
    return { ...memoryWithConfidence, why: 'faded', since: updatedAt > reinforcedAt ? updatedAt : reinforcedAt };
  }
}

function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text);
}

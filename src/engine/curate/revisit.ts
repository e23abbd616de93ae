import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import { storesOf, type Context } from '../context.js';
import { handle, type Memory, type Scope } from '../model/memory.js';
import type { Revisit } from '../model/truth.js';
import { effectiveConfidence, isFaded } from '../scoring/decay.js';
import { change, find, revise, type Found } from './curate.js';

/** More than anybody goes through; of each sort and store. */
const looked = 500;

/** Plans that are past their day or have faded are not dropped silently: a person decides. Part of the façade. */
export class Revisits {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /** Overdue ones first, the longest overdue before the others; then faded ones, the last told first. */
  list(input: { readonly scope?: Scope; readonly scopeId?: string } = {}): Promise<readonly Revisit[]> {
    const { scope = 'project-then-global', scopeId = '' } = input;
    return this.calls.run(async () => {
      const now = this.ctx.host.now();
      const stores = storesOf(this.ctx, scope);
      const found = await Promise.all(stores.map(it => it.plansToRevisit(scopeId, now.toISOString(), looked)));
      const all = found.flat().flatMap(it => this.read(it, now) ?? []);
      const overdue = all.filter(it => it.why === 'overdue').sort((a, b) => (a.since < b.since ? -1 : 1));
      const faded = all.filter(it => it.why === 'faded').sort((a, b) => (a.since < b.since ? 1 : -1));
      return [...overdue, ...faded];
    });
  }

  /** The plan is carried out: archived, and no recall brings it back; `restore` undoes it. For a person's decision only. */
  done(reference: string): Promise<Memory> {
    return this.decide(reference, () => change(this.ctx, reference, 'complete'));
  }

  /**
   * Another day for the plan, which counts again from now on. For a person's decision only.
   * @param until a day to come (2030-03-01, by its end), or a moment
   * @throws EngineError invalidInput
   */
  extend(reference: string, until: string): Promise<Memory> {
    return this.decide(reference, () => {
      const time = Date.parse(isDay(until) ? `${until}T23:59:59.999Z` : until);
      if (Number.isNaN(time) || time <= this.ctx.host.now().getTime()) {
        throw new EngineError(
          'invalidInput',
          message`The new day must be a date to come, such as 2030-03-01; it was "${until.slice(0, 40)}".`,
        );
      }
      return revise(this.ctx, reference, async (tx, memory, at) => {
        const { archivedAt, archiveReason, ...rest } = memory;
        const dueAt = new Date(time).toISOString();
        await tx.update({ ...rest, status: 'active', dueAt, updatedAt: at }, 'edit', { change: 'extend', dueAt });
      });
    });
  }

  /** Not to be done any more: forgotten; `restore` undoes it. */
  drop(reference: string): Promise<Memory> {
    return this.decide(reference, () => change(this.ctx, reference, 'forget'));
  }

  private decide(reference: string, work: () => Promise<Found>): Promise<Memory> {
    return this.calls.change(async changed => {
      const found = await find(this.ctx, reference);
      if (found.memory.gate !== 'promissory' || found.memory.status === 'superseded') {
        throw new EngineError(
          'invalidInput',
          message`#${handle(found.memory)} is no plan that could be done, extended or dropped. The list of what to revisit shows those that are.`,
        );
      }
      const { store, memory } = await work();
      changed(store, [memory.id]);
      return memory;
    });
  }

  private read(memory: Memory, now: Date): Revisit | undefined {
    const { decayProfile: profile } = this.ctx.host.config();
    const decay = { profile, centrality: memory.centrality, now };
    const weighed = { memory, effectiveConfidence: effectiveConfidence(memory, decay) };
    if (memory.dueAt !== undefined && memory.dueAt < now.toISOString()) {
      return { ...weighed, why: 'overdue', since: memory.dueAt };
    }
    if (memory.status === 'active' && !isFaded(memory, decay)) return undefined;
    const { updatedAt, reinforcedAt } = memory;
    return { ...weighed, why: 'faded', since: updatedAt > reinforcedAt ? updatedAt : reinforcedAt };
  }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/u.test(text);
}

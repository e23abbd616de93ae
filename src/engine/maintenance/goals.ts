import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import { newUuid } from '../base/uuid.js';
import type { CallTracker } from '../store/callTracker.js';
import { storeForWrite, type Context } from '../context.js';
import type { Goal } from '../model/maintenance.js';
import { isReferenceTo, normalizeReference, type StoreKind } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { findSecret } from '../secrets/secretScanner.js';
import { analyzeText } from '../text/analyzer.js';

/** A longer text is no goal, and every memory is compared with it. */
const maxGoalLength = 500;
/** Open goals per store. */
const maxOpenGoals = 100;

/** The stored form of a goal. */
type GoalRecord = Pick<Goal, 'text' | 'createdAt' | 'doneAt'>;

/**
 * A person's goals. Maintenance keeps matching memories longer: memories of a project are matched with the
 * goals of the project and the global ones, global memories with the global ones.
 */
export class Goals {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /** Adds a goal, by default to the open project. @throws EngineError invalidInput, and errors of writing a store */
  add(text: string, store: StoreKind = 'project'): Promise<Goal> {
    return this.calls.run(async () => {
      const line = text.replaceAll(/\s+/gu, ' ').trim();
      validateGoal(line);
      const target = storeForWrite(this.ctx, store, undefined);
      const now = this.ctx.host.now();
      const id = newUuid(now);
      const body: GoalRecord = { text: line, createdAt: now.toISOString() };
      const open = (await listOpenGoals(target)).length;
      if (open >= maxOpenGoals) {
        throw new EngineError(
          'invalidInput',
          message`There are ${open} open goals already; mark some as done, or remove them.`,
        );
      }
      await target.write(this.ctx.host.client, tx => tx.putRecord('goal', id, body));
      return { id, store: target.kind, ...body };
    });
  }

  /** Open goals first, then completed ones; each newest first. */
  list(): Promise<Goal[]> {
    return this.calls.run(async () => {
      const goals = (await Promise.all(this.ctx.stores.map(it => listGoals(it.store)))).flat();
      const rank = (it: Goal): string => `${it.doneAt === undefined ? 1 : 0} ${it.createdAt} ${it.id}`;
      return goals.sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
    });
  }

  /**
   * Marks a goal as done; it stays in the list.
   * @param reference its id, or the last eight digits of it
   */
  done(reference: string): Promise<Goal> {
    return this.withGoal(reference, async (store, goal) => {
      const after = { ...goal, doneAt: goal.doneAt ?? this.ctx.host.now().toISOString() };
      const { id, store: kind, ...body } = after;
      await store.write(this.ctx.host.client, tx => tx.putRecord('goal', id, body));
      return { ...body, id, store: kind };
    });
  }

  remove(reference: string): Promise<Goal> {
    return this.withGoal(reference, async (store, goal) => {
      await store.write(this.ctx.host.client, tx => tx.deleteRecord('goal', goal.id));
      return goal;
    });
  }

  /** @throws EngineError notFound | ambiguousId */
  private withGoal(reference: string, work: (store: Store, goal: Goal) => Promise<Goal>): Promise<Goal> {
    return this.calls.run(async () => {
      const normalizedReference = normalizeReference(reference);
      const found: { store: Store; goal: Goal }[] = [];
      for (const { store } of this.ctx.stores) {
        for (const goal of await listGoals(store)) {
          if (isReferenceTo(goal, reference)) found.push({ store, goal });
        }
      }
      const [first] = found;
      const quoted = `"${normalizedReference.slice(0, 40)}"`;
      if (first === undefined) {
        throw new EngineError('notFound', message`There is no goal ${quoted}. List them: recollect goals.`);
      }
      if (found.length > 1) {
        throw new EngineError(
          'ambiguousId',
          message`${quoted} could be ${found.map(it => it.goal.id).join(' or ')}. Give the full id.`,
        );
      }
      return work(first.store, first.goal);
    });
  }
}

/** The open goals of a store, oldest first. */
export async function listOpenGoals(store: Store): Promise<Goal[]> {
  const goals = await listGoals(store);
  return goals.filter(it => it.doneAt === undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function listGoals(store: Store): Promise<Goal[]> {
  return (await store.records<GoalRecord>('goal')).map(({ id, body }) => ({ id, store: store.kind, ...body }));
}

function validateGoal(text: string): void {
  if (analyzeText(text).length === 0) {
    throw new EngineError('invalidInput', 'A goal needs words. Say what you are working towards.');
  }
  if (text.length > maxGoalLength) {
    throw new EngineError(
      'invalidInput',
      message`A goal has at most ${maxGoalLength} characters; this one has ${text.length}. Say it in a sentence.`,
    );
  }
  const secret = findSecret(text);
  if (secret !== undefined) {
    throw new EngineError('notAllowed', 'The goal seems to hold a secret. Leave it out: goals are kept in the clear.');
  }
}

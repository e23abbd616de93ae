import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import { newId } from '../base/newId.js';
import type { Calls } from '../calls.js';
import { storeForWrite, type Context } from '../context.js';
import type { Goal } from '../model/maintenance.js';
import type { StoreKind } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { findSecret } from '../text/secrets.js';
import { terms } from '../text/terms.js';

/** Longer is no goal any more, and every memory is compared with it. */
const maxCharacters = 500;
/** More open goals in a store than anybody works towards. */
const maxOpen = 100;

/** A goal as it is kept in its store. */
type GoalBody = Pick<Goal, 'text' | 'createdAt' | 'doneAt'>;

/**
 * What a person is working towards. Maintenance keeps longer what fits an open goal: memories of a project are matched
 * with the project's goals and the global ones, global memories with the global ones.
 */
export class Goals {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /**
   * Sets a goal, for the open project unless `store` says otherwise.
   * @throws EngineError invalidInput, and what writing a store throws
   */
  add(text: string, store: StoreKind = 'project'): Promise<Goal> {
    return this.calls.run(async () => {
      const line = text.replaceAll(/\s+/gu, ' ').trim();
      check(line);
      const target = storeForWrite(this.ctx, store, undefined);
      const now = this.ctx.host.now();
      const id = newId(now);
      const body: GoalBody = { text: line, createdAt: now.toISOString() };
      const open = (await openGoals(target)).length;
      if (open >= maxOpen) {
        throw new EngineError(
          'invalidInput',
          message`There are ${open} open goals already; mark some as done, or remove them.`,
        );
      }
      await target.write(this.ctx.host.client, tx => tx.putRecord('goal', id, body));
      return { id, store: target.kind, ...body };
    });
  }

  /** Open ones first, then those that are done; newest first. */
  list(): Promise<Goal[]> {
    return this.calls.run(async () => {
      const goals = (await Promise.all(this.ctx.stores.map(it => goalsOf(it.store)))).flat();
      const rank = (it: Goal): string => `${it.doneAt === undefined ? 1 : 0} ${it.createdAt} ${it.id}`;
      return goals.sort((a, b) => (rank(a) < rank(b) ? 1 : -1));
    });
  }

  /** It no longer counts, and stays listed. @param reference its id, or the last eight digits of it */
  done(reference: string): Promise<Goal> {
    return this.change(reference, async (store, goal) => {
      const after = { ...goal, doneAt: goal.doneAt ?? this.ctx.host.now().toISOString() };
      const { id, store: kind, ...body } = after;
      await store.write(this.ctx.host.client, tx => tx.putRecord('goal', id, body));
      return { ...body, id, store: kind };
    });
  }

  remove(reference: string): Promise<Goal> {
    return this.change(reference, async (store, goal) => {
      await store.write(this.ctx.host.client, tx => tx.deleteRecord('goal', goal.id));
      return goal;
    });
  }

  /** @throws EngineError notFound | ambiguousId */
  private change(reference: string, work: (store: Store, goal: Goal) => Promise<Goal>): Promise<Goal> {
    return this.calls.run(async () => {
      const wanted = reference.trim().replace(/^#/u, '').toLowerCase();
      const found: { store: Store; goal: Goal }[] = [];
      for (const { store } of this.ctx.stores) {
        for (const goal of await goalsOf(store)) {
          if (goal.id === wanted || goal.id.slice(-8) === wanted) found.push({ store, goal });
        }
      }
      const [first] = found;
      const quoted = `"${wanted.slice(0, 40)}"`;
      if (first === undefined) {
        throw new EngineError('notFound', message`There is no goal ${quoted}. List the goals to see their ids.`);
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

/** The goals of a store that are not done, oldest first. */
export async function openGoals(store: Store): Promise<Goal[]> {
  const goals = await goalsOf(store);
  return goals.filter(it => it.doneAt === undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function goalsOf(store: Store): Promise<Goal[]> {
  return (await store.records<GoalBody>('goal')).map(({ id, body }) => ({ id, store: store.kind, ...body }));
}

function check(text: string): void {
  if (terms(text).length === 0) {
    throw new EngineError('invalidInput', 'A goal needs words. Say what you are working towards.');
  }
  if (text.length > maxCharacters) {
    throw new EngineError(
      'invalidInput',
      message`A goal has at most ${maxCharacters} characters; this one has ${text.length}. Say it in a sentence.`,
    );
  }
  const secret = findSecret(text);
  if (secret !== undefined) {
    throw new EngineError(
      'invalidInput',
      'The goal seems to hold a secret. Leave it out: goals are kept in the clear.',
    );
  }
}

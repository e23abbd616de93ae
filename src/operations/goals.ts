import { z } from 'zod';
import type { Goal } from '../engine/model/maintenance.js';
import { shortId, storeKinds } from '../engine/model/memory.js';
import { argument, definePersonCommand, option, type PersonCommand } from './personCommand.js';

const goalId = argument('<id>', z.string(), 'one that `recollect goals` lists');

const listGoals = definePersonCommand({
  name: 'goals',
  description: 'list what you are working towards; memories that fit are kept longer',
  input: z.strictObject({}),
  async run(engine) {
    const goals = await engine.goals.list();
    return {
      output: goals,
      lines: goals.map(describeGoal),
      hints: goals.length === 0 ? ['There is no goal. Set one: recollect goals add TEXT'] : [],
    };
  },
});

export const goalCommands: readonly PersonCommand[] = [
  listGoals,
  { ...listGoals, name: 'goals list', description: 'list them, open ones first' },
  definePersonCommand({
    name: 'goals add',
    description: 'set a goal',
    input: z.strictObject({
      words: argument('<text...>', z.array(z.string()), 'what you are working towards'),
      store: option('--store <store>', z.enum(storeKinds).default('project'), 'for this project, or for all'),
    }),
    async run(engine, { words, store }) {
      const goal = await engine.goals.add(words.join(' '), store);
      return { output: goal, lines: [describeGoal(goal)] };
    },
  }),
  definePersonCommand({
    name: 'goals done',
    description: 'mark a goal as reached; it no longer counts',
    input: z.strictObject({ id: goalId }),
    async run(engine, { id }) {
      const goal = await engine.goals.done(id);
      return { output: goal, lines: [describeGoal(goal)] };
    },
  }),
  definePersonCommand({
    name: 'goals remove',
    description: 'take a goal off the list',
    input: z.strictObject({ id: goalId }),
    async run(engine, { id }) {
      const goal = await engine.goals.remove(id);
      return { output: goal, lines: [`Removed: ${goal.text}`] };
    },
  }),
];

function describeGoal(goal: Goal): string {
  const state = goal.doneAt === undefined ? goal.store : `${goal.store} · done ${goal.doneAt.slice(0, 10)}`;
  return `#${shortId(goal)}  ${goal.text}  (${state})`;
}

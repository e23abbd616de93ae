import { z } from 'zod';
import { shortId } from '../engine/model/memory.js';
import {
  changeEach,
  decidedAnswer,
  definePersonCommand,
  flag,
  idsArgument,
  memoriesAnswer,
  option,
} from './personCommand.js';
import type { PersonCommand } from './personCommand.js';

/** `recollect pin ID...` and its like, which a model may only ask for. */
export const changeCommands: readonly PersonCommand[] = [
  definePersonCommand({
    name: 'pin',
    description: 'lock a memory: it neither fades nor weakens',
    input: z.strictObject({
      ids: idsArgument,
      guard: option(
        '--guard',
        flag,
        'also have assistants ask you before a command or an edit that the memory names; only for a confirmed one',
      ),
    }),
    async run(engine, { ids, guard }) {
      const { after } = await changeEach(engine, ids, async id => {
        if (guard === true) await engine.guards.set(id);
        return engine.pin(id);
      });
      return memoriesAnswer(engine, after);
    },
  }),
  changeCommand('unpin', 'unlock it again; it guards nothing any more'),
  definePersonCommand({
    name: 'forget',
    description: 'archive a memory; restore undoes it',
    input: z.strictObject({ ids: idsArgument }),
    async run(engine, { ids }) {
      const { before, after } = await changeEach(engine, ids, id => engine.forget(id));
      const answer = memoriesAnswer(engine, after);
      const forgotten = before.filter(it => it.status === 'active').map(shortId);
      if (forgotten.length === 0) return answer;
      return { ...answer, lines: [...answer.lines, `Undo: recollect restore ${forgotten.join(' ')}`] };
    },
  }),
  changeCommand('restore', 'make an archived memory active again'),
  changeCommand('promote', 'confirm a note, so that it does not expire'),
];

function changeCommand(name: 'unpin' | 'restore' | 'promote', description: string): PersonCommand {
  return definePersonCommand({
    name,
    description,
    input: z.strictObject({ ids: idsArgument }),
    async run(engine, { ids }) {
      const { after } = await changeEach(engine, ids, id => engine[name](id));
      return name === 'promote' ? decidedAnswer(engine, after) : memoriesAnswer(engine, after);
    },
  });
}

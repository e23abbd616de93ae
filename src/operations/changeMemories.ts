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

const confirmCommand = changeCommand(
  'confirm',
  'confirm a note as your own word, so that it does not expire',
  'promote',
);

/** `recollect pin ID...` and its like, which a model may only ask for. */
export const changeCommands: readonly PersonCommand[] = [
  definePersonCommand({
    name: 'pin',
    description: 'pin a memory, so that it never fades',
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
  changeCommand('unpin', 'take the pin off again; with it goes --guard', 'unpin'),
  definePersonCommand({
    name: 'forget',
    description: 'take a memory out of use; restore brings it back',
    input: z.strictObject({ ids: idsArgument }),
    async run(engine, { ids }) {
      const { before, after } = await changeEach(engine, ids, id => engine.forget(id));
      const answer = memoriesAnswer(engine, after);
      const forgotten = before.filter(it => it.status === 'active').map(shortId);
      if (forgotten.length === 0) return answer;
      return { ...answer, lines: [...answer.lines, `Undo: recollect restore ${forgotten.join(' ')}`] };
    },
  }),
  changeCommand('restore', 'bring back a memory that was forgotten or replaced', 'restore'),
  confirmCommand,
  { ...confirmCommand, name: 'promote', now: 'recollect confirm' },
];

function changeCommand(name: string, description: string, change: 'unpin' | 'restore' | 'promote'): PersonCommand {
  return definePersonCommand({
    name,
    description,
    input: z.strictObject({ ids: idsArgument }),
    async run(engine, { ids }) {
      const { after } = await changeEach(engine, ids, id => engine[change](id));
      return change === 'promote' ? decidedAnswer(engine, after) : memoriesAnswer(engine, after);
    },
  });
}

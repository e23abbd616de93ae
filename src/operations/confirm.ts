import { z } from 'zod';
import { changeEach, decidedAnswer, definePersonCommand, idsArgument, type PersonCommand } from './personCommand.js';

const confirmCommand = definePersonCommand({
  name: 'confirm',
  description: 'confirm a note as your own word, so that it does not expire',
  input: z.strictObject({ ids: idsArgument }),
  async run(engine, { ids }) {
    return decidedAnswer(engine, (await changeEach(engine, ids, id => engine.promote(id))).after);
  },
});

/** With its former name. */
export const confirmCommands: readonly PersonCommand[] = [
  confirmCommand,
  { ...confirmCommand, name: 'promote', now: 'recollect confirm' },
];

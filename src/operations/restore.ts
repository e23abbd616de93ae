import { z } from 'zod';
import { changeEach, definePersonCommand, idsArgument, memoriesAnswer } from './personCommand.js';

export const restoreCommand = definePersonCommand({
  name: 'restore',
  description: 'bring back a memory that was forgotten or replaced',
  input: z.strictObject({ ids: idsArgument }),
  async run(engine, { ids }) {
    return memoriesAnswer(engine, (await changeEach(engine, ids, id => engine.restore(id))).after);
  },
});

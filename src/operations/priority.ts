import { z } from 'zod';
import { argument, definePersonCommand, idArgument, memoryLine, wholeNumber } from './personCommand.js';

export const priorityCommand = definePersonCommand({
  name: 'priority',
  description: 'set how much a memory counts when memories are ranked',
  input: z.strictObject({ id: idArgument, priority: argument('<n>', wholeNumber, '1 to 10; 5 for most') }),
  async run(engine, { id, priority }) {
    const memory = await engine.setPriority(id, priority);
    return { output: memory, lines: [`${memoryLine(engine, memory)}  priority ${memory.priority}`] };
  },
});

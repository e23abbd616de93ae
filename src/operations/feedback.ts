import { z } from 'zod';
import { ratings, shortId } from '../engine/model/memory.js';
import { argument, definePersonCommand, idArgument, memoryLine } from './personCommand.js';
import { defineTool } from './tool.js';
import { memoryId } from './inputFields.js';

const feedbackInput = z.strictObject({
  id: memoryId,
  useful: z.boolean().describe('Whether the memory helped with the task at hand.'),
});

export const feedbackTool = defineTool({
  name: 'feedback',
  reference: 'rateMemory',
  title: 'Rate a memory',
  description:
    'Says whether a recalled memory helped. Call it once per memory, after you have used it or found it misleading; it decides what is kept and how it ranks. Do not call it for memories that played no part. Example: {"id":"1f3c9a20","useful":true}',
  readOnly: false,
  destructive: false,
  idempotent: false,
  input: feedbackInput,
  output: z.strictObject({ id: z.string(), feedback: z.int().describe('Sum of all thumbs.') }),
  progress: () => 'Noting whether the memory helped',
  async run(engine, input) {
    const memory = await engine.feedback(input.id, input.useful);
    return {
      text: `Noted: #${shortId(memory)} was ${input.useful ? 'useful' : 'not useful'}.`,
      structured: { id: shortId(memory), feedback: memory.feedback },
    };
  },
});

export const feedbackCommand = definePersonCommand({
  name: 'feedback',
  description: 'say whether a memory helped',
  input: z.strictObject({
    id: idArgument,
    verdict: argument(
      '<verdict>',
      z.literal(['useful', 'not-useful', ...ratings.map(String)]),
      'whether it helped, or how much: 1 (it misled) to 5',
    ),
  }),
  async run(engine, { id, verdict }) {
    const rating = ratings.find(it => String(it) === verdict);
    const memory = await engine.feedback(id, rating ?? verdict === 'useful');
    return { output: memory, lines: [memoryLine(engine, memory)] };
  },
});

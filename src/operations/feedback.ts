import { z } from 'zod';
import { shortId } from '../engine/model/memory.js';
import { feedbackInput } from './schemas.js';
import { defineTool } from './tool.js';

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

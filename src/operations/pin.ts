import { z } from 'zod';
import { escapeMemoryText } from '../engine/model/contextEnvelope.js';
import { memoryViewSchema, toCurrentMemoryView } from './memoryView.js';
import { pinInput } from './schemas.js';
import { defineTool } from './tool.js';

export const pinTool = defineTool({
  name: 'pin',
  title: 'Pin a memory',
  description:
    'Pins a memory, so that it neither fades nor weakens, or unpins it. Call it only when the user asks for it; a pin is their decision.',
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: pinInput,
  output: z.strictObject({ memory: memoryViewSchema }),
  progress: input => `${input.pinned === false ? 'Unpinning' : 'Pinning'} #${input.id}`,
  async confirm(engine, input) {
    const { content } = await engine.get(input.id);
    const action = input.pinned === false ? 'unpin' : 'pin';
    const title = action === 'unpin' ? 'Unpin this?' : 'Pin this?';
    return { title, message: content, request: { action, id: input.id } };
  },
  async run(engine, { id, pinned = true }) {
    const memory = toCurrentMemoryView(engine, await (pinned ? engine.pin(id) : engine.unpin(id)));
    return {
      text: `${pinned ? 'Pinned' : 'Unpinned'} #${memory.id}: ${escapeMemoryText(memory.content)}`,
      structured: { memory },
      given: [memory.id],
    };
  },
});

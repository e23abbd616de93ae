import { z } from 'zod';
import { escapeMemoryText } from '../engine/model/contextEnvelope.js';
import { memoryViewSchema, toCurrentMemoryView } from './memoryView.js';
import { changeEach, definePersonCommand, flag, idsArgument, memoriesAnswer, option } from './personCommand.js';
import { defineTool } from './tool.js';
import { memoryId } from './inputFields.js';

const pinInput = z.strictObject({
  id: memoryId,
  pinned: z.boolean().exactOptional().describe('true (default) pins the memory, false unpins it.'),
});

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

export const pinCommand = definePersonCommand({
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
});

export const unpinCommand = definePersonCommand({
  name: 'unpin',
  description: 'take the pin off again; with it goes --guard',
  input: z.strictObject({ ids: idsArgument }),
  async run(engine, { ids }) {
    return memoriesAnswer(engine, (await changeEach(engine, ids, id => engine.unpin(id))).after);
  },
});

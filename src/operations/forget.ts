import { z } from 'zod';
import { message } from '../engine/base/localizableMessage.js';
import type { MemoryEngine } from '../engine/engine.js';
import { escapeMemoryText, neutralizeText } from '../engine/model/contextEnvelope.js';
import { shortId } from '../engine/model/memory.js';
import type { RequestedBy } from '../engine/model/query.js';
import { answerNotices, emptyAnswer } from './answerNotices.js';
import { toCurrentMemoryView, wrapMemories } from './memoryView.js';
import { nothingRemembered } from './recall.js';
import { changeEach, definePersonCommand, idsArgument, memoriesAnswer } from './personCommand.js';
import { defineTool, type ToolResult } from './tool.js';
import { scopeIdFilter } from './inputFields.js';

const forgetInput = z
  .strictObject({
    id: z.string().min(1).exactOptional().describe('Id, as recalled.'),
    query: z
      .string()
      .trim()
      .min(1)
      .exactOptional()
      .describe('What it is about, where the id is not known: lists what could be meant.'),
    scopeId: scopeIdFilter,
  })
  .refine(it => (it.id === undefined) !== (it.query === undefined), 'give either id or query');

const maxProposals = 5;

const forgetOutput = z.strictObject({
  forgotten: z.string().exactOptional().describe('The id of the memory that is archived now.'),
  proposals: z
    .array(z.strictObject({ id: z.string(), content: z.string() }))
    .exactOptional()
    .describe('What could be meant; nothing was changed.'),
});

export const forgetTool = defineTool({
  name: 'forget',
  reference: 'forget',
  title: 'Forget',
  description:
    'Takes a memory out of use when the user asks to forget it. Not for a fact that has changed: call remember, with the old id in replaces. A query only lists what could be meant; ask the user which, then call again with its id: the user is asked, or finds the request.',
  readOnly: false,
  destructive: true,
  idempotent: true,
  routes: [{ method: 'DELETE', path: '/memory/{id}', summary: 'Ask for a memory to be forgotten; a person decides' }],
  input: forgetInput,
  output: forgetOutput,
  progress: input => (input.id === undefined ? message`Looking for what to forget` : message`Forgetting #${input.id}`),
  async confirm(engine, input) {
    if (input.id === undefined) return undefined;
    const { content } = await engine.get(input.id);
    return { title: message`Forget this?`, message: content, request: { action: 'forget', id: input.id } };
  },
  async run(engine, input, { asker = 'model' }) {
    if (input.id === undefined) return proposeMemories(engine, input, asker);
    const memory = await engine.forget(input.id);
    return {
      text: `Forgotten #${shortId(memory)}: ${escapeMemoryText(memory.content)}\nIt is in the archive; the user can restore it.`,
      structured: { forgotten: shortId(memory) },
      given: [memory.id],
    };
  },
});

async function proposeMemories(
  engine: MemoryEngine,
  { query = '', scopeId }: z.infer<typeof forgetInput>,
  asker: RequestedBy,
): Promise<ToolResult<z.infer<typeof forgetOutput>>> {
  const { hits } = await engine.recall({
    query,
    limit: maxProposals,
    asker,
    ...(scopeId === undefined ? {} : { scopeId }),
  });
  const memories = hits.map(({ memory }) => ({ id: shortId(memory), content: neutralizeText(memory.content) }));
  if (memories.length === 0) {
    const missing = await answerNotices(engine);
    const text = [emptyAnswer(nothingRemembered, missing), ...missing].join('\n');
    return { text, structured: { proposals: [] } };
  }
  const list = wrapMemories(hits.map(({ memory }) => toCurrentMemoryView(engine, memory)));
  return {
    text: `Nothing was forgotten yet. These could be meant:\n${list}\nAsk the user which one, then call again with its id. Only the user archives it: they are asked then, or find the request in Recollect.`,
    structured: { proposals: memories },
  };
}

export const forgetCommand = definePersonCommand({
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
});

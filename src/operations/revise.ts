import { z } from 'zod';
import { EngineError } from '../engine/base/errors.js';
import { message } from '../engine/base/localizableMessage.js';
import type { MemoryEngine } from '../engine/engine.js';
import { neutralizeText } from '../engine/model/contextEnvelope.js';
import { shortId, type Memory } from '../engine/model/memory.js';
import { defineTool, type ToolResult } from './tool.js';
import { keywords, memoryId, questions } from './inputFields.js';

/** Of a description of code: a sentence or two. */
const maxDescriptionCharacters = 400;

const reviseInput = z
  .strictObject({
    id: memoryId,
    replacedBy: z.string().min(1).exactOptional().describe('Id of the one that replaces it.'),
    sameAs: z.string().min(1).exactOptional().describe('Id of the one that says the same.'),
    stillTrue: z.boolean().exactOptional(),
    appliesTo: z.enum(['project', 'user', 'team']).exactOptional().describe('Moves it there; team: proposes it.'),
    description: z
      .string()
      .trim()
      .min(3)
      .max(maxDescriptionCharacters)
      .exactOptional()
      .describe('Alone: what undescribed code does.'),
    questions,
    keywords,
  })
  .refine(
    ({ id, ...rest }) => Object.keys(rest).length > 0,
    'say what of it: replacedBy, sameAs, stillTrue, appliesTo, questions or keywords (for other words, call remember with the new text as content and its id in sameAs, or in replaces where it no longer holds)',
  );

export const reviseTool = defineTool({
  name: 'revise',
  reference: 'revise',
  title: 'Revise a memory',
  description:
    'Records your judgement on a stored memory: another one replaces it (replacedBy) or says the same (sameAs), or it still holds after all (stillTrue); moves it (appliesTo); adds questions and keywords; or describes code. Call it when remember or recall shows a memory that a newer one makes wrong or repeats. Nothing is deleted, and what the user confirmed stays visible. Example: {"id":"1f3c9a20","replacedBy":"77ab01ce"}',
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: reviseInput,
  output: z.strictObject({ id: z.string(), done: z.string() }),
  progress: input => message`Revising #${input.id}`,
  async confirm(engine, input) {
    const pair = await confirmedPair(engine, input);
    if (pair === undefined) return undefined;
    const [memory, replacement] = pair;
    const isMerge = input.sameAs !== undefined;
    return {
      title: isMerge ? message`Merge these?` : message`Replace this?`,
      message: isMerge
        ? message`${memory.content}\n\nOnly this would be used:\n${replacement.content}`
        : message`${memory.content}\n\nBy this:\n${replacement.content}`,
      request: { action: isMerge ? 'merge' : 'replace', id: memory.id, replacedBy: replacement.id },
    };
  },
  async run(engine, { description, ...input }) {
    if (description !== undefined) return describeCode(engine, input, description);
    const { appliesTo, ...rest } = input;
    if (appliesTo === 'team') return proposeShare(engine, rest);
    // The person was asked then, and said yes.
    const by = (await confirmedPair(engine, input)) === undefined ? 'model' : 'person';
    const memory = await engine.revise({ ...rest, ...(appliesTo === undefined ? {} : { appliesTo }) }, by);
    const place = memory.store === 'global' ? 'all projects' : (engine.projectNames[0] ?? 'this project');
    const done = describe(input, { place, staysOnTop: by === 'model' && memory.lane === 'confirmed' });
    return { text: `#${shortId(memory)}: ${done}`, structured: { id: shortId(memory), done } };
  },
});

/** @throws EngineError invalidInput where another judgement is given, too */
async function describeCode(
  engine: MemoryEngine,
  { id, ...others }: Omit<z.infer<typeof reviseInput>, 'description'>,
  description: string,
): Promise<ToolResult<{ readonly id: string; readonly done: string }>> {
  if (Object.keys(others).length > 0) throw new EngineError('invalidInput', 'Give description alone, with the id.');
  const described = await engine.codeIndex.describe(await engine.get(id), description);
  const done = 'This is its description now.';
  return {
    text: `#${shortId(described)}: ${done} ${neutralizeText(described.content)}`,
    structured: { id: shortId(described), done },
  };
}

/** Keeps a request to share a memory with the team: the person sees what would be written, and says yes. @throws EngineError */
async function proposeShare(
  engine: MemoryEngine,
  { id: reference, ...others }: Omit<z.infer<typeof reviseInput>, 'description' | 'appliesTo'>,
): Promise<ToolResult<{ readonly id: string; readonly done: string }>> {
  if (Object.keys(others).length > 0)
    throw new EngineError('invalidInput', 'Give appliesTo: "team" alone, with the id.');
  const memory = await engine.team.requireShareable(reference);
  const id = shortId(await engine.actionRequests.add(memory.id, 'share'));
  const done = `Proposed, not shared: the user sees what would be written and decides, with "recollect team share ${id}" or under "Needs you".`;
  return { text: `#${id}: ${done}`, structured: { id, done } };
}

/** Two memories that a person confirmed, one of which would replace both: only that person may decide it. */
async function confirmedPair(
  engine: MemoryEngine,
  { id, replacedBy, sameAs }: z.infer<typeof reviseInput>,
): Promise<readonly [memory: Memory, replacement: Memory] | undefined> {
  const other = replacedBy ?? sameAs;
  if (other === undefined) return undefined;
  const [memory, replacement] = [await engine.get(id), await engine.get(other)];
  const isPersons = memory.lane === 'confirmed' && replacement.lane === 'confirmed';
  return isPersons && memory.id !== replacement.id && memory.store === replacement.store
    ? [memory, replacement]
    : undefined;
}

function describe(
  { replacedBy, sameAs, stillTrue, appliesTo, questions, keywords }: z.infer<typeof reviseInput>,
  { place, staysOnTop }: { readonly place: string; readonly staysOnTop: boolean },
): string {
  const strip = (id: string): string => id.replace(/^#/u, '');
  return [
    ...(replacedBy === undefined
      ? []
      : staysOnTop
        ? [`The user confirmed it: it stays, together with #${strip(replacedBy)}, until they settle which one holds.`]
        : [`#${strip(replacedBy)} replaces it.`]),
    ...(sameAs === undefined ? [] : [describeSame(strip(sameAs), staysOnTop)]),
    ...(stillTrue === true ? ['It still holds.'] : []),
    ...(appliesTo === undefined ? [] : [`It is kept for ${place}.`]),
    ...(questions === undefined && keywords === undefined
      ? []
      : ['Search words were added, as far as there was room.']),
  ].join(' ');
}

function describeSame(other: string, staysOnTop: boolean): string {
  return staysOnTop
    ? `A person confirmed it, so that it stands for #${other}, which says the same.`
    : `#${other} says the same and stands for it.`;
}

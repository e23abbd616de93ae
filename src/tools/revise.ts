import { z } from 'zod';
import { shortId } from '../engine/model/memory.js';
import { reviseInput } from './schemas.js';
import { defineTool } from './tool.js';

export const reviseTool = defineTool({
  name: 'revise',
  reference: 'revise',
  title: 'Revise a memory',
  description:
    'Records your judgement on a stored memory: another one replaces it (replacedBy) or says the same (sameAs), or it still holds after all (stillTrue); moves it (appliesTo); or adds questions and keywords. Call it when remember or recall shows a memory that a newer one makes wrong or repeats. Nothing is deleted, and what the user confirmed stays visible. Example: {"id":"1f3c9a20","replacedBy":"77ab01ce"}',
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: reviseInput,
  output: z.strictObject({ id: z.string(), done: z.string() }),
  progress: input => `Revising #${input.id}`,
  async run(engine, input) {
    const memory = await engine.revise(input, 'model');
    const done = describe(input, memory.store === 'global' ? 'all projects' : (engine.projectName ?? 'this project'));
    return { text: `#${shortId(memory)}: ${done}`, structured: { id: shortId(memory), done } };
  },
});

function describe(
  { replacedBy, sameAs, stillTrue, appliesTo, questions, keywords }: z.infer<typeof reviseInput>,
  place: string,
): string {
  const strip = (id: string): string => id.replace(/^#/u, '');
  return [
    ...(replacedBy === undefined ? [] : [`#${strip(replacedBy)} replaces it.`]),
    ...(sameAs === undefined ? [] : [`#${strip(sameAs)} says the same and stands for it.`]),
    ...(stillTrue === true ? ['It still holds.'] : []),
    ...(appliesTo === undefined ? [] : [`It is kept for ${place}.`]),
    ...(questions === undefined && keywords === undefined
      ? []
      : ['Search words were added, as far as there was room.']),
  ].join(' ');
}

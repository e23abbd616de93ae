import { z } from 'zod';
import { gates, kinds, statedLifetimes } from '../engine/model/memory.js';
import { dateText, keywords, questions } from './inputFields.js';

/** Of a quote that is kept with a memory. */
const maxSaidCharacters = 600;
const memoryIds = z.array(z.string().min(1)).exactOptional();

const fact = z.strictObject({
  content: z.string().min(1).describe('One standalone fact, understood without this conversation.'),
  appliesTo: z
    .enum(['project', 'user'])
    .exactOptional()
    .describe('project (default): true of this code base, team or deployment; user: of the person, everywhere.'),
  questions,
  keywords,
  replaces: memoryIds.describe('Ids of memories that no longer hold because of it.'),
  refines: memoryIds.describe('Ids of memories it adds to.'),
  sameAs: z.string().min(1).exactOptional().describe('Id of the memory it says again.'),
  due: dateText.exactOptional().describe('The day on which it happens, or until which it holds (ISO 8601).'),
  lasts: z.enum(statedLifetimes).exactOptional().describe('Only if it stops mattering soon.'),
  file: z.string().exactOptional().describe('Path in the project of the code it is about.'),
  lines: z
    .string()
    .regex(/^\s*[1-9]\d{0,8}\s*(?:[-–]\s*[1-9]\d{0,8}\s*)?$/u, 'must be lines such as 12-20 or 12')
    .exactOptional()
    .describe('Its lines there: "12-20".'),
  gate: z
    .enum(gates)
    .exactOptional()
    .describe(
      'behavioral: a rule for how work is done; correction: what not to do again. Each session gets both at its start.',
    ),
  kind: z.enum(kinds).exactOptional(),
  tags: z.array(z.string().min(1)).exactOptional(),
  scopeId: z.string().min(1).exactOptional().describe('A set of its own, where the user works with sets.'),
  priority: z.int().min(1).max(10).exactOptional(),
  on: dateText.exactOptional().describe('The day it was said, if not today.'),
  said: z.string().min(1).max(maxSaidCharacters).exactOptional().describe("The user's own words, where they matter."),
  reason: z.string().min(1).max(300).exactOptional().describe('Why it is worth keeping.'),
});

/** Fields of a fact, by name. */
export const factFields: Readonly<Record<string, unknown>> = fact.shape;

export const rememberInput = z
  .strictObject({
    facts: z.array(fact).min(1).exactOptional(),
    content: z.string().min(1).exactOptional().describe('Instead of facts: a text that is split into facts.'),
  })
  .refine(it => (it.content === undefined) !== (it.facts === undefined), 'give either facts or content');

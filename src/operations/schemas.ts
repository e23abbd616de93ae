import { z } from 'zod';
import { parseCalendarDate } from '../engine/base/calendarDate.js';
import { defaultConfig, requestLimits } from '../engine/model/config.js';
import { edgeTypes } from '../engine/model/edge.js';
import { aidLimits, gates, kinds, lanes, storeScopes, statuses } from '../engine/model/memory.js';
import { recallModes } from '../engine/model/query.js';
import { retentionPresets } from '../engine/model/retention.js';

/** Of a quote that is kept with a memory. */
const maxSaidCharacters = 600;
/** Of a description of code: a sentence or two. */
const maxDescriptionCharacters = 400;

const dateText = z.string().refine(it => parseCalendarDate(it) !== undefined, 'must be a date such as 2026-03-01');

/** A date as a model writes it, as ISO-8601 UTC. */
export const toIsoDate = (text: string): string => new Date(text).toISOString();

const gateFilter = z
  .array(z.enum(gates))
  .min(1)
  .exactOptional()
  .describe(
    'Only corrections, ways of working (behavioral), facts (epistemic), people (relational), plans (promissory).',
  );
const kindFilter = z.array(z.enum(kinds)).min(1).exactOptional().describe('Only these kinds.');
const tagFilter = z.array(z.string().min(1)).min(1).exactOptional().describe('Only with all of these tags.');
const sinceFilter = dateText.exactOptional().describe('Only made on or after this date (ISO 8601).');
const untilFilter = dateText.exactOptional().describe('Only made before this date.');
const scopeFilter = z
  .enum(storeScopes)
  .exactOptional()
  .describe('Default: this project and what holds everywhere (global).');
const scopeIdFilter = z.string().min(1).exactOptional().describe('Only of this set, where the user works with sets.');
const tokenBudgetSchema = z
  .int()
  .min(1)
  .max(requestLimits.maxTokenBudget)
  .exactOptional()
  .describe('Tokens at most; default 2000.');
const memoryId = z.string().min(1).describe('Id, as recalled.');

export const recallInput = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(requestLimits.maxQueryLength)
    .describe('What to recall, in a few words or a question.'),
  alternatives: z
    .array(z.string())
    .max(requestLimits.maxAlternatives)
    .exactOptional()
    .describe('At most 4 other wordings of the query, worded as the memory may be.'),
  keywords: z
    .array(z.string())
    .max(requestLimits.maxKeywords)
    .exactOptional()
    .describe('At most 12 words that the memory may contain.'),
  gates: gateFilter,
  kinds: kindFilter,
  tags: tagFilter,
  since: sinceFilter,
  until: untilFilter,
  scope: scopeFilter,
  scopeId: scopeIdFilter,
  limit: z
    .int()
    .min(1)
    .max(requestLimits.maxHits)
    .exactOptional()
    .describe(`A maximum; default ${defaultConfig.recall.limit}.`),
  tokenBudget: tokenBudgetSchema,
  mode: z.enum(recallModes).exactOptional().describe('fast (default) may repeat an answer while nothing has changed.'),
});

/** Remark of an answer about itself, such as that no project is known. */
export const aboutAnswer = z.string().exactOptional().describe('What to know of this answer.');

const questions = z
  .array(z.string())
  .max(aidLimits.maxQuestions)
  .exactOptional()
  .describe("At most 3 questions that it answers, in other words than the memory's own.");
const keywords = z
  .array(z.string())
  .max(aidLimits.maxKeywords)
  .exactOptional()
  .describe('At most 10 words it lacks that someone may search for: synonyms, the long form, the tool, the category.');
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
  lasts: z.enum(['day', 'week', 'months']).exactOptional().describe('Only if it stops mattering soon.'),
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

export const reviseInput = z
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

export const forgetInput = z
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

export const feedbackInput = z.strictObject({
  id: memoryId,
  useful: z.boolean().describe('Whether the memory helped with the task at hand.'),
});

export const contextInput = z.strictObject({
  task: z
    .string()
    .trim()
    .min(1)
    .max(requestLimits.maxQueryLength)
    .describe('What you are about to do, in a sentence or two.'),
  tokenBudget: tokenBudgetSchema,
  scope: scopeFilter,
  scopeId: scopeIdFilter,
});

export const pinInput = z.strictObject({
  id: memoryId,
  pinned: z.boolean().exactOptional().describe('true (default) pins the memory, false unpins it.'),
});

/** Memories on one page of a list, when the caller does not say. */
export const defaultListLimit = 20;

const listLimit = z
  .int()
  .min(1)
  .max(requestLimits.maxHits)
  .exactOptional()
  .describe(`At most; default ${defaultListLimit}.`);

export const listInput = z.strictObject({
  // Explained in `recall`, whose schema a model reads in the same message.
  gates: gateFilter.describe('Only these gates.'),
  kinds: kindFilter,
  tags: tagFilter,
  lane: z.enum(lanes).exactOptional().describe('Only what a person confirmed, or only notes.'),
  statuses: z.array(z.enum(statuses)).min(1).exactOptional().describe('Default: active ones.'),
  pinned: z.boolean().exactOptional().describe('Only pinned ones, or only others.'),
  withoutAids: z.boolean().exactOptional().describe('Only those without questions and keywords.'),
  undescribed: z.boolean().exactOptional().describe('Only code without a description.'),
  since: sinceFilter,
  until: untilFilter,
  scope: scopeFilter,
  scopeId: scopeIdFilter,
  limit: listLimit,
  offset: z.int().min(0).exactOptional().describe('How many to pass over.'),
});

export const conflictsInput = z.strictObject({
  scope: scopeFilter,
  scopeId: scopeIdFilter,
  limit: listLimit,
});

export const graphInput = z.strictObject({
  id: memoryId,
  hops: z.int().min(1).max(2).exactOptional().describe('Links to follow; default 2.'),
  types: z.array(z.enum(edgeTypes)).min(1).exactOptional().describe('Only links of these types.'),
  limit: listLimit,
});

export const maintainInput = z.strictObject({
  dryRun: z
    .boolean()
    .exactOptional()
    .describe('true (default) only says what would be done; false does it. Set false only when the user asked for it.'),
  preset: z.enum(retentionPresets).exactOptional().describe('What counts when a quota is full; default balanced.'),
  scope: scopeFilter,
});

export const metricsInput = z.strictObject({});

/** More do not fit into one request. */
const maxVectors = 1_000;
/** As many dimensions as any model in use has. */
const maxDimensions = 4_096;
const vectorSchema = z.array(z.number()).min(1).max(maxDimensions);

export const embedInput = z
  .strictObject({
    model: z.string().min(1).describe('The model that made the vectors: the name that metrics gives.'),
    id: z.string().min(1).exactOptional().describe('The id of the memory, as recalled; with vector.'),
    vector: vectorSchema.exactOptional().describe('As many numbers as the model has dimensions.'),
    vectors: z
      .array(z.strictObject({ id: memoryId, vector: vectorSchema }))
      .min(1)
      .max(maxVectors)
      .exactOptional()
      .describe('Instead of id and vector: those of many memories.'),
  })
  .refine(
    it => (it.vectors === undefined) === (it.id !== undefined) && (it.id === undefined) === (it.vector === undefined),
    'give either id and vector, or vectors',
  );

export const tracesInput = z.strictObject({
  id: z.string().min(1).exactOptional().describe('The id of one trace, to see why each memory was returned or not.'),
  limit: z.int().min(1).max(requestLimits.maxHits).exactOptional().describe('Traces at most; default 10.'),
});

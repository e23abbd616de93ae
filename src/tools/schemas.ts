import { z } from 'zod';
import { parseCalendarDate } from '../engine/base/calendarDate.js';
import { requestLimits } from '../engine/model/config.js';
import { edgeTypes } from '../engine/model/edge.js';
import { gates, kinds, lanes, storeScopes, statuses } from '../engine/model/memory.js';
import { recallModes } from '../engine/model/query.js';
import { retentionPresets } from '../engine/model/retention.js';

const dateText = z.string().refine(it => parseCalendarDate(it) !== undefined, 'must be a date such as 2026-03-01');

/** A date as a model writes it, as ISO-8601 UTC. */
export const toIsoDate = (text: string): string => new Date(text).toISOString();

const gateFilter = z
  .array(z.enum(gates))
  .min(1)
  .exactOptional()
  .describe(
    'Only memories about: correction (mistakes to avoid), behavioral (preferences), epistemic (facts), relational (people), promissory (plans).',
  );
const kindFilter = z.array(z.enum(kinds)).min(1).exactOptional().describe('Only notes of these kinds.');
const tagFilter = z
  .array(z.string().min(1))
  .min(1)
  .exactOptional()
  .describe('Only memories that have all of these tags.');
const sinceFilter = dateText.exactOptional().describe('Only memories made on or after this date (ISO 8601).');
const untilFilter = dateText.exactOptional().describe('Only memories made before this date (ISO 8601).');
const scopeFilter = z
  .enum(storeScopes)
  .exactOptional()
  .describe('Which memories: those of this project and the global ones (default), or one of the two.');
const scopeIdFilter = z
  .string()
  .min(1)
  .exactOptional()
  .describe('Only memories of this set; only where the user works with sets. Without it, those of no set.');
const tokenBudgetSchema = z
  .int()
  .min(1)
  .max(requestLimits.maxTokenBudget)
  .exactOptional()
  .describe('Tokens of text at most; default 2000.');
const memoryId = z.string().min(1).describe('The id of the memory, as recalled.');

export const recallInput = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(requestLimits.maxQueryLength)
    .describe('What to recall, in a few words or a question.'),
  alternatives: z
    .array(z.string())
    .exactOptional()
    .describe('At most 4 other wordings of the query, worded as the memory may be.'),
  keywords: z.array(z.string()).exactOptional().describe('At most 12 words that the memory may contain.'),
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
    .describe('A maximum; default 10. Only what is relevant is returned.'),
  tokenBudget: tokenBudgetSchema,
  mode: z
    .enum(recallModes)
    .exactOptional()
    .describe('fast (default) repeats an answer while no memory has changed; fresh always searches again.'),
});

const gateOfFact = z.enum(gates).exactOptional().describe('What it is about; leave out to have it classified.');
const kindOfFact = z.enum(kinds).exactOptional().describe('What sort of note it is; leave out to have it classified.');
const tagsOfFact = z.array(z.string().min(1)).exactOptional().describe('A few lower-case words to find it by.');
/** What an answer says of itself, as that no project is known. */
export const aboutAnswer = z.string().exactOptional().describe('What to know of this answer.');

const file = z.string().exactOptional().describe('URI of the file it is about, where it is about code.');
const range = z
  .strictObject({ startLine: z.int().min(0), endLine: z.int().min(0) })
  .exactOptional()
  .describe('Zero-based lines in that file, end exclusive.');
const priority = z.int().min(1).max(10).exactOptional().describe('1-10, default 5.');
const scopeId = z
  .string()
  .min(1)
  .exactOptional()
  .describe('Keeps it in a set of its own; only where the user works with sets.');
const questions = z
  .array(z.string())
  .exactOptional()
  .describe('At most 3 questions that it answers, in other words than its own.');
const keywords = z
  .array(z.string())
  .exactOptional()
  .describe(
    'At most 10 words someone may search for that it does not contain: synonyms, the long form, the tool, the category.',
  );

const fact = z.strictObject({
  content: z.string().min(1).describe('One standalone fact, understood without this conversation.'),
  appliesTo: z
    .enum(['project', 'user'])
    .exactOptional()
    .describe('project: true of this code base, team or deployment; user: of the person, in every project.'),
  gate: gateOfFact,
  kind: kindOfFact,
  tags: tagsOfFact,
  file,
  range,
  priority,
  scopeId,
  reason: z.string().min(1).max(300).exactOptional().describe('Why it is worth keeping, in a few words.'),
  lasts: z.enum(['day', 'week', 'months']).exactOptional().describe('How long it will matter; default by what it is.'),
  due: dateText.exactOptional().describe('The date of a plan (ISO 8601).'),
  questions,
  keywords,
  replaces: z.array(z.string().min(1)).exactOptional().describe('Ids of memories that no longer hold because of it.'),
  refines: z.array(z.string().min(1)).exactOptional().describe('Ids of memories it adds to.'),
  sameAs: z.string().min(1).exactOptional().describe('Id of the memory it says again.'),
});

export const rememberInput = z
  .strictObject({
    facts: z.array(fact).min(1).exactOptional().describe('What to remember, one entry for each fact.'),
    content: z
      .string()
      .min(1)
      .exactOptional()
      .describe('Instead of facts: a text whose facts are split by rule. Give one of the two.'),
    gate: gateOfFact,
    kind: kindOfFact,
    tags: tagsOfFact,
    file,
    range,
    priority,
    scopeId,
  })
  .refine(it => (it.content === undefined) !== (it.facts === undefined), 'give either facts or content');

export const reviseInput = z.strictObject({
  id: memoryId,
  replacedBy: z.string().min(1).exactOptional().describe('Id of the memory that replaces it.'),
  sameAs: z.string().min(1).exactOptional().describe('Id of the memory that says the same.'),
  stillTrue: z.boolean().exactOptional().describe('It still holds, whatever marks it as outdated.'),
  questions,
  keywords,
});

export const forgetInput = z
  .strictObject({
    id: z.string().min(1).exactOptional().describe('The id of the memory, as recalled.'),
    query: z
      .string()
      .trim()
      .min(1)
      .exactOptional()
      .describe('What the memory is about, where the id is not known: lists what could be meant.'),
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

const listLimit = (what: string) =>
  z.int().min(1).max(requestLimits.maxHits).exactOptional().describe(`${what} at most; default ${defaultListLimit}.`);

export const listInput = z.strictObject({
  gates: gateFilter,
  kinds: kindFilter,
  tags: tagFilter,
  lane: z.enum(lanes).exactOptional().describe('Only what a person said (confirmed), or only notes.'),
  statuses: z.array(z.enum(statuses)).min(1).exactOptional().describe('Default: active ones.'),
  pinned: z.boolean().exactOptional().describe('Only pinned ones, or only others.'),
  withoutAids: z
    .boolean()
    .exactOptional()
    .describe('true: only those without questions and keywords, for revise to add.'),
  since: sinceFilter,
  until: untilFilter,
  scope: scopeFilter,
  scopeId: scopeIdFilter,
  limit: listLimit('Memories'),
  offset: z.int().min(0).exactOptional().describe('How many to pass over, for the next page.'),
});

export const conflictsInput = z.strictObject({
  scope: scopeFilter,
  scopeId: scopeIdFilter,
  limit: listLimit('Pairs'),
});

export const graphInput = z.strictObject({
  id: memoryId,
  hops: z.int().min(1).max(2).exactOptional().describe('Links to follow; default 2.'),
  types: z.array(z.enum(edgeTypes)).min(1).exactOptional().describe('Only links of these types.'),
  limit: listLimit('Memories'),
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

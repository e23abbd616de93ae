import { z } from 'zod';
import { requestLimits } from '../engine/model/config.js';
import { gates, kinds, lanes, storeScopes, statuses } from '../engine/model/memory.js';
import { recallModes } from '../engine/model/query.js';
import { retentionPresets } from '../engine/model/retention.js';

const dateText = z.string().refine(it => !Number.isNaN(Date.parse(it)), 'must be a date such as 2026-03-01');

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
  gates: gateFilter,
  kinds: kindFilter,
  tags: tagFilter,
  since: sinceFilter,
  until: untilFilter,
  scope: scopeFilter,
  limit: z.int().min(1).max(requestLimits.maxHits).exactOptional().describe('Memories at most; default 10.'),
  tokenBudget: tokenBudgetSchema,
  mode: z
    .enum(recallModes)
    .exactOptional()
    .describe('fast (default) repeats an answer while no memory has changed; fresh always searches anew.'),
});

export const rememberInput = z.strictObject({
  content: z
    .string()
    .min(1)
    .describe(
      'What to remember: one or more facts as full sentences that will be understood without this conversation.',
    ),
  gate: z.enum(gates).exactOptional().describe('What it is about; leave out to have it classified.'),
  kind: z.enum(kinds).exactOptional().describe('What sort of note it is; leave out to have it classified.'),
  tags: z.array(z.string().min(1)).exactOptional().describe('A few lower-case words to find it by.'),
  file: z.string().exactOptional().describe('URI of the file it is about, where it is about code.'),
  range: z
    .strictObject({ startLine: z.int().min(0), endLine: z.int().min(0) })
    .exactOptional()
    .describe('Zero-based lines in that file, end exclusive.'),
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
});

export const pinInput = z.strictObject({
  id: memoryId,
  pinned: z.boolean().exactOptional().describe('true (default) pins the memory, false unpins it.'),
});

/** Memories on one page of a list, when the caller does not say. */
export const defaultListLimit = 20;

export const listInput = z.strictObject({
  gates: gateFilter,
  kinds: kindFilter,
  tags: tagFilter,
  lane: z.enum(lanes).exactOptional().describe('Only what a person said (confirmed), or only notes.'),
  statuses: z.array(z.enum(statuses)).min(1).exactOptional().describe('Default: active ones.'),
  pinned: z.boolean().exactOptional().describe('Only pinned ones, or only others.'),
  since: sinceFilter,
  until: untilFilter,
  scope: scopeFilter,
  limit: z
    .int()
    .min(1)
    .max(requestLimits.maxHits)
    .exactOptional()
    .describe(`Memories at most; default ${defaultListLimit}.`),
  offset: z.int().min(0).exactOptional().describe('How many to pass over, for the next page.'),
});

export const conflictsInput = z.strictObject({
  scope: scopeFilter,
  limit: z
    .int()
    .min(1)
    .max(requestLimits.maxHits)
    .exactOptional()
    .describe(`Pairs at most; default ${defaultListLimit}.`),
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

export const tracesInput = z.strictObject({
  id: z.string().min(1).exactOptional().describe('The id of one trace, to see why each memory was returned or not.'),
  limit: z.int().min(1).max(requestLimits.maxHits).exactOptional().describe('Traces at most; default 10.'),
});

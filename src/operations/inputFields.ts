import { z } from 'zod';
import { parseCalendarDate } from '../engine/base/calendarDate.js';
import { defaultConfig, requestLimits } from '../engine/model/config.js';
import { aidLimits, gates, kinds, storeScopes } from '../engine/model/memory.js';

export const dateText = z
  .string()
  .refine(it => parseCalendarDate(it) !== undefined, 'must be a date such as 2026-03-01');

/** A date as a model writes it, as ISO-8601 UTC. */
export const toIsoDate = (text: string): string => new Date(text).toISOString();

export const gateFilter = z
  .array(z.enum(gates))
  .min(1)
  .exactOptional()
  .describe(
    'Only corrections, ways of working (behavioral), facts (epistemic), people (relational), plans (promissory).',
  );
export const kindFilter = z.array(z.enum(kinds)).min(1).exactOptional().describe('Only these kinds.');
export const tagFilter = z.array(z.string().min(1)).min(1).exactOptional().describe('Only with all of these tags.');
export const sinceFilter = dateText.exactOptional().describe('Only made on or after this date (ISO 8601).');
export const untilFilter = dateText.exactOptional().describe('Only made before this date.');
export const scopeFilter = z
  .enum(storeScopes)
  .exactOptional()
  .describe('Default: this project and what holds everywhere (global).');
export const scopeIdFilter = z
  .string()
  .min(1)
  .exactOptional()
  .describe('Only of this set, where the user works with sets.');
export const tokenBudgetSchema = z
  .int()
  .min(1)
  .max(requestLimits.maxTokenBudget)
  .exactOptional()
  .describe(`Tokens at most; default ${defaultConfig.recall.tokenBudget}.`);
export const memoryId = z.string().min(1).describe('Id, as recalled.');

/** Remark of an answer about itself, such as that no project is known. */
export const aboutAnswer = z.string().exactOptional().describe('What to know of this answer.');

export const questions = z
  .array(z.string())
  .max(aidLimits.maxQuestions)
  .exactOptional()
  .describe("At most 3 questions that it answers, in other words than the memory's own.");
export const keywords = z
  .array(z.string())
  .max(aidLimits.maxKeywords)
  .exactOptional()
  .describe('At most 10 words it lacks that someone may search for: synonyms, the long form, the tool, the category.');

/** Memories on one page of a list, when the caller does not say. */
export const defaultListLimit = 20;

export const listLimit = z
  .int()
  .min(1)
  .max(requestLimits.maxHits)
  .exactOptional()
  .describe(`At most; default ${defaultListLimit}.`);

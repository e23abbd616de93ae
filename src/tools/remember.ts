import { z } from 'zod';
import type { Contradiction, RememberOutcome } from '../engine/model/rememberOutcome.js';
import { shortId, storeKinds } from '../engine/model/memory.js';
import { rememberInput } from './schemas.js';
import { defineTool } from './tool.js';

const storedFields = { id: z.string(), content: z.string(), store: z.enum(storeKinds) };
const contradictionSchema = z.strictObject({
  id: z.string(),
  content: z.string(),
  reason: z.string(),
  weakened: z.boolean(),
});
const outcomeSchema = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('stored'),
    ...storedFields,
    contradicts: z
      .array(contradictionSchema)
      .exactOptional()
      .describe('Memories that say otherwise. Those that were not weakened wait for the user to decide.'),
  }),
  z.strictObject({ outcome: z.literal('reinforced'), ...storedFields }),
  z.strictObject({ outcome: z.literal('refused'), reason: z.string() }),
]);

export const rememberTool = defineTool({
  name: 'remember',
  reference: 'remember',
  title: 'Remember',
  description:
    "Keeps facts in the user's long-term memory so that later conversations know them. Call it when the user asks you to remember something, corrects you, states a lasting preference, or a decision is made that holds beyond this change. Do not store what can be read off the code, small talk, guesses, or secrets such as passwords and keys (they are refused). Returns for each fact whether it was stored, reinforced because it was known, or refused and why, and which memories it contradicts.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: rememberInput,
  output: z.strictObject({ outcomes: z.array(outcomeSchema).describe('One for each fact, in the order of the text.') }),
  progress: () => 'Remembering',
  confirm: (_engine, input) => Promise.resolve({ title: 'Remember this?', message: input.content, required: false }),
  async run(engine, input, caller) {
    const { file, ...rest } = input;
    const outcomes = await engine.remember({
      ...rest,
      ...(file === undefined ? {} : { uri: file }),
      ...(caller.session === undefined ? {} : { session: caller.session }),
      source: caller.source,
      lane: caller.userConfirmed ? 'confirmed' : 'note',
    });
    return {
      text: outcomes.map(formatOutcome).join('\n'),
      structured: { outcomes: outcomes.map(toOutcomeView) },
      failed: outcomes.every(it => it.outcome === 'refused'),
    };
  },
});

function toOutcomeView(outcome: RememberOutcome): z.infer<typeof outcomeSchema> {
  if (outcome.outcome === 'refused') return outcome;
  const { content, store } = outcome;
  if (outcome.outcome === 'reinforced') return { outcome: 'reinforced', id: shortId(outcome), content, store };
  return {
    outcome: 'stored',
    id: shortId(outcome),
    content,
    store,
    ...(outcome.contradicts === undefined ? {} : { contradicts: outcome.contradicts.map(toContradictionView) }),
  };
}

function toContradictionView(contradiction: Contradiction): z.infer<typeof contradictionSchema> {
  return {
    id: shortId(contradiction),
    content: contradiction.content,
    reason: contradiction.reason,
    weakened: contradiction.weakened,
  };
}

function formatOutcome(outcome: RememberOutcome): string {
  switch (outcome.outcome) {
    case 'stored':
      return `Stored #${shortId(outcome)} (${outcome.store} memory): ${outcome.content}${formatContradictions(outcome)}`;
    case 'reinforced':
      return `Already known, reinforced #${shortId(outcome)} (${outcome.store} memory): ${outcome.content}${formatContradictions(outcome)}`;
    case 'refused':
      return `Refused: ${outcome.reason}`;
  }
}

/** A line for each memory that says otherwise. */
function formatContradictions({ contradicts = [] }: Exclude<RememberOutcome, { outcome: 'refused' }>): string {
  return contradicts
    .map(it => {
      const state = it.weakened ? 'weaker now' : 'unchanged; the user decides which one holds';
      return `\n  It contradicts #${shortId(it)} (${state}): ${it.content} Why: ${it.reason}`;
    })
    .join('');
}

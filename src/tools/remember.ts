import { z } from 'zod';
import type { Contradiction, RememberOutcome } from '../engine/model/rememberOutcome.js';
import { shortId, storeKinds } from '../engine/model/memory.js';
import { rememberInput } from './schemas.js';
import { defineTool } from './tool.js';

const kept = { id: z.string(), content: z.string(), store: z.enum(storeKinds) };
const contradiction = z.strictObject({
  id: z.string(),
  content: z.string(),
  reason: z.string(),
  weakened: z.boolean(),
});
const outcome = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('stored'),
    ...kept,
    contradicts: z
      .array(contradiction)
      .exactOptional()
      .describe('Memories that say otherwise. Those that were not weakened wait for the user to decide.'),
  }),
  z.strictObject({ outcome: z.literal('reinforced'), ...kept }),
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
  output: z.strictObject({ outcomes: z.array(outcome).describe('One for each fact, in the order of the text.') }),
  progress: () => 'Remembering',
  confirm: (_engine, input) => Promise.resolve({ title: 'Remember this?', message: input.content, required: false }),
  async run(engine, input, caller) {
    const { file, ...rest } = input;
    const outcomes = await engine.remember({
      ...rest,
      ...(file === undefined ? {} : { uri: file }),
      ...(caller.session === undefined ? {} : { session: caller.session }),
      source: caller.source,
      lane: caller.confirmedByPerson ? 'confirmed' : 'note',
    });
    return {
      text: outcomes.map(sentence).join('\n'),
      structured: { outcomes: outcomes.map(viewOf) },
      failed: outcomes.every(it => it.outcome === 'refused'),
    };
  },
});

function viewOf(it: RememberOutcome): z.infer<typeof outcome> {
  if (it.outcome === 'refused') return it;
  const { content, store } = it;
  if (it.outcome === 'reinforced') return { outcome: 'reinforced', id: shortId(it), content, store };
  return {
    outcome: 'stored',
    id: shortId(it),
    content,
    store,
    ...(it.contradicts === undefined ? {} : { contradicts: it.contradicts.map(contradictionView) }),
  };
}

function contradictionView(it: Contradiction): z.infer<typeof contradiction> {
  return { id: shortId(it), content: it.content, reason: it.reason, weakened: it.weakened };
}

function sentence(outcome: RememberOutcome): string {
  switch (outcome.outcome) {
    case 'stored':
      return `Stored #${shortId(outcome)} (${outcome.store} memory): ${outcome.content}${contradictions(outcome)}`;
    case 'reinforced':
      return `Already known, reinforced #${shortId(outcome)} (${outcome.store} memory): ${outcome.content}${contradictions(outcome)}`;
    case 'refused':
      return `Refused: ${outcome.reason}`;
  }
}

/** A line for each memory that says otherwise. */
function contradictions({ contradicts = [] }: Exclude<RememberOutcome, { outcome: 'refused' }>): string {
  return contradicts
    .map(it => {
      const standing = it.weakened ? 'weaker now' : 'unchanged; the user decides which one holds';
      return `\n  It contradicts #${shortId(it)} (${standing}): ${it.content} Why: ${it.reason}`;
    })
    .join('');
}

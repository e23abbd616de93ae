import { z } from 'zod';
import { EngineError } from '../base/errors.js';
import { omitUndefined } from '../base/omitUndefined.js';
import { maxPromptCharacters, type LanguageModel } from '../llm/languageModel.js';
import type { Log } from '../model/host.js';
import { decayClassOfLifetime, gates, statedLifetimes } from '../model/memory.js';
import type { RememberInput } from '../model/rememberInput.js';
import { findQuote } from './quotes.js';

/** A turn as a model is shown it. */
export interface LabeledTurn {
  readonly speaker: 'person' | 'assistant';
  readonly text: string;
}

/** A fact of a model in the shape of `remember`'s, with the turn that its quote stands in. */
export interface ModelFact {
  /** An index into the given turns. */
  readonly turn: number;
  readonly input: Pick<
    RememberInput,
    'content' | 'said' | 'gate' | 'store' | 'decayClass' | 'dueAt' | 'aids' | 'reason'
  >;
}

export interface ModelExtraction {
  readonly facts: readonly ModelFact[];
  readonly summary: string;
}

/** Room for turns in a prompt, without their labels and the previous summary. */
export const maxTurnCharacters = maxPromptCharacters - 5_000;
/** Length of a turn's number and speaker in a prompt. */
export const turnLabelLength = 20;
const maxSummaryLength = 600;
const maxOutputTokens = 3_000;

const factSchema = z.object({
  content: z.string().min(3).max(500),
  said: z.string().min(1).max(600).describe('The words of a turn that it rests on, copied letter by letter.'),
  appliesTo: z.enum(['project', 'user']).optional(),
  gate: z.enum(gates).optional(),
  lasts: z.enum(statedLifetimes).optional(),
  due: z.iso.date().optional(),
  questions: z.array(z.string().min(1).max(200)).max(5).optional(),
  keywords: z.array(z.string().min(1).max(80)).max(20).optional(),
  reason: z.string().max(200).optional(),
});
const extractionSchema = z.object({
  facts: z.array(factSchema).max(50),
  summary: z.string().max(maxSummaryLength),
});

const extractionInstructions = `You read a conversation between a person and a coding assistant, and return what is worth remembering in later conversations.
Keep what the person corrects, prefers, decides or lays down, how work is divided ("I'll run it myself"), who does what, and what turned out to be true of the project and cannot be read off its code. What is said in passing counts, in any language.
A fact is worth keeping only if it holds beyond the change at hand, would change a later answer, cannot be read off the code, and is no secret (never a password, key or token).
Leave out requests and corrections of the task at hand, questions, greetings, text that was pasted or quoted from others, steps of debugging, and the assistant's own plans and guesses. Most turns hold no fact; many conversations hold none.
"content": one sentence that can be read alone, in the person's words where they matter; name what it is about, no "it" or "this" that points elsewhere. "said": the words of one turn that it rests on, copied letter by letter; a fact whose words are not found there is dropped. "appliesTo": "user" for a way of the person that holds in all projects, else "project". "gate": "behavioral" for a rule of work, "correction" for what not to do again. "lasts" only if it stops mattering soon, "due" only for the day of a plan. "questions" and "keywords": what a later search may ask, in other words. "reason": in a few words, why it will matter.
"summary": in at most three sentences, what the whole session was about and what came of it, going on from the summary so far.`;

/** The facts whose quote stands in one of the turns, a person's before an assistant's. */
function toModelFacts(facts: readonly z.infer<typeof factSchema>[], turns: readonly LabeledTurn[]): ModelFact[] {
  const texts = turns.map(it => it.text);
  const isOfPerson = (turn: number): boolean => turns[turn]!.speaker === 'person';
  return facts.flatMap(({ content, said, appliesTo, gate, lasts, due, questions, keywords, reason }) => {
    const turn = findQuote(said, texts, isOfPerson);
    if (turn === undefined) return [];
    const input = omitUndefined({
      content,
      said: isOfPerson(turn) ? said : undefined,
      store: appliesTo === undefined ? undefined : appliesTo === 'user' ? ('global' as const) : ('project' as const),
      gate,
      decayClass: lasts === undefined ? undefined : decayClassOfLifetime[lasts],
      dueAt: due === undefined ? undefined : new Date(due).toISOString(),
      aids: omitUndefined({ questions, keywords }),
      reason,
    });
    return [{ turn, input }];
  });
}

/** `waitsUntil` is when the model may be asked again; after `none` rules extract the facts. */
export type ModelExtractionResult = { readonly facts: ModelExtraction } | { readonly waitsUntil: Date } | 'none';

/**
 * Asks a language model for the facts of some turns, of at most {@link maxTurnCharacters} in all.
 * @throws EngineError aborted | closed
 */
export async function extractFactsWithModel(
  model: LanguageModel,
  turns: readonly LabeledTurn[],
  {
    previousSummary,
    log,
    signal,
  }: { readonly previousSummary: string | undefined; readonly log: Log; readonly signal: AbortSignal },
): Promise<ModelExtractionResult> {
  const lines = turns.map((it, i) => `[${i + 1}] ${it.speaker}: ${it.text}`);
  const prompt = [`Summary so far: ${previousSummary ?? '(none)'}`, ...lines]
    .join('\n\n')
    .slice(0, maxPromptCharacters);
  try {
    const answer = await model.complete({
      purpose: 'capture',
      system: extractionInstructions,
      prompt,
      schema: extractionSchema,
      maxOutputTokens,
      signal,
    });
    switch (answer.outcome) {
      case 'answered':
        return { facts: { summary: answer.value.summary, facts: toModelFacts(answer.value.facts, turns) } };
      case 'waits':
        return { waitsUntil: answer.until };
      case 'unusable':
        log.warn(`A language model's answer to a capture was of no use (${answer.reason}): rules did it.`);
        return 'none';
      case 'off':
        return 'none';
    }
  } catch (error) {
    if (!EngineError.is(error) || error.code === 'aborted' || error.code === 'closed') throw error;
    log.warn(`No language model could be asked for a capture (${error.code}): rules did it.`);
    return 'none';
  }
}

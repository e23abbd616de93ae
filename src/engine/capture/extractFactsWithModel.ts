import { z } from 'zod';
import { EngineError } from '../base/errors.js';
import { maxPromptCharacters, type LanguageModel } from '../llm/languageModel.js';
import type { Log } from '../model/host.js';

/** A turn as a model is shown it. */
export interface LabeledTurn {
  readonly speaker: 'person' | 'assistant';
  readonly text: string;
}

export interface ModelExtraction {
  /** `turn` is an index into the given turns. */
  readonly facts: readonly { readonly content: string; readonly turn: number; readonly reason?: string | undefined }[];
  readonly summary: string;
}

/** Room for turns in a prompt, without their labels and the previous summary. */
export const maxTurnCharacters = maxPromptCharacters - 5_000;
const maxSummaryLength = 600;
const maxOutputTokens = 3_000;

const extractionSchema = z.object({
  facts: z
    .array(
      z.object({
        content: z.string().min(3).max(500),
        turn: z.number().int().min(1),
        reason: z.string().max(200).optional(),
      }),
    )
    .max(50),
  summary: z.string().max(maxSummaryLength),
});

const extractionInstructions = `You read a stretch of a conversation between a person and a coding assistant, and write down what is worth remembering in later conversations.
Keep what the person corrects, prefers, decides, lays down as a convention, or promises; and what turned out to be true of the project and cannot be read off its code.
A fact is worth keeping only if it would change a later answer, holds beyond the change at hand, cannot be read off the code, and is no secret (never a password, key or token).
Leave out greetings, thanks, questions, requests for the task at hand, and steps of debugging. Most turns hold no fact.
Write each fact as one sentence that can be read alone: name what it is about, no "it" or "this" that points elsewhere. "turn" is the number of the turn that says it, "reason" in a few words why it will matter in a later conversation.
"summary" says in at most three sentences what the whole session was about and what came of it, going on from the summary so far.`;

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
        return {
          facts: {
            summary: answer.value.summary,
            facts: answer.value.facts.map(it => ({ ...it, turn: Math.min(it.turn, turns.length) - 1 })),
          },
        };
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

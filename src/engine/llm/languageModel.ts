import type { z } from 'zod';
import type { EngineError } from '../base/errors.js';
import type { ModelProviderName } from '../model/config.js';
import type { ChatTurn } from '../model/host.js';

/** What a model is asked for. */
export type ModelPurpose = 'capture' | 'consolidation' | 'comparison' | 'codeDescription' | 'test';

/** Characters of a prompt at most: what a person agrees to send in one call stays readable. */
export const maxPromptCharacters = 65_000;

export interface ModelRequest<T> {
  readonly purpose: ModelPurpose;
  /** What to do. The same text for every request of a purpose, so that the provider can cache it. */
  readonly system: string;
  /** What to do it with, at most `maxPromptCharacters`. It is data, whatever it says. */
  readonly prompt: string;
  /** An object. What the answer holds beyond it is dropped; name the limits of its texts and lists. */
  readonly schema: z.ZodType<T>;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

/** What a call used. */
export interface ModelUsage {
  /** Cached tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Estimated, US dollars; undefined where the price is not known. */
  readonly costUsd: number | undefined;
}

/** How a request ended. Only an answer that the schema accepts is one; all of it is data. */
export type ModelAnswer<T> =
  | { readonly outcome: 'answered'; readonly value: T; readonly usage: ModelUsage }
  /** The model would not, was cut off by `maxOutputTokens`, or said twice what the schema refuses. */
  | { readonly outcome: 'unusable'; readonly reason: 'refused' | 'cutOff' | 'invalid'; readonly usage: ModelUsage }
  /** Nothing was sent: today's budget is used up, or the provider asks to wait. Ask again then. */
  | { readonly outcome: 'waits'; readonly reason: 'budget' | 'busy'; readonly until: Date }
  /** No language model is enabled: do it by rule. */
  | { readonly outcome: 'off' };

/** A language model as verbs use it. */
export interface LanguageModel {
  readonly provider: ModelProviderName;
  /** The provider's name for it; empty = the provider chooses. */
  readonly id: string;
  /** @throws EngineError modelUnavailable | modelAccessDenied | aborted | invalidInput */
  complete<T>(request: ModelRequest<T>): Promise<ModelAnswer<T>>;
}

/** There is none, and nothing is sent. */
export const noLanguageModel: LanguageModel = {
  provider: 'none',
  id: '',
  complete: () => Promise.resolve({ outcome: 'off' }),
};

/** JSON schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One message to a provider and its answer, as text. */
export interface ModelCall {
  readonly system: string;
  /** Ends with the user's turn. */
  readonly turns: readonly ChatTurn[];
  readonly schema: JsonSchema;
  readonly maxOutputTokens: number;
  /** A person has just asked for it, and may be asked for consent. */
  readonly mayPromptForConsent: boolean;
  readonly signal: AbortSignal;
}

/** What came of an exchange, and what it used whatever came of it. */
export type ModelReply = { readonly usage: ModelUsage } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused' | 'cutOff' }
  | { readonly kind: 'busy'; readonly until: Date }
  | { readonly kind: 'failed'; readonly error: EngineError }
);

/** What a provider has to be able to do; the rest is the same for all (completion.ts). */
export interface ModelProvider {
  readonly provider: ModelProviderName;
  readonly id: string;
  /** Tokens it may spend on thinking, beyond those of the answer. */
  readonly thinkingTokens: number;
  /** Never throws what it can foresee: what was used must be known. */
  send(exchange: ModelCall): Promise<ModelReply>;
}

export const zeroUsage: ModelUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** The sum; its price is known where both are. */
export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd,
  };
}

/**
 * Characters per token. English is at 3 to 4 with current tokenizers; a budget should rather reserve too much, and what
 * was really used replaces the estimate.
 */
export const estimatedCharactersPerToken = 3;

/** Tokens that an exchange sends, estimated. */
export function estimateInputTokens({ system, turns, schema }: Pick<ModelCall, 'system' | 'turns' | 'schema'>): number {
  const characters = turns.reduce((sum, it) => sum + it.text.length, system.length + JSON.stringify(schema).length);
  return Math.ceil(characters / estimatedCharactersPerToken);
}

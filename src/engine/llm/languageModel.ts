import type { z } from 'zod';
import type { EngineError } from '../base/errors.js';
import type { ModelProviderName } from '../model/config.js';
import type { ChatTurn } from '../model/host.js';

/** The feature that calls the model. */
export type ModelPurpose = 'capture' | 'consolidation' | 'codeDescription' | 'searchAids' | 'answer' | 'test';

/** Limits a prompt to a length that a person can review before consenting. */
export const maxPromptCharacters = 65_000;

export interface ModelRequest<T> {
  readonly purpose: ModelPurpose;
  /** Instructions. The same text for all requests of a purpose, so that the provider can cache it. */
  readonly system: string;
  /** The material, of at most `maxPromptCharacters`. Instructions in it are ignored. */
  readonly prompt: string;
  /** Schema of an object; other keys are dropped. It should limit texts and lists. */
  readonly schema: z.ZodType<T>;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

/** Usage of a call. */
export interface ModelUsage {
  /** Cached tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Estimate in US dollars; undefined if the price is unknown. */
  readonly costUsd: number | undefined;
}

/** The result of a request. An answer matches the schema and is untrusted data. */
export type ModelAnswer<T> =
  | { readonly outcome: 'answered'; readonly value: T; readonly usage: ModelUsage }
  /** The model refused, reached `maxOutputTokens`, or twice gave an answer that the schema rejects. */
  | { readonly outcome: 'unusable'; readonly reason: 'refused' | 'cutOff' | 'invalid'; readonly usage: ModelUsage }
  /** Deferred: today's budget is used up, or the provider is overloaded. Try again after `until`. */
  | { readonly outcome: 'waits'; readonly reason: 'budget' | 'busy'; readonly until: Date }
  /** No language model is enabled: use rules. */
  | { readonly outcome: 'off' };

/** A language model within its budget. */
export interface LanguageModel {
  readonly provider: ModelProviderName;
  /** The provider's name of the model; empty if the provider chooses. */
  readonly id: string;
  /** @throws EngineError modelUnavailable | modelAccessDenied | aborted | invalidInput */
  complete<T>(request: ModelRequest<T>): Promise<ModelAnswer<T>>;
}

/** Null object: no language model is enabled. */
export const noLanguageModel: LanguageModel = {
  provider: 'none',
  id: '',
  complete: () => Promise.resolve({ outcome: 'off' }),
};

/** The JSON schema of an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A conversation to send to a provider. */
export interface ModelCall {
  readonly system: string;
  /** Ends with the user's turn. */
  readonly turns: readonly ChatTurn[];
  readonly schema: JsonSchema;
  readonly maxOutputTokens: number;
  /** Whether the user started the call, so that a consent prompt may be shown. */
  readonly mayPromptForConsent: boolean;
  readonly signal: AbortSignal;
}

/** The outcome of a call, with its usage in any case. */
export type ModelReply = { readonly usage: ModelUsage } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused' | 'cutOff' }
  | { readonly kind: 'busy'; readonly until: Date }
  | { readonly kind: 'failed'; readonly error: EngineError }
);

/** A provider's part of a completion; completionClient.ts does the rest. */
export interface ModelProvider {
  readonly provider: ModelProviderName;
  readonly id: string;
  /** Tokens that the model may use for thinking, in addition to the answer. */
  readonly thinkingTokens: number;
  /** Returns expected failures instead of throwing them, because their usage counts. */
  send(call: ModelCall): Promise<ModelReply>;
}

export const zeroUsage: ModelUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

/** The sum; its price is known if both prices are. */
export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    costUsd: a.costUsd === undefined || b.costUsd === undefined ? undefined : a.costUsd + b.costUsd,
  };
}

/**
 * Characters per token. English has 3 to 4 with current tokenizers; the lower value reserves too much rather than too
 * little, and actual usage replaces the estimate.
 */
export const estimatedCharactersPerToken = 3;

/** Estimated input tokens of a call. */
export function estimateInputTokens({ system, turns, schema }: Pick<ModelCall, 'system' | 'turns' | 'schema'>): number {
  const characters = turns.reduce((sum, it) => sum + it.text.length, system.length + JSON.stringify(schema).length);
  return Math.ceil(characters / estimatedCharactersPerToken);
}

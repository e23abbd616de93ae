import type { ModelUsage } from './languageModel.js';

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/**
 * Anthropic's list of November 2026, by how a model's name begins; for prompts up to 100,000 tokens, and ours are
 * smaller. A model that is not here counts as one of unknown price.
 */
const modelPrices: readonly (readonly [string, Price])[] = [
  ['claude-haiku-5-5', { input: 0.1, output: 0.5 }],
  ['claude-haiku-4-5', { input: 1, output: 5 }],
  ['claude-sonnet-5-5', { input: 2, output: 10 }],
  ['claude-opus-5-5', { input: 4, output: 20 }],
  ['claude-fable-5-1', { input: 10, output: 50 }],
];
/** What writing to and reading from the provider's cache costs, against ordinary input. */
const cacheWriteFactor = 1.25;
const cacheReadFactor = 0.1;

export interface BilledTokens {
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** What a call used, with its estimated price. */
export function toModelUsage(model: string, tokens: BilledTokens): ModelUsage {
  const price = modelPrices.find(([name]) => model.startsWith(name))?.[1];
  const { input, cacheWrite, cacheRead, output } = tokens;
  const asInput = input + cacheWrite * cacheWriteFactor + cacheRead * cacheReadFactor;
  return {
    inputTokens: input + cacheWrite + cacheRead,
    outputTokens: output,
    costUsd: price && (asInput * price.input + output * price.output) / 1_000_000,
  };
}

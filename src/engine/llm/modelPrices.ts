import type { ModelUsage } from './languageModel.js';

/** US dollars per million tokens. */
interface Price {
  readonly input: number;
  readonly output: number;
}

/**
 * Anthropic's price list of November 2026 by model name prefix, for prompts of up to 100,000 tokens; ours are shorter.
 * The price of other models is unknown.
 */
const modelPrices: readonly (readonly [string, Price])[] = [
  ['claude-haiku-5-5', { input: 0.1, output: 0.5 }],
  ['claude-haiku-4-5', { input: 1, output: 5 }],
  ['claude-sonnet-5-5', { input: 2, output: 10 }],
  ['claude-opus-5-5', { input: 4, output: 20 }],
  ['claude-fable-5-1', { input: 10, output: 50 }],
];
/** Price of writing to and reading from the prompt cache, relative to uncached input. */
const cacheWriteFactor = 1.25;
const cacheReadFactor = 0.1;

export interface BilledTokens {
  readonly input: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
  readonly output: number;
}

/** The usage of a call with its estimated price. */
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

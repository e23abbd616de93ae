import type { ModelProviderName } from './config.js';

/** What language models have used on one day, by all programs on this data folder. */
export interface ModelTokenUsage {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly calls: number;
  /** Cached tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens set aside for calls that have not ended, or whose program died before they did. */
  readonly reservedTokens: number;
  /** Estimated, US dollars, of the calls whose price is known. */
  readonly costUsd: number;
  /** Calls whose price is not known: chat models of VS Code, and models that are not in the price list. */
  readonly unpricedCalls: number;
}

/** The language model in use and today's budget, as the status shows it. */
export interface ModelStatus {
  readonly provider: ModelProviderName;
  /** Empty with provider `none`, and with `vscode` where VS Code chooses. */
  readonly name: string;
  readonly today: ModelTokenUsage;
  readonly dailyTokens: number;
  /** While work waits: when it goes on. */
  readonly waitsUntil: Date | undefined;
}

/** How a test of the language model ended. */
export type ModelTest =
  | {
      readonly outcome: 'answered';
      readonly name: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** US dollars; undefined = not known. */
      readonly costUsd: number | undefined;
    }
  | { readonly outcome: 'unusable'; readonly reason: 'refused' | 'cutOff' | 'invalid' }
  | { readonly outcome: 'waits'; readonly reason: 'budget' | 'busy'; readonly until: Date }
  | { readonly outcome: 'off' };

import type { ModelProviderName } from './config.js';

/** Language model usage of one day, by all processes on this data folder. */
export interface ModelTokenUsage {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly calls: number;
  /** Cached tokens included. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens reserved for calls that are running, or whose process died. */
  readonly reservedTokens: number;
  /** Estimate in US dollars for calls with a known price. */
  readonly costUsd: number;
  /** Calls without a known price: chat models of VS Code, and models that are not in the price list. */
  readonly unpricedCalls: number;
}

/** The configured language model and today's budget. */
export interface ModelStatus {
  readonly provider: ModelProviderName;
  /** Empty with provider `none`, and with `vscode` if VS Code chooses. */
  readonly name: string;
  readonly today: ModelTokenUsage;
  readonly dailyTokens: number;
  /** End of the wait while work is waiting. */
  readonly waitsUntil: Date | undefined;
}

/** Result of testing the language model. */
export type ModelTest =
  | {
      readonly outcome: 'answered';
      readonly name: string;
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** US dollars; undefined = unknown. */
      readonly costUsd: number | undefined;
    }
  | { readonly outcome: 'unusable'; readonly reason: 'refused' | 'cutOff' | 'invalid' }
  | { readonly outcome: 'waits'; readonly reason: 'budget' | 'busy'; readonly until: Date }
  | { readonly outcome: 'off' };

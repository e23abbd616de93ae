import type { LocalizableMessage } from '../base/localizableMessage.js';

/** Use of an embedding endpoint on one day, by all processes on this data folder. */
export interface EmbeddingUse {
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly calls: number;
  /** As the endpoint counts them, else estimated. */
  readonly tokens: number;
  /** The last failure; absent once a request succeeded after it. */
  readonly failure?: EndpointFailure | undefined;
}

/** Why an embedding endpoint gave no vectors. */
export interface EndpointFailure {
  readonly url: string;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** In English, without a full stop. */
  readonly problem: string;
}

/** The embedding endpoint of the settings. */
export interface EndpointStatus {
  readonly url: string;
  readonly model: string;
  /** On this machine: no one has to allow it. */
  readonly isLoopback: boolean;
  /** Whether texts may be sent to this address. */
  readonly isAllowed: boolean;
  /** Numbers per vector; undefined before the first answer. */
  readonly dimensions: number | undefined;
  readonly today: Omit<EmbeddingUse, 'failure'>;
  readonly dailyTokens: number;
  /** The last failure of this day in any program; undefined once a request succeeded after it. */
  readonly lastFailure: EndpointFailure | undefined;
  /** Why words alone find memories now, and until when nothing is sent; undefined while it works. */
  readonly waits:
    { readonly problem: LocalizableMessage; readonly until: Date; readonly isOverBudget: boolean } | undefined;
}

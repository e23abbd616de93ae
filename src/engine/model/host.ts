import type { CaptureSource } from './capture.js';
import type { Config } from './config.js';
import type { StoreKind } from './memory.js';

/** The log of the host. Must never receive memory text or secrets. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Secrets that a user may store in the host. */
export type SecretName = 'anthropicApiKey' | 'embeddingApiKey' | 'sensitiveKeys' | 'teamConnection';

/** One message of a conversation with a language model. */
export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface HostChatRequest {
  /** Id, family or name of the model; empty = the first available one. */
  readonly model: string;
  /** Ends with a user turn. */
  readonly turns: readonly ChatTurn[];
  /** Maximum length of the answer that is read. */
  readonly maxCharacters: number;
  /** Whether a person just requested this and can be asked for consent; background work never asks. */
  readonly mayPromptForConsent: boolean;
  readonly signal: AbortSignal;
}

/** Tokens as counted by the host, 0 if nothing was sent. */
export type HostChatReply = { readonly inputTokens: number; readonly outputTokens: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused' | 'cutOff' }
  | {
      readonly kind: 'failed';
      /** Code of the resulting EngineError. */
      readonly code: 'modelUnavailable' | 'modelAccessDenied' | 'aborted';
      /** One sentence for a person, with the next step. */
      readonly message: string;
    }
);

/** Language models of the host, for the provider `vscode`. Never throws. */
export interface HostChatModels {
  send(request: HostChatRequest): Promise<HostChatReply>;
}

/** Everything the engine needs from its host, including the clock, so that tests control time. */
export interface EngineHost {
  /** Folder of all stores; created if missing. */
  readonly dataDir: string;
  /** Folder of the bundles with the worker threads' scripts. */
  readonly bundleDir: string;
  /** Folder of the shipped embedding models, one folder each. */
  readonly modelsDir: string;
  /** Open folders, most important first; the first one's project is the default for project memories. */
  readonly workspaceFolders: readonly string[];
  /** Client name for provenance, audit and traces: `vscode`, `cli`, `mcp:<client name>`, `http`. */
  readonly client: string;
  /** Of the assistant's session, as a hash, for the log of reads; absent where it is not known. */
  readonly session?: string | undefined;
  /** Whether the person trusts the folders; absent = yes. Nothing that hooks read is written for a folder that is not. */
  isTrusted?(): boolean;
  /** The only kind of store that the client may use; absent = both. */
  readonly onlyStore?: StoreKind | undefined;
  /**
   * Whether a fact of a project is refused where no project is open, rather than kept for all of them: for callers that do
   * not see which folder they work in, and can name it.
   */
  readonly needsProject?: boolean;
  readonly log: Log;
  /**
   * Undefined = not set; absent if the host stores no secrets. An API key is sent to its provider only, the keys of sensitive
   * memories (a line each, the first one encrypts) to none, and the team's connection string to its server.
   * @param origin scheme, host and port of the server that the key is for, where each has its own
   */
  secret?(name: SecretName, origin?: string): Promise<string | undefined>;
  /** Absent if the host has none. */
  readonly chatModels?: HostChatModels;
  /** Session folders by source; without one, only named files can be captured. */
  readonly sessionFolders?: Readonly<Partial<Record<CaptureSource, string>>>;
  /** Base URL of the Messages API, for tests; absent = Anthropic's. Not configurable. */
  readonly messagesUrl?: string;
  config(): Config;
  now(): Date;
}

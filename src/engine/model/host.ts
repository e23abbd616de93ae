import type { CaptureSource } from './capture.js';
import type { Config } from './config.js';

/** Where the engine reports what it does. Memory text and secrets never go here. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** Secrets that a user may entrust to the host. */
export type SecretName = 'anthropicApiKey';

/** What one side said in a conversation with a language model. */
export interface ChatTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

export interface HostChatRequest {
  /** Id, family or name of the model; empty = the first one there is. */
  readonly model: string;
  /** Ends with the user's turn. */
  readonly turns: readonly ChatTurn[];
  /** An answer is not read beyond. */
  readonly maxCharacters: number;
  /** A person has just asked for this and can be asked for consent; what runs in the background never asks. */
  readonly mayPromptForConsent: boolean;
  readonly signal: AbortSignal;
}

/** Tokens are the host's count, 0 where nothing was sent. */
export type HostChatReply = { readonly inputTokens: number; readonly outputTokens: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused' | 'cutOff' }
  | {
      readonly kind: 'failed';
      /** Of the EngineError that it becomes. */
      readonly code: 'modelUnavailable' | 'modelAccessDenied' | 'aborted';
      /** One sentence for a person, with the next step. */
      readonly message: string;
    }
);

/** The language models of whoever runs the engine, for the provider `vscode`. Never throws. */
export interface HostChatModels {
  send(request: HostChatRequest): Promise<HostChatReply>;
}

/** All that the engine asks of whoever runs it. The clock is here so that tests own time. */
export interface EngineHost {
  /** Folder that holds every store; created when missing. */
  readonly dataDir: string;
  /** Folder of the built bundles, where the worker threads' scripts lie. */
  readonly bundleDir: string;
  /** Folder of the embedding models that ship with the product, one folder each. */
  readonly modelsDir: string;
  /** Open folders, most important first; the first one's project is where project memories go by default. */
  readonly workspaceFolders: readonly string[];
  /** Who is calling, for provenance, audit and traces: `vscode`, `cli`, `mcp:<client name>`. */
  readonly client: string;
  readonly log: Log;
  /** Absent where nobody keeps secrets. Undefined = not set. What it returns goes to its provider and nowhere else. */
  secret?(name: SecretName): Promise<string | undefined>;
  /** Absent where there are none. */
  readonly chatModels?: HostChatModels;
  /** Where the sessions of a source lie; absent = only named files can be captured. */
  readonly sessionFolders?: Readonly<Partial<Record<CaptureSource, string>>>;
  /** Where the Messages API is, for tests; absent = Anthropic's own. No setting leads here. */
  readonly messagesUrl?: string;
  config(): Config;
  now(): Date;
}

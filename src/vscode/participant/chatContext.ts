import type { CancellationToken, ChatPromptReference, LanguageModelChat } from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Caller } from '../../operations/tool.js';
import type { ChatCommand } from '../contributions.js';
import type { ChatAnswer } from './chatAnswer.js';

/** One message to the participant, and what its handler needs. */
export interface ChatRequestContext {
  readonly engine: MemoryEngine;
  /** Trimmed. */
  readonly prompt: string;
  readonly references: readonly ChatPromptReference[];
  readonly answer: ChatAnswer;
  readonly caller: Caller & { readonly signal: AbortSignal };
  readonly token: CancellationToken;
  /** The model that is selected in the chat, if any. */
  readonly model: LanguageModelChat | undefined;
  /** Id of the trace of the last recall in this chat. */
  readonly lastTrace: string | undefined;
  readonly warn: (message: string) => void;
}

/** Metadata of an answer, which VS Code stores with the chat as JSON. */
export interface ChatAnswerMetadata {
  /** Id of the trace of the recall behind the answer. */
  readonly trace?: string;
  /** Suggested follow-ups. */
  readonly next?: readonly ChatFollowupSuggestion[];
}

export interface ChatFollowupSuggestion {
  readonly command: ChatCommand;
  readonly prompt: string;
  readonly label: string;
}

import type { CancellationToken, ChatPromptReference, LanguageModelChat } from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Caller } from '../../tools/tool.js';
import type { ChatCommand } from '../contributions.js';
import type { ChatAnswer } from './chatAnswer.js';

/** One message to the participant, and what it takes to answer it. */
export interface ChatRequestContext {
  readonly engine: MemoryEngine;
  /** Trimmed. */
  readonly prompt: string;
  readonly references: readonly ChatPromptReference[];
  readonly answer: ChatAnswer;
  readonly caller: Caller & { readonly signal: AbortSignal };
  readonly token: CancellationToken;
  /** The model that the person chose for this chat, where there is one. */
  readonly model: LanguageModelChat | undefined;
  /** The last recall of this chat: its trace. */
  readonly lastTrace: string | undefined;
  readonly warn: (message: string) => void;
}

/** What is kept of an answer with the chat; VS Code writes it to disk as JSON. */
export interface ChatAnswerMetadata {
  /** Of the recall that the answer is made of. */
  readonly trace?: string;
  /** What a person may want next. */
  readonly next?: readonly ChatFollowupSuggestion[];
}

export interface ChatFollowupSuggestion {
  readonly command: ChatCommand;
  readonly prompt: string;
  readonly label: string;
}

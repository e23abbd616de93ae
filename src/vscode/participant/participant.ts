import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { Log } from '../../engine/model/host.js';
import { chatCommands, participantId, type ChatCommand } from '../contributions.js';
import { localizedErrorMessage } from '../l10n/errorMessage.js';
import type { EngineHolder } from '../engineHolder.js';
import { ChatAnswer, type ChatAnswerStream } from './chatAnswer.js';
import type { ChatAnswerMetadata, ChatRequestContext } from './chatContext.js';

/** How long a person waits without a sign that something happens, as while the memory is opened. */
const maxSilenceMs = 1_000;

interface ParticipantDependencies {
  readonly engineHolder: EngineHolder;
  readonly log: Log;
}

/** `@recollect` in VS Code's chat. */
export function registerParticipant(
  dependencies: ParticipantDependencies,
  extensionUri: vscode.Uri,
): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(participantId, (request, context, stream, token) =>
    handleChatRequest(dependencies, request, context.history, stream, token),
  );
  participant.iconPath = {
    light: vscode.Uri.joinPath(extensionUri, 'media', 'recollect.svg'),
    dark: vscode.Uri.joinPath(extensionUri, 'media', 'recollect-dark.svg'),
  };
  participant.followupProvider = {
    provideFollowups: ({ metadata }) => [...((metadata as ChatAnswerMetadata | undefined)?.next ?? [])],
  };
  return vscode.Disposable.from(participant);
}

type ParticipantRequest = Pick<vscode.ChatRequest, 'prompt' | 'command' | 'references'> & {
  /** Missing in a chat without any model, unlike VS Code's types claim. */
  readonly model?: vscode.LanguageModelChat;
};

/** Answers one message. Never rejects: failures are part of the answer. */
export async function handleChatRequest(
  { engineHolder, log }: ParticipantDependencies,
  { prompt, command, references, model }: ParticipantRequest,
  history: vscode.ChatContext['history'],
  stream: ChatAnswerStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const controller = new AbortController();
  const cancellationListener = token.onCancellationRequested(() => {
    controller.abort();
  });
  const { signal } = controller;
  const answer = new ChatAnswer(stream);
  const silence = setTimeout(() => {
    if (answer.isSilent) answer.progress(vscode.l10n.t('Looking in the memory'));
  }, maxSilenceMs);
  try {
    const [engine, handlerFor] = await Promise.all([engineHolder.engine(), loadHandlers()]);
    if (token.isCancellationRequested) return {};
    const outcome = await handlerFor(command)({
      engine,
      prompt: prompt.trim(),
      references,
      answer,
      caller: { source: 'extension-tool', asker: 'person', signal },
      token,
      model,
      lastTrace: lastTraceOf(history),
      warn: message => {
        log.warn(message);
      },
    });
    if (outcome.trace !== undefined) engineHolder.reportAnswer();
    return { metadata: outcome };
  } catch (error) {
    if (token.isCancellationRequested || EngineError.is(error, 'aborted')) return {};
    if (EngineError.is(error)) {
      log.warn(`@recollect /${command ?? ''}: ${error.code}`);
      answer.paragraph(localizedErrorMessage(error));
      return {};
    }
    log.error('@recollect failed.', error);
    return { errorDetails: { message: localizedErrorMessage(error) } };
  } finally {
    clearTimeout(silence);
    cancellationListener.dispose();
  }
}

/** The handler of each command, loaded on the first request. */
async function loadHandlers(): Promise<
  (command: string | undefined) => (request: ChatRequestContext) => Promise<ChatAnswerMetadata>
> {
  const [
    { handleQuestion, handleRecall },
    { handleForget, handleRemember },
    { handleConsolidate, handleIndex, handleStatus },
    { handleWhy },
  ] = await Promise.all([
    import('./recall.js'),
    import('./remember.js'),
    import('./maintenance.js'),
    import('./why.js'),
  ]);
  const handlers: Readonly<Record<ChatCommand, (request: ChatRequestContext) => Promise<ChatAnswerMetadata>>> = {
    recall: handleRecall,
    remember: handleRemember,
    forget: handleForget,
    index: handleIndex,
    consolidate: handleConsolidate,
    status: handleStatus,
    why: handleWhy,
  };
  return command => {
    const chatCommand = chatCommands.find(it => it === command);
    return chatCommand === undefined ? handleQuestion : handlers[chatCommand];
  };
}

/** @param history the turns of this participant only, oldest first */
function lastTraceOf(history: vscode.ChatContext['history']): string | undefined {
  return history
    .flatMap(it =>
      it instanceof vscode.ChatResponseTurn ? [(it.result.metadata as ChatAnswerMetadata | undefined)?.trace] : [],
    )
    .findLast(it => it !== undefined);
}

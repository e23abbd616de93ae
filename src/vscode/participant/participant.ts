import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { Log } from '../../engine/model/host.js';
import { chatCommands, participantId, type ChatCommand } from '../contributions.js';
import { sentenceOf } from '../sentence.js';
import type { MemorySession } from '../session.js';
import { Answer, type AnswerStream } from './answer.js';
import type { Outcome, Turn } from './turn.js';

interface Parts {
  readonly session: MemorySession;
  readonly log: Log;
}

/** `@recollect` in VS Code's chat. */
export function registerParticipant(parts: Parts, extensionUri: vscode.Uri): vscode.Disposable {
  const participant = vscode.chat.createChatParticipant(participantId, (request, context, stream, token) =>
    answerRequest(parts, request, context.history, stream, token),
  );
  participant.iconPath = {
    light: vscode.Uri.joinPath(extensionUri, 'media', 'recollect.svg'),
    dark: vscode.Uri.joinPath(extensionUri, 'media', 'recollect-dark.svg'),
  };
  participant.followupProvider = {
    provideFollowups: ({ metadata }) => [...((metadata as Outcome | undefined)?.next ?? [])],
  };
  return vscode.Disposable.from(participant);
}

type Request = Pick<vscode.ChatRequest, 'prompt' | 'command' | 'references'> & {
  /** A chat without any model may send none, whatever the types say. */
  readonly model?: vscode.LanguageModelChat;
};

/** Answers one message. Never rejects: what went wrong is part of the answer. */
export async function answerRequest(
  { session, log }: Parts,
  { prompt, command, references, model }: Request,
  history: vscode.ChatContext['history'],
  stream: AnswerStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const controller = new AbortController();
  const cancelling = token.onCancellationRequested(() => {
    controller.abort();
  });
  const { signal } = controller;
  const answer = new Answer(stream);
  try {
    const [engine, answers] = await Promise.all([session.engine(), load()]);
    if (token.isCancellationRequested) return {};
    const outcome = await answers(command)({
      engine,
      prompt: prompt.trim(),
      references,
      answer,
      caller: { source: 'extension-tool', asker: 'person', confirmedByPerson: false, signal },
      token,
      model,
      lastTrace: lastTraceOf(history),
      warn: message => {
        log.warn(message);
      },
    });
    return { metadata: outcome };
  } catch (error) {
    if (token.isCancellationRequested || EngineError.is(error, 'aborted')) return {};
    if (EngineError.is(error)) {
      log.warn(`@recollect /${command ?? ''}: ${error.code}`);
      answer.paragraph(sentenceOf(error));
      return {};
    }
    log.error('@recollect failed.', error);
    return { errorDetails: { message: sentenceOf(error) } };
  } finally {
    cancelling.dispose();
  }
}

/** What answers each command; loaded only when somebody asks. */
async function load(): Promise<(command: string | undefined) => (turn: Turn) => Promise<Outcome>> {
  const [{ ask, recall }, { forget, remember }, { consolidate, index, status }, { why }] = await Promise.all([
    import('./recall.js'),
    import('./keep.js'),
    import('./upkeep.js'),
    import('./why.js'),
  ]);
  const answers: Readonly<Record<ChatCommand, (turn: Turn) => Promise<Outcome>>> = {
    recall,
    remember,
    forget,
    index,
    consolidate,
    status,
    why,
  };
  return command => {
    const known = chatCommands.find(it => it === command);
    return known === undefined ? ask : answers[known];
  };
}

/** The chat's history holds the turns of this participant only, oldest first. */
function lastTraceOf(history: vscode.ChatContext['history']): string | undefined {
  return history
    .flatMap(it => (it instanceof vscode.ChatResponseTurn ? [(it.result.metadata as Outcome | undefined)?.trace] : []))
    .findLast(it => it !== undefined);
}

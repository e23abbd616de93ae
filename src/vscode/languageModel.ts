import * as vscode from 'vscode';
import type { ChatModels, ChatReply, ChatRequest, ChatTurn } from '../engine/model/host.js';
import { chatFailure, noChatModel, notAllowed } from './languageModelFailure.js';

/** The chat models that the user has in VS Code. VS Code asks for consent; in the background nobody is asked. */
export function vscodeChatModels(access: vscode.LanguageModelAccessInformation): ChatModels {
  return { send: request => send(access, request) };
}

const unsent = { inputTokens: 0, outputTokens: 0 };

async function send(access: vscode.LanguageModelAccessInformation, request: ChatRequest): Promise<ChatReply> {
  const model = await findModel(request.model);
  if (model === undefined) return { ...unsent, ...noChatModel(request.model) };
  if (!request.mayAsk && access.canSendRequest(model) !== true) return { ...unsent, ...notAllowed(model.name) };
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => {
    cancellation.cancel();
  };
  request.signal.addEventListener('abort', cancel, { once: true });
  let inputTokens = 0;
  let text = '';
  try {
    const messages = request.turns.map(toMessage);
    const counts = await Promise.all(messages.map(it => model.countTokens(it)));
    const response = await model.sendRequest(messages, { justification: justification() }, cancellation.token);
    inputTokens = counts.reduce((sum, it) => sum + it, 0);
    for await (const part of response.text) {
      text += part;
      if (text.length <= request.maxCharacters) continue;
      cancel();
      return { kind: 'cutOff', inputTokens, outputTokens: await model.countTokens(text) };
    }
    return { kind: 'text', text, inputTokens, outputTokens: await model.countTokens(text) };
  } catch (error) {
    const used = { inputTokens, outputTokens: 0 };
    if (request.signal.aborted) return { ...used, kind: 'failed', code: 'aborted', message: 'It was cancelled.' };
    return { ...used, ...chatFailure(error, model.name) };
  } finally {
    request.signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

/** @param name id, family or name; empty = the first one */
async function findModel(name: string): Promise<vscode.LanguageModelChat | undefined> {
  const models = await vscode.lm.selectChatModels();
  return name === '' ? models[0] : models.find(it => [it.id, it.family, it.name].includes(name));
}

function toMessage({ role, text }: ChatTurn): vscode.LanguageModelChatMessage {
  return role === 'user' ? vscode.LanguageModelChatMessage.User(text) : vscode.LanguageModelChatMessage.Assistant(text);
}

const justification = (): string =>
  vscode.l10n.t('Recollect asks it to find what is worth remembering, as its settings say.');

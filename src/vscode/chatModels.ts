import * as vscode from 'vscode';
import type { HostChatModels, HostChatReply, HostChatRequest, ChatTurn } from '../engine/model/host.js';
import { classifyChatFailure, noChatModelFailure, consentMissingFailure } from './chatModelFailure.js';

/**
 * VS Code's chat models as the engine uses them. VS Code asks the user for consent; background work never triggers
 * that.
 */
export function createChatModels(access: vscode.LanguageModelAccessInformation): HostChatModels {
  return { send: request => sendChatRequest(access, request) };
}

const noTokenUsage = { inputTokens: 0, outputTokens: 0 };

async function sendChatRequest(
  access: vscode.LanguageModelAccessInformation,
  request: HostChatRequest,
): Promise<HostChatReply> {
  const model = await findChatModel(request.model);
  if (model === undefined) return { ...noTokenUsage, ...noChatModelFailure(request.model) };
  if (!request.mayPromptForConsent && access.canSendRequest(model) !== true)
    return { ...noTokenUsage, ...consentMissingFailure(model.name) };
  const cancellation = new vscode.CancellationTokenSource();
  const cancel = (): void => {
    cancellation.cancel();
  };
  request.signal.addEventListener('abort', cancel, { once: true });
  let inputTokens = 0;
  let text = '';
  try {
    const messages = request.turns.map(toMessage);
    const tokenCounts = await Promise.all(messages.map(it => model.countTokens(it)));
    const response = await model.sendRequest(messages, { justification: justification() }, cancellation.token);
    inputTokens = tokenCounts.reduce((sum, it) => sum + it, 0);
    for await (const part of response.text) {
      text += part;
      if (text.length <= request.maxCharacters) continue;
      cancel();
      return { kind: 'cutOff', inputTokens, outputTokens: await model.countTokens(text) };
    }
    return { kind: 'text', text, inputTokens, outputTokens: await model.countTokens(text) };
  } catch (error) {
    const usage = { inputTokens, outputTokens: 0 };
    if (request.signal.aborted) return { ...usage, kind: 'failed', code: 'aborted', message: 'It was cancelled.' };
    return { ...usage, ...classifyChatFailure(error, model.name) };
  } finally {
    request.signal.removeEventListener('abort', cancel);
    cancellation.dispose();
  }
}

/** @param name id, family or display name; empty = the first model */
async function findChatModel(name: string): Promise<vscode.LanguageModelChat | undefined> {
  const models = await vscode.lm.selectChatModels();
  return name === '' ? models[0] : models.find(it => [it.id, it.family, it.name].includes(name));
}

function toMessage({ role, text }: ChatTurn): vscode.LanguageModelChatMessage {
  return role === 'user' ? vscode.LanguageModelChatMessage.User(text) : vscode.LanguageModelChatMessage.Assistant(text);
}

const justification = (): string =>
  vscode.l10n.t('Recollect asks it to find what is worth remembering, as its settings say.');

import { EngineError } from '../base/errors.js';
import type { ChatModels } from '../model/host.js';
import { noUsage, type ModelProvider } from './languageModel.js';

/** An answer is not read beyond this many characters per token that was asked for. */
const maxCharactersPerToken = 8;

/**
 * The chat models of whoever runs the engine: VS Code's. They have neither instructions of their own nor structured
 * output, so both go into the first message. What they cost is between the user and their provider.
 */
export function chatModelProvider(chatModels: ChatModels | undefined, model: string): ModelProvider {
  return {
    provider: 'vscode',
    id: model,
    thinkingTokens: 0,
    exchange: async ({ system, turns, schema, maxOutputTokens, mayAsk, signal }) => {
      if (chatModels === undefined) return { kind: 'failed', error: nowhere(), usage: noUsage };
      const instructions = `${system}\n\nThe schema:\n${JSON.stringify(schema)}`;
      const { inputTokens, outputTokens, ...reply } = await chatModels.send({
        model,
        turns: [{ role: 'user', text: instructions }, ...turns],
        maxCharacters: maxOutputTokens * maxCharactersPerToken,
        mayAsk,
        signal,
      });
      const usage = { inputTokens, outputTokens, costUsd: undefined };
      if (reply.kind !== 'failed') return { ...reply, usage };
      return { kind: 'failed', error: new EngineError(reply.code, reply.message), usage };
    },
  };
}

function nowhere(): EngineError {
  const advice = 'Choose another provider, or work in VS Code.';
  return new EngineError('modelDenied', `The provider vscode is there only within VS Code. ${advice}`);
}

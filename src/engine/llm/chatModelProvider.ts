import { EngineError } from '../base/errors.js';
import type { HostChatModels } from '../model/host.js';
import { estimateInputTokens, zeroUsage, type ModelProvider } from './languageModel.js';

/** Characters read per requested token. */
const maxCharactersPerToken = 8;

/**
 * The chat models of the host, VS Code. They support neither system prompts nor structured output, so both go into the
 * first message. Their price is unknown.
 */
export function chatModelProvider(
  chatModels: HostChatModels | undefined,
  { model, timeoutMs }: { readonly model: string; readonly timeoutMs: number },
): ModelProvider {
  return {
    provider: 'vscode',
    id: model,
    thinkingTokens: 0,
    send: async ({ system, turns, schema, maxOutputTokens, mayPromptForConsent, signal }) => {
      if (chatModels === undefined) return { kind: 'failed', error: unavailableError(), usage: zeroUsage };
      const instructions = `${system}\n\nThe schema:\n${JSON.stringify(schema)}`;
      // No timeout while the user may be reading a consent prompt.
      const callSignal = mayPromptForConsent ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const pendingReply = chatModels.send({
        model,
        turns: [{ role: 'user', text: instructions }, ...turns],
        maxCharacters: maxOutputTokens * maxCharactersPerToken,
        mayPromptForConsent,
        signal: callSignal,
      });
      const chatReply = await Promise.race([pendingReply, waitForAbort(callSignal)]);
      if (chatReply === undefined || callSignal.aborted) {
        const error = signal.aborted
          ? new EngineError('aborted', 'The call of the chat model was cancelled.')
          : new EngineError('modelUnavailable', 'The chat model did not answer in time. Try again later.');
        const inputTokens = chatReply?.inputTokens ?? estimateInputTokens({ system, turns, schema });
        return { kind: 'failed', error, usage: { inputTokens, outputTokens: 0, costUsd: undefined } };
      }
      const { inputTokens, outputTokens, ...reply } = chatReply;
      const usage = { inputTokens, outputTokens, costUsd: undefined };
      if (reply.kind !== 'failed') return { ...reply, usage };
      return { kind: 'failed', error: new EngineError(reply.code, reply.message), usage };
    },
  };
}

/** Resolves on abort, because some models do not stop on cancellation. */
function waitForAbort(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    const end = (): void => {
      resolve(undefined);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function unavailableError(): EngineError {
  return new EngineError(
    'modelAccessDenied',
    'The provider vscode is there only within VS Code. Choose another provider, or work in VS Code.',
  );
}

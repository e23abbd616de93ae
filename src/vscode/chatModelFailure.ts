/**
 * The failure of a request to a chat model; the code is that of an EngineError. Needs no VS Code, for its unit tests.
 */
export type ChatFailure =
  | { readonly kind: 'refused' }
  | { readonly kind: 'failed'; readonly code: 'modelUnavailable' | 'modelAccessDenied'; readonly message: string };

/** Matches error texts of providers: VS Code has no error code for a refusal or a rate limit. */
const refusalPattern = /off.?topic|content.?filter|responsible.?ai|\bfiltered\b/iu;
const rateLimitPattern = /quota|rate.?limit|too many requests|\b429\b|limit (?:is )?(?:reached|exceeded)/iu;

/**
 * Classifies an error of `LanguageModelChat.sendRequest` or of its stream. The message never contains the error's text,
 * because a provider may repeat in it what was sent.
 */
export function classifyChatFailure(error: unknown, model: string): ChatFailure {
  const errorText = errorChainText(error);
  if (refusalPattern.test(errorText)) return { kind: 'refused' };
  switch ((error as { readonly code?: unknown } | undefined)?.code) {
    case 'NoPermissions':
      return consentMissingFailure(model);
    case 'NotFound':
      return {
        kind: 'failed',
        code: 'modelAccessDenied',
        message: `There is no chat model ${model} any more. Choose another in the setting recollect.model.name.`,
      };
    case 'Blocked':
      return rateLimitedFailure(model);
    default:
      return rateLimitPattern.test(errorText)
        ? rateLimitedFailure(model)
        : {
            kind: 'failed',
            code: 'modelUnavailable',
            message: `The chat model ${model} failed. Try again, or choose another in the setting recollect.model.name.`,
          };
  }
}

/** The failure when the user has refused consent, or has not been asked: background work does not ask. */
export function consentMissingFailure(model: string): ChatFailure {
  return {
    kind: 'failed',
    code: 'modelAccessDenied',
    message: `Recollect may not use the chat model ${model} yet. Run "Recollect: Test Language Model…" to allow it.`,
  };
}

/** @param name the value of `recollect.model.name`; empty = any model */
export function noChatModelFailure(name: string): ChatFailure {
  const problem = name === '' ? 'VS Code has no chat model' : `VS Code has no chat model ${name}`;
  const advice = 'Sign in to one, or choose another in the settings recollect.model.provider and recollect.model.name.';
  return { kind: 'failed', code: 'modelAccessDenied', message: `${problem}. ${advice}` };
}

function rateLimitedFailure(model: string): ChatFailure {
  return {
    kind: 'failed',
    code: 'modelUnavailable',
    message: `The chat model ${model} takes no requests now: its limit is reached. Try again later.`,
  };
}

/** The messages of an error and its causes. */
function errorChainText(error: unknown): string {
  const messages: string[] = [];
  for (let current = error; current instanceof Error && messages.length < 4; current = current.cause)
    messages.push(current.message);
  return messages.join('\n');
}

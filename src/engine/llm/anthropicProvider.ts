import { z } from 'zod';
import { EngineError } from '../base/errors.js';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import {
  addUsage,
  estimateInputTokens,
  zeroUsage,
  type ModelCall,
  type ModelProvider,
  type ModelUsage,
  type ModelReply,
} from './languageModel.js';
import type { RetryPolicy } from '../base/retryPolicy.js';
import { toModelUsage } from './modelPrices.js';

/** The current Haiku: the smallest and cheapest Claude, made for extraction and classification at volume. */
export const defaultAnthropicModel = 'claude-haiku-5-5';
const defaultBaseUrl = 'https://api.anthropic.com';

/** What an answer may weigh; the longest that is asked for has some thousand tokens. */
const maxAnswerBytes = 4_000_000;
/** Tokens for models that think before they answer and cannot be kept from it; a Haiku can. */
const thinkingTokenBudget = 4_000;
/** How long the work waits when the provider is overloaded and does not say until when. */
const overloadedDelayMs = 60_000;

export interface AnthropicProviderOptions {
  /** Undefined = none was set. */
  readonly key: () => Promise<string | undefined>;
  /** Empty = the default. */
  readonly model: string;
  /** Undefined = Anthropic's own. */
  readonly url: string | undefined;
  readonly now: () => Date;
  readonly retryPolicy: RetryPolicy;
}

/** Claude through the Messages API. The SDK, and with it any connection, comes with the first exchange. */
export function anthropicProvider(parts: AnthropicProviderOptions): ModelProvider {
  const id = parts.model === '' ? defaultAnthropicModel : parts.model;
  return {
    provider: 'anthropic',
    id,
    thinkingTokens: canDisableThinking(id) ? 0 : thinkingTokenBudget,
    send: async it => {
      const key = await parts.key();
      if (key === undefined || key === '') return failedReply(missingKeyError());
      // A header with other characters is refused with a message that holds it.
      if (!/^[\x21-\x7e]+$/u.test(key)) return failedReply(invalidKeyError());
      return sendWithRetries({ ...parts, id, key }, it);
    },
  };
}

const canDisableThinking = (model: string): boolean => model.startsWith('claude-haiku-');

type ResolvedOptions = Omit<AnthropicProviderOptions, 'key'> & { readonly id: string; readonly key: string };

/** What one try came to: the end, or a reason to try again. */
type AttemptResult =
  | ModelReply
  | { readonly kind: 'again'; readonly because: string; readonly afterMs?: number; readonly usage: ModelUsage };

async function sendWithRetries(parts: ResolvedOptions, call: ModelCall): Promise<ModelReply> {
  const { maxAttempts, initialBackoffMs, maxBackoffMs, sleep } = parts.retryPolicy;
  const send = await createSender(parts, call);
  let usage = zeroUsage;
  for (let attempt = 1; ; attempt++) {
    const result = await send();
    usage = addUsage(usage, result.usage);
    if (result.kind !== 'again') return { ...result, usage };
    const { because, afterMs } = result;
    if (afterMs !== undefined && afterMs > maxBackoffMs)
      return { kind: 'busy', until: dateAfter(parts, afterMs), usage };
    if (attempt === maxAttempts) {
      return isOverload(because)
        ? { kind: 'busy', until: dateAfter(parts, afterMs ?? overloadedDelayMs), usage }
        : { kind: 'failed', error: unreachableError(because), usage };
    }
    const waited = await sleep(afterMs ?? initialBackoffMs * 2 ** (attempt - 1), call.signal).then(
      () => true,
      () => false,
    );
    if (!waited) return { kind: 'failed', error: abortedError(), usage };
  }
}

const dateAfter = ({ now }: ResolvedOptions, ms: number): Date => new Date(now().getTime() + ms);

/** What each try of this exchange does: the same request. */
async function createSender(parts: ResolvedOptions, call: ModelCall): Promise<() => Promise<AttemptResult>> {
  const sdk = await import('@anthropic-ai/sdk');
  const { jsonSchemaOutputFormat } = await import('@anthropic-ai/sdk/helpers/json-schema');
  const client = new sdk.Anthropic({
    apiKey: parts.key,
    baseURL: parts.url ?? defaultBaseUrl,
    timeout: parts.retryPolicy.timeoutMs,
    // Ours are counted, bounded and can be cancelled (above).
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    defaultHeaders: suppressedMachineHeaders,
    fetch: fetchFully,
  });
  const format = jsonSchemaOutputFormat({ ...call.schema, type: 'object' });
  const request = {
    model: parts.id,
    max_tokens: call.maxOutputTokens + (canDisableThinking(parts.id) ? 0 : thinkingTokenBudget),
    system: [{ type: 'text' as const, text: call.system, cache_control: { type: 'ephemeral' as const } }],
    messages: call.turns.map(({ role, text }) => ({ role, content: text })),
    output_config: { format: { type: format.type, schema: format.schema } },
    ...(canDisableThinking(parts.id) ? { thinking: { type: 'disabled' as const } } : {}),
  };
  /** For a request that was sent and whose bill we never saw. */
  const estimatedUsage: ModelUsage = toModelUsage(parts.id, {
    input: estimateInputTokens(call),
    cacheWrite: 0,
    cacheRead: 0,
    output: 0,
  });
  return async () => {
    try {
      return parseMessage(parts.id, await client.messages.create(request, { signal: call.signal }), estimatedUsage);
    } catch (error) {
      if (call.signal.aborted) return { kind: 'failed', error: abortedError(), usage: estimatedUsage };
      if (error instanceof sdk.APIConnectionTimeoutError) return retryable('it did not answer in time', estimatedUsage);
      if (error instanceof sdk.APIConnectionError) return retryable('the connection failed', estimatedUsage);
      const errorResponse = error instanceof sdk.APIError ? errorResponseSchema.safeParse(error) : undefined;
      if (errorResponse?.success !== true) return retryable('its answer could not be read', estimatedUsage);
      return toFailure(parts, errorResponse.data);
    }
  };
}

/** What the SDK would tell about this machine with each request. */
const suppressedMachineHeaders = Object.fromEntries(
  ['Lang', 'Package-Version', 'OS', 'Arch', 'Runtime', 'Runtime-Version', 'Retry-Count', 'Timeout'].map(
    it => [`X-Stainless-${it}`, null] as const,
  ),
);

/**
 * A fetch that ends with the answer's last byte, so that the SDK's time limit holds for all of it (its own ends with the
 * headers). It follows no redirect, which would take the prompt elsewhere.
 */
async function fetchFully(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new TypeError('the answer is too long');
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  return new Response(Buffer.concat(chunks), { status, statusText, headers });
}

/** What we read of a message; whatever else it holds is not looked at. */
const messageSchema = z.object({
  content: z.array(z.object({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullable(),
  usage: z.object({
    input_tokens: z.number().nonnegative(),
    output_tokens: z.number().nonnegative(),
    cache_creation_input_tokens: z.number().nonnegative().nullish(),
    cache_read_input_tokens: z.number().nonnegative().nullish(),
  }),
});

function parseMessage(model: string, message: unknown, estimatedUsage: ModelUsage): AttemptResult {
  const result = messageSchema.safeParse(message);
  if (!result.success) return retryable('its answer could not be read', estimatedUsage);
  const { content, stop_reason, usage: billed } = result.data;
  const usage = toModelUsage(model, {
    input: billed.input_tokens,
    cacheWrite: billed.cache_creation_input_tokens ?? 0,
    cacheRead: billed.cache_read_input_tokens ?? 0,
    output: billed.output_tokens,
  });
  if (stop_reason === 'refusal') return { kind: 'refused', usage };
  if (stop_reason === 'max_tokens' || stop_reason === 'model_context_window_exceeded') return { kind: 'cutOff', usage };
  const text = content.map(it => (it.type === 'text' ? (it.text ?? '') : '')).join('');
  return { kind: 'text', text, usage };
}

/** What we read of an error; the SDK leaves its types open. */
const errorResponseSchema = z.object({
  status: z.number(),
  // Naming the class here would load Node's whole HTTP client in every process.
  headers: z.custom<Headers>(it => it instanceof Headers),
  message: z.string(),
});

/** An answer that is an error was not billed. Of its text nothing is passed on: it may hold what was sent. */
function toFailure(
  parts: ResolvedOptions,
  { status, headers, message: text }: z.infer<typeof errorResponseSchema>,
): AttemptResult {
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headers, parts.now());
    return { ...retryable(`it answered ${status}`, zeroUsage), ...(afterMs === undefined ? {} : { afterMs }) };
  }
  if (status === 401) return failedReply(invalidKeyError());
  if (status === 402 || /credit balance/iu.test(text)) {
    return failedReply(
      accessDenied(message`Your Anthropic account has no credit left. Add some in the Anthropic Console.`),
    );
  }
  if (status === 403) {
    return failedReply(
      accessDenied(
        message`Your Anthropic API key may not be used for this. Look at its rights in the Anthropic Console.`,
      ),
    );
  }
  if (status === 404) {
    return failedReply(
      accessDenied(message`Anthropic has no model ${parts.id}. Choose another in the setting recollect.model.name.`),
    );
  }
  return failedReply(
    accessDenied(
      message`Anthropic does not take the request with the model ${parts.id} (${status}). Try the default model, by clearing the setting recollect.model.name.`,
    ),
  );
}

/** Seconds or a date, as HTTP has it; undefined where the provider names no time to come. */
function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const value = headers.get('retry-after') ?? '';
  const ms = /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const retryable = (because: string, usage: ModelUsage): AttemptResult => ({ kind: 'again', because, usage });

const isOverload = (because: string): boolean => /answered (?:429|529)$/u.test(because);

const failedReply = (error: EngineError): ModelReply => ({ kind: 'failed', error, usage: zeroUsage });

const accessDenied = (reason: LocalizableMessage): EngineError => new EngineError('modelAccessDenied', reason);

const missingKeyError = (): EngineError =>
  accessDenied(
    message`No Anthropic API key is set. Set one with "Recollect: Set Anthropic API Key…", on the command line with ANTHROPIC_API_KEY.`,
  );

const invalidKeyError = (): EngineError =>
  accessDenied(
    message`Anthropic does not know the API key. Set another with "Recollect: Set Anthropic API Key…", on the command line with ANTHROPIC_API_KEY.`,
  );

const abortedError = (): EngineError => new EngineError('aborted', 'The call of the language model was cancelled.');

function unreachableError(because: string): EngineError {
  return new EngineError(
    'modelUnavailable',
    message`Anthropic cannot be reached: ${because}. Try again later; until then rules do the work.`,
  );
}

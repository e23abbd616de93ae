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
import { backoffMs, type RetryPolicy } from '../base/retryPolicy.js';
import { toModelUsage } from './modelPrices.js';

/** The current Haiku: the smallest and cheapest Claude, suited for extraction and classification. */
export const defaultAnthropicModel = 'claude-haiku-5-5';
const defaultBaseUrl = 'https://api.anthropic.com';

/** Far above the longest answers requested, which have some thousand tokens. */
const maxAnswerBytes = 4_000_000;
/** For models whose thinking cannot be disabled, unlike Haiku's. */
const thinkingTokenBudget = 4_000;
/** Work is deferred this long if an overloaded provider sends no `retry-after`. */
const overloadedDelayMs = 60_000;

export interface AnthropicProviderOptions {
  /** Undefined if no key is set. */
  readonly key: () => Promise<string | undefined>;
  /** Empty for the default. */
  readonly model: string;
  /** Undefined for Anthropic's API. */
  readonly url: string | undefined;
  readonly now: () => Date;
  readonly retryPolicy: RetryPolicy;
}

/** Claude through the Messages API. The SDK is loaded with the first call. */
export function anthropicProvider(parts: AnthropicProviderOptions): ModelProvider {
  const id = parts.model === '' ? defaultAnthropicModel : parts.model;
  return {
    provider: 'anthropic',
    id,
    thinkingTokens: canDisableThinking(id) ? 0 : thinkingTokenBudget,
    send: async call => {
      const key = await parts.key();
      if (key === undefined || key === '') return failedReply(missingKeyError());
      // fetch would reject another character in a header with a message that contains the key.
      if (!/^[\x21-\x7e]+$/u.test(key)) return failedReply(invalidKeyError());
      return sendWithRetries({ ...parts, id, key }, call);
    },
  };
}

const canDisableThinking = (model: string): boolean => model.startsWith('claude-haiku-');

type ResolvedOptions = Omit<AnthropicProviderOptions, 'key'> & { readonly id: string; readonly key: string };

/** The final result of an attempt, or the reason to retry. */
type AttemptResult =
  | ModelReply
  | { readonly kind: 'retry'; readonly because: string; readonly afterMs?: number; readonly usage: ModelUsage };

async function sendWithRetries(parts: ResolvedOptions, call: ModelCall): Promise<ModelReply> {
  const { maxAttempts, maxBackoffMs, sleep } = parts.retryPolicy;
  const send = await createSender(parts, call);
  let usage = zeroUsage;
  for (let attempt = 1; ; attempt++) {
    const result = await send();
    usage = addUsage(usage, result.usage);
    if (result.kind !== 'retry') return { ...result, usage };
    const { because, afterMs } = result;
    if (afterMs !== undefined && afterMs > maxBackoffMs)
      return { kind: 'busy', until: dateAfter(parts, afterMs), usage };
    if (attempt === maxAttempts) {
      return isOverload(because)
        ? { kind: 'busy', until: dateAfter(parts, afterMs ?? overloadedDelayMs), usage }
        : { kind: 'failed', error: unreachableError(because), usage };
    }
    const waited = await sleep(afterMs ?? backoffMs(parts.retryPolicy, attempt), call.signal).then(
      () => true,
      () => false,
    );
    if (!waited) return { kind: 'failed', error: abortedError(), usage };
  }
}

const dateAfter = ({ now }: ResolvedOptions, ms: number): Date => new Date(now().getTime() + ms);

/** Returns a function that sends the request once. */
async function createSender(parts: ResolvedOptions, call: ModelCall): Promise<() => Promise<AttemptResult>> {
  const sdk = await import('@anthropic-ai/sdk');
  const { jsonSchemaOutputFormat } = await import('@anthropic-ai/sdk/helpers/json-schema');
  const client = new sdk.Anthropic({
    apiKey: parts.key,
    baseURL: parts.url ?? defaultBaseUrl,
    timeout: parts.retryPolicy.timeoutMs,
    // sendWithRetries retries: it counts usage and can be canceled.
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
  /** For a request that was sent but whose usage is unknown. */
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

/** Headers in which the SDK would describe this machine. */
const suppressedMachineHeaders = Object.fromEntries(
  ['Lang', 'Package-Version', 'OS', 'Arch', 'Runtime', 'Runtime-Version', 'Retry-Count', 'Timeout'].map(
    it => [`X-Stainless-${it}`, null] as const,
  ),
);

/**
 * A fetch that resolves with the complete body, so that the SDK's timeout, which ends with the headers, covers it. It
 * follows no redirect, which would send the prompt to another server.
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

/** The part of a message that is read. */
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

/** The part of an SDK error that is read. */
const errorResponseSchema = z.object({
  status: z.number(),
  // In a function, because naming the class here would load Node's HTTP client in every process.
  headers: z.custom<Headers>(it => it instanceof Headers),
  message: z.string(),
});

/** Error responses are not billed. Their text is not passed on, as it may contain the prompt. */
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

/** The `retry-after` header, in seconds or as a date; undefined if it is missing or in the past. */
function retryAfterMs(headers: Headers, now: Date): number | undefined {
  const value = headers.get('retry-after') ?? '';
  const ms = /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

const retryable = (because: string, usage: ModelUsage): AttemptResult => ({ kind: 'retry', because, usage });

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

import { z } from 'zod';
import { EngineError } from '../base/errors.js';
import { message, type Message } from '../base/message.js';
import {
  addUsage,
  estimateInputTokens,
  noUsage,
  type Exchange,
  type ModelProvider,
  type ModelUsage,
  type Reply,
} from './languageModel.js';
import type { Patience } from './patience.js';
import { priced } from './prices.js';

/** The current Haiku: the smallest and cheapest Claude, made for extraction and classification at volume. */
export const defaultAnthropicModel = 'claude-haiku-5-5';
const messagesUrl = 'https://api.anthropic.com';

/** What an answer may weigh; the longest that is asked for has some thousand tokens. */
const maxAnswerBytes = 4_000_000;
/** Tokens for models that think before they answer and cannot be kept from it; a Haiku can. */
const thinkingTokens = 4_000;
/** How long the work waits when the provider is overloaded and does not say until when. */
const overloadedMs = 60_000;

export interface AnthropicParts {
  /** Undefined = none was set. */
  readonly key: () => Promise<string | undefined>;
  /** Empty = the default. */
  readonly model: string;
  /** Undefined = Anthropic's own. */
  readonly url: string | undefined;
  readonly now: () => Date;
  readonly patience: Patience;
}

/** Claude through the Messages API. The SDK, and with it any connection, comes with the first exchange. */
export function anthropicProvider(parts: AnthropicParts): ModelProvider {
  const id = parts.model === '' ? defaultAnthropicModel : parts.model;
  return {
    provider: 'anthropic',
    id,
    thinkingTokens: canDoWithoutThinking(id) ? 0 : thinkingTokens,
    exchange: async it => {
      const key = await parts.key();
      if (key === undefined || key === '') return failure(noKey());
      // A header with other characters is refused with a message that holds it.
      if (!/^[\x21-\x7e]+$/u.test(key)) return failure(wrongKey());
      return exchange({ ...parts, id, key }, it);
    },
  };
}

const canDoWithoutThinking = (model: string): boolean => model.startsWith('claude-haiku-');

type Ready = Omit<AnthropicParts, 'key'> & { readonly id: string; readonly key: string };

/** What one try came to: the end, or a reason to try again. */
type Try =
  Reply | { readonly kind: 'again'; readonly because: string; readonly afterMs?: number; readonly usage: ModelUsage };

async function exchange(parts: Ready, it: Exchange): Promise<Reply> {
  const { attempts, retryMs, longestPauseMs, pause } = parts.patience;
  const send = await sender(parts, it);
  let usage = noUsage;
  for (let attempt = 1; ; attempt++) {
    const tried = await send();
    usage = addUsage(usage, tried.usage);
    if (tried.kind !== 'again') return { ...tried, usage };
    const { because, afterMs } = tried;
    if (afterMs !== undefined && afterMs > longestPauseMs) return { kind: 'busy', until: later(parts, afterMs), usage };
    if (attempt === attempts) {
      return isOverload(because)
        ? { kind: 'busy', until: later(parts, afterMs ?? overloadedMs), usage }
        : { kind: 'failed', error: unreachable(because), usage };
    }
    const waited = await pause(afterMs ?? retryMs * 2 ** (attempt - 1), it.signal).then(
      () => true,
      () => false,
    );
    if (!waited) return { kind: 'failed', error: cancelled(), usage };
  }
}

const later = ({ now }: Ready, ms: number): Date => new Date(now().getTime() + ms);

/** What each try of this exchange does: the same request. */
async function sender(parts: Ready, it: Exchange): Promise<() => Promise<Try>> {
  const sdk = await import('@anthropic-ai/sdk');
  const { jsonSchemaOutputFormat } = await import('@anthropic-ai/sdk/helpers/json-schema');
  const client = new sdk.Anthropic({
    apiKey: parts.key,
    baseURL: parts.url ?? messagesUrl,
    timeout: parts.patience.timeoutMs,
    // Ours are counted, bounded and can be cancelled (above).
    maxRetries: 0,
    logLevel: 'off',
    openTelemetry: false,
    defaultHeaders: withoutMachine,
    fetch: fetchWhole,
  });
  const format = jsonSchemaOutputFormat({ ...it.schema, type: 'object' });
  const request = {
    model: parts.id,
    max_tokens: it.maxOutputTokens + (canDoWithoutThinking(parts.id) ? 0 : thinkingTokens),
    system: [{ type: 'text' as const, text: it.system, cache_control: { type: 'ephemeral' as const } }],
    messages: it.turns.map(({ role, text }) => ({ role, content: text })),
    output_config: { format: { type: format.type, schema: format.schema } },
    ...(canDoWithoutThinking(parts.id) ? { thinking: { type: 'disabled' as const } } : {}),
  };
  /** For a request that was sent and whose bill we never saw. */
  const unseen: ModelUsage = priced(parts.id, {
    input: estimateInputTokens(it),
    cacheWrite: 0,
    cacheRead: 0,
    output: 0,
  });
  return async () => {
    try {
      return readMessage(parts.id, await client.messages.create(request, { signal: it.signal }), unseen);
    } catch (error) {
      if (it.signal.aborted) return { kind: 'failed', error: cancelled(), usage: unseen };
      if (error instanceof sdk.APIConnectionTimeoutError) return again('it did not answer in time', unseen);
      if (error instanceof sdk.APIConnectionError) return again('the connection failed', unseen);
      const answered = error instanceof sdk.APIError ? answerSchema.safeParse(error) : undefined;
      if (answered?.success !== true) return again('its answer could not be read', unseen);
      return readFailure(parts, answered.data);
    }
  };
}

/** What the SDK would tell about this machine with each request. */
const withoutMachine = Object.fromEntries(
  ['Lang', 'Package-Version', 'OS', 'Arch', 'Runtime', 'Runtime-Version', 'Retry-Count', 'Timeout'].map(
    it => [`X-Stainless-${it}`, null] as const,
  ),
);

/**
 * A fetch that ends with the answer's last byte, so that the SDK's time limit holds for all of it (its own ends with the
 * headers). It follows no redirect, which would take the prompt elsewhere.
 */
async function fetchWhole(url: string | URL | Request, init?: RequestInit): Promise<Response> {
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

function readMessage(model: string, message: unknown, unseen: ModelUsage): Try {
  const read = messageSchema.safeParse(message);
  if (!read.success) return again('its answer could not be read', unseen);
  const { content, stop_reason, usage: billed } = read.data;
  const usage = priced(model, {
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
const answerSchema = z.object({
  status: z.number(),
  // Naming the class here would load Node's whole HTTP client in every process.
  headers: z.custom<Headers>(it => it instanceof Headers),
  message: z.string(),
});

/** An answer that is an error was not billed. Of its text nothing is passed on: it may hold what was sent. */
function readFailure(parts: Ready, { status, headers, message: text }: z.infer<typeof answerSchema>): Try {
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headers, parts.now());
    return { ...again(`it answered ${status}`, noUsage), ...(afterMs === undefined ? {} : { afterMs }) };
  }
  if (status === 401) return failure(wrongKey());
  if (status === 402 || /credit balance/iu.test(text)) {
    return failure(denied(message`Your Anthropic account has no credit left. Add some in the Anthropic Console.`));
  }
  if (status === 403) {
    return failure(
      denied(message`Your Anthropic API key may not be used for this. Look at its rights in the Anthropic Console.`),
    );
  }
  if (status === 404) {
    return failure(
      denied(message`Anthropic has no model ${parts.id}. Choose another in the setting recollect.model.name.`),
    );
  }
  return failure(
    denied(
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

const again = (because: string, usage: ModelUsage): Try => ({ kind: 'again', because, usage });

const isOverload = (because: string): boolean => /answered (?:429|529)$/u.test(because);

const failure = (error: EngineError): Reply => ({ kind: 'failed', error, usage: noUsage });

const denied = (said: Message): EngineError => new EngineError('modelAccessDenied', said);

const noKey = (): EngineError =>
  denied(
    message`No Anthropic API key is set. Set one with "Recollect: Set Anthropic API Key…", on the command line with ANTHROPIC_API_KEY.`,
  );

const wrongKey = (): EngineError =>
  denied(
    message`Anthropic does not know the API key. Set another with "Recollect: Set Anthropic API Key…", on the command line with ANTHROPIC_API_KEY.`,
  );

const cancelled = (): EngineError => new EngineError('aborted', 'The call of the language model was cancelled.');

function unreachable(because: string): EngineError {
  return new EngineError(
    'modelUnavailable',
    message`Anthropic cannot be reached: ${because}. Try again later; until then rules do the work.`,
  );
}

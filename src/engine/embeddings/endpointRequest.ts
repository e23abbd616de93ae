import { z } from 'zod';
import { message, type LocalizableMessage } from '../base/localizableMessage.js';
import { vectorDimensions } from '../model/config.js';

/** One request to an endpoint. */
export interface EndpointRequest {
  readonly url: string;
  readonly model: string;
  /** Sent along if not 0. */
  readonly dimensions: number;
  readonly key: string | undefined;
  readonly texts: readonly string[];
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export type EndpointReply =
  /** As they came: one per text, in order, all of one length; and the tokens it counted, where it says so. */
  | { readonly kind: 'vectors'; readonly vectors: readonly Float32Array[]; readonly tokens: number | undefined }
  /** It does not take these texts, or nothing like them (400, 413, 422). */
  | { readonly kind: 'rejected'; readonly problem: LocalizableMessage }
  /** To be tried again, not before `afterMs` if that is given. */
  | { readonly kind: 'retry'; readonly problem: LocalizableMessage; readonly afterMs: number | undefined }
  /** Only a person can change it: the key, the address, the model. */
  | { readonly kind: 'refused'; readonly problem: LocalizableMessage }
  | { readonly kind: 'aborted' };

/** Bounds the memory that an answer may take: 64 vectors of 4,096 numbers have about 6 MB. */
const maxAnswerBytes = 32_000_000;

const answerSchema = z.object({
  data: z.array(z.object({ index: z.number().int().nonnegative().optional(), embedding: z.array(z.number()) })),
  usage: z
    .object({ total_tokens: z.number().nonnegative().nullish(), prompt_tokens: z.number().nonnegative().nullish() })
    .nullish(),
});

/**
 * Posts texts once, in the form of OpenAI's embeddings API. Follows no redirect: it would send the texts, and the key, to an
 * address that no person was asked about. Error texts of the server are not passed on, as they may repeat what was sent.
 */
export async function requestEmbeddings(request: EndpointRequest): Promise<EndpointReply> {
  const { url, model, dimensions, key, texts, timeoutMs, signal } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({
        model,
        input: texts,
        encoding_format: 'float',
        ...(dimensions === 0 ? {} : { dimensions }),
      }),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return classifyStatus(response);
    }
    return parseAnswer(await readBody(response), texts.length);
  } catch {
    if (signal?.aborted === true) return { kind: 'aborted' };
    return retry(timeout.aborted ? message`it did not answer in time` : message`it cannot be reached`);
  }
}

function classifyStatus({ status, headers }: Response): EndpointReply {
  if (status === 0 || (status >= 300 && status < 400))
    return { kind: 'refused', problem: message`it sends on to another address, which is not followed` };
  if (status === 401 || status === 403)
    return { kind: 'refused', problem: message`it does not take the key (${status})` };
  if (status === 404 || status === 405 || status === 410)
    return { kind: 'refused', problem: message`it has no such model, or is no endpoint for embeddings (${status})` };
  if (status === 402) return { kind: 'refused', problem: message`its account has no credit left (402)` };
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500)
    return retry(message`it answered ${String(status)}`, retryAfterMs(headers));
  return { kind: 'rejected', problem: message`it does not take the request (${String(status)})` };
}

/** The `retry-after` header, in seconds or as a date; undefined if it is missing or in the past. */
function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('retry-after') ?? '';
  const ms = /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('The answer is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseAnswer(text: string, count: number): EndpointReply {
  const unreadable = retry(message`its answer is not what an endpoint for embeddings gives`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unreadable;
  }
  const answer = answerSchema.safeParse(json);
  if (!answer.success || answer.data.data.length !== count) return unreadable;
  const { data, usage } = answer.data;
  const vectors: Float32Array[] = [];
  for (const [i, { index = i, embedding }] of data.entries()) {
    if (index >= count || vectors[index] !== undefined) return unreadable;
    vectors[index] = Float32Array.from(embedding);
  }
  const dimensions = vectors[0]?.length ?? 0;
  const isUsable =
    dimensions >= vectorDimensions.min &&
    dimensions <= vectorDimensions.max &&
    vectors.every(it => it.length === dimensions && it.every(component => Number.isFinite(component)));
  return isUsable
    ? { kind: 'vectors', vectors, tokens: usage?.total_tokens ?? usage?.prompt_tokens ?? undefined }
    : unreadable;
}

const retry = (problem: LocalizableMessage, afterMs?: number): EndpointReply => ({ kind: 'retry', problem, afterMs });

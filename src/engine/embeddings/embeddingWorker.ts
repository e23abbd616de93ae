// Runs in a worker thread: the only importer of onnxruntime-node.
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { readRegularTextSync } from '../base/regularFile.js';
import { openTokenizer, type Tokenizer } from '../base/tokenizer.js';
import { toUnitVector } from '../base/unitVector.js';
import type { ModelFolder } from './modelFolder.js';

/** Texts to embed, prefixes included. */
export interface EmbedRequest {
  readonly id: number;
  readonly texts: readonly string[];
}
/** The concatenated vectors of all texts, or an error message. */
export type EmbedReply =
  { readonly id: number; readonly vectors: Float32Array } | { readonly id: number; readonly error: string };

/** A larger batch would mean more padding. */
const inferenceBatchSize = 32;
/** Bytes. Those of large multilingual models have 17 MB. */
const maxTokenizerBytes = 64 * 1024 * 1024;
/** More than in any language: text beyond it cannot reach the model and is not tokenized. */
const maxCharactersPerToken = 32;

const { folder, description } = workerData as ModelFolder;
const model = load();
// Each request reports the failure; before the first one, it must not end the thread.
model.catch(() => undefined);
const port = parentPort!;

port.on('message', (request: EmbedRequest) => {
  void embedAll(request.texts).then(
    vectors => {
      port.postMessage({ id: request.id, vectors } satisfies EmbedReply, [vectors.buffer as ArrayBuffer]);
    },
    (error: unknown) => {
      port.postMessage({
        id: request.id,
        error: error instanceof Error ? error.message : String(error),
      } satisfies EmbedReply);
    },
  );
});

interface LoadedModel {
  readonly session: InferenceSession;
  readonly tokenizer: Tokenizer;
  /** Tokens around every text, such as [CLS] and [SEP]; may be empty. */
  readonly specialTokens: readonly number[];
  /** Token for words that are not in the vocabulary. */
  readonly unknownTokenId: number | undefined;
}

async function load(): Promise<LoadedModel> {
  const session = await InferenceSession.create(path.join(folder, 'model.onnx'), {
    // A text takes a few milliseconds at most: a thread pool would cost more than it saves.
    intraOpNumThreads: 1,
    logSeverityLevel: 3,
  }).catch((cause: unknown) => {
    // The runtime's message names lines of its source and stays in `cause`.
    throw new Error('its model.onnx cannot be loaded', { cause });
  });
  try {
    const json = JSON.parse(
      readRegularTextSync(path.join(folder, 'tokenizer.json'), {
        maxBytes: maxTokenizerBytes,
        followLinks: true,
      }),
    ) as {
      readonly model?: { readonly unk_token?: string | null };
    };
    const tokenizer = openTokenizer(json);
    const unknown = json.model?.unk_token;
    return {
      session,
      tokenizer,
      specialTokens: tokenizer.encode('').ids,
      unknownTokenId: typeof unknown === 'string' ? tokenizer.token_to_id(unknown) : undefined,
    };
  } catch (cause) {
    throw new Error('its tokenizer.json cannot be read', { cause });
  }
}

/** A text's tokens, at most `maxTokens` with their frame whole; none when it holds nothing the model knows. */
function tokenize({ tokenizer, specialTokens, unknownTokenId }: LoadedModel, text: string): readonly number[] {
  const { maxTokens } = description;
  const { ids } = tokenizer.encode(text.slice(0, maxTokens * maxCharactersPerToken));
  const inner = ids.length - specialTokens.length;
  if (inner <= 0) return [];
  const suffixStart = specialTokens.findIndex((id, i) => ids[i] !== id);
  const start = suffixStart < 0 ? specialTokens.length : suffixStart;
  if (ids.slice(start, start + inner).every(id => id === unknownTokenId)) return [];
  if (ids.length <= maxTokens) return ids;
  const closing = specialTokens.slice(start);
  return [...ids.slice(0, maxTokens - closing.length), ...closing];
}

async function embedAll(texts: readonly string[]): Promise<Float32Array> {
  const loaded = await model;
  const { dimensions } = description;
  const vectors = new Float32Array(texts.length * dimensions);
  // Texts of similar length share a batch, which minimizes padding.
  const encoded = texts
    .map((text, position) => ({ position, ids: tokenize(loaded, text) }))
    .filter(it => it.ids.length > 0)
    .sort((a, b) => a.ids.length - b.ids.length);
  for (let start = 0; start < encoded.length; start += inferenceBatchSize) {
    const batch = encoded.slice(start, start + inferenceBatchSize);
    const rows = await runBatch(
      loaded.session,
      batch.map(it => it.ids),
    );
    for (const [i, { position }] of batch.entries()) vectors.set(toUnitVector(rows[i]!), position * dimensions);
  }
  return vectors;
}

async function runBatch(session: InferenceSession, batch: readonly (readonly number[])[]): Promise<Float32Array[]> {
  const length = Math.max(...batch.map(it => it.length));
  const ids = new BigInt64Array(batch.length * length);
  const mask = new BigInt64Array(batch.length * length);
  for (const [row, tokens] of batch.entries()) {
    for (const [column, token] of tokens.entries()) {
      ids[row * length + column] = BigInt(token);
      mask[row * length + column] = 1n;
    }
  }
  const shape = [batch.length, length];
  const feeds: Record<string, Tensor> = {
    input_ids: new Tensor('int64', ids, shape),
    attention_mask: new Tensor('int64', mask, shape),
  };
  if (session.inputNames.includes('token_type_ids')) {
    feeds.token_type_ids = new Tensor('int64', new BigInt64Array(ids.length), shape);
  }
  const output = (await session.run(feeds))[session.outputNames[0]!]!;
  const outputDimensions = output.dims.at(-1);
  if (outputDimensions !== description.dimensions) {
    throw new Error(`it gives ${outputDimensions} dimensions, model.json says ${description.dimensions}`);
  }
  const data = output.data as Float32Array;
  return batch.map((tokens, row) => poolTokens(data, row, length, tokens.length));
}

/** The vector of a text from the model's output of shape [batch, dimensions], or [batch, length, dimensions] to pool. */
function poolTokens(data: Float32Array, row: number, length: number, tokens: number): Float32Array {
  const { dimensions, pooling } = description;
  if (pooling === 'none') return data.slice(row * dimensions, (row + 1) * dimensions);
  const start = row * length * dimensions;
  if (pooling === 'cls') return data.slice(start, start + dimensions);
  const mean = new Float32Array(dimensions);
  for (let token = 0; token < tokens; token++) {
    for (let d = 0; d < dimensions; d++) mean[d]! += data[start + token * dimensions + d]! / tokens;
  }
  return mean;
}

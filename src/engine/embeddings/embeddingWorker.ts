// Runs in a worker thread: embeds texts, or scores pairs of a question and a text.
import { parentPort, workerData } from 'node:worker_threads';
import { toUnitVector } from '../base/unitVector.js';
import type { ModelDescription } from './modelDescription.js';
import { loadOnnxModel, runOnnxModel, type OnnxModel, type TokenizedInput } from './onnxModel.js';

/** What the thread runs: an embedding model, which has a description, or a cross-encoder, which has none. */
export interface OnnxThreadData {
  readonly folder: string;
  readonly description?: ModelDescription;
}
export interface OnnxRequest {
  readonly id: number;
  /** To embed, prefixes included, or to score. */
  readonly texts: readonly string[];
  /** What a cross-encoder compares each text with. */
  readonly question?: string;
}
/** The vectors of all texts, one after the other, or their scores; or an error message. */
export type OnnxReply =
  { readonly id: number; readonly numbers: Float32Array } | { readonly id: number; readonly error: string };

/** A larger batch would mean more padding. */
const inferenceBatchSize = 32;
/** More than in any language: text beyond it cannot reach the model and is not tokenized. */
const maxCharactersPerToken = 32;
/** Of a question and a text together: a memory is short, and time grows with the longest of a batch. */
const maxPairTokens = 256;
/** Characters of each text of a pair that are tokenized: a question of as many tokens leaves room for the text. */
const [maxQuestionCharacters, maxTextCharacters] = [200, 1_000];

const { folder, description } = workerData as OnnxThreadData;
const model = loadOnnxModel(folder);
// Each request reports the failure; before the first one, it must not end the thread.
model.catch(() => undefined);
const port = parentPort!;

port.on('message', ({ id, texts, question }: OnnxRequest) => {
  const work = description === undefined ? scoreAll(question ?? '', texts) : embedAll(texts, description);
  void work.then(
    numbers => {
      port.postMessage({ id, numbers } satisfies OnnxReply, [numbers.buffer as ArrayBuffer]);
    },
    (error: unknown) => {
      port.postMessage({ id, error: error instanceof Error ? error.message : String(error) } satisfies OnnxReply);
    },
  );
});

/** A text's tokens, at most `maxTokens` with their frame whole; none when it holds nothing the model knows. */
function tokenize(
  { tokenizer, specialTokens, unknownTokenId }: OnnxModel,
  text: string,
  { maxTokens }: ModelDescription,
): readonly number[] {
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

async function embedAll(texts: readonly string[], its: ModelDescription): Promise<Float32Array> {
  const loaded = await model;
  const { dimensions } = its;
  const vectors = new Float32Array(texts.length * dimensions);
  // Texts of similar length share a batch, which minimizes padding.
  const encoded = texts
    .map((text, position) => ({ position, ids: tokenize(loaded, text, its) }))
    .filter(it => it.ids.length > 0)
    .sort((a, b) => a.ids.length - b.ids.length);
  for (let start = 0; start < encoded.length; start += inferenceBatchSize) {
    const batch = encoded.slice(start, start + inferenceBatchSize);
    const { data, dims, length } = await runOnnxModel(loaded, batch);
    const given = dims.at(-1);
    if (given !== dimensions) throw new Error(`it gives ${given} dimensions, model.json says ${dimensions}`);
    for (const [row, { ids, position }] of batch.entries())
      vectors.set(toUnitVector(poolTokens({ data, length }, row, ids.length, its)), position * dimensions);
  }
  return vectors;
}

/** The vector of a text from the model's output of shape [batch, dimensions], or [batch, length, dimensions] to pool. */
function poolTokens(
  { data, length }: { readonly data: Float32Array; readonly length: number },
  row: number,
  tokens: number,
  { dimensions, pooling }: ModelDescription,
): Float32Array {
  if (pooling === 'none') return data.slice(row * dimensions, (row + 1) * dimensions);
  const start = row * length * dimensions;
  if (pooling === 'cls') return data.slice(start, start + dimensions);
  const mean = new Float32Array(dimensions);
  for (let token = 0; token < tokens; token++) {
    for (let d = 0; d < dimensions; d++) mean[d]! += data[start + token * dimensions + d]! / tokens;
  }
  return mean;
}

/** One number per text: how well it answers the question. Greater is better; the scale is the model's. */
async function scoreAll(question: string, texts: readonly string[]): Promise<Float32Array> {
  const loaded = await model;
  if (texts.length === 0) return new Float32Array(0);
  const { data, dims } = await runOnnxModel(
    loaded,
    texts.map(it => tokenizePair(loaded, question, it)),
  );
  // A model with two classes says last how likely it is that the text answers.
  const classes = dims.at(-1);
  if (dims.length !== 2 || (classes !== 1 && classes !== 2))
    throw new Error(`it gives ${dims.slice(1).join(' × ')} numbers for a pair, and a cross-encoder gives one`);
  return Float32Array.from(texts, (_, row) =>
    classes === 1 ? data[row]! : data[row * classes + 1]! - data[row * classes]!,
  );
}

function tokenizePair({ tokenizer }: OnnxModel, question: string, text: string): TokenizedInput {
  const { ids, token_type_ids: types } = tokenizer.encode(question.slice(0, maxQuestionCharacters), {
    text_pair: text.slice(0, maxTextCharacters),
    return_token_type_ids: true,
  });
  if (ids.length <= maxPairTokens) return { ids, types };
  return { ids: [...ids.slice(0, maxPairTokens - 1), ids.at(-1)!], types: types.slice(0, maxPairTokens) };
}

// Runs in a worker thread: embeds texts, scores pairs of a question and a text, or says how two texts relate.
import { parentPort, workerData } from 'node:worker_threads';
import { toUnitVector } from '../base/unitVector.js';
import type { ModelDescription } from './modelDescription.js';
import { closeRequest } from './onnxCloseRequest.js';
import { relationClasses, type RelationPair } from './relation.js';
import { headsWidth, textHeads } from './textHeads.js';
import {
  loadOnnxModel,
  runOnnxModel,
  runOnnxOutputs,
  type ModelOutput,
  type OnnxModel,
  type TokenizedInput,
} from './onnxModel.js';

/** Model that the thread runs: an embedding model, which has a description, or a cross-encoder, which has none. */
export interface OnnxThreadData {
  readonly folder: string;
  readonly description?: ModelDescription;
  /** Texts that run at once; {@link defaultBatchSize} by default. */
  readonly batchSize?: number;
}
export type OnnxWork =
  | {
      /** To embed, prefixes included, or to score. */
      readonly texts: readonly string[];
      /** Question that a cross-encoder compares each text with. */
      readonly question?: string;
      /** Whether the logits of {@link textHeads} follow a text's vector. */
      readonly withHeads?: boolean;
    }
  | { readonly pairs: readonly RelationPair[] };
export type OnnxRequest = OnnxWork & { readonly id: number };
/**
 * The vectors of all texts, one after the other, with the logits of their heads where those are wanted; their scores; or the
 * probabilities of all pairs; or an error message.
 */
export type OnnxReply =
  { readonly id: number; readonly numbers: Float32Array } | { readonly id: number; readonly error: string };

/** A larger batch would mean more padding. */
const defaultBatchSize = 32;
/** More than in any language: text beyond it cannot reach the model and is not tokenized. */
const maxCharactersPerToken = 32;
/** Of a question and a text together: a memory is short, and time grows with the longest of a batch. */
const maxPairTokens = 256;
/** Characters of each text of a pair that are tokenized: a question of as many tokens leaves room for the text. */
const [maxQuestionCharacters, maxTextCharacters] = [200, 1_000];

/** The output with the logits of a pair. */
const relationOutput = 'relation';

const { folder, description, batchSize = defaultBatchSize } = workerData as OnnxThreadData;
const model = loadOnnxModel(folder);
// Each request reports the failure; before the first one, it must not end the thread.
model.catch(() => undefined);
const port = parentPort!;

const running = new Set<Promise<void>>();
let isClosing = false;

port.on('message', (request: OnnxRequest | typeof closeRequest) => {
  if (request === closeRequest) {
    isClosing = true;
    // The thread ends by itself once nothing listens.
    void Promise.allSettled([model, ...running]).then(() => {
      port.close();
    });
    return;
  }
  const answered = answer(request).finally(() => running.delete(answered));
  running.add(answered);
});

async function answer({ id, ...work }: OnnxRequest): Promise<void> {
  try {
    const numbers = await runWork(work);
    port.postMessage({ id, numbers } satisfies OnnxReply, [numbers.buffer as ArrayBuffer]);
  } catch (error) {
    port.postMessage({ id, error: error instanceof Error ? error.message : String(error) } satisfies OnnxReply);
  }
}

function runWork(work: OnnxWork): Promise<Float32Array> {
  if ('pairs' in work) return relateAll(work.pairs, description!.maxTokens);
  if (description === undefined) return scoreAll(work.question ?? '', work.texts);
  return embedAll(work.texts, description, work.withHeads === true);
}

/** A text's tokens, at most `maxTokens` with their frame whole; none when the model can read less than half of it. */
function tokenize(
  { tokenizer, specialTokens, unknownTokenId, singleCharacterIds }: OnnxModel,
  text: string,
  { maxTokens, readsSingleCharacters = true }: ModelDescription,
): readonly number[] {
  const { ids } = tokenizer.encode(text.slice(0, maxTokens * maxCharactersPerToken));
  const inner = ids.length - specialTokens.length;
  if (inner <= 0) return [];
  const suffixStart = specialTokens.findIndex((id, i) => ids[i] !== id);
  const start = suffixStart < 0 ? specialTokens.length : suffixStart;
  const unread = ids
    .slice(start, start + inner)
    .filter(id => id === unknownTokenId || (!readsSingleCharacters && singleCharacterIds.has(id)));
  if (unread.length > inner / 2) return [];
  if (ids.length <= maxTokens) return ids;
  const closing = specialTokens.slice(start);
  return [...ids.slice(0, maxTokens - closing.length), ...closing];
}

async function embedAll(texts: readonly string[], its: ModelDescription, withHeads: boolean): Promise<Float32Array> {
  const loaded = await model;
  const { dimensions } = its;
  const heads = withHeads ? textHeads : [];
  const width = dimensions + (withHeads ? headsWidth : 0);
  // No logits of a text that the model cannot read.
  const numbers = new Float32Array(texts.length * width);
  for (let row = 0; row < texts.length; row++) numbers.fill(NaN, row * width + dimensions, (row + 1) * width);
  const outputNames = [loaded.session.outputNames[0]!, ...heads.map(it => it.output)];
  // Texts of similar length share a batch, which minimizes padding.
  const encoded = texts
    .map((text, position) => ({ position, ids: tokenize(loaded, text, its) }))
    .filter(it => it.ids.length > 0)
    .sort((a, b) => a.ids.length - b.ids.length);
  for (let start = 0; start < encoded.length && !isClosing; start += batchSize) {
    const batch = encoded.slice(start, start + batchSize);
    const [embedding, ...ofHeads] = await runOnnxOutputs(loaded, batch, outputNames);
    const given = embedding!.dims.at(-1);
    if (given !== dimensions) throw new Error(`it gives ${given} dimensions, model.json says ${dimensions}`);
    for (const [i, { output, classes }] of heads.entries())
      if (ofHeads[i]!.dims.at(-1) !== classes.length)
        throw new Error(`its ${output} has ${ofHeads[i]!.dims.at(-1)} classes`);
    for (const [row, { ids, position }] of batch.entries()) {
      numbers.set(toUnitVector(poolTokens(embedding!, row, ids.length, its)), position * width);
      let at = position * width + dimensions;
      for (const [i, { classes }] of heads.entries()) {
        numbers.set(ofHeads[i]!.data.subarray(row * classes.length, (row + 1) * classes.length), at);
        at += classes.length;
      }
    }
  }
  return numbers;
}

/** The vector of a text from the model's output of shape [batch, dimensions], or [batch, length, dimensions] to pool. */
function poolTokens(
  { data, length }: Pick<ModelOutput, 'data' | 'length'>,
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

/** The probabilities of the classes of each pair. */
async function relateAll(pairs: readonly RelationPair[], maxTokens: number): Promise<Float32Array> {
  const loaded = await model;
  const numbers = new Float32Array(pairs.length * relationClasses.length);
  for (let from = 0; from < pairs.length && !isClosing; from += batchSize) {
    const batch = pairs.slice(from, from + batchSize).map(it => tokenizeRelation(loaded, it, maxTokens));
    const { data, dims } = await runOnnxModel(loaded, batch, relationOutput);
    if (dims.at(-1) !== relationClasses.length) throw new Error(`its ${relationOutput} has ${dims.at(-1)} classes`);
    for (const row of batch.keys()) {
      const start = row * relationClasses.length;
      const logits = data.subarray(start, start + relationClasses.length);
      numbers.set(softmax(logits), from * relationClasses.length + start);
    }
  }
  return numbers;
}

/** As in training: the newer text first, with five eighths of the tokens at most. */
function tokenizeRelation(
  { tokenizer, specialTokens: [begin, end] }: OnnxModel,
  [older, newer]: RelationPair,
  maxTokens: number,
): TokenizedInput {
  const idsOf = (text: string): readonly number[] =>
    tokenizer.encode(text.slice(0, maxTokens * maxCharactersPerToken), { add_special_tokens: false }).ids;
  const first = idsOf(newer).slice(0, Math.floor((maxTokens * 5) / 8));
  const second = idsOf(older).slice(0, maxTokens - 3 - first.length);
  return {
    ids: [begin!, ...first, end!, ...second, end!],
    types: [...new Array<number>(first.length + 2).fill(0), ...new Array<number>(second.length + 1).fill(1)],
  };
}

function softmax(logits: Float32Array): Float32Array {
  const max = Math.max(...logits);
  const powers = logits.map(it => Math.exp(it - max));
  const sum = powers.reduce((total, it) => total + it, 0);
  return powers.map(it => it / sum);
}

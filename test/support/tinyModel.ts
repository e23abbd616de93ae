import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ModelDescription } from '../../src/engine/embeddings/modelDescription.js';

/** Words of the tiny model, by token id; each token's vector is its row. */
export const tinyWords = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'apple', 'pear', 'hammer', 'find'] as const;
export const tinyDimensions = 8;

/** Files of a tiny model with the interface of a transformer: it looks up its tokens, framed by [CLS] and [SEP]. */
export interface TinyModel {
  readonly onnx: Buffer;
  readonly tokenizer: string;
  readonly description: string;
}

/** Creates a model whose token vectors are one-hot, so that a test can read the tokens from a vector. */
export function tinyModel(description: Partial<ModelDescription> = {}): TinyModel {
  const all: ModelDescription = {
    name: 'tiny',
    dimensions: tinyDimensions,
    maxTokens: 8,
    queryPrefix: '',
    passagePrefix: '',
    pooling: 'mean',
    thresholds: { related: 0.5, duplicate: 0.9 },
    ...description,
  };
  return { onnx: gatherModel(), tokenizer: JSON.stringify(tokenizer), description: JSON.stringify(all) };
}

/** Writes a tiny model into a folder, and returns the folder. */
export function writeTinyModel(folder: string, description: Partial<ModelDescription> = {}): string {
  const model = tinyModel(description);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'model.onnx'), model.onnx);
  writeFileSync(path.join(folder, 'tokenizer.json'), model.tokenizer);
  writeFileSync(path.join(folder, 'model.json'), model.description);
  return folder;
}

/** Points that the tiny cross-encoder gives each of its words. */
const points: Readonly<Partial<Record<(typeof tinyWords)[number], number>>> = { apple: 1, pear: 2, hammer: 8 };

/**
 * Writes a cross-encoder whose score is the sum of the points of the words, of question and text together, and returns the
 * folder.
 */
export function writeTinyCrossEncoder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const pair = (id: string, type: number): object[] => [
    { Sequence: { id, type_id: type } },
    { SpecialToken: { id: '[SEP]', type_id: type } },
  ];
  const framed = [{ SpecialToken: { id: '[CLS]', type_id: 0 } }, ...pair('A', 0), ...pair('B', 1)];
  const postProcessor = { ...tokenizer.post_processor, pair: framed };
  writeFileSync(path.join(folder, 'model.onnx'), sumModel());
  writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify({ ...tokenizer, post_processor: postProcessor }));
  return folder;
}

const special = (id: number): object => ({
  id,
  content: tinyWords[id],
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
});

const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: [0, 1, 2, 3].map(special),
  normalizer: { type: 'Lowercase' },
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '[CLS]', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '[SEP]', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
      '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
    },
  },
  decoder: null,
  model: {
    type: 'WordPiece',
    unk_token: '[UNK]',
    continuing_subword_prefix: '##',
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(tinyWords.map((it, id) => [it, id])),
  },
};

const [float, int64] = [1, 7];

/** ONNX of `last_hidden_state = Gather(identity, input_ids)`. */
function gatherModel(): Buffer {
  const identity = new Float32Array(tinyWords.length * tinyDimensions);
  for (let row = 0; row < tinyWords.length; row++) identity[row * tinyDimensions + row] = 1;
  return onnxModel(
    [[1, message([1, 'table'], [1, 'input_ids'], [2, 'last_hidden_state'], [4, 'Gather'])]],
    [tensor('table', float, [tinyWords.length, tinyDimensions], identity)],
    value('last_hidden_state', float, ['batch', 'length', tinyDimensions]),
  );
}

/** ONNX of `logits = ReduceSum(Gather(points, input_ids), axis 1)`. */
function sumModel(): Buffer {
  const attribute = message([1, 'keepdims'], [3, 0], [20, 2]);
  return onnxModel(
    [
      [1, message([1, 'table'], [1, 'input_ids'], [2, 'each'], [4, 'Gather'])],
      [1, message([1, 'each'], [1, 'axes'], [2, 'logits'], [4, 'ReduceSum'], [5, attribute])],
    ],
    [
      tensor(
        'table',
        float,
        [tinyWords.length, 1],
        Float32Array.from(tinyWords, it => points[it] ?? 0),
      ),
      tensor('axes', int64, [1], BigInt64Array.of(1n)),
    ],
    value('logits', float, ['batch', 1]),
  );
}

type Field = readonly [number, number | string | Buffer];

/** Encoded as protocol buffers by hand to avoid a dependency. */
function onnxModel(nodes: readonly Field[], tensors: readonly Buffer[], output: Buffer): Buffer {
  const graph = message(
    ...nodes,
    [2, 'tiny'],
    ...tensors.map((it): Field => [5, it]),
    [11, value('input_ids', int64, ['batch', 'length'])],
    [11, value('attention_mask', int64, ['batch', 'length'])],
    [12, output],
  );
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 13])]);
}

function tensor(name: string, type: number, dims: readonly number[], data: Float32Array | BigInt64Array): Buffer {
  return message(...dims.map((it): Field => [1, it]), [2, type], [8, name], [9, Buffer.from(data.buffer)]);
}

function value(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const dimension = (it: string | number): Buffer => message([1, message([typeof it === 'string' ? 2 : 1, it])]);
  return message([1, name], [2, message([1, message([1, type], [2, Buffer.concat(shape.map(dimension))])])]);
}

/** Encodes fields as [number, value]: a number as varint, anything else length-delimited. */
function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.map(([field, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(field << 3), varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint((field << 3) | 2), varint(bytes.length), bytes]);
    }),
  );
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    rest >>>= 7;
  } while (rest > 0);
  return Buffer.from(bytes);
}

// The only importer of onnxruntime-node, in the worker thread.
import path from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { readRegularTextSync } from '../base/regularFile.js';
import { openTokenizer, type Tokenizer } from '../base/tokenizer.js';

/** Bytes. Those of large multilingual models have 17 MB. */
const maxTokenizerBytes = 64 * 1024 * 1024;

export interface OnnxModel {
  readonly session: InferenceSession;
  readonly tokenizer: Tokenizer;
  /** Tokens around every text, such as [CLS] and [SEP]; may be empty. */
  readonly specialTokens: readonly number[];
  /** Token for words that are not in the vocabulary. */
  readonly unknownTokenId: number | undefined;
  /** Of single characters outside ASCII. */
  readonly singleCharacterIds: ReadonlySet<number>;
}

/** @param folder holds `model.onnx` and `tokenizer.json` @throws Error with a part of a sentence */
export async function loadOnnxModel(folder: string): Promise<OnnxModel> {
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
      readonly model?: { readonly unk_token?: string | null; readonly vocab?: unknown };
    };
    const tokenizer = openTokenizer(json);
    const unknown = json.model?.unk_token;
    return {
      session,
      tokenizer,
      specialTokens: tokenizer.encode('').ids,
      singleCharacterIds: findSingleCharacters(json.model?.vocab),
      unknownTokenId: typeof unknown === 'string' ? tokenizer.token_to_id(unknown) : undefined,
    };
  } catch (cause) {
    throw new Error('its tokenizer.json cannot be read', { cause });
  }
}

function findSingleCharacters(vocabulary: unknown): ReadonlySet<number> {
  // Other kinds of tokenizers have lists.
  if (typeof vocabulary !== 'object' || vocabulary === null || Array.isArray(vocabulary)) return new Set();
  const entries = Object.entries(vocabulary as Readonly<Record<string, number>>);
  return new Set(entries.filter(([token]) => /^(?:##)?[^\p{ASCII}]$/u.test(token)).map(([, id]) => id));
}

/** Tokens of one input of a model; types are 1 for the second text of a pair. */
export interface TokenizedInput {
  readonly ids: readonly number[];
  readonly types?: readonly number[];
}

/** Output of a model for a batch whose inputs were padded to a length. */
export interface ModelOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
  readonly length: number;
}

/**
 * One output of the model for a batch, whose inputs are padded to the longest.
 * @param outputName its first one by default
 */
export async function runOnnxModel(
  model: OnnxModel,
  batch: readonly TokenizedInput[],
  outputName = model.session.outputNames[0]!,
): Promise<ModelOutput> {
  const [output] = await runOnnxOutputs(model, batch, [outputName]);
  return output!;
}

/** Several outputs of one run of the model, in the order of their names; the others are not computed. */
export async function runOnnxOutputs(
  { session }: OnnxModel,
  batch: readonly TokenizedInput[],
  outputNames: readonly string[],
): Promise<readonly ModelOutput[]> {
  const length = Math.max(...batch.map(it => it.ids.length));
  const cells = batch.length * length;
  const [ids, mask, types] = [new BigInt64Array(cells), new BigInt64Array(cells), new BigInt64Array(cells)];
  for (const [row, input] of batch.entries()) {
    for (const [column, token] of input.ids.entries()) {
      ids[row * length + column] = BigInt(token);
      mask[row * length + column] = 1n;
      types[row * length + column] = BigInt(input.types?.[column] ?? 0);
    }
  }
  const shape = [batch.length, length];
  const feeds: Record<string, Tensor> = {
    input_ids: new Tensor('int64', ids, shape),
    attention_mask: new Tensor('int64', mask, shape),
  };
  if (session.inputNames.includes('token_type_ids')) feeds.token_type_ids = new Tensor('int64', types, shape);
  const outputs = await session.run(feeds, outputNames);
  return outputNames.map(it => ({ data: outputs[it]!.data as Float32Array, dims: outputs[it]!.dims, length }));
}

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Token ids are stored as 16-bit numbers. */
const maxTokenCount = 65_536;

/**
 * Writes `model.bin`, from which src/engine/embeddings/staticModelFile.ts reads the built-in model:
 *
 * | Bytes | Content |
 * |---|---|
 * | 4 | length of the header in bytes, unsigned, little-endian |
 * | | header: JSON in UTF-8 (`StaticModelHeader`), padded with spaces so that the sections are aligned |
 * | `header.scales` | one little-endian 32-bit float per token: the factor of its row |
 * | `header.rows` | one row per token: `dimensions` signed bytes |
 * | `header.vocabulary` | the tokens in the order of their ids, ASCII, separated by newlines |
 *
 * Sections are `[offset, length]` in bytes; offsets count from the end of the header.
 * @param {string} source holds `model.onnx` with the tensors `table` and `scale`, `tokenizer.json` and `model.json`
 * @param {string} target the folder to write `model.bin` into
 */
export function buildModel(source, target) {
  const onnx = readFileSync(join(source, 'model.onnx'));
  const tokenizerFile = readFileSync(join(source, 'tokenizer.json'));
  const description = JSON.parse(readFileSync(join(source, 'model.json'), 'utf8'));
  const tensors = readOnnxTensors(onnx);
  const [rows, scales] = [tensors.get('table'), tensors.get('scale')];
  if (rows === undefined || scales === undefined) throw new Error('model.onnx lacks the tensors table and scale');
  const tokenizer = JSON.parse(tokenizerFile.toString());
  const tokens = listTokens(tokenizer.model.vocab);
  const vocabulary = Buffer.from(tokens.join('\n'));
  if (scales.length !== tokens.length * 4 || rows.length !== tokens.length * description.dimensions) {
    throw new Error(`model.onnx does not have ${description.dimensions} dimensions for ${tokens.length} tokens`);
  }
  const { name, dimensions, maxTokens, thresholds } = description;
  const header = {
    model: { id: embeddingModelId(description, onnx.length + tokenizerFile.length), name, dimensions, thresholds },
    // Persisted search indexes carry it: an id computed in another way would rebuild them.
    tokensId: createHash('sha256').update(tokenizerFile).update(scales).digest('base64url'),
    maxTokens,
    tokenizer: { ...tokenizer, model: { ...tokenizer.model, vocab: {} } },
    scales: [0, scales.length],
    rows: [scales.length, rows.length],
    vocabulary: [scales.length + rows.length, vocabulary.length],
  };
  const json = Buffer.from(JSON.stringify(header));
  const headerLength = Math.ceil(json.length / 4) * 4;
  const head = Buffer.alloc(4 + headerLength, ' ');
  head.writeUInt32LE(headerLength);
  json.copy(head, 4);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'model.bin'), Buffer.concat([head, scales, rows, vocabulary]));
}

/**
 * The id that `readModelFolder` gives the same model: every stored vector carries it.
 * @param {import('../src/engine/embeddings/modelDescription.js').ModelDescription} description
 * @param {number} bytes of `model.onnx` and `tokenizer.json` together
 */
function embeddingModelId({ name, dimensions, maxTokens, queryPrefix, passagePrefix, pooling }, bytes) {
  const space = JSON.stringify({ name, dimensions, maxTokens, queryPrefix, passagePrefix, pooling });
  return `${name}@${createHash('sha256').update(space).update(String(bytes)).digest('hex').slice(0, 8)}`;
}

/**
 * @param {Readonly<Record<string, number>>} vocabulary
 * @returns {string[]} the tokens in the order of their ids
 */
function listTokens(vocabulary) {
  /** @type {string[]} */
  const tokens = [];
  for (const [token, id] of Object.entries(vocabulary)) {
    if (!/^[!-~]+$/.test(token)) throw new Error(`token ${JSON.stringify(token)} is not visible ASCII`);
    tokens[id] = token;
  }
  if (Object.keys(tokens).length !== tokens.length) throw new Error('the token ids have gaps');
  if (tokens.length > maxTokenCount) throw new Error(`there are more than ${maxTokenCount} tokens`);
  return tokens;
}

/**
 * The raw data of an ONNX file's tensors by name: ModelProto.graph 7, GraphProto.initializer 5, TensorProto.name 8,
 * raw_data 9.
 * @param {Buffer} file
 * @returns {Map<string, Buffer>}
 */
function readOnnxTensors(file) {
  const [graph] = protobufFields(file, 7);
  if (graph === undefined) throw new Error('model.onnx has no graph');
  return new Map(
    protobufFields(graph, 5).map(it => [String(protobufFields(it, 8)[0]), protobufFields(it, 9)[0] ?? Buffer.alloc(0)]),
  );
}

/**
 * The length-delimited fields of a protobuf message that have this number.
 * @param {Buffer} message
 * @param {number} wanted
 * @returns {Buffer[]}
 */
function protobufFields(message, wanted) {
  const found = [];
  let position = 0;
  const readVarint = () => {
    let value = 0;
    let factor = 1;
    for (; message.readUInt8(position) >= 0x80; factor *= 0x80)
      value += (message.readUInt8(position++) & 0x7f) * factor;
    return value + message.readUInt8(position++) * factor;
  };
  while (position < message.length) {
    const tag = readVarint();
    const [number, wireType] = [tag >>> 3, tag & 7];
    // Wire types: 0 a varint, 1 eight bytes, 2 a length and that many bytes, 5 four bytes.
    const lengths = new Map([
      [0, () => (readVarint(), 0)],
      [1, () => 8],
      [2, readVarint],
      [5, () => 4],
    ]);
    const length = lengths.get(wireType)?.();
    if (length === undefined || !(position + length <= message.length)) {
      throw new Error(`protobuf field ${number} before byte ${position} cannot be read`);
    }
    if (number === wanted && wireType === 2) found.push(message.subarray(position, position + length));
    position += length;
  }
  return found;
}

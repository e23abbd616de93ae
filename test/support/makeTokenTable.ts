// Makes media/models/built-in/tokens.bin, what the search knows of single tokens, from the model's own file. After every
// change of the model: `node esbuild.mjs --tests && node out/test/support/makeTokenTable.js`
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { quantisation } from '../../src/engine/base/quantise.js';

const folder = path.resolve('media', 'models', 'built-in');
/** The model is trained so that its first 128 dimensions work alone. */
const dimensions = 128;
const magic = 'RTOK';
const version = 1;
const headerBytes = 16;

/** One field of a protobuf message: a number, or everything that has a length. */
interface Field {
  readonly number: number;
  readonly value: number;
  readonly bytes: Buffer;
}

const { table, scale } = initialisers(readFileSync(path.join(folder, 'model.onnx')));
const tokenizer = JSON.parse(readFileSync(path.join(folder, 'tokenizer.json'), 'utf8')) as {
  readonly model: { readonly vocab: Readonly<Record<string, number>>; readonly unk_token: string };
};
const { vocab, unk_token: unknown } = tokenizer.model;
const meaningless = new Set([vocab['[PAD]'], vocab[unknown]]);
const tokens = scale!.length / Float32Array.BYTES_PER_ELEMENT;
const width = table!.length / tokens;
const components = new Int8Array(table!.buffer, table!.byteOffset, table!.byteLength);

const made = Buffer.alloc(headerBytes + tokens * (Float32Array.BYTES_PER_ELEMENT + dimensions));
made.write(magic, 0, 'latin1');
made.writeUInt32LE(version, 4);
made.writeUInt32LE(tokens, 8);
made.writeUInt32LE(dimensions, 12);
for (let token = 0; token < tokens; token++) {
  const row = components.subarray(token * width, (token + 1) * width);
  const weight = meaningless.has(token) ? 0 : Math.hypot(...row) * scale!.readFloatLE(token * 4);
  made.writeFloatLE(weight, headerBytes + token * 4);
  const length = Math.hypot(...row.subarray(0, dimensions));
  const unit = row.subarray(0, dimensions).map(it => (length > 0 ? Math.round((it / length) * quantisation) : 0));
  made.set(new Uint8Array(unit.buffer), headerBytes + tokens * 4 + token * dimensions);
}
writeFileSync(path.join(folder, 'tokens.bin'), made);
console.log(`tokens.bin: ${tokens} tokens of ${dimensions} dimensions, ${made.length} bytes`);

/** The bytes of the tensors in an ONNX file: ModelProto.graph 7, GraphProto.initializer 5, TensorProto.name 8, raw_data 9. */
function initialisers(file: Buffer): Readonly<Record<string, Buffer>> {
  const graph = fields(file).find(it => it.number === 7)!;
  const tensors = fields(graph.bytes).filter(it => it.number === 5);
  return Object.fromEntries(
    tensors.map(tensor => {
      const its = fields(tensor.bytes);
      const part = (number: number): Buffer => its.find(it => it.number === number)?.bytes ?? Buffer.alloc(0);
      return [part(8).toString(), part(9)];
    }),
  );
}

function fields(message: Buffer): Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let factor = 1;
    for (; message[at]! >= 0x80; at++, factor *= 0x80) value += (message[at]! & 0x7f) * factor;
    return value + message[at++]! * factor;
  };
  while (at < message.length) {
    const tag = varint();
    const number = tag >>> 3;
    const type = tag & 7;
    const value = type === 0 || type === 2 ? varint() : 0;
    // Types: 0 a number, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
    const length = { 0: 0, 1: 8, 2: value, 5: 4 }[type];
    if (length === undefined) throw new Error(`model.onnx cannot be read: a field of type ${type} at byte ${at}.`);
    found.push({ number, value, bytes: message.subarray(at, at + length) });
    at += length;
  }
  return found;
}

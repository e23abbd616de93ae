/** One field of a protobuf message: a number, or everything that has a length. */
interface Field {
  readonly number: number;
  readonly bytes: Buffer;
}

/**
 * The bytes of the tensors in an ONNX file by their names, as views into it: ModelProto.graph 7, GraphProto.initializer
 * 5, TensorProto.name 8, raw_data 9.
 * @throws Error for what is no such file
 */
export function onnxTensors(file: Buffer): ReadonlyMap<string, Buffer> {
  const part = (of: readonly Field[], number: number): Buffer =>
    of.find(it => it.number === number)?.bytes ?? Buffer.alloc(0);
  const graph = fields(part(fields(file), 7));
  const tensors = graph.filter(it => it.number === 5).map(it => fields(it.bytes));
  return new Map(tensors.map(it => [part(it, 8).toString(), part(it, 9)]));
}

function fields(message: Buffer): readonly Field[] {
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
    const type = tag & 7;
    const value = type === 0 || type === 2 ? varint() : 0;
    // Types: 0 a number, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
    const length = { 0: 0, 1: 8, 2: value, 5: 4 }[type];
    if (length === undefined || Number.isNaN(length) || at + length > message.length) {
      throw new Error(`a field of type ${type} at byte ${at} cannot be read`);
    }
    found.push({ number: tag >>> 3, bytes: message.subarray(at, at + length) });
    at += length;
  }
  return found;
}

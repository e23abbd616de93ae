/** Bytes of a file that was not read yet. */
export interface RandomAccessFile {
  readonly length: number;
  /** @throws Error where the file ends before */
  read(at: number, length: number): Buffer;
}

/** Where something lies, in bytes. */
export interface TensorLocation {
  readonly at: number;
  readonly length: number;
}

/** One field of a protobuf message: a number, or everything that has a length. */
interface Field extends TensorLocation {
  readonly number: number;
}

/** A tag and a length, of up to ten bytes each. */
const headBytes = 20;

/**
 * Where the tensors of an ONNX file lie, by their names: ModelProto.graph 7, GraphProto.initializer 5, TensorProto.name 8,
 * raw_data 9.
 * @throws Error for what is no such file
 */
export function locateOnnxTensors(file: RandomAccessFile): ReadonlyMap<string, TensorLocation> {
  const part = (of: readonly Field[], number: number): TensorLocation =>
    of.find(it => it.number === number) ?? { at: 0, length: 0 };
  const graph = fields(file, part(fields(file, { at: 0, length: file.length }), 7));
  const tensors = graph.filter(it => it.number === 5).map(it => fields(file, it));
  return new Map(
    tensors.map(it => {
      const name = part(it, 8);
      return [file.read(name.at, name.length).toString(), part(it, 9)];
    }),
  );
}

function fields(file: RandomAccessFile, message: TensorLocation): readonly Field[] {
  const found: Field[] = [];
  const end = message.at + message.length;
  for (let at = message.at; at < end;) {
    const head = file.read(at, Math.min(headBytes, end - at));
    let read = 0;
    const varint = (): number => {
      let value = 0;
      let factor = 1;
      for (; head[read]! >= 0x80; read++, factor *= 0x80) value += (head[read]! & 0x7f) * factor;
      return value + head[read++]! * factor;
    };
    const tag = varint();
    const type = tag & 7;
    const value = type === 0 || type === 2 ? varint() : 0;
    // Types: 0 a number, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
    const length = { 0: 0, 1: 8, 2: value, 5: 4 }[type];
    const from = at + read;
    if (length === undefined || Number.isNaN(length) || from + length > end) {
      throw new Error(`a field of type ${type} at byte ${at} cannot be read`);
    }
    found.push({ number: tag >>> 3, at: from, length });
    at = from + length;
  }
  return found;
}

import { readRegularFile } from '../../base/regularFile.js';
import type { SqlValue } from '../../database/database.js';

/**
 * Rows of tables with at least `minColumns` columns, read from the leaf pages of a database file without its tree: where an
 * inner page is damaged, the rows below it are intact and only unreachable. Free pages are left out, as they hold what was
 * deleted. Format: https://www.sqlite.org/fileformat.html.
 */
export async function readRawRows(file: string, minColumns: number): Promise<{ row: number; values: SqlValue[] }[]> {
  const bytes = await readRegularFile(file, { maxBytes: Infinity });
  const pages = new Pages(bytes);
  const rows: { row: number; values: SqlValue[] }[] = [];
  for (let page = 1; page <= pages.count; page++) {
    if (pages.free.has(page)) continue;
    for (const cell of pages.tableCells(page)) {
      const values = decodeRecord(cell.payload, minColumns);
      if (values !== undefined) rows.push({ row: cell.row, values });
    }
  }
  return rows;
}

const leafTablePage = 0x0d;
const fileHeaderBytes = 100;
const defaultPageSize = 4_096;

class Pages {
  readonly count: number;
  readonly free: ReadonlySet<number>;
  private readonly size: number;

  constructor(private readonly bytes: Buffer) {
    const named = bytes.length < fileHeaderBytes ? 0 : bytes.readUInt16BE(16);
    const size = named === 1 ? 65_536 : named;
    // A damaged header names no power of two.
    this.size = size >= 512 && (size & (size - 1)) === 0 ? size : defaultPageSize;
    this.count = Math.floor(bytes.length / this.size);
    this.free = this.freePages();
  }

  /** Cells of a leaf page of a table; none for any other page. Damaged cells are skipped. */
  *tableCells(page: number): Iterable<{ readonly row: number; readonly payload: Buffer }> {
    const bytes = this.page(page);
    const start = page === 1 ? fileHeaderBytes : 0;
    if (bytes[start] !== leafTablePage) return;
    const cells = Math.min(bytes.readUInt16BE(start + 3), Math.floor((this.size - start - 8) / 2));
    for (let i = 0; i < cells; i++) {
      const cell = this.cell(bytes, bytes.readUInt16BE(start + 8 + 2 * i));
      if (cell !== undefined) yield cell;
    }
  }

  private cell(page: Buffer, at: number): { row: number; payload: Buffer } | undefined {
    const [length, afterLength] = readVarint(page, at);
    const [row, from] = readVarint(page, afterLength);
    if (!(length > 0 && length <= this.bytes.length && Number.isSafeInteger(row))) return undefined;
    const maxLocal = this.size - 35;
    if (length <= maxLocal) return { row, payload: page.subarray(from, from + length) };
    const minLocal = Math.floor(((this.size - 12) * 32) / 255) - 23;
    const preferred = minLocal + ((length - minLocal) % (this.size - 4));
    const local = preferred <= maxLocal ? preferred : minLocal;
    if (from + local + 4 > this.size) return undefined;
    const parts = [page.subarray(from, from + local)];
    let left = length - local;
    let next = page.readUInt32BE(from + local);
    while (left > 0) {
      if (next < 1 || next > this.count) return undefined;
      const overflow = this.page(next);
      parts.push(overflow.subarray(4, 4 + Math.min(left, this.size - 4)));
      left -= this.size - 4;
      next = overflow.readUInt32BE(0);
    }
    return { row, payload: Buffer.concat(parts) };
  }

  private page(number: number): Buffer {
    return this.bytes.subarray((number - 1) * this.size, number * this.size);
  }

  private freePages(): Set<number> {
    const free = new Set<number>();
    if (this.count === 0) return free;
    let trunk = this.bytes.readUInt32BE(32);
    while (trunk > 1 && trunk <= this.count && !free.has(trunk)) {
      free.add(trunk);
      const page = this.page(trunk);
      const leaves = Math.min(page.readUInt32BE(4), this.size / 4 - 2);
      for (let i = 0; i < leaves; i++) free.add(page.readUInt32BE(8 + 4 * i));
      trunk = page.readUInt32BE(0);
    }
    return free;
  }
}

/** @returns undefined for a record of fewer columns, or one that is damaged */
function decodeRecord(payload: Buffer, minColumns: number): SqlValue[] | undefined {
  const types: number[] = [];
  const [headerLength, first] = readVarint(payload, 0);
  let at = first;
  while (at < headerLength && at < payload.length) {
    const [type, next] = readVarint(payload, at);
    types.push(type);
    at = next;
  }
  if (types.length < minColumns || at !== headerLength) return undefined;
  const values: SqlValue[] = [];
  for (const type of types) {
    const length = contentLength(type);
    if (at + length > payload.length) return undefined;
    values.push(decodeValue(payload.subarray(at, at + length), type));
    at += length;
  }
  return values;
}

function contentLength(type: number): number {
  if (type >= 12) return (type - 12 - (type % 2)) / 2;
  return [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][type]!;
}

function decodeValue(bytes: Buffer, type: number): SqlValue {
  if (type >= 12) return type % 2 === 0 ? bytes : bytes.toString('utf8');
  if (type === 0 || type > 9) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type >= 8) return type - 8;
  return type === 6 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
}

/** @returns the number and the position after it */
function readVarint(bytes: Buffer, at: number): [value: number, next: number] {
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const byte = bytes[at + i] ?? 0;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + i + 1];
  }
  return [value * 256 + (bytes[at + 8] ?? 0), at + 9];
}

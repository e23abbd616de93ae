import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import type { NumericArray, SerializedIndex, IndexReader } from './typedArrays.js';

/*
 * The packed index beside its database, so that opening a large store reads one flat file instead of every text. It is
 * derived data: whoever finds it missing, foreign or damaged builds the index anew. It holds no text but hashes of terms,
 * each memory's tokens in no order, vectors, and the names of scopes, conversations and speakers.
 *
 * Layout, in the machine's own byte order: mark, length and checksum of the header; the header as JSON; the arrays, each
 * at a multiple of 8 bytes with its length and checksum in the header. A file beside the database rather than rows in it:
 * its 50 MB would go through the write-ahead log and into every backup, and reading them through the driver copies them
 * three times.
 */

/** Says which file this is, and which layout: another layout is another mark. */
const magicNumber = 0x36584449; // "IDX6"
const alignment = 8;
/** A temporary file this old was left by a program that was killed. */
const abandonedAfterMs = 60 * 60_000;

/** What a snapshot was made of. Another meaning of the same data is another basis. */
export interface SnapshotManifest {
  readonly model: string;
  readonly dimensions: number;
  /** What told the tokens of texts; empty for none. */
  readonly tokenizer: string;
  /** Changes when texts are read in another way (wayOfReading.ts). */
  readonly reading: string;
  /** Every change up to this revision is in it. */
  readonly revision: number;
  /** The audit log's last line then: another history of the file has another one. */
  readonly audit: { readonly seq: number; readonly hash: string };
}

interface SnapshotHeader {
  readonly basis: SnapshotManifest;
  readonly names: SerializedIndex['names'];
  readonly arrays: Readonly<Record<string, { readonly at: number; readonly bytes: number; readonly sum: number }>>;
}

function snapshotFile(database: string): string {
  return `${database}-index`;
}

/** Deletes it: something it holds was deleted, or the database was replaced. It comes back by itself. */
export function deleteSnapshot(database: string): void {
  try {
    rmSync(snapshotFile(database), { force: true });
  } catch {
    // On a read-only disk nothing can be deleted from the database either.
  }
}

/**
 * Writes the snapshot whole or not at all, also when several processes do it at once: the last one stays.
 * @throws Error when the folder cannot be written or the disk is full
 */
export function writeSnapshot(database: string, basis: SnapshotManifest, { names, arrays }: SerializedIndex): void {
  const file = snapshotFile(database);
  let offset = 0;
  const entries: Record<string, SnapshotHeader['arrays'][string]> = {};
  for (const [name, array] of Object.entries(arrays)) {
    entries[name] = { at: offset, bytes: array.byteLength, sum: crc32(bytesOf(array)) };
    offset = alignUp(offset + array.byteLength);
  }
  const header = Buffer.from(JSON.stringify({ basis, names, arrays: entries } satisfies SnapshotHeader));
  const prefix = new Uint32Array([magicNumber, header.length, crc32(header)]);
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`;
  removeAbandoned(file);
  // Only its owner may read what was kept from whom the folder is open to.
  const target = openSync(partial, 'wx', 0o600);
  try {
    const start = alignUp(prefix.byteLength + header.length);
    writeAll(target, bytesOf(prefix), 0);
    writeAll(target, header, prefix.byteLength);
    for (const [name, array] of Object.entries(arrays)) writeAll(target, bytesOf(array), start + entries[name]!.at);
    closeSync(target);
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

/** Opens the snapshot of a database; undefined when there is none, or its header is not ours. Close it after use. */
export function openSnapshot(
  database: string,
): { readonly basis: SnapshotManifest; readonly content: IndexReader; close(): void } | undefined {
  let source: number;
  try {
    source = openSync(snapshotFile(database), 'r');
  } catch {
    return undefined;
  }
  try {
    const prefix = new Uint32Array(3);
    readAll(source, bytesOf(prefix), 0);
    const [foundMagic, length, sum] = prefix as unknown as readonly [number, number, number];
    if (foundMagic !== magicNumber) throw new Error('not a snapshot of this layout');
    const text = Buffer.alloc(Math.min(length, statSync(snapshotFile(database)).size));
    readAll(source, text, prefix.byteLength);
    if (crc32(text) !== sum) throw new Error('the header is damaged');
    const { basis, names, arrays } = JSON.parse(text.toString()) as SnapshotHeader;
    const start = alignUp(prefix.byteLength + length);
    const content: IndexReader = {
      names,
      bytes: name => arrays[name]?.bytes ?? 0,
      read: (name, into) => {
        const placed = arrays[name];
        if (placed?.bytes !== into.byteLength) throw new Error(`the array ${name} is not there`);
        readAll(source, bytesOf(into), start + placed.at);
        if (crc32(bytesOf(into)) !== placed.sum) throw new Error(`the array ${name} is damaged`);
      },
    };
    return {
      basis,
      content,
      close: () => {
        closeSync(source);
      },
    };
  } catch {
    closeSync(source);
    return undefined;
  }
}

function removeAbandoned(file: string): void {
  const folder = path.dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${path.basename(file)}.`) || !name.endsWith('.partial')) continue;
    const modified = statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
    if (modified !== undefined && Date.now() - modified > abandonedAfterMs)
      rmSync(path.join(folder, name), { force: true });
  }
}

function bytesOf(array: NumericArray): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function alignUp(at: number): number {
  return Math.ceil(at / alignment) * alignment;
}

function writeAll(file: number, bytes: Uint8Array, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

function readAll(file: number, into: Uint8Array, at: number): void {
  for (let done = 0; done < into.length;) {
    const read = readSync(file, into, done, into.length - done, at + done);
    if (read === 0) throw new Error('the file is too short');
    done += read;
  }
}

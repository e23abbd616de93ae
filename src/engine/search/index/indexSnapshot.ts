import { closeSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { openRegularFileSync } from '../../base/regularFile.js';
import type { NumericArray, SerializedIndex, IndexReader } from './typedArrays.js';

/*
 * The serialized index in a file next to the database, so that opening a large store reads one flat file instead of every
 * text. It is derived data: when it is missing, foreign or damaged, the index is rebuilt. It holds no text, but hashes of
 * terms, vectors, and the names of scopes.
 *
 * Layout, in native byte order: magic number, length and CRC-32 of the header; the header as JSON; the arrays, each aligned
 * to 8 bytes, with length and CRC-32 in the header. It is no table of the database because its 50 MB would pass through the
 * write-ahead log and every backup, and the driver copies what it reads three times.
 */

/** Identifies the file and its layout; raise the digit with every change of the layout. */
const magicNumber = 0x37584449; // "IDX7"
const alignment = 8;
/** A partial file this old was left by a process that was killed. */
const abandonedAfterMs = 60 * 60_000;

/** Sources of a snapshot; it is valid only where all of this matches. */
export interface SnapshotManifest {
  readonly model: string;
  readonly dimensions: number;
  /** Version of the text analysis (analyzerVersion.ts). */
  readonly analyzer: string;
  /** Every change up to this revision is included. */
  readonly revision: number;
  /** The last audit entry at that time; it identifies the history of the file. */
  readonly audit: { readonly seq: number; readonly hash: string };
}

interface SnapshotHeader {
  readonly manifest: SnapshotManifest;
  readonly names: SerializedIndex['names'];
  readonly arrays: Readonly<Record<string, { readonly at: number; readonly bytes: number; readonly sum: number }>>;
}

function snapshotFile(database: string): string {
  return `${database}-index`;
}

/** Deletes the snapshot, after a memory was deleted or the database replaced. The search worker writes a new one. */
export function deleteSnapshot(database: string): void {
  try {
    rmSync(snapshotFile(database), { force: true });
  } catch {
    // A read-only disk: the database cannot be changed either.
  }
}

/**
 * Writes the snapshot atomically; of several processes that write at once, the last one wins.
 * @throws Error when the folder cannot be written or the disk is full
 */
export function writeSnapshot(database: string, manifest: SnapshotManifest, { names, arrays }: SerializedIndex): void {
  const file = snapshotFile(database);
  let offset = 0;
  const entries: Record<string, SnapshotHeader['arrays'][string]> = {};
  for (const [name, array] of Object.entries(arrays)) {
    entries[name] = { at: offset, bytes: array.byteLength, sum: crc32(bytesOf(array)) };
    offset = alignUp(offset + array.byteLength);
  }
  const header = Buffer.from(JSON.stringify({ manifest, names, arrays: entries } satisfies SnapshotHeader));
  const prefix = new Uint32Array([magicNumber, header.length, crc32(header)]);
  const partial = `${file}.${randomBytes(6).toString('hex')}.partial`;
  removeAbandoned(file);
  // Readable by its owner alone, even in a folder that others may read.
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

/** Opens the snapshot of a database; undefined where there is none or its header is invalid. Close it after use. */
export function openSnapshot(
  database: string,
): { readonly manifest: SnapshotManifest; readonly content: IndexReader; close(): void } | undefined {
  let source: number;
  try {
    source = openRegularFileSync(snapshotFile(database), { maxBytes: Infinity });
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
    const { manifest, names, arrays } = JSON.parse(text.toString()) as SnapshotHeader;
    const start = alignUp(prefix.byteLength + length);
    const content: IndexReader = {
      names,
      bytes: name => arrays[name]?.bytes ?? 0,
      read: (name, into) => {
        const entry = arrays[name];
        if (entry?.bytes !== into.byteLength) throw new Error(`the array ${name} is not there`);
        readAll(source, bytesOf(into), start + entry.at);
        if (crc32(bytesOf(into)) !== entry.sum) throw new Error(`the array ${name} is damaged`);
      },
    };
    return {
      manifest,
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

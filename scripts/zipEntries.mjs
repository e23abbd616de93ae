import { readFileSync } from 'node:fs';

const endOfDirectory = 0x06054b50;
const endOfDirectoryBytes = 22;
const entryHeaderBytes = 46;

/**
 * The names of a zip file's entries, from its central directory (APPNOTE 4.3.12 and 4.3.16; no zip64).
 * @param {string} file
 * @returns {string[]}
 */
export function zipEntries(file) {
  const bytes = readFileSync(file);
  let end = bytes.length - endOfDirectoryBytes;
  while (end >= 0 && bytes.readUInt32LE(end) !== endOfDirectory) end--;
  if (end < 0) throw new Error(`${file} is not a zip file.`);
  const names = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameBytes = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString('utf8', at + entryHeaderBytes, at + entryHeaderBytes + nameBytes));
    at += entryHeaderBytes + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return names;
}

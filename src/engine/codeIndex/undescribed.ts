// Code that neither a comment nor a model describes.
import type { Store } from '../store/store.js';
import type { IndexedFile } from './codeMemoryWriter.js';
import { maxIndexedFiles } from './indexRun.js';
import { unqualifiedName } from './symbolNames.js';

/** A file or declaration of the index. */
export interface UndescribedPiece {
  /** Relative to the project, with slashes. */
  readonly file: string;
  /** Unique in the file; '' for the file itself. */
  readonly key: string;
  /** Id of the memory with its description by rule. */
  readonly description: string;
}

/** Code of a store that nothing describes: files whose names most other files use first, each with its declarations in their order. */
export async function findUndescribed(store: Store): Promise<readonly UndescribedPiece[]> {
  const files = await store.records<IndexedFile>('indexedFile', maxIndexedFiles);
  const usersByName = countUsers(files.map(it => it.body));
  const byFile = files.map(({ id: file, body: { pieces } }) => ({
    file,
    users: Math.max(0, ...pieces.map(it => usersByName.get(nameOf(it.key)) ?? 0)),
    pieces: pieces.flatMap(({ key, isBare, description }) =>
      isBare === true && description !== undefined ? [{ file, key, description }] : [],
    ),
  }));
  return byFile.toSorted((a, b) => b.users - a.users || (a.file < b.file ? -1 : 1)).flatMap(it => it.pieces);
}

/** How many files use each name. */
function countUsers(files: readonly IndexedFile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { pieces } of files) {
    const names = new Set(pieces.flatMap(it => it.uses ?? []));
    for (const it of names) counts.set(it, (counts.get(it) ?? 0) + 1);
  }
  return counts;
}

/** Of a key, which may be the second of its name. */
function nameOf(key: string): string {
  return unqualifiedName(key.replace(/ \(\d+\)$/u, ''));
}

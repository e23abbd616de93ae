import type { MirrorFile, Synced } from './mirrorFiles.js';

/** What was synced before with the file it has now, if it has one. */
export interface Pair {
  /** The file's, or what it was. */
  readonly name: string;
  readonly synced: Synced;
  readonly file: MirrorFile | undefined;
}

/**
 * Which file is whose: the one in its place; else the one that has its id, which was moved; else the one in its place
 * whose id somebody changed. Of two copies the one in its place is the memory's, and the other is a file of its own.
 */
export function matchFiles(
  records: readonly Synced[],
  files: readonly MirrorFile[],
): { readonly pairs: readonly Pair[]; readonly rest: readonly MirrorFile[] } {
  const found = new Map<Synced, MirrorFile>();
  const left = new Set(files);
  const idOf = ({ read }: MirrorFile): string | undefined => ('refused' in read ? undefined : read.id);
  const rounds: readonly ((synced: Synced, file: MirrorFile) => boolean)[] = [
    (synced, file) => file.name === synced.name && (idOf(file) ?? synced.fileId) === synced.fileId,
    (synced, file) => idOf(file) === synced.fileId,
    (synced, file) => file.name === synced.name,
  ];
  for (const isIts of rounds) {
    const byName = new Map([...left].map(it => [it.name, it]));
    const byId = new Map([...left].map(it => [idOf(it), it]));
    for (const synced of records) {
      if (found.has(synced)) continue;
      const file = [byName.get(synced.name), byId.get(synced.fileId)].find(
        it => it !== undefined && left.has(it) && isIts(synced, it),
      );
      if (file === undefined) continue;
      found.set(synced, file);
      left.delete(file);
    }
  }
  const pairs = records.map(synced => {
    const file = found.get(synced);
    return { name: file?.name ?? synced.name, synced, file };
  });
  return { pairs, rest: [...left] };
}

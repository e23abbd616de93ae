import type { MirrorFile, SyncState } from './mirrorFiles.js';

/** What was synced before with the file it has now, if it has one. */
export interface SyncPair {
  /** The file's, or what it was. */
  readonly name: string;
  readonly synced: SyncState;
  readonly file: MirrorFile | undefined;
}

/**
 * Which file is whose: the one in its place; else the one that has its id, which was moved; else the one in its place
 * whose id somebody changed. Of two copies the one in its place is the memory's, and the other is a file of its own.
 */
export function matchFiles(
  records: readonly SyncState[],
  files: readonly MirrorFile[],
): { readonly pairs: readonly SyncPair[]; readonly rest: readonly MirrorFile[] } {
  const fileByState = new Map<SyncState, MirrorFile>();
  const unmatchedFiles = new Set(files);
  const idOf = ({ parsed }: MirrorFile): string | undefined => ('refused' in parsed ? undefined : parsed.id);
  const matchers: readonly ((synced: SyncState, file: MirrorFile) => boolean)[] = [
    (synced, file) => file.name === synced.name && (idOf(file) ?? synced.fileId) === synced.fileId,
    (synced, file) => idOf(file) === synced.fileId,
    (synced, file) => file.name === synced.name,
  ];
  for (const matches of matchers) {
    const byName = new Map([...unmatchedFiles].map(it => [it.name, it]));
    const byId = new Map([...unmatchedFiles].map(it => [idOf(it), it]));
    for (const synced of records) {
      if (fileByState.has(synced)) continue;
      const file = [byName.get(synced.name), byId.get(synced.fileId)].find(
        it => it !== undefined && unmatchedFiles.has(it) && matches(synced, it),
      );
      if (file === undefined) continue;
      fileByState.set(synced, file);
      unmatchedFiles.delete(file);
    }
  }
  const pairs = records.map(synced => {
    const file = fileByState.get(synced);
    return { name: file?.name ?? synced.name, synced, file };
  });
  return { pairs, rest: [...unmatchedFiles] };
}

import type { MirrorFile } from './mirrorFiles.js';
import type { SyncState } from './syncedFields.js';

/** A last synced state and its file, undefined where the file is gone. */
export interface SyncPair {
  /** Current name of the file, else the last one. */
  readonly name: string;
  readonly state: SyncState;
  readonly file: MirrorFile | undefined;
}

/**
 * Assigns files to states: the file with the same name and id, else a moved file with the id, else the file with the name
 * whose id was edited. Of two copies with one id, the one at the old name matches.
 * @returns `unmatched` holds the new files
 */
export function matchFiles(
  states: readonly SyncState[],
  files: readonly MirrorFile[],
): { readonly pairs: readonly SyncPair[]; readonly unmatched: readonly MirrorFile[] } {
  const fileByState = new Map<SyncState, MirrorFile>();
  const unmatched = new Set(files);
  const idOf = ({ parsed }: MirrorFile): string | undefined => ('refused' in parsed ? undefined : parsed.id);
  const matchers: readonly ((state: SyncState, file: MirrorFile) => boolean)[] = [
    (state, file) => file.name === state.name && (idOf(file) ?? state.fileId) === state.fileId,
    (state, file) => idOf(file) === state.fileId,
    (state, file) => file.name === state.name,
  ];
  for (const matches of matchers) {
    const byName = new Map([...unmatched].map(it => [it.name, it]));
    const byId = new Map([...unmatched].map(it => [idOf(it), it]));
    for (const state of states) {
      if (fileByState.has(state)) continue;
      const file = [byName.get(state.name), byId.get(state.fileId)].find(
        it => it !== undefined && unmatched.has(it) && matches(state, it),
      );
      if (file === undefined) continue;
      fileByState.set(state, file);
      unmatched.delete(file);
    }
  }
  const pairs = states.map((state): SyncPair => {
    const file = fileByState.get(state);
    return { name: file?.name ?? state.name, state, file };
  });
  return { pairs, unmatched: [...unmatched] };
}

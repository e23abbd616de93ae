import { createTwoFilesPatch } from 'diff';
import { isUserArchiveReason, type Memory } from '../model/memory.js';
import type { SyncConflict } from '../model/sync.js';
import type { MirrorFile } from './mirrorFiles.js';
import {
  renderMirrorFile,
  type FileOrigin,
  type SyncedFields,
  type SyncedMemory,
  type SyncState,
} from './syncedFields.js';

/** Whether only a person may make the change: of what they confirmed, pinned or put away, or a confirmation by a file. */
export function isPersons({ lane, pinned, archiveReason }: Memory, fields: SyncedFields): boolean {
  return lane === 'confirmed' || pinned || fields.lane === 'confirmed' || isUserArchiveReason(archiveReason);
}

/** Both sides as they are, with the difference between them. */
export function toConflict(
  memory: SyncedMemory,
  state: SyncState,
  file: MirrorFile | undefined,
  origin: FileOrigin,
): SyncConflict {
  const name = file?.name ?? state.name;
  const text = file?.text ?? '';
  const memoryText = renderMirrorFile(memory, file && { text, state: { ...state, name } }, origin).text;
  const diff = createTwoFilesPatch(name, name, text, memoryText, 'file', `memory, ${memory.status}`, { context: 3 });
  return { name, id: memory.id, file: text, memory: memoryText, diff, isProposal: false };
}

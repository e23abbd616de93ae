import type { RecordKind } from './store.js';

/**
 * Records that are part of the memories' state. The other kinds describe events (runs, model usage), reading positions, and
 * the content of files, which a restore of a checkpoint does not undo.
 */
export const restoredRecords: readonly RecordKind[] = [
  'goal',
  'proposal',
  'indexedFile',
  'receivedShare',
  'takenBack',
  'formerText',
];

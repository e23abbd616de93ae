// A fact that is stored already and said again.
import type { Memory } from '../model/memory.js';
import { reinforce } from '../scoring/confidence.js';
import type { WritableFact } from './factWriter.js';

/** A note that a file brought: it changes nothing about what a person confirmed, not even how sure it is. */
export function isOfFile({ lane, provenance: { source } }: WritableFact['memory']): boolean {
  return lane === 'note' && (source === 'import' || source === 'code-index');
}

/** The known memory, said once more: stronger, with what the new fact adds. A note takes nothing from a person. */
export function mergeInto(existing: Memory, newFact: WritableFact['memory']): Memory {
  const { archivedAt, archiveReason, expiresAt, ...rest } = existing;
  const isConfirmed = existing.lane === 'confirmed' || newFact.lane === 'confirmed';
  const isRevived =
    existing.status === 'archived' || (existing.status === 'superseded' && newFact.lane === 'confirmed');
  return {
    ...rest,
    ...reinforce(existing),
    status: isRevived ? 'active' : existing.status,
    lane: isConfirmed ? 'confirmed' : 'note',
    // What was remembered on request once does not expire because a session repeats it.
    ...(isConfirmed || expiresAt === undefined || newFact.expiresAt === undefined
      ? {}
      : { expiresAt: newFact.expiresAt }),
    tags: [...new Set([...existing.tags, ...newFact.tags])],
    ...(newFact.dueAt === undefined ? {} : { dueAt: newFact.dueAt }),
    reinforcedAt: newFact.reinforcedAt > existing.reinforcedAt ? newFact.reinforcedAt : existing.reinforcedAt,
  };
}

// A fact that is stored already and said again.
import { omitUndefined } from '../base/omitUndefined.js';
import type { Memory, Provenance } from '../model/memory.js';
import { reinforce } from '../scoring/confidence.js';
import { withoutGuess } from './likelyConflict.js';
import type { PreparedFact } from './prepareFact.js';

/** A note that a file brought: it changes nothing about what a person confirmed, not even how sure it is. */
export function isOfFile({ lane, provenance: { source } }: PreparedFact['memory']): boolean {
  return lane === 'note' && (source === 'import' || source === 'code-index');
}

/** Words of a person that are kept with a better wording, in UTF-16 units; longer ones were no blurted sentence. */
const maxSaidLength = 600;

/**
 * Whether a fact that a caller knows to say the same gives a note its wording. A person's words stay, and so do those of a
 * file, which is followed.
 */
export function takesWording(existing: Memory, newFact: PreparedFact['memory']): boolean {
  const { lane, status, pinned, kind, provenance } = existing;
  const isOwn = provenance.source !== 'import' && provenance.source !== 'code-index' && kind !== 'summary';
  return lane === 'note' && newFact.lane === 'note' && status === 'active' && !pinned && isOwn;
}

/**
 * The known memory, said once more: stronger, with what the new fact adds. A note takes nothing from a person.
 * @param isReworded whether the new fact's wording takes the place of the old one, which stays as what was said
 */
export function mergeInto(existing: Memory, newFact: PreparedFact['memory'], isReworded = false): Memory {
  const { archivedAt, archiveReason, expiresAt, ...rest } = existing;
  const isConfirmed = existing.lane === 'confirmed' || newFact.lane === 'confirmed';
  const isRevived =
    existing.status === 'archived' || (existing.status === 'superseded' && newFact.lane === 'confirmed');
  const { said = existing.content.length <= maxSaidLength ? existing.content : undefined } = existing.provenance;
  const { content, summary, contentHash } = newFact;
  const wording = isReworded ? { content, summary, contentHash } : {};
  const provenance = omitUndefined({
    ...(isReworded ? withoutGuess(existing.provenance) : existing.provenance),
    ...placeOf(existing, newFact),
    ...anchorOf(existing, newFact),
    ...(isReworded ? { said: newFact.provenance.said ?? said } : {}),
  });
  return {
    ...rest,
    ...wording,
    provenance,
    ...reinforce(existing),
    status: isRevived ? 'active' : existing.status,
    lane: isConfirmed ? 'confirmed' : 'note',
    // A memory that was once made on request does not expire because a session repeats it.
    ...(isConfirmed || expiresAt === undefined || newFact.expiresAt === undefined
      ? {}
      : { expiresAt: newFact.expiresAt }),
    tags: [...new Set([...existing.tags, ...newFact.tags])],
    ...(newFact.dueAt === undefined ? {} : { dueAt: newFact.dueAt }),
    reinforcedAt: newFact.reinforcedAt > existing.reinforcedAt ? newFact.reinforcedAt : existing.reinforcedAt,
  };
}

/** Its place in the code, where only the later call names one. */
function anchorOf(
  { provenance: before }: Memory,
  { provenance: { uri, range, symbol, anchorHash } }: PreparedFact['memory'],
): Partial<Provenance> {
  return before.uri === undefined ? omitUndefined({ uri, range, symbol, anchorHash }) : {};
}

/** The word of its callers about its place, then and now. */
function placeOf(
  { provenance: before }: Memory,
  { provenance: now }: PreparedFact['memory'],
): Pick<Provenance, 'isPlaced' | 'insteadOf'> {
  const insteadOf = [...new Set([...(before.insteadOf ?? []), ...(now.insteadOf ?? [])])];
  return {
    ...(now.isPlaced === undefined ? {} : { isPlaced: now.isPlaced }),
    ...(insteadOf.length === 0 ? {} : { insteadOf }),
  };
}

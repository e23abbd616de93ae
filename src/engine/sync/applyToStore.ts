import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import type { Memory } from '../model/memory.js';
import type { PreparedText } from '../remember/prepareFact.js';
import { dayMs } from '../model/duration.js';
import type { Store } from '../store/store.js';
import {
  dueAtOf,
  dueDayOf,
  fieldsFromMemory,
  fingerprintFields,
  type SyncedFields,
  type SyncedMemory,
} from './syncedFields.js';

/**
 * Writes the fields of a file into its memory. The edit is the person's decision: archiving the file forgets the memory,
 * moving it back restores the memory.
 * @returns the updated memory; undefined, with nothing written, where the stored fields are no longer those of `expected`
 */
export async function applyToStore(
  ctx: Context,
  store: Store,
  { expected, fields }: { readonly expected: SyncedMemory; readonly fields: SyncedFields & PreparedText },
): Promise<SyncedMemory | undefined> {
  const now = ctx.host.now();
  const at = now.toISOString();
  const noteExpiry = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  const { content, summary, contentHash, tags, kind, lane, archived, aids, priority, due } = fields;
  const after = await store.write(ctx.host.client, async tx => {
    const stored = await tx.get(expected.id);
    const before = stored && { ...stored, aids: (await store.aids([expected.id])).get(expected.id) };
    if (
      before === undefined ||
      fingerprintFields(fieldsFromMemory(before)) !== fingerprintFields(fieldsFromMemory(expected))
    )
      return undefined;
    if (before.status === 'superseded' && !archived) await tx.undoSupersede(expected.id);
    const { archivedAt, archiveReason, expiresAt, dueAt, ...rest } = (await tx.get(expected.id))!;
    const keepsStatus = archived && before.status !== 'active';
    const status = archived ? (keepsStatus ? before.status : 'archived') : 'active';
    const next = {
      ...rest,
      content,
      summary,
      contentHash,
      tags,
      kind,
      lane,
      priority,
      ...(due === undefined ? {} : { dueAt: due === dueDayOf(before) ? dueAt! : dueAtOf(due) }),
      status,
      updatedAt: at,
      ...(lane === 'note' ? { expiresAt: expiresAt ?? noteExpiry } : {}),
      ...(status === 'archived' ? { archivedAt: archivedAt ?? at, archiveReason: archiveReason ?? 'forgotten' } : {}),
    } satisfies Memory;
    const action = archived === (before.status !== 'active') ? 'edit' : archived ? 'archive' : 'restore';
    await tx.update(next, action, { by: 'sync' });
    if (!isDeepStrictEqual(aids, fieldsFromMemory(before).aids)) await tx.setAids(next.id, aids, { isEdit: true });
    return { ...next, aids };
  });
  if (after !== undefined && content !== expected.content) {
    const [vector] = await embedOrLog(ctx, [content]);
    if (vector !== undefined) await store.saveVectors(new Map([[after.id, vector]]));
  }
  return after;
}

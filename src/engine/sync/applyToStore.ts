import { toInt8Vector } from '../base/int8Vector.js';
import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import { dayMs } from '../scoring/decay.js';
import { hashContent } from '../store/contentHash.js';
import type { Store } from '../store/store.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import { fingerprintFields, fieldsFromMemory, type SyncedFields } from './mirrorFiles.js';

/**
 * Makes a memory say what a person wrote into its file: they decide, so what they put away is forgotten and what they
 * bring back is active.
 * @param seen the memory as it was when that was decided
 * @returns the memory then; undefined where it is another by now, and nothing was changed
 */
export async function applyToStore(
  ctx: Context,
  store: Store,
  { expected, fields }: { readonly expected: Memory; readonly fields: SyncedFields },
): Promise<Memory | undefined> {
  const now = ctx.host.now();
  const at = now.toISOString();
  const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
  const { content, tags, kind, lane, archived } = fields;
  const after = await store.write(ctx.host.client, async tx => {
    const before = await tx.get(expected.id);
    if (
      before === undefined ||
      fingerprintFields(fieldsFromMemory(before)) !== fingerprintFields(fieldsFromMemory(expected))
    )
      return undefined;
    if (before.status === 'superseded' && !archived) await tx.undoSupersede(expected.id);
    const { archivedAt, archiveReason, expiresAt: expiry, ...rest } = (await tx.get(expected.id))!;
    const keepsStatus = archived && before.status !== 'active';
    const status = archived ? (keepsStatus ? before.status : 'archived') : 'active';
    const next: Memory = {
      ...rest,
      content,
      summary: toSingleLineSummary(content),
      contentHash: hashContent(content),
      tags,
      kind,
      lane,
      status,
      updatedAt: at,
      ...(lane === 'note' ? { expiresAt: expiry ?? expiresAt } : {}),
      ...(status === 'archived' ? { archivedAt: archivedAt ?? at, archiveReason: archiveReason ?? 'forgotten' } : {}),
    };
    const action = archived === (before.status !== 'active') ? 'edit' : archived ? 'archive' : 'restore';
    await tx.update(next, action, { by: 'sync' });
    return next;
  });
  if (after !== undefined && content !== expected.content) await embedMemory(ctx, store, after);
  return after;
}

/** Without an embedder, or where it fails, it is embedded later. */
async function embedMemory(ctx: Context, store: Store, { id, content }: Memory): Promise<void> {
  const { model } = ctx.embedder;
  if (model === undefined) return;
  try {
    const [vector] = await ctx.embedder.embed([content], 'passage');
    await store.saveVectors(new Map([[id, { model: model.id, vector: toInt8Vector(vector!) }]]));
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
  }
}

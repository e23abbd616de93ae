import { omitUndefined } from '../base/omitUndefined.js';
import { newUuid } from '../base/uuid.js';
import type { Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import type { Memory } from '../model/memory.js';
import { recordIntakePart, type IntakeName } from '../remember/intakeLog.js';
import { newMemoryDefaults, prepareText } from '../remember/prepareFact.js';
import { dayMs } from '../model/duration.js';
import type { Store } from '../store/store.js';
import type { CaptureCursor } from './captureCursor.js';
import type { GitHistory } from './gitHistory.js';
import { summarizeSession } from './sessionSummary.js';

/** The classifier's lowest confidence: no wording of the person supports a summary. */
const summaryConfidence = 60;

const newSummaryDefaults = {
  ...newMemoryDefaults,
  gate: 'epistemic',
  kind: 'summary',
  lane: 'note',
  decayClass: 'durable',
  confidence: summaryConfidence,
} as const;

/**
 * Inserts or updates the one summary memory of a session, in a transaction with its cursor. A summary that the person
 * forgot, confirmed or pinned stays as it is. It is not compared with other memories: an event contradicts no fact.
 * @returns undefined where nothing was written
 */
export async function writeSessionSummary(
  ctx: Context,
  store: Store,
  { id, name, git }: { readonly id: string; readonly name: IntakeName; readonly git: GitHistory },
): Promise<{ readonly id: string; readonly content: string } | undefined> {
  const cursor = (await store.record<CaptureCursor>('cursor', id))?.body;
  if (cursor === undefined || cursor.summary?.offset === cursor.offset) return undefined;
  const { story } = cursor;
  const { startedAt, lastAt } = story;
  const commits = startedAt === undefined || lastAt === undefined ? [] : git.commitSubjectsBetween(startedAt, lastAt);
  const { maxCharacters } = ctx.host.config().remember;
  const prepared = prepareText(summarizeSession(story, commits) ?? '', { maxCharacters });
  if ('refused' in prepared) return undefined;
  const { content } = prepared;
  const now = ctx.host.now();
  const lastActivityAt = (
    lastAt === undefined || Date.parse(lastAt) > now.getTime() ? now : new Date(lastAt)
  ).toISOString();
  const memoryId = cursor.summary?.id ?? newUuid(now);
  const [vector] = await embedOrLog(ctx, [content]);
  // The vector is saved before its text: after a crash in between, the next capture repeats both.
  if (cursor.summary !== undefined && vector !== undefined) await store.saveVectors(new Map([[memoryId, vector]]));
  const isWritten = await store.write(ctx.host.client, async tx => {
    await tx.putRecord('cursor', id, {
      ...cursor,
      summary: { id: memoryId, offset: cursor.offset },
    } satisfies CaptureCursor);
    const textFields = { ...prepared, updatedAt: lastActivityAt, reinforcedAt: lastActivityAt };
    const duplicate = (await tx.findByHash([textFields.contentHash], ''))[0];
    if (duplicate !== undefined) return false;
    const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
    if (cursor.summary !== undefined) {
      const existing = await tx.get(memoryId);
      if (existing === undefined || !isUntouchedNote(existing)) return false;
      await tx.update({ ...existing, ...textFields, expiresAt }, 'edit', { because: 'the session went on' });
      return true;
    }
    const { session = id, branch } = story;
    const commit = lastAt === undefined ? undefined : git.commitAt(lastAt);
    const memory = {
      ...{ ...newSummaryDefaults, ...textFields, id: memoryId, expiresAt, createdAt: lastActivityAt },
      sequence: await tx.nextSequence(''),
      provenance: {
        source: 'conversation',
        client: ctx.host.client,
        session,
        ...omitUndefined({ branch, commit }),
      },
    } as const;
    await tx.insertMany([memory], [vector]);
    await recordIntakePart(tx, 'capture', name, { created: [memoryId] });
    return true;
  });
  return isWritten ? { id: memoryId, content } : undefined;
}

function isUntouchedNote({ status, lane, pinned }: Memory): boolean {
  return status === 'active' && lane === 'note' && !pinned;
}

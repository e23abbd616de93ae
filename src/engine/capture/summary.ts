import { newId } from '../base/newId.js';
import { quantise } from '../base/quantise.js';
import type { Context } from '../context.js';
import type { Memory } from '../model/memory.js';
import { dayMs } from '../scoring/decay.js';
import { factHash } from '../store/factHash.js';
import type { Store, StoredVector } from '../store/store.js';
import { summarise } from '../text/normalise.js';
import { findSecret } from '../text/secrets.js';
import { checkShape } from '../text/shape.js';
import type { Cursor } from './cursor.js';
import type { GitHistory } from './gitHistory.js';
import { summaryOf } from './story.js';

/** Of a note that nobody's wording vouches for: the classifier's lowest. */
const confidence = 60;

/**
 * Writes the memory that sums a session up, or brings it up to date: one per session, however often it is captured. One
 * that a person has touched (forgotten, confirmed, pinned) stays as it is. It is compared with nothing: what happened in
 * a session contradicts no fact. The memory and the cursor that names it are one transaction.
 * @returns undefined where it is up to date
 */
export async function writeSummary(
  ctx: Context,
  store: Store,
  { id, git }: { readonly id: string; readonly git: GitHistory },
): Promise<{ readonly id: string; readonly content: string } | undefined> {
  const cursor = (await store.record<Cursor>('cursor', id))?.body;
  if (cursor === undefined || cursor.summary?.offset === cursor.offset) return undefined;
  const { story } = cursor;
  const { startedAt, lastAt } = story;
  const commits = startedAt === undefined || lastAt === undefined ? [] : git.made(startedAt, lastAt);
  const shape = checkShape(summaryOf(story, commits) ?? '', ctx.host.config().remember.maxCharacters);
  if (!shape.ok || findSecret(shape.text) !== undefined) return undefined;
  const content = shape.text;
  const now = ctx.host.now();
  const at = (lastAt === undefined || Date.parse(lastAt) > now.getTime() ? now : new Date(lastAt)).toISOString();
  const memory = cursor.summary?.id ?? newId(now);
  const vector = await embedded(ctx, content);
  // Before the text that it belongs to: the next capture begins again where this one stops in between.
  if (cursor.summary !== undefined && vector !== undefined) await store.saveVectors(new Map([[memory, vector]]));
  const isWritten = await store.write(ctx.host.client, async tx => {
    await tx.putRecord('cursor', id, { ...cursor, summary: { id: memory, offset: cursor.offset } } satisfies Cursor);
    const text = {
      content,
      summary: summarise(content),
      contentHash: factHash(content),
      updatedAt: at,
      reinforcedAt: at,
    };
    const twin = (await tx.byFacts([text.contentHash], ''))[0];
    if (twin !== undefined) return false;
    const expiresAt = new Date(now.getTime() + ctx.host.config().notes.lifetimeDays * dayMs).toISOString();
    if (cursor.summary !== undefined) {
      const before = await tx.get(memory);
      if (before === undefined || !isOurs(before)) return false;
      await tx.update({ ...before, ...text, expiresAt }, 'edit', { because: 'the session went on' });
      return true;
    }
    const { session = id, branch } = story;
    const commit = lastAt === undefined ? undefined : git.commitAt(lastAt);
    await tx.insertAll(
      [
        {
          id: memory,
          ...text,
          gate: 'epistemic',
          kind: 'summary',
          lane: 'note',
          decayClass: 'durable',
          confidence,
          priority: 5,
          pinned: false,
          reinforcementCount: 1,
          accessCount: 0,
          usefulCount: 0,
          feedback: 0,
          tags: [],
          sensitive: false,
          status: 'active',
          sequence: await tx.nextSequence(''),
          expiresAt,
          provenance: {
            source: 'conversation',
            client: ctx.host.client,
            session,
            ...(branch === undefined ? {} : { branch }),
            ...(commit === undefined ? {} : { commit }),
          },
          createdAt: at,
        },
      ],
      [vector],
    );
    return true;
  });
  return isWritten ? { id: memory, content } : undefined;
}

function isOurs({ status, lane, pinned }: Memory): boolean {
  return status === 'active' && lane === 'note' && !pinned;
}

async function embedded(ctx: Context, content: string): Promise<StoredVector | undefined> {
  const { model } = ctx.embedder;
  if (model === undefined) return undefined;
  try {
    const [vector] = await ctx.embedder.embed([content], 'passage');
    return vector && { model: model.id, vector: quantise(vector) };
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

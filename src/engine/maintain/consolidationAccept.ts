import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import { newId } from '../base/newId.js';
import { quantise } from '../base/quantise.js';
import type { Context } from '../context.js';
import type { Proposal } from '../model/consolidation.js';
import { decayClasses, type Memory } from '../model/memory.js';
import { readSentence } from '../model/sentences.js';
import { factHash } from '../store/factHash.js';
import type { NewMemory, Store, StoredVector, StoreTransaction } from '../store/store.js';
import { summarise } from '../text/normalise.js';
import { findSecret } from '../text/secrets.js';
import { checkShape } from '../text/shape.js';
import { mayBeMerged } from './consolidationCandidates.js';
import { proposalKey, type StoredProposal } from './consolidationProposal.js';

/** Why the merged memory came from each of the originals. */
const reason = 'A person merged them.';

/**
 * Merges the originals of a proposal into one memory with `content`, in one transaction. Where a memory says exactly
 * this already, most often one of the originals, it becomes the merged one; else there is a new one.
 * @throws EngineError invalidInput, and what Store.write throws
 */
export async function accept(
  ctx: Context,
  store: Store,
  { proposal, content: given }: { readonly proposal: Proposal; readonly content: string },
): Promise<{ readonly merged: Memory; readonly archived: readonly Memory[] }> {
  const content = checked(ctx, given);
  const vector = await embedded(ctx, content);
  const at = ctx.host.now();
  const done = await store.write(ctx.host.client, async tx => {
    const record = await tx.record<StoredProposal>('proposal', proposal.id);
    const originals = await unchanged(tx, proposal);
    if (record?.body.state !== 'open' || originals === undefined) throw changedMeanwhile();
    const twin = (await tx.byFacts([factHash(content)], originals[0]!.scopeId ?? ''))[0];
    if (twin?.pinned === true) {
      throw new EngineError(
        'invalidInput',
        'A pinned memory says exactly this already. Unpin it, or merge another text.',
      );
    }
    const merged = {
      ...mergedMemory(originals, content, at.toISOString()),
      id: twin?.id ?? newId(at),
      sequence: await tx.nextSequence(originals[0]!.scopeId ?? ''),
    };
    const archived = originals.filter(it => it.id !== merged.id);
    const from = originals.map(it => it.id);
    if (twin === undefined) {
      await tx.insertAll([merged], [vector]);
      await tx.log('merge', { into: merged.id, from });
    } else await tx.update({ ...merged, store: store.kind, centrality: twin.centrality }, 'merge', { from });
    for (const it of archived) {
      const gone: Memory = { ...it, status: 'archived', archiveReason: 'merged', archivedAt: at.toISOString() };
      await tx.update(gone, 'merge', { into: merged.id });
    }
    await tx.link(
      archived.map(it => ({ source: merged.id, target: it.id, type: 'derived_from', strength: 1, reason })),
    );
    const { content: _decided, ...rest } = record.body;
    const { id, sequence, accessCount, usefulCount, feedback } = merged;
    const kept = { id, sequence, accessCount, usefulCount, feedback, ...(twin === undefined ? {} : { before: twin }) };
    await tx.putRecord('proposal', proposal.id, { ...rest, state: 'accepted', merged: kept } satisfies StoredProposal);
    return { id, archived: archived.map(it => it.id) };
  });
  const [merged] = await store.get([done.id]);
  return { merged: merged!, archived: await store.get(done.archived) };
}

/** Takes an accepted proposal back, in one transaction. @returns the originals */
export function undo(ctx: Context, store: Store, id: string): Promise<Memory[]> {
  return store.write(ctx.host.client, async tx => {
    const record = await tx.record<StoredProposal>('proposal', id);
    if (record?.body.state !== 'accepted' || record.body.merged === undefined) {
      throw new EngineError('notFound', 'This consolidation was undone a moment ago.');
    }
    const { members, merged: kept } = record.body;
    const merged = await tx.get(kept.id);
    const restored: Memory[] = [];
    for (const member of members) {
      const memory = member === kept.id ? undefined : await tx.get(member);
      // Purged by a person since then, or brought back.
      if (memory?.status !== 'archived' || memory.archiveReason !== 'merged') continue;
      const { archivedAt, archiveReason, ...rest } = memory;
      restored.push({ ...rest, status: 'active' });
      await tx.update(restored.at(-1)!, 'restore', { because: 'the merge was undone' });
      await tx.unlink(kept.id, member, 'derived_from');
    }
    if (merged !== undefined) await takeBack(tx, { merged, kept, at: ctx.host.now().toISOString() });
    const { merged: _undone, ...rest } = record.body;
    // A person did not want it: it is not proposed again until a text changes.
    await tx.putRecord('proposal', id, { ...rest, state: 'rejected' } satisfies StoredProposal);
    return restored;
  });
}

async function takeBack(
  tx: StoreTransaction,
  {
    merged,
    kept,
    at,
  }: { readonly merged: Memory; readonly kept: NonNullable<StoredProposal['merged']>; readonly at: string },
): Promise<void> {
  const since = (of: 'accessCount' | 'usefulCount' | 'feedback'): number => merged[of] - kept[of];
  const { before } = kept;
  if (before !== undefined) {
    const counted = {
      accessCount: before.accessCount + since('accessCount'),
      usefulCount: before.usefulCount + since('usefulCount'),
      feedback: before.feedback + since('feedback'),
      ...(merged.accessedAt !== undefined && since('accessCount') > 0 ? { accessedAt: merged.accessedAt } : {}),
    };
    await tx.update({ ...before, ...counted }, 'restore', { because: 'the merge was undone' });
    return;
  }
  const isUntouched =
    merged.sequence === kept.sequence && since('usefulCount') === 0 && since('feedback') === 0 && !merged.pinned;
  if (isUntouched) await tx.delete(merged.id, 'prune');
  else {
    const gone: Memory = { ...merged, status: 'archived', archiveReason: 'forgotten', archivedAt: at };
    await tx.update(gone, 'archive', { because: 'the merge was undone' });
  }
}

/** Undefined when one has changed, or is no longer for merging. */
async function unchanged(tx: StoreTransaction, { id, originals }: Proposal): Promise<Memory[] | undefined> {
  const now: Memory[] = [];
  for (const it of originals) {
    const memory = await tx.get(it.id);
    if (memory === undefined || !mayBeMerged(memory)) return undefined;
    now.push(memory);
  }
  return proposalKey(now) === id ? now : undefined;
}

/** What the merged memory takes from the originals: the best of each. A person has read it, so it is confirmed. */
function mergedMemory(originals: readonly Memory[], content: string, at: string): Omit<NewMemory, 'id' | 'sequence'> {
  // The one that says most stands for where it came from; the edges tell of the others.
  const fullest = originals.reduce((most, it) => (it.content.length > most.content.length ? it : most));
  const { kind, gate, scopeId, dueAt, provenance, sensitive } = fullest;
  const most = (of: (it: Memory) => number): number => Math.max(...originals.map(of));
  const sum = (of: (it: Memory) => number): number => originals.reduce((all, it) => all + of(it), 0);
  const latest = (of: (it: Memory) => string | undefined): string | undefined =>
    originals
      .flatMap(it => of(it) ?? [])
      .sort()
      .at(-1);
  const accessedAt = latest(it => it.accessedAt);
  return {
    content,
    summary: summarise(content),
    gate,
    kind,
    lane: 'confirmed',
    decayClass: decayClasses[most(it => decayClasses.indexOf(it.decayClass))]!,
    confidence: most(it => it.confidence),
    priority: most(it => it.priority),
    pinned: false,
    reinforcementCount: sum(it => it.reinforcementCount),
    accessCount: sum(it => it.accessCount),
    usefulCount: sum(it => it.usefulCount),
    feedback: sum(it => it.feedback),
    tags: [...new Set(originals.flatMap(it => it.tags))],
    sensitive,
    status: 'active',
    ...(scopeId === undefined ? {} : { scopeId }),
    ...(dueAt === undefined ? {} : { dueAt }),
    contentHash: factHash(content),
    provenance,
    createdAt: originals.map(it => it.createdAt).sort()[0]!,
    updatedAt: at,
    reinforcedAt: latest(it => it.reinforcedAt)!,
    ...(accessedAt === undefined ? {} : { accessedAt }),
  };
}

/** @throws EngineError invalidInput */
function checked(ctx: Context, given: string): string {
  const shape = checkShape(given, ctx.host.config().remember.maxCharacters);
  if (!shape.ok) throw new EngineError('invalidInput', readSentence(shape.reason) ?? shape.reason);
  const secret = findSecret(shape.text);
  if (secret !== undefined) {
    throw new EngineError(
      'invalidInput',
      message`The text looks like it holds a secret (${secret.kind}). Take it out and try again.`,
    );
  }
  return shape.text;
}

/** Without an embedder, or when it fails, the text is embedded later. */
async function embedded(ctx: Context, content: string): Promise<StoredVector | undefined> {
  const { model } = ctx.embedder;
  if (model === undefined) return undefined;
  try {
    const [vector] = await ctx.embedder.embed([content], 'passage');
    return { model: model.id, vector: quantise(vector!) };
  } catch (error) {
    ctx.host.log.warn(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function changedMeanwhile(): EngineError {
  return new EngineError(
    'invalidInput',
    'The memories of this proposal have changed meanwhile. Consolidate again to see what can be merged now.',
  );
}

import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import type { Context } from '../context.js';
import { embedOrLog } from '../embeddings/embedOrLog.js';
import type { MergeProposal } from '../model/consolidation.js';
import { decayClasses, type Memory } from '../model/memory.js';
import { parseMessage } from '../model/engineMessages.js';
import { prepareText, type PreparedText } from '../remember/prepareFact.js';
import { hashContent } from '../store/contentHash.js';
import type { NewMemory, Store, StoreTransaction } from '../store/store.js';
import { isMergeable } from './mergeCandidates.js';
import { computeProposalId, type ProposalRecord } from './mergeProposal.js';

/** Reason on the edges from the merged memory to the originals. */
const mergeReason = 'A person merged them.';

/**
 * Merges the originals of a proposal into one memory with `content`, in one transaction. If a memory with this content
 * exists, usually one of the originals, it becomes the merged memory; otherwise a new one is inserted.
 * @throws EngineError invalidInput, and errors of Store.write
 */
export async function acceptProposal(
  ctx: Context,
  store: Store,
  { proposal, content: editedContent }: { readonly proposal: MergeProposal; readonly content: string },
): Promise<{ readonly merged: Memory; readonly archived: readonly Memory[] }> {
  const text = prepareContent(ctx, editedContent);
  const [vector] = await embedOrLog(ctx, [text.content]);
  const at = ctx.host.now();
  const result = await store.write(ctx.host.client, async tx => {
    const record = await tx.record<ProposalRecord>('proposal', proposal.id);
    const originals = await reloadIfUnchanged(tx, proposal);
    if (record?.body.state !== 'open' || originals === undefined) throw changedMeanwhileError();
    const sameFact = (await tx.findByHash([text.contentHash], originals[0]!.scopeId ?? ''))[0];
    if (sameFact?.pinned === true) {
      throw new EngineError(
        'invalidInput',
        'A pinned memory says exactly this already. Unpin it, or merge another text.',
      );
    }
    const merged = {
      ...buildMergedMemory(originals, text, at.toISOString()),
      id: sameFact?.id ?? newUuid(at),
      sequence: await tx.nextSequence(originals[0]!.scopeId ?? ''),
    };
    const archived = originals.filter(it => it.id !== merged.id);
    const originalIds = originals.map(it => it.id);
    if (sameFact === undefined) {
      await tx.insertMany([merged], [vector]);
      await tx.log('merge', { into: merged.id, from: originalIds });
    } else
      await tx.update({ ...merged, store: store.kind, centrality: sameFact.centrality }, 'merge', {
        from: originalIds,
      });
    await archiveOriginals(tx, archived, { into: merged.id, archivedAt: at.toISOString() });
    const { content: _decided, ...rest } = record.body;
    const { id, sequence, accessCount, usefulCount, feedback } = merged;
    const mergedRecord = {
      id,
      sequence,
      accessCount,
      usefulCount,
      feedback,
      ...(sameFact === undefined ? {} : { before: sameFact }),
    };
    await tx.putRecord('proposal', proposal.id, {
      ...rest,
      state: 'accepted',
      merged: mergedRecord,
    } satisfies ProposalRecord);
    return { id, archived: archived.map(it => it.id) };
  });
  const [merged] = await store.get([result.id]);
  return { merged: merged!, archived: await store.get(result.archived) };
}

/** Archives memories that are merged, with an edge to each from the merged one. */
async function archiveOriginals(
  tx: StoreTransaction,
  originals: readonly Memory[],
  { into, archivedAt }: { readonly into: string; readonly archivedAt: string },
): Promise<void> {
  for (const it of originals)
    await tx.update({ ...it, status: 'archived', archiveReason: 'merged', archivedAt }, 'merge', { into });
  await tx.link(
    originals.map(it => ({
      source: into,
      target: it.id,
      type: 'derived_from',
      strength: 1,
      reason: mergeReason,
    })),
  );
}

/**
 * Undoes an accepted proposal in one transaction.
 * @returns the originals
 */
export function undoMerge(ctx: Context, store: Store, id: string): Promise<Memory[]> {
  return store.write(ctx.host.client, async tx => {
    const record = await tx.record<ProposalRecord>('proposal', id);
    if (record?.body.state !== 'accepted' || record.body.merged === undefined) {
      throw new EngineError('notFound', 'This consolidation was undone a moment ago.');
    }
    const { members, merged: mergedRecord } = record.body;
    const merged = await tx.get(mergedRecord.id);
    const restored: Memory[] = [];
    for (const member of members) {
      const memory = member === mergedRecord.id ? undefined : await tx.get(member);
      // Deleted or restored by a person since the merge.
      if (memory?.status !== 'archived' || memory.archiveReason !== 'merged') continue;
      const { archivedAt, archiveReason, ...rest } = memory;
      restored.push({ ...rest, status: 'active' });
      await tx.update(restored.at(-1)!, 'restore', { because: 'the merge was undone' });
      await tx.unlink(mergedRecord.id, member, 'derived_from');
    }
    if (merged !== undefined) await revertMergedMemory(tx, { merged, mergedRecord, at: ctx.host.now().toISOString() });
    const { merged: _undone, ...rest } = record.body;
    // Rejected, so that it is not proposed again until a text changes.
    await tx.putRecord('proposal', id, { ...rest, state: 'rejected' } satisfies ProposalRecord);
    return restored;
  });
}

async function revertMergedMemory(
  tx: StoreTransaction,
  {
    merged,
    mergedRecord,
    at,
  }: { readonly merged: Memory; readonly mergedRecord: NonNullable<ProposalRecord['merged']>; readonly at: string },
): Promise<void> {
  const increaseOf = (counter: 'accessCount' | 'usefulCount' | 'feedback'): number =>
    merged[counter] - mergedRecord[counter];
  const { before } = mergedRecord;
  if (before !== undefined) {
    const counters = {
      accessCount: before.accessCount + increaseOf('accessCount'),
      usefulCount: before.usefulCount + increaseOf('usefulCount'),
      feedback: before.feedback + increaseOf('feedback'),
      ...(merged.accessedAt !== undefined && increaseOf('accessCount') > 0 ? { accessedAt: merged.accessedAt } : {}),
    };
    // A record of an earlier version has that version's hash.
    const contentHash = hashContent(before.content);
    await tx.update({ ...before, ...counters, contentHash }, 'restore', { because: 'the merge was undone' });
    return;
  }
  const isUntouched =
    merged.sequence === mergedRecord.sequence &&
    increaseOf('usefulCount') === 0 &&
    increaseOf('feedback') === 0 &&
    !merged.pinned;
  if (isUntouched) await tx.delete(merged.id, 'prune');
  else {
    const archivedMemory: Memory = { ...merged, status: 'archived', archiveReason: 'forgotten', archivedAt: at };
    await tx.update(archivedMemory, 'archive', { because: 'the merge was undone' });
  }
}

/** Undefined if an original has changed or can no longer be merged. */
async function reloadIfUnchanged(
  tx: StoreTransaction,
  { id, originals }: MergeProposal,
): Promise<Memory[] | undefined> {
  const current: Memory[] = [];
  for (const it of originals) {
    const memory = await tx.get(it.id);
    if (memory === undefined || !isMergeable(memory)) return undefined;
    current.push(memory);
  }
  return computeProposalId(current) === id ? current : undefined;
}

/** Combines the best values of the originals. Confirmed, because a person has read the content. */
function buildMergedMemory(
  originals: readonly Memory[],
  text: PreparedText,
  at: string,
): Omit<NewMemory, 'id' | 'sequence'> {
  // The longest original provides the provenance; edges lead to the others.
  const fullest = originals.reduce((most, it) => (it.content.length > most.content.length ? it : most));
  const { kind, gate, scopeId, dueAt, provenance } = fullest;
  const most = (of: (it: Memory) => number): number => Math.max(...originals.map(of));
  const sum = (of: (it: Memory) => number): number => originals.reduce((all, it) => all + of(it), 0);
  const latest = (of: (it: Memory) => string | undefined): string | undefined =>
    originals
      .flatMap(it => of(it) ?? [])
      .sort()
      .at(-1);
  const accessedAt = latest(it => it.accessedAt);
  return {
    ...text,
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
    status: 'active',
    ...(scopeId === undefined ? {} : { scopeId }),
    ...(dueAt === undefined ? {} : { dueAt }),
    provenance,
    createdAt: originals.map(it => it.createdAt).sort()[0]!,
    updatedAt: at,
    reinforcedAt: latest(it => it.reinforcedAt)!,
    ...(accessedAt === undefined ? {} : { accessedAt }),
  };
}

/** @throws EngineError invalidInput */
function prepareContent(ctx: Context, content: string): PreparedText {
  const prepared = prepareText(content, ctx.host.config().remember);
  if (!('refused' in prepared)) return prepared;
  throw new EngineError('invalidInput', parseMessage(prepared.refused) ?? prepared.refused);
}

function changedMeanwhileError(): EngineError {
  return new EngineError(
    'invalidInput',
    'The memories of this proposal have changed meanwhile. Look for merges again to see what can be merged now.',
  );
}

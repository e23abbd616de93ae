import { EngineError } from '../base/errors.js';
import { message } from '../base/localizableMessage.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { Checkpoint } from '../model/checkpoint.js';
import type {
  ConsolidationResult,
  Disagreement,
  PastConsolidation,
  MergeProposal,
  MergeProposals,
} from '../model/consolidation.js';
import type { Memory } from '../model/memory.js';
import type { Store } from '../store/store.js';
import { acceptProposal, undoMerge } from './acceptProposal.js';
import { findMergeCandidates, isMergeable, type MergeCandidateOptions } from './mergeCandidates.js';
import { writeMergedText, computeProposalId, type MergeWriter, type ProposalRecord } from './mergeProposal.js';
import { createModelMergeWriter } from './modelMergeWriter.js';

/**
 * Writes to a store after which a scan is due; with more active memories than this, any write makes it due (cortex).
 */
const dueAfterWrites = 10;
const dueAboveMemories = 80;
/** Proposals per run, as many as one review can handle. */
const maxProposals = 200;
const stateId = 'consolidation';

/** State of a store at its last scan. */
interface ScanState {
  /** Write counter of the store. */
  readonly sequence: number;
}

/** Merges near-duplicate memories: a rule or a model proposes, a person decides, a command undoes. */
export class Consolidation {
  /** By store: checkpoint before the last merge, and the revision after it. */
  private readonly lastCheckpoints = new Map<Store, { readonly checkpoint: Checkpoint; readonly revision: number }>();

  /** @param writer writes merged texts: the configured language model, or a test double */
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
    private readonly writer: () => MergeWriter | undefined = () => createModelMergeWriter(ctx.models.current()),
  ) {}

  /**
   * Scans every writable store and proposes merges; changes no memory. A rejected proposal returns only if a text of
   * its group changes.
   * @throws EngineError aborted, and errors of reading and writing a store
   */
  propose(options: MergeCandidateOptions = {}): Promise<MergeProposals> {
    return this.calls.run(async () => {
      const disagreements: Disagreement[] = [];
      try {
        for (const store of this.writableStores()) disagreements.push(...(await this.scanStore(store, options)));
      } catch (error) {
        if (options.signal?.aborted !== true) throw error;
        throw new EngineError('aborted', 'Nothing was consolidated.', { cause: error });
      }
      return { proposals: await this.openProposals(), disagreements };
    });
  }

  /** Undecided proposals that are still valid, most similar first. */
  listProposals(): Promise<readonly MergeProposal[]> {
    return this.calls.run(() => this.openProposals());
  }

  /** @throws EngineError notFound */
  get(id: string): Promise<MergeProposal> {
    return this.calls.run(async () => (await this.findProposal(id)).proposal);
  }

  /**
   * Merges: one memory with the content is active, the originals are archived as merged, with edges to it. Makes a
   * checkpoint of the store first. For the decision of a person who has read the content: it becomes confirmed.
   * @param content the proposed text as edited by the person
   * @throws EngineError notFound | invalidInput (invalid content, or a memory changed meanwhile), and errors of writing
   * a store; nothing is merged then
   */
  accept(id: string, content?: string): Promise<ConsolidationResult> {
    return this.calls.change(async onWritten => {
      const { store, proposal } = await this.findProposal(id);
      const checkpoint = await this.ensureCheckpoint(store);
      const result = await acceptProposal(this.ctx, store, { proposal, content: content ?? proposal.content });
      onWritten(store, [result.merged.id, ...result.archived.map(it => it.id)]);
      this.lastCheckpoints.set(store, { checkpoint, revision: await store.revision() });
      return { id: proposal.id, ...result, checkpoint };
    });
  }

  /** @throws EngineError notFound */
  reject(id: string): Promise<void> {
    return this.calls.run(async () => {
      const { store, proposal } = await this.findProposal(id);
      await store.write(this.ctx.host.client, async tx => {
        const { content: _unwanted, ...rest } = (await tx.record<ProposalRecord>('proposal', proposal.id))!.body;
        await tx.putRecord('proposal', proposal.id, { ...rest, state: 'rejected' } satisfies ProposalRecord);
      });
    });
  }

  /** Merges that can be undone, newest first. */
  listAccepted(): Promise<PastConsolidation[]> {
    return this.calls.run(() => this.acceptedProposals().then(all => all.map(it => it.past)));
  }

  /**
   * Undoes a merge: the originals are active again, and the merged memory is deleted, or archived if it was changed
   * since. Usage counted meanwhile is kept.
   * @param id default: the last merge
   * @throws EngineError notFound, and errors of writing a store
   */
  undo(id?: string): Promise<Memory[]> {
    return this.calls.change(async onWritten => {
      const accepted = await this.acceptedProposals();
      const target = id === undefined ? accepted[0] : accepted.find(it => it.past.id === normalizeId(id));
      if (target === undefined) {
        throw new EngineError(
          'notFound',
          id === undefined
            ? 'There is no consolidation to undo.'
            : message`There is no consolidation ${quoteId(id)} to undo.`,
        );
      }
      await this.ctx.usage.flush();
      const restored = await undoMerge(this.ctx, target.store, target.past.id);
      onWritten(target.store, [target.past.merged.id, ...restored.map(it => it.id)]);
      return restored;
    });
  }

  /** Whether a new scan is due: after ten writes, or after any write above 80 active memories. */
  isDue(): Promise<boolean> {
    return this.calls.run(async () => {
      for (const store of this.writableStores()) {
        const state = await store.record<ScanState>('state', stateId);
        const written = (await store.sequence('')) - (state?.body.sequence ?? 0);
        if (written >= dueAfterWrites) return true;
        const groups = await store.groups('');
        const active = groups.reduce((sum, it) => sum + (it.status === 'active' ? it.count : 0), 0);
        if (written > 0 && active > dueAboveMemories) return true;
      }
      return false;
    });
  }

  private writableStores(): Store[] {
    return this.ctx.stores.map(it => it.store).filter(it => !it.readOnly);
  }

  private async scanStore(store: Store, options: MergeCandidateOptions): Promise<Disagreement[]> {
    const sequence = await store.sequence('');
    const { groups, disagreements } = await findMergeCandidates(this.ctx, store, options);
    const known = new Map((await store.records<ProposalRecord>('proposal')).map(it => [it.id, it.body]));
    const proposed = new Map<string, ProposalRecord>();
    const writer = this.writer();
    for (const { ids, similarity, measured } of groups.slice(0, maxProposals)) {
      const memories = orderByIds(ids, await store.get(ids));
      const id = computeProposalId(memories);
      const before = known.get(id);
      if (before !== undefined && before.state !== 'open') continue;
      // A model is not asked again for the same texts.
      const written = before?.content !== undefined && (before.by !== 'rule' || writer === undefined);
      const { content, by } = written
        ? { content: before.content, by: before.by }
        : await writeMergedText(memories, writer, options.signal);
      if (content.length > this.ctx.host.config().remember.maxCharacters) continue;
      proposed.set(id, { state: 'open', members: ids, content, by, similarity, measured });
    }
    await store.write(this.ctx.host.client, async tx => {
      for (const [id, { state }] of known)
        if (state === 'open' && !proposed.has(id)) await tx.deleteRecord('proposal', id);
      for (const [id, body] of proposed) await tx.putRecord('proposal', id, body);
      await tx.putRecord('state', stateId, { sequence } satisfies ScanState);
    });
    const foundDisagreements: Disagreement[] = [];
    for (const ids of disagreements.slice(0, maxProposals)) {
      const [first, second] = orderByIds(ids, await store.get(ids));
      if (first !== undefined && second !== undefined)
        foundDisagreements.push({ store: store.kind, memories: [first, second] });
    }
    return foundDisagreements;
  }

  private async openProposals(): Promise<MergeProposal[]> {
    const all: MergeProposal[] = [];
    for (const store of this.writableStores()) {
      for (const { id, body } of await store.records<ProposalRecord>('proposal')) {
        if (body.state !== 'open' || body.content === undefined) continue;
        const originals = orderByIds(body.members, await store.get(body.members));
        // A changed or unmergeable memory makes it another group.
        if (!originals.every(isMergeable) || computeProposalId(originals) !== id) continue;
        const { content, by, similarity, measured } = body;
        all.push({ id, store: store.kind, originals, content, by, similarity, measured });
      }
    }
    return all.sort((a, b) => b.similarity - a.similarity || (a.id < b.id ? -1 : 1));
  }

  private async acceptedProposals(): Promise<{ readonly store: Store; readonly past: PastConsolidation }[]> {
    const all: { readonly store: Store; readonly past: PastConsolidation }[] = [];
    for (const store of this.writableStores()) {
      for (const { id, at, body } of await store.records<ProposalRecord>('proposal')) {
        if (body.state !== 'accepted' || body.merged === undefined) continue;
        const [merged] = await store.get([body.merged.id]);
        if (merged === undefined) continue;
        all.push({ store, past: { id, at, merged, archived: body.members.filter(it => it !== merged.id).length } });
      }
    }
    return all.sort((a, b) => (a.past.at === b.past.at ? 0 : a.past.at < b.past.at ? 1 : -1));
  }

  private async findProposal(id: string): Promise<{ readonly store: Store; readonly proposal: MergeProposal }> {
    const proposal = (await this.openProposals()).find(it => it.id === normalizeId(id));
    for (const store of this.writableStores()) {
      if (proposal !== undefined && (await store.record('proposal', proposal.id)) !== undefined)
        return { store, proposal };
    }
    throw new EngineError(
      'notFound',
      message`There is no proposal ${quoteId(id)}, or its memories have changed. Look for merges again to see what there is now.`,
    );
  }

  /** A checkpoint before a review rather than before each merge: nothing else was written between its merges. */
  private async ensureCheckpoint(store: Store): Promise<Checkpoint> {
    const last = this.lastCheckpoints.get(store);
    if (last?.revision === (await store.revision())) {
      const all = await store.checkpoints.list();
      if (all.some(it => it.id === last.checkpoint.id)) return last.checkpoint;
    }
    return store.checkpoints.make({ reason: 'before consolidation', origin: 'engine' });
  }
}

function orderByIds(ids: readonly string[], memories: readonly Memory[]): Memory[] {
  const byId = new Map(memories.map(it => [it.id, it]));
  return ids.flatMap(it => byId.get(it) ?? []);
}

const normalizeId = (id: string): string => id.trim().toLowerCase();

function quoteId(id: string): string {
  return `"${id.slice(0, 40).replaceAll(/[\s\p{C}]+/gu, ' ')}"`;
}

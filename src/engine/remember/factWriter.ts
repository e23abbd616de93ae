import type { AuditAction } from '../model/auditAction.js';
import type { Contradiction, UncertainRelation, RememberOutcome } from '../model/rememberOutcome.js';
import type { NewEdge } from '../model/edge.js';
import {
  codeKinds,
  isUserArchiveReason,
  shortId,
  type Memory,
  type SearchAids,
  type StoreKind,
} from '../model/memory.js';
import { formatMessage } from '../model/engineMessages.js';
import type { FileFacts } from '../model/rememberInput.js';
import { isProtectedFromContradiction, penalizeContradiction } from '../scoring/confidence.js';
import { diceCoefficient } from '../scoring/diceCoefficient.js';
import { ParsedTextCache, classifyRelation, type RelatedMemory } from '../search/neighbors/classifyCandidates.js';
import type { MemoryWrite, NewMemory, Store, StoredVector, StoreTransaction } from '../store/store.js';
import { toSingleLineSummary } from '../text/normalizeText.js';
import type { LocatedLink, ResolvedLinks } from './prepareFact.js';
import { isOfFile, mergeInto } from './repeatedFact.js';
import { addAids, hasAids } from '../secrets/searchAids.js';

/** A fact that is ready to be written: classified, embedded and compared. */
export interface WritableFact {
  readonly memory: Omit<NewMemory, 'sequence'>;
  readonly store: Store;
  readonly aids: SearchAids;
  readonly links: ResolvedLinks;
  readonly vector: StoredVector | undefined;
  readonly relatedMemories: readonly RelatedMemory[];
  /** All that stands in the file that the fact was imported from. */
  readonly fileFacts?: FileFacts | undefined;
}

/** A memory that a write made (`before` is absent) or changed. */
export interface MemoryChange {
  readonly before?: Memory;
  readonly after: NewMemory;
}

/** A relative as it is inside the transaction. */
type CurrentRelation = Pick<
  RelatedMemory,
  'relation' | 'certainty' | 'reason' | 'uncertain' | 'similarity' | 'isRelated'
> & {
  readonly memory: Memory;
};

/** `relates_to` edges that one new memory makes: a graph in which everything hangs together says nothing. */
const maxRelatedEdges = 2;
/** Near memories that an outcome lists. */
const maxRelatedFacts = 3;
/** Memories that others wrote since the facts were compared, so many of the newest are looked at. */
const maxConcurrentWrites = 200;
const maxReasonLength = 300;
/** Dice coefficient of the terms from which a line of a file is a line that was changed, not another one. */
const minReplacedLikeness = 0.5;
const noAids: SearchAids = { questions: [], keywords: [] };

/**
 * Writes facts of one store in their order: a known one reinforces, a contradicted one weakens, a new one is stored with
 * its edges. What the facts were compared with is read again here, and what was written meanwhile is compared now.
 * They may come in several groups: each is decided one after another in memory, then written in a few statements.
 */
export class FactWriter {
  /** Every memory that plays a part, as it is after the facts written so far. */
  private readonly memories = new Map<string, Memory>();
  /** By fact and scopeId: the memory that says it. */
  private readonly idByFactKey = new Map<string, string>();
  /** Facts that another memory says already, and which. */
  private readonly duplicateOf = new Map<string, string>();
  /** By subject key: memories that were written since the facts were compared. */
  private readonly concurrentByKey = new Map<string, Set<string>>();
  /** By scopeId: the revision since which what was written is known here. */
  private readonly loadedUpTo = new Map<string, number>();
  /** Search aids that were written and are not yet committed. */
  private readonly aidsById = new Map<string, SearchAids>();
  private readonly parsedTexts = new ParsedTextCache();
  /** By memory that is gone from the imported file: content hash of what took its place there, or ''. */
  private readonly replacementOf = new Map<string, string>();
  private readonly changesById = new Map<string, MemoryChange>();

  /** Of one group, in the order in which they were said, which the audit log keeps. */
  private pendingWrites: MemoryWrite[] = [];
  private pendingEdges: NewEdge[] = [];

  /** @param keepUncertain whether what the rules are not sure of is kept for a language model */
  constructor(
    private readonly tx: StoreTransaction,
    private readonly store: StoreKind,
    private readonly keepUncertain: boolean,
  ) {}

  /** The ids of all memories that were written. */
  get writtenMemoryIds(): readonly string[] {
    return [...this.changesById.keys()];
  }

  get changes(): readonly MemoryChange[] {
    return [...this.changesById.values()];
  }

  /** @param comparedUpTo the revision whose memories these facts, and those before, were compared with */
  async writeAll(facts: readonly WritableFact[], comparedUpTo: number): Promise<readonly RememberOutcome[]> {
    await this.loadExisting(facts, comparedUpTo);
    const outcomes: RememberOutcome[] = [];
    for (const fact of facts) outcomes.push(await this.upsert(fact));
    await this.flush();
    for (const [i, fact] of facts.entries()) outcomes[i] = await this.applyJudgements(fact, outcomes[i]!);
    if (this.keepUncertain) await recordUncertainPairs(this.tx, outcomes);
    return outcomes;
  }

  private async loadExisting(facts: readonly WritableFact[], comparedUpTo: number): Promise<void> {
    // What took part already is here as it is now.
    const isNew = ({ id }: { readonly id: string }): boolean => !this.memories.has(id);
    const { tx } = this;
    const scopes = [...new Set(facts.map(it => it.memory.scopeId ?? ''))];
    const [related, ...loadedByScope] = await Promise.all([
      tx.getMany([...new Set(facts.flatMap(it => it.relatedMemories.filter(isNew).map(relative => relative.id)))]),
      ...scopes.map(async scopeId => {
        const its = facts.filter(it => (it.memory.scopeId ?? '') === scopeId);
        const hashes = its.map(it => it.memory.contentHash);
        const isLoaded = comparedUpTo >= (this.loadedUpTo.get(scopeId) ?? Infinity);
        if (!isLoaded) this.loadedUpTo.set(scopeId, comparedUpTo);
        const concurrent = isLoaded ? [] : tx.changedSince(comparedUpTo, scopeId, maxConcurrentWrites);
        return (await Promise.all([tx.findByHash(hashes, scopeId), concurrent])).map(its => its.filter(isNew));
      }),
    ]);
    for (const [sameFacts = [], concurrent = []] of loadedByScope) {
      this.track(sameFacts);
      for (const it of sameFacts)
        if (it.archiveReason === 'merged') this.followMerge(it, await tx.mergeTargetOf(it.id));
      this.indexConcurrent(concurrent);
    }
    this.track(related);
  }

  private track(memories: readonly Memory[]): void {
    for (const it of memories) {
      this.memories.set(it.id, it);
      this.idByFactKey.set(factKey(it), it.id);
    }
  }

  /** Of what was merged, the memory that was made of it says the fact, as far as it is there. */
  private followMerge(merged: Memory, target: Memory | undefined): void {
    if (target === undefined || this.memories.get(this.idByFactKey.get(factKey(merged))!)?.status === 'active') return;
    this.memories.set(target.id, target);
    this.idByFactKey.set(factKey(merged), target.id);
  }

  private indexConcurrent(memories: readonly Memory[]): void {
    this.track(memories);
    for (const it of memories) {
      if (codeKinds.includes(it.kind)) continue;
      for (const key of this.parsedTexts.parse(it).statement.topicKeys) {
        this.concurrentByKey.set(key, (this.concurrentByKey.get(key) ?? new Set()).add(it.id));
      }
    }
  }

  private async upsert(fact: WritableFact): Promise<RememberOutcome> {
    const { memory } = fact;
    const sameFact = this.memories.get(this.idByFactKey.get(factKey(memory)) ?? '');
    // A person who forgot a fact is not overruled by a machine that notes it again, and the machine learns so.
    if (isUserArchiveReason(sameFact?.archiveReason) && memory.lane === 'note') {
      return { outcome: 'refused', reason: formatMessage('forgotten') };
    }
    const relations = this.relationsOf(fact);
    const existing = sameFact ?? (await this.saidAgain(fact));
    const sequence = await this.tx.nextSequence(memory.scopeId ?? '');
    return existing === undefined
      ? this.insert(fact, sequence, relations)
      : this.reinforce(existing, fact, sequence, relations);
  }

  /** The memory that the caller knows to say the same, where this fact may reinforce it. */
  private async saidAgain({ memory, store, links: { sameAs } }: WritableFact): Promise<Memory | undefined> {
    if (sameAs?.store !== store) return undefined;
    const same = this.memories.get(sameAs.id) ?? (await this.tx.get(sameAs.id));
    if (same?.status !== 'active' || same.scopeId !== memory.scopeId) return undefined;
    this.memories.set(same.id, same);
    return same;
  }

  /** Writes what the caller knows of the fact beside its text: search aids, and what it replaces or refines. */
  private async applyJudgements(fact: WritableFact, outcome: RememberOutcome): Promise<RememberOutcome> {
    const { aids, links, store, memory } = fact;
    if (outcome.outcome === 'refused') return outcome;
    const { id } = outcome;
    if (hasAids(aids)) await this.addAids(id, store, aids);
    const problems = links.unknown.map(it => `There is no memory #${it.replace(/^#/u, '')}.`);
    if (links.sameAs !== undefined && outcome.outcome === 'stored') {
      problems.push(await this.whyNotReinforced(links.sameAs, fact));
    }
    for (const [type, targets] of [
      ['replaces', links.replaces],
      ['refines', links.refines],
    ] as const) {
      for (const target of targets) {
        const stored = target.store === store && target.id !== id ? await this.tx.get(target.id) : undefined;
        if (stored?.scopeId !== memory.scopeId || stored === undefined) {
          problems.push(elsewhereReason(target));
        } else if (type === 'refines') {
          const reason = formatMessage('saysMore', toSingleLineSummary(stored.content));
          await this.tx.link([
            { source: id, target: stored.id, type, strength: 1, reason: reason.slice(0, maxReasonLength) },
          ]);
        } else if (await this.tx.isSettled(id, stored.id)) {
          problems.push(`A person has settled what #${shortId(target)} means; that stands.`);
        } else {
          const reason = formatMessage('replacedByModel');
          await this.tx.markOutdated({
            outdated: stored.id,
            replacement: id,
            type: 'contradicts',
            by: 'model',
            reason,
          });
        }
      }
    }
    return problems.length === 0 ? outcome : { ...outcome, reason: problems.join(' ') };
  }

  private async addAids(id: string, store: Store, added: SearchAids): Promise<void> {
    const aids = addAids(this.aidsById.get(id) ?? (await store.aids([id])).get(id) ?? noAids, added);
    this.aidsById.set(id, aids);
    await this.tx.setAids(id, aids);
  }

  /** Why a fact was stored although the caller named a memory that says the same, as a sentence. */
  private async whyNotReinforced(sameAs: LocatedLink, { store, memory }: WritableFact): Promise<string> {
    const same = sameAs.store === store ? await this.tx.get(sameAs.id) : undefined;
    if (same === undefined || same.scopeId !== memory.scopeId) return elsewhereReason(sameAs);
    return `#${shortId(sameAs)} is ${same.status}, so that the fact was stored beside it.`;
  }

  private async flush(): Promise<void> {
    await this.tx.applyBatch(this.pendingWrites);
    await this.tx.link(this.pendingEdges);
    this.pendingWrites = [];
    this.pendingEdges = [];
  }

  /** The fact's relatives as they are now. */
  private relationsOf(fact: WritableFact): CurrentRelation[] {
    const { memory, relatedMemories } = fact;
    const relations = new Map<string, CurrentRelation>();
    const add = (id: string, related?: RelatedMemory): void => {
      const existing = this.memories.get(id);
      if (existing?.status !== 'active' || existing.scopeId !== memory.scopeId || relations.has(id)) return;
      const isCurrent = related?.contentHash === existing.contentHash && related.assertedAt === existing.reinforcedAt;
      const { similarity = 0, isRelated = false } = related ?? {};
      const result = isCurrent ? related : this.compareAgain(memory, existing);
      const current = this.isNoConflict(fact, existing) ? withoutConflict(result) : result;
      relations.set(id, { ...current, similarity, isRelated, memory: existing });
    };
    for (const it of relatedMemories) add(this.duplicateOf.get(it.id) ?? it.id, it);
    if (this.concurrentByKey.size > 0 && !codeKinds.includes(memory.kind)) {
      for (const key of this.parsedTexts.parse(memory).statement.topicKeys)
        for (const id of this.concurrentByKey.get(key) ?? []) add(id);
    }
    return [...relations.values()];
  }

  /**
   * Whether two facts stand in one file next to each other, or stood there one after the other and are of different
   * things: what is gone from its file may have been replaced by what is most like it there.
   */
  private isNoConflict({ memory, fileFacts }: WritableFact, existing: Memory): boolean {
    if (isOfSameImport(memory, existing) || fileFacts?.has(existing.contentHash) === true) return true;
    const { file } = existing.provenance;
    if (fileFacts === undefined || file === undefined || file !== memory.provenance.file) return false;
    let replacement = this.replacementOf.get(existing.id);
    if (replacement === undefined)
      this.replacementOf.set(existing.id, (replacement = this.findReplacement(existing, fileFacts)));
    return replacement !== memory.contentHash;
  }

  /** Content hash of what is most like a fact that is gone from the file; '' where nothing is. */
  private findReplacement(gone: Memory, fileFacts: FileFacts): string {
    const goneTerms = new Set(this.parsedTexts.parse(gone).terms);
    let [found, bestLikeness] = ['', minReplacedLikeness];
    for (const [contentHash, content] of fileFacts) {
      if (content === undefined) continue;
      const likeness = diceCoefficient(goneTerms, new Set(this.parsedTexts.parse({ contentHash, content }).terms));
      if (likeness >= bestLikeness) [found, bestLikeness] = [contentHash, likeness + Number.EPSILON];
    }
    return found;
  }

  private compareAgain(newFact: WritableFact['memory'], existing: Memory): ReturnType<typeof classifyRelation> {
    const [newStatement, existingStatement] = [
      this.parsedTexts.parse(newFact).statement,
      this.parsedTexts.parse(existing).statement,
    ];
    return classifyRelation(newStatement, existingStatement, newFact.reinforcedAt >= existing.reinforcedAt);
  }

  private insert(
    { memory, vector, links }: WritableFact,
    sequence: number,
    relations: readonly CurrentRelation[],
  ): RememberOutcome {
    const { id, content } = memory;
    this.pendingWrites.push({ op: 'insert', memory: { ...memory, sequence }, vector });
    this.changesById.set(id, { after: { ...memory, sequence } });
    this.track([{ ...memory, sequence, store: this.store, centrality: 0 }]);
    const contradicts = relations
      .filter(it => it.relation === 'conflicting')
      .map(it => this.recordContradiction(id, it));
    for (const it of relations) if (it.relation === 'refining') this.queueEdge(memory, it, 'refines', it.certainty);
    relations
      .filter(it => it.relation === 'unrelated' && it.isRelated)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, maxRelatedEdges)
      .forEach(it => {
        this.queueEdge(memory, it, 'relates_to', it.similarity);
      });
    const uncertain = relations.filter(it => it.uncertain).map(toUncertainRelation);
    const linked = new Set([...links.replaces, ...links.refines].map(it => it.id));
    const related = relations
      .filter(it => it.relation !== 'conflicting' && !linked.has(it.memory.id))
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, maxRelatedFacts)
      .map(({ memory: { id, content, reinforcedAt } }) => ({ id, content, assertedAt: reinforcedAt }));
    return {
      outcome: 'stored',
      id,
      content,
      store: this.store,
      ...(contradicts.length > 0 ? { contradicts } : {}),
      ...(related.length > 0 ? { related } : {}),
      ...(uncertain.length > 0 ? { doubts: uncertain } : {}),
    };
  }

  private async reinforce(
    existing: Memory,
    { memory: newFact }: WritableFact,
    sequence: number,
    relations: readonly CurrentRelation[],
  ): Promise<RememberOutcome> {
    this.duplicateOf.set(newFact.id, existing.id);
    const { id, content } = existing;
    if (isOfFile(newFact) && existing.lane === 'confirmed')
      return { outcome: 'reinforced', id, content, store: this.store };
    // What a person replaced and says again counts again; what replaced it contradicts it as before.
    if (existing.status === 'superseded' && newFact.lane === 'confirmed') await this.tx.undoSupersede(existing.id);
    this.queueUpdate({ ...mergeInto(existing, newFact), sequence }, 'reinforce', { contentHash: newFact.contentHash });
    const contradicts: Contradiction[] = [];
    for (const it of relations) {
      // A fact in between said otherwise, and this one takes it back.
      const { reinforcedAt } = it.memory;
      const isBetween = reinforcedAt > existing.reinforcedAt && reinforcedAt <= newFact.reinforcedAt;
      if (it.relation !== 'conflicting' || it.memory.id === existing.id || !isBetween) continue;
      if (!(await this.tx.isSettled(existing.id, it.memory.id)))
        contradicts.push(this.recordContradiction(existing.id, it));
    }
    return {
      outcome: 'reinforced',
      id,
      content,
      store: this.store,
      ...(contradicts.length > 0 ? { contradicts } : {}),
    };
  }

  /** Weakens the older of two that contradict each other, unless a person's word stands against a note. */
  private recordContradiction(newId: string, { memory: existing, certainty, reason }: CurrentRelation): Contradiction {
    const newMemory = this.memories.get(newId)!;
    const [newer, older] =
      newMemory.reinforcedAt >= existing.reinforcedAt ? [newMemory, existing] : [existing, newMemory];
    const isProtected = isProtectedFromContradiction(older, newer);
    if (!isProtected) {
      this.queueUpdate({ ...older, ...penalizeContradiction(older, certainty) }, 'weaken', { by: newer.id, certainty });
    }
    this.queueEdge(newMemory, { memory: existing, reason }, 'contradicts', certainty);
    return {
      id: existing.id,
      content: existing.content,
      certainty,
      reason,
      weakened: !isProtected && older === existing,
    };
  }

  private queueUpdate(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>>): void {
    const before = this.changesById.get(memory.id) ?? { before: this.memories.get(memory.id)! };
    this.changesById.set(memory.id, { ...before, after: memory });
    this.memories.set(memory.id, memory);
    this.pendingWrites.push({ op: 'update', memory, action, detail });
  }

  /** From the newer to the older, whichever was stored first. */
  private queueEdge(
    newMemory: Pick<Memory, 'id' | 'reinforcedAt'>,
    { memory: existing, reason }: Pick<CurrentRelation, 'memory' | 'reason'>,
    type: 'contradicts' | 'refines' | 'relates_to',
    strength: number,
  ): void {
    const [newer, older] =
      newMemory.reinforcedAt >= existing.reinforcedAt ? [newMemory, existing] : [existing, newMemory];
    const edgeReason = type === 'relates_to' ? formatMessage('similar') : reason.slice(0, maxReasonLength);
    this.pendingEdges.push({ source: newer.id, target: older.id, type, strength, reason: edgeReason });
  }
}

/** For a language model to look at later: with the facts, so that neither is there without the other. */
async function recordUncertainPairs(tx: StoreTransaction, outcomes: readonly RememberOutcome[]): Promise<void> {
  for (const it of outcomes) {
    if (it.outcome !== 'stored') continue;
    for (const { id: older } of it.doubts ?? []) {
      await tx.putRecord('doubt', `${it.id} ${older}`, { newer: it.id, older });
    }
  }
}

function elsewhereReason(target: LocatedLink): string {
  return `#${shortId(target)} is in another store or set, so that nothing was marked there.`;
}

function factKey({ contentHash, scopeId }: Pick<Memory, 'contentHash' | 'scopeId'>): string {
  return `${contentHash} ${scopeId ?? ''}`;
}

/** What one import brings in at one time, from one file or several: none of it is newer than the rest. */
function isOfSameImport(a: WritableFact['memory'], b: Memory): boolean {
  return a.provenance.source === 'import' && b.provenance.source === 'import' && a.reinforcedAt === b.reinforcedAt;
}

function withoutConflict<T extends Pick<CurrentRelation, 'relation' | 'uncertain'>>(result: T): T {
  return result.relation === 'conflicting' ? { ...result, relation: 'unrelated', uncertain: false } : result;
}

function toUncertainRelation({ memory, certainty, reason }: CurrentRelation): UncertainRelation {
  return { id: memory.id, content: memory.content, certainty, reason };
}

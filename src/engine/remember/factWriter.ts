import type { AuditAction } from '../model/auditAction.js';
import type { RelatedFact, RememberOutcome, ReplacedFact } from '../model/rememberOutcome.js';
import { isDecided, type EdgeMark, type NewEdge } from '../model/edge.js';
import {
  isUserArchiveReason,
  shortId,
  type Memory,
  type MemorySource,
  type SearchAids,
  type StoreKind,
} from '../model/memory.js';
import { formatDate } from '../model/answerText.js';
import { formatMessage } from '../model/engineMessages.js';
import type { RelationProbabilities } from '../embeddings/relation.js';
import { findPlanDay } from '../classify/classify.js';
import { dayMs } from '../model/duration.js';
import type { RelatedMemory } from '../search/neighbors/relatedMemories.js';
import type { MemoryWrite, NewMemory, Store, StoredVector, StoreTransaction } from '../store/store.js';
import { toSingleLineSummary } from '../text/singleLine.js';
import { likelyConflict, probablyReplaces, recordLikelyConflict, type LikelyConflict } from './likelyConflict.js';
import { markReplaced } from './markReplaced.js';
import type { LocatedLink, PreparedFact } from './prepareFact.js';
import { isOfFile, mergeInto, takesWording } from './repeatedFact.js';
import { addAids, hasAids } from '../secrets/storableText.js';

/** A fact that is ready to be written: classified, embedded and compared. */
export interface WritableFact extends Pick<PreparedFact, 'memory' | 'store' | 'aids' | 'links'> {
  readonly vector: StoredVector | undefined;
  readonly relatedMemories: readonly RelatedMemory[];
  /** Relation of the fact to each of them, by id, where an embedder read it. */
  readonly relations?: ReadonlyMap<string, RelationProbabilities> | undefined;
}

/** A memory that a write made (`before` is absent) or changed. */
export interface MemoryChange {
  readonly before?: Memory;
  readonly after: NewMemory;
}

/** A relative as it is inside the transaction. */
type CurrentRelation = Omit<RelatedMemory, 'id' | 'content'> & {
  readonly memory: Memory;
  readonly relation: RelationProbabilities | undefined;
};

/** `relates_to` edges that one new memory makes: a graph in which everything hangs together says nothing. */
const maxRelatedEdges = 2;
/** Related memories that an outcome lists. */
const maxRelatedFacts = 2;
/** Nearest memories by words, and as many by meaning, that are listed where the fact touches them. */
const maxNearest = 3;
/** Probability that the fact repeats, refines, replaces or contradicts a memory, from which it is listed (docs/encoder.md). */
const minTouch = 0.85;
/** Probability from which a memory is offered as one that says the same: of sixteen pairs, those that do had 0.98 and more, others 0.61 at most. */
const minSame = 0.9;
/** Likeness from which a memory is listed; measured (bench `updates`), as is the next one. */
const minLikeness = 0.3;
/** The second one is listed where it is hardly less alike than the first. */
const maxLikenessGap = 0.15;
/**
 * Likeness from which another fact of the same call is listed: of 24 facts that a model might send at once, five of six pairs that
 * contradict or repeat each other have 1.3 and more, and others, which are of one subject on purpose, 1.1 at most.
 */
const minLikenessInCall = 1.2;
const maxReasonLength = 300;
/** Facts of these sources were found, and state nothing now. */
const machineSources: ReadonlySet<MemorySource> = new Set(['import', 'code-index', 'conversation']);
/** From the start of a day in UTC until it is over everywhere. */
const maxDayMs = 1.5 * dayMs;
const noAids: SearchAids = { questions: [], keywords: [] };

/**
 * Writes facts of one store in their order: a known one reinforces, a new one is stored with its edges. What the facts
 * were compared with is read again here: what has been forgotten or replaced meanwhile is left out. They may come in several groups: each is decided one after another in memory, then written in a few statements.
 */
export class FactWriter {
  /** Every memory that plays a part, as it is after the facts written so far. */
  private readonly memories = new Map<string, Memory>();
  /** By fact and scopeId: the memory that says it. */
  private readonly idByFactKey = new Map<string, string>();
  /** Facts that another memory says already, and which. */
  private readonly duplicateOf = new Map<string, string>();
  /** Memories that something else replaces, by a person's or a model's word. */
  private readonly replaced = new Set<string>();
  /** Memories that this writer made. */
  private readonly inserted = new Set<string>();
  /** Search aids that were written and are not yet committed. */
  private readonly aidsById = new Map<string, SearchAids>();
  private readonly changesById = new Map<string, MemoryChange>();

  /** Of one group, in the order in which they were said, which the audit log keeps. */
  private pendingWrites: MemoryWrite[] = [];
  private pendingEdges: NewEdge[] = [];
  private pendingConflicts: LikelyConflict[] = [];
  /** Of memories whose wording changed, which drops the vector of the old one. */
  private pendingVectors = new Map<string, StoredVector>();
  private isLackingQuestionVectors = false;

  constructor(
    private readonly tx: StoreTransaction,
    private readonly store: StoreKind,
  ) {}

  /** The ids of all memories that were written. */
  get writtenMemoryIds(): readonly string[] {
    return [...this.changesById.keys()];
  }

  /** Whether a memory that was there before has questions, or a new wording's questions, without vectors. */
  get lacksQuestionVectors(): boolean {
    return this.isLackingQuestionVectors;
  }

  get changes(): readonly MemoryChange[] {
    return [...this.changesById.values()];
  }

  async writeAll(facts: readonly WritableFact[]): Promise<readonly RememberOutcome[]> {
    await this.loadExisting(facts);
    const outcomes: RememberOutcome[] = [];
    for (const fact of facts) outcomes.push(await this.upsert(fact));
    await this.flush();
    for (const [i, fact] of facts.entries()) outcomes[i] = await this.applyJudgements(fact, outcomes[i]!);
    return outcomes;
  }

  private async loadExisting(facts: readonly WritableFact[]): Promise<void> {
    // Memories that are loaded already have their state in this transaction.
    const isNew = ({ id }: { readonly id: string }): boolean => !this.memories.has(id);
    const { tx } = this;
    const scopes = [...new Set(facts.map(it => it.memory.scopeId ?? ''))];
    const relatedIds = [...new Set(facts.flatMap(it => it.relatedMemories.filter(isNew).map(relative => relative.id)))];
    const [related, replaced, ...sameFactsByScope] = await Promise.all([
      tx.getMany(relatedIds),
      tx.replacedAmong(relatedIds),
      ...scopes.map(async scopeId => {
        const hashes = facts.filter(it => (it.memory.scopeId ?? '') === scopeId).map(it => it.memory.contentHash);
        return (await tx.findByHash(hashes, scopeId)).filter(isNew);
      }),
    ]);
    for (const sameFacts of sameFactsByScope) {
      this.track(sameFacts);
      for (const it of sameFacts)
        if (it.archiveReason === 'merged') this.followMerge(it, await tx.mergeTargetOf(it.id));
    }
    this.track(related);
    for (const it of replaced) this.replaced.add(it);
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

  private async upsert(fact: WritableFact): Promise<RememberOutcome> {
    const { memory } = fact;
    const sameFact = this.memories.get(this.idByFactKey.get(factKey(memory)) ?? '');
    // A person who forgot a fact is not overruled by a machine that notes it again, and the machine learns so.
    if (isUserArchiveReason(sameFact?.archiveReason) && memory.lane === 'note') {
      return { outcome: 'refused', reason: formatMessage('forgotten') };
    }
    const existing = sameFact ?? (await this.saidAgain(fact));
    const sequence = await this.tx.nextSequence(memory.scopeId ?? '');
    return existing === undefined ? this.insert(fact, sequence) : this.reinforce(existing, fact, sequence);
  }

  /** The memory that the caller knows to say the same, where this fact may reinforce it. */
  private async saidAgain({ memory, store, links: { sameAs } }: WritableFact): Promise<Memory | undefined> {
    if (sameAs?.store !== store) return undefined;
    const same = this.memories.get(sameAs.id) ?? (await this.tx.get(sameAs.id));
    if (same?.status !== 'active' || same.scopeId !== memory.scopeId) return undefined;
    this.memories.set(same.id, same);
    return same;
  }

  /** Writes what the caller knows of the fact besides its text: search aids, and what it replaces or refines. */
  private async applyJudgements(fact: WritableFact, outcome: RememberOutcome): Promise<RememberOutcome> {
    const { aids, links, store, memory } = fact;
    if (outcome.outcome === 'refused') return outcome;
    const { id } = outcome;
    if (hasAids(aids)) await this.addAids(id, store, aids);
    const problems = outcome.reason === undefined ? [] : [outcome.reason];
    problems.push(...dayReason(memory));
    for (const it of links.unknown) problems.push(`There is no memory #${it.replace(/^#/u, '')}.`);
    if (links.sameAs !== undefined && outcome.outcome === 'stored') {
      problems.push(await this.whyNotReinforced(links.sameAs, fact));
    }
    const replaces: ReplacedFact[] = [];
    for (const [type, targets] of [
      ['replaces', links.replaces],
      ['refines', links.refines],
    ] as const) {
      for (const target of targets) {
        if (target.id === id) {
          problems.push(`#${shortId(target)} cannot replace or refine itself.`);
          continue;
        }
        const stored = target.store === store ? await this.tx.get(target.id) : undefined;
        if (stored?.scopeId !== memory.scopeId || stored === undefined) {
          problems.push(type === 'replaces' ? await elsewhereReason(target, this.store) : notMarkedReason(target));
        } else if (type === 'refines') {
          const reason = formatMessage('saysMore', toSingleLineSummary(stored.content));
          await this.tx.link([
            { source: id, target: stored.id, type, strength: 1, reason: reason.slice(0, maxReasonLength) },
          ]);
        } else {
          const problem = await markReplaced(this.tx, stored, { id }, { how: 'replaced', by: wordOf(memory) });
          if (problem === undefined) {
            this.replaced.add(stored.id);
            replaces.push({
              id: stored.id,
              content: stored.content,
              ...(isDecided(stored, wordOf(memory)) ? {} : { isUndecided: true }),
            });
          } else problems.push(String(problem));
        }
      }
    }
    return {
      ...outcome,
      ...(replaces.length === 0 ? {} : { replaces }),
      ...(problems.length === 0 ? {} : { reason: problems.join(' ') }),
    };
  }

  private async addAids(id: string, store: Store, added: SearchAids): Promise<void> {
    const aids = addAids(this.aidsById.get(id) ?? (await store.aids([id])).get(id) ?? noAids, added);
    this.aidsById.set(id, aids);
    if (!this.inserted.has(id) && added.questions.length > 0) this.isLackingQuestionVectors = true;
    await this.tx.setAids(id, aids);
  }

  /** Why a fact was stored although the caller named a memory that says the same, as a sentence. */
  private async whyNotReinforced(sameAs: LocatedLink, { store, memory }: WritableFact): Promise<string> {
    const same = sameAs.store === store ? await this.tx.get(sameAs.id) : undefined;
    if (same === undefined || same.scopeId !== memory.scopeId) return notMarkedReason(sameAs);
    return `#${shortId(sameAs)} is ${same.status}, so that the fact was stored beside it.`;
  }

  private async flush(): Promise<void> {
    await this.tx.applyBatch(this.pendingWrites);
    await this.tx.link(this.pendingEdges);
    for (const it of this.pendingConflicts) await recordLikelyConflict(this.tx, it);
    for (const [id, vector] of this.pendingVectors) await this.tx.setVector(id, vector);
    this.pendingWrites = [];
    this.pendingEdges = [];
    this.pendingConflicts = [];
    this.pendingVectors = new Map();
  }

  /** The fact's relatives as they are now, without those that have been replaced. */
  private relationsOf(fact: WritableFact): CurrentRelation[] {
    const { memory, relatedMemories } = fact;
    const relations = new Map<string, CurrentRelation>();
    for (const { id: relatedId, content: _, ...likeness } of relatedMemories) {
      const id = this.duplicateOf.get(relatedId) ?? relatedId;
      const existing = this.memories.get(id);
      if (existing?.status !== 'active' || existing.scopeId !== memory.scopeId) continue;
      if (!this.replaced.has(id) && !relations.has(id))
        relations.set(id, { ...likeness, memory: existing, relation: fact.relations?.get(relatedId) });
    }
    return [...relations.values()];
  }

  private insert(fact: WritableFact, sequence: number): RememberOutcome {
    const relations = this.relationsOf(fact);
    const mayReplace = relations.filter(it => probablyReplaces(it.relation)).map(it => it.memory.id);
    const { vector, links } = fact;
    const memory: NewMemory = {
      ...fact.memory,
      sequence,
      ...(mayReplace.length === 0 ? {} : { provenance: { ...fact.memory.provenance, mayReplace } }),
    };
    const { id, content } = memory;
    this.pendingWrites.push({ op: 'insert', memory, vector });
    this.changesById.set(id, { after: memory });
    this.track([{ ...memory, store: this.store, centrality: 0 }]);
    this.inserted.add(id);
    relations
      .filter(it => it.isRelated)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, maxRelatedEdges)
      .forEach(it => {
        this.queueRelatedEdge(memory, it);
      });
    const linked = new Set([...links.replaces, ...links.refines].map(it => it.id));
    const listable = relations.filter(it => !linked.has(it.memory.id) && !this.inserted.has(it.memory.id));
    this.pendingConflicts.push(...listable.flatMap(it => likelyConflict(memory, it.memory, it.relation) ?? []));
    const ofCall = relations.filter(it => this.inserted.has(it.memory.id) && it.likeness >= minLikenessInCall);
    const known = fact.relations === undefined ? listable : touched(listable);
    const related: RelatedFact[] = [...mostAlike(ofCall), ...mostAlike(known)]
      .slice(0, maxRelatedFacts)
      .map(({ memory: { id, content, reinforcedAt }, relation }) => ({
        id,
        content,
        assertedAt: reinforcedAt,
        ...((relation?.same ?? 0) >= minSame ? { saysSame: true as const } : {}),
      }));
    return { outcome: 'stored', id, content, store: this.store, ...(related.length > 0 ? { related } : {}) };
  }

  private async reinforce(
    existing: Memory,
    { memory: newFact, links, vector }: WritableFact,
    sequence: number,
  ): Promise<RememberOutcome> {
    this.duplicateOf.set(newFact.id, existing.id);
    const { id } = existing;
    const isReworded = links.sameAs?.id === id && takesWording(existing, newFact);
    const { content } = isReworded ? newFact : existing;
    if (isOfFile(newFact) && existing.lane === 'confirmed')
      return { outcome: 'reinforced', id, content, store: this.store };
    // A replaced memory that a person says again counts again.
    if (existing.status === 'superseded' && newFact.lane === 'confirmed') await this.tx.undoSupersede(existing.id);
    const isOtherWording = links.sameAs?.id === id && newFact.contentHash !== existing.contentHash;
    const reasons = [
      await this.holdAgain(id, newFact),
      isOtherWording ? whichWordsStand(existing, isReworded) : undefined,
    ].filter(it => it !== undefined);
    const merged = { ...mergeInto(existing, newFact, isReworded), sequence };
    this.queueUpdate(merged, 'reinforce', { contentHash: newFact.contentHash });
    if (isReworded) this.isLackingQuestionVectors = true;
    if (isReworded && vector !== undefined) this.pendingVectors.set(id, vector);
    this.idByFactKey.set(factKey(merged), id);
    const reason = reasons.length === 0 ? {} : { reason: reasons.join(' ') };
    return { outcome: 'reinforced', id, content, store: this.store, ...reason };
  }

  /**
   * By the later word of the same authority, what something else had replaced holds again.
   * @returns a sentence that says so; undefined where nothing had replaced it
   */
  private async holdAgain(id: string, newFact: WritableFact['memory']): Promise<string | undefined> {
    if (machineSources.has(newFact.provenance.source)) return undefined;
    const by = wordOf(newFact);
    const successor = (await this.tx.successors(id)).find(it => by === 'person' || it.by !== 'person');
    if (successor === undefined) return undefined;
    await this.tx.clearMarks(id, by);
    return formatMessage('holdsAgain', shortId(successor));
  }

  private queueUpdate(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>>): void {
    const before = this.changesById.get(memory.id) ?? { before: this.memories.get(memory.id)! };
    this.changesById.set(memory.id, { ...before, after: memory });
    this.memories.set(memory.id, memory);
    this.pendingWrites.push({ op: 'update', memory, action, detail });
  }

  /** From the newer to the older, whichever was stored first. */
  private queueRelatedEdge(
    newMemory: Pick<Memory, 'id' | 'reinforcedAt'>,
    { memory: existing, similarity: strength }: CurrentRelation,
  ): void {
    const [newer, older] =
      newMemory.reinforcedAt >= existing.reinforcedAt ? [newMemory, existing] : [existing, newMemory];
    const reason = formatMessage('similar');
    this.pendingEdges.push({ source: newer.id, target: older.id, type: 'relates_to', strength, reason });
  }
}

/** The nearest memories that a fact touches by the embedder's word; where it has not said one, as alike as their words are. */
function touched(relations: readonly CurrentRelation[]): CurrentRelation[] {
  const nearest = new Set([
    ...relations.toSorted((a, b) => b.overlap - a.overlap).slice(0, maxNearest),
    ...relations.toSorted((a, b) => b.similarity - a.similarity).slice(0, maxNearest),
  ]);
  return [...nearest].flatMap(it => {
    const { relation } = it;
    // Near in meaning is what is of one subject: on the worlds 14 in 100 of those were linked, by words 55.
    if (relation === undefined) return [{ ...it, likeness: 2 * it.overlap }];
    return relation.same + relation.refines + relation.replaces + relation.contradicts >= minTouch ? [it] : [];
  });
}

/** The most alike memories, the second where it is hardly less alike than the first. */
function mostAlike(relations: readonly CurrentRelation[]): CurrentRelation[] {
  const likely = relations.filter(it => it.likeness >= minLikeness).sort((a, b) => b.likeness - a.likeness);
  return likely.filter(it => it.likeness >= likely[0]!.likeness - maxLikenessGap);
}

/** Whose word it is what a fact replaces: a person's where they typed it, otherwise the model's that sent it. */
function wordOf({ lane, provenance: { source } }: WritableFact['memory']): EdgeMark['by'] {
  return lane === 'confirmed' && source === 'explicit' ? 'person' : 'model';
}

/**
 * A sentence about a day that may be a slip: one that was over in every time zone when it was said, and a date in the text of a plan
 * or an event that its caller gave no day. None about what a machine read.
 */
function dayReason({ content, dueAt, createdAt, provenance: { source } }: WritableFact['memory']): string[] {
  if (machineSources.has(source)) return [];
  if (dueAt === undefined) {
    const named = /\d/u.test(content) ? findPlanDay(content, new Date(createdAt)) : undefined;
    if (named === undefined || named <= createdAt) return [];
    return [`It names ${formatDate(named)}. If it happens then, or holds until then, remember it again with due.`];
  }
  if (Date.parse(dueAt) + maxDayMs > Date.parse(createdAt)) return [];
  return [`Its day, ${formatDate(dueAt)}, is past. If that is a slip, remember it again with the right one.`];
}

/** Of a memory and the fact that its caller takes for the same: a caller that was wrong would lose one of the two unseen. */
function whichWordsStand({ content }: Memory, isReworded: boolean): string {
  const words = JSON.stringify(content);
  return isReworded
    ? `It has the new words now, in the place of ${words}.`
    : `Its words stay: ${words}. The new ones are not kept; if they say something else, remember them without sameAs.`;
}

/** Reason why a memory of another store or set is not marked: an exception in the project leaves what holds everywhere as it is. */
async function elsewhereReason(target: LocatedLink, store: StoreKind): Promise<string> {
  const [memory] = await target.store.get([target.id]);
  if (store === 'project' && target.store.kind === 'global' && memory !== undefined)
    return `#${shortId(target)} (${JSON.stringify(memory.content)}) holds in all projects and stays; in this project the new fact comes first.`;
  return notMarkedReason(target);
}

function notMarkedReason(target: LocatedLink): string {
  return `#${shortId(target)} is in another store or set, so that nothing was marked there.`;
}

function factKey({ contentHash, scopeId }: Pick<Memory, 'contentHash' | 'scopeId'>): string {
  return `${contentHash} ${scopeId ?? ''}`;
}

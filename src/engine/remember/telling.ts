import type { AuditAction, Contradiction, Doubt, RememberOutcome } from '../model/change.js';
import type { NewEdge } from '../model/edge.js';
import { codeKinds, isPersonsWord, type Memory, type StoreKind } from '../model/memory.js';
import { sentence } from '../model/sentences.js';
import { isLocked, reinforced, weakened } from '../scoring/confidence.js';
import { Readings, relate, type Relative } from '../store/index/judge.js';
import type { Change, NewMemory, StoredVector, StoreTransaction } from '../store/store.js';

/** A fact that is ready to be written: classified, embedded and compared. */
export interface ReadyFact {
  readonly memory: Omit<NewMemory, 'sequence'>;
  readonly vector: StoredVector | undefined;
  readonly relatives: readonly Relative[];
}

/** A relative as it is inside the transaction. */
type Known = Pick<Relative, 'relation' | 'certainty' | 'reason' | 'uncertain' | 'similarity' | 'isRelated'> & {
  readonly memory: Memory;
};

/** `relates_to` edges that one new memory makes: a graph in which everything hangs together says nothing. */
const relatedAtMost = 2;
/** Memories that others wrote since the facts were compared, so many of the newest are looked at. */
const mostLatecomers = 200;
const longestReason = 300;

/**
 * Writes facts of one store in their order: a known one reinforces, a contradicted one weakens, a new one is stored with
 * its edges. What the facts were compared with is read again here, and what was written meanwhile is compared now.
 * They may come in several groups: each is decided one after another in memory, then written in a few statements.
 */
export class Telling {
  /** Every memory that plays a part, as it is after the facts told so far. */
  private readonly memories = new Map<string, Memory>();
  /** By fact and scopeId: the memory that says it. */
  private readonly byFact = new Map<string, string>();
  /** Told facts that another memory says already, and which. */
  private readonly saidBy = new Map<string, string>();
  /** By subject key: memories that were written since the facts were compared. */
  private readonly lately = new Map<string, Set<string>>();
  /** By scopeId: the revision since which what was written is known here. */
  private readonly knownSince = new Map<string, number>();
  private readonly readings = new Readings();
  private readonly writtenIds = new Set<string>();

  /** Of one group, in the order of telling, which the audit log keeps. */
  private changes: Change[] = [];
  private edges: NewEdge[] = [];

  /** @param keepDoubts whether what the rules are not sure of is kept for a language model */
  constructor(
    private readonly tx: StoreTransaction,
    private readonly store: StoreKind,
    private readonly keepDoubts: boolean,
  ) {}

  /** The ids of all memories that were written. */
  get written(): readonly string[] {
    return [...this.writtenIds];
  }

  /** @param comparedUpTo the revision whose memories these facts, and those before, were compared with */
  async tellAll(facts: readonly ReadyFact[], comparedUpTo: number): Promise<readonly RememberOutcome[]> {
    await this.readWhatIsKnownTo(facts, comparedUpTo);
    const outcomes: RememberOutcome[] = [];
    for (const fact of facts) outcomes.push(await this.tell(fact));
    await this.write();
    if (this.keepDoubts) await writeDoubts(this.tx, outcomes);
    return outcomes;
  }

  private async readWhatIsKnownTo(facts: readonly ReadyFact[], comparedUpTo: number): Promise<void> {
    // What took part already is here as it is now.
    const isNew = ({ id }: { readonly id: string }): boolean => !this.memories.has(id);
    const { tx } = this;
    const scopes = [...new Set(facts.map(it => it.memory.scopeId ?? ''))];
    const [relatives, ...found] = await Promise.all([
      tx.getAll([...new Set(facts.flatMap(it => it.relatives.filter(isNew).map(relative => relative.id)))]),
      ...scopes.map(async scopeId => {
        const its = facts.filter(it => (it.memory.scopeId ?? '') === scopeId);
        const hashes = its.map(it => it.memory.contentHash);
        const isKnown = comparedUpTo >= (this.knownSince.get(scopeId) ?? Infinity);
        if (!isKnown) this.knownSince.set(scopeId, comparedUpTo);
        const latecomers = isKnown ? [] : tx.writtenSince(comparedUpTo, scopeId, mostLatecomers);
        return (await Promise.all([tx.byFacts(hashes, scopeId), latecomers])).map(its => its.filter(isNew));
      }),
    ]);
    for (const [saying = [], latecomers = []] of found) {
      this.know(saying);
      for (const it of saying) if (it.archiveReason === 'merged') this.livesOn(it, await tx.mergedInto(it.id));
      this.late(latecomers);
    }
    this.know(relatives);
  }

  private know(memories: readonly Memory[]): void {
    for (const it of memories) {
      this.memories.set(it.id, it);
      this.byFact.set(factKey(it), it.id);
    }
  }

  /** Of what was merged, the memory that was made of it says the fact, as far as it is there. */
  private livesOn(merged: Memory, into: Memory | undefined): void {
    if (into === undefined || this.memories.get(this.byFact.get(factKey(merged))!)?.status === 'active') return;
    this.memories.set(into.id, into);
    this.byFact.set(factKey(merged), into.id);
  }

  private late(memories: readonly Memory[]): void {
    this.know(memories);
    for (const it of memories) {
      if (codeKinds.includes(it.kind)) continue;
      for (const key of this.readings.read(it).statement.keys) {
        this.lately.set(key, (this.lately.get(key) ?? new Set()).add(it.id));
      }
    }
  }

  private async tell(fact: ReadyFact): Promise<RememberOutcome> {
    const { memory } = fact;
    const same = this.memories.get(this.byFact.get(factKey(memory)) ?? '');
    // A person who forgot a fact is not overruled by a machine that notes it again, and the machine is told so.
    if (isPersonsWord(same?.archiveReason) && memory.lane === 'note') {
      return { outcome: 'refused', reason: sentence('forgotten') };
    }
    const known = this.knownTo(fact);
    const before = same ?? known.find(it => it.relation === 'same')?.memory;
    const sequence = await this.tx.nextSequence(memory.scopeId ?? '');
    return before === undefined ? this.keep(fact, sequence, known) : this.reinforce(before, fact, sequence, known);
  }

  private async write(): Promise<void> {
    for (const it of this.changes) this.writtenIds.add(it.memory.id);
    await this.tx.apply(this.changes);
    await this.tx.link(this.edges);
    this.changes = [];
    this.edges = [];
  }

  /** The fact's relatives as they are now. */
  private knownTo({ memory, relatives }: ReadyFact): Known[] {
    const found = new Map<string, Known>();
    const add = (id: string, relative?: Relative): void => {
      const known = this.memories.get(id);
      if (known?.status !== 'active' || known.scopeId !== memory.scopeId || found.has(id)) return;
      const isCurrent = relative?.contentHash === known.contentHash && relative.toldAt === known.reinforcedAt;
      const { similarity = 0, isRelated = false } = relative ?? {};
      const verdict = isCurrent ? relative : this.relate(memory, known);
      found.set(id, { ...verdict, similarity, isRelated, memory: known });
    };
    for (const it of relatives) add(this.saidBy.get(it.id) ?? it.id, it);
    if (this.lately.size > 0 && !codeKinds.includes(memory.kind)) {
      for (const key of this.readings.read(memory).statement.keys) for (const id of this.lately.get(key) ?? []) add(id);
    }
    return [...found.values()];
  }

  private relate(told: ReadyFact['memory'], known: Memory): ReturnType<typeof relate> {
    const [fact, other] = [this.readings.read(told).statement, this.readings.read(known).statement];
    return relate(fact, other, told.reinforcedAt >= known.reinforcedAt);
  }

  private keep({ memory, vector }: ReadyFact, sequence: number, known: readonly Known[]): RememberOutcome {
    const { id, content } = memory;
    this.changes.push({ does: 'insert', memory: { ...memory, sequence }, vector });
    this.know([{ ...memory, sequence, store: this.store, centrality: 0 }]);
    const contradicts = known.filter(it => it.relation === 'conflicting').map(it => this.contradict(id, it));
    for (const it of known) if (it.relation === 'refining') this.link(memory, it, 'refines', it.certainty);
    known
      .filter(it => it.relation === 'unrelated' && it.isRelated)
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, relatedAtMost)
      .forEach(it => {
        this.link(memory, it, 'relates_to', it.similarity);
      });
    const doubts = known.filter(it => it.uncertain).map(doubtOf);
    return {
      outcome: 'stored',
      id,
      content,
      store: this.store,
      ...(contradicts.length > 0 ? { contradicts } : {}),
      ...(doubts.length > 0 ? { doubts } : {}),
    };
  }

  private async reinforce(
    before: Memory,
    { memory: told }: ReadyFact,
    sequence: number,
    known: readonly Known[],
  ): Promise<RememberOutcome> {
    this.saidBy.set(told.id, before.id);
    // What a person replaced and says again counts again; what replaced it contradicts it as before.
    if (before.status === 'superseded' && told.lane === 'confirmed') await this.tx.reinstate(before.id);
    this.update({ ...merged(before, told), sequence }, 'reinforce', { contentHash: told.contentHash });
    const contradicts: Contradiction[] = [];
    for (const it of known) {
      // What was told in between said otherwise, and this telling takes it back.
      const { reinforcedAt } = it.memory;
      const isBetween = reinforcedAt > before.reinforcedAt && reinforcedAt <= told.reinforcedAt;
      if (it.relation !== 'conflicting' || it.memory.id === before.id || !isBetween) continue;
      if (!(await this.tx.isSettled(before.id, it.memory.id))) contradicts.push(this.contradict(before.id, it));
    }
    return {
      outcome: 'reinforced',
      id: before.id,
      content: before.content,
      store: this.store,
      ...(contradicts.length > 0 ? { contradicts } : {}),
    };
  }

  /** Weakens the older of two that contradict each other, unless a person's word stands against a note. */
  private contradict(toldId: string, { memory: known, certainty, reason }: Known): Contradiction {
    const told = this.memories.get(toldId)!;
    const [newer, older] = told.reinforcedAt >= known.reinforcedAt ? [told, known] : [known, told];
    const locked = isLocked(older, newer);
    if (!locked) {
      this.update({ ...older, ...weakened(older, certainty) }, 'weaken', { by: newer.id, certainty });
    }
    this.link(told, { memory: known, reason }, 'contradicts', certainty);
    return { id: known.id, content: known.content, certainty, reason, weakened: !locked && older === known };
  }

  private update(memory: Memory, action: AuditAction, detail: Readonly<Record<string, unknown>>): void {
    this.memories.set(memory.id, memory);
    this.changes.push({ does: 'update', memory, action, detail });
  }

  /** From the newer to the older, whichever was stored first. */
  private link(
    told: Pick<Memory, 'id' | 'reinforcedAt'>,
    { memory: known, reason }: Pick<Known, 'memory' | 'reason'>,
    type: 'contradicts' | 'refines' | 'relates_to',
    strength: number,
  ): void {
    const [newer, older] = told.reinforcedAt >= known.reinforcedAt ? [told, known] : [known, told];
    const why = type === 'relates_to' ? sentence('similar') : reason.slice(0, longestReason);
    this.edges.push({ source: newer.id, target: older.id, type, strength, reason: why });
  }
}

/** For a language model to look at later: with the facts, so that neither is there without the other. */
async function writeDoubts(tx: StoreTransaction, outcomes: readonly RememberOutcome[]): Promise<void> {
  for (const it of outcomes) {
    if (it.outcome !== 'stored') continue;
    for (const { id: older } of it.doubts ?? []) {
      await tx.putRecord('doubt', `${it.id} ${older}`, { newer: it.id, older });
    }
  }
}

function factKey({ contentHash, scopeId }: Pick<Memory, 'contentHash' | 'scopeId'>): string {
  return `${contentHash} ${scopeId ?? ''}`;
}

function doubtOf({ memory, certainty, reason }: Known): Doubt {
  return { id: memory.id, content: memory.content, certainty, reason };
}

/** The known memory, told once more: stronger, with what the new telling adds. A note takes nothing from a person. */
function merged(known: Memory, told: ReadyFact['memory']): Memory {
  const { archivedAt, archiveReason, expiresAt, ...rest } = known;
  const confirmed = known.lane === 'confirmed' || told.lane === 'confirmed';
  const revived = known.status === 'archived' || (known.status === 'superseded' && told.lane === 'confirmed');
  return {
    ...rest,
    ...reinforced(known),
    status: revived ? 'active' : known.status,
    lane: confirmed ? 'confirmed' : 'note',
    ...(confirmed || told.expiresAt === undefined ? {} : { expiresAt: told.expiresAt }),
    tags: [...new Set([...known.tags, ...told.tags])],
    ...(told.dueAt === undefined ? {} : { dueAt: told.dueAt }),
    reinforcedAt: told.reinforcedAt > known.reinforcedAt ? told.reinforcedAt : known.reinforcedAt,
  };
}

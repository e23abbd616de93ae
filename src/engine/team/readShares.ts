import { newUuid } from '../base/uuid.js';
import type { Context } from '../context.js';
import { recordImport } from '../exchange/importLog.js';
import { findKnownHashes } from '../exchange/knownFacts.js';
import { messageTemplates } from '../model/engineMessages.js';
import type { ImportRefusal } from '../model/importReport.js';
import { describeInstructionMarks } from '../model/instructionMarks.js';
import type { Memory } from '../model/memory.js';
import type { TeamChange, TeamReadReport } from '../model/team.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import type { IntakeName } from '../remember/intakeLog.js';
import { remember } from '../remember/remember.js';
import { hashContent } from '../store/contentHash.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { describePlace, type PlacedLine, type SharedFact } from './teamLine.js';
import { contradictionsOf, readTeamState, type ReceivedLine, type TeamSource, type TeamState } from './teamState.js';

type WriteListener = (store: Store, ids: readonly string[]) => void;

/** Facts per transaction. */
const batchSize = 500;
/** Certainty of a contradiction between what a person confirmed and what its member shares in its place. */
const changedCertainty = 0.5;
const changedReason = 'Its member has changed what they shared, and you have confirmed what it was.';

interface Arrival {
  readonly line: PlacedLine;
  readonly fact: SharedFact;
  readonly author: string;
  /** What came by an earlier line and stays, as a person has confirmed or changed it. */
  readonly kept: Memory | undefined;
  /** Whether it takes the place of a note that came by an earlier line. */
  readonly isChange: boolean;
}

/**
 * Takes in what others shared since the last time: as notes, which a person may confirm. What a person here has confirmed,
 * changed or put away stays as it is. Reading twice changes nothing.
 * @throws what writing a store throws; what was written stays, and the next time goes on from there
 */
export async function readShares(ctx: Context, source: TeamSource, onWritten: WriteListener): Promise<TeamReadReport> {
  return new ShareReader(ctx, source, await readTeamState(ctx, source), onWritten).run();
}

class ShareReader {
  private readonly changes: Omit<TeamChange, 'contradicts'>[] = [];
  private readonly refused: ImportRefusal[];
  private readonly importName: IntakeName;
  private readonly store: Store;
  private readonly at: string;
  private known = 0;
  private readonly ctx: Context;

  constructor(
    ctx: Context,
    private readonly source: TeamSource,
    private readonly state: TeamState,
    private readonly onWritten: WriteListener,
  ) {
    this.store = source.store;
    // What another open project knows is not known here.
    this.ctx = { ...ctx, stores: ctx.stores.filter(it => it.store === source.store || it.store.kind === 'global') };
    this.refused = [...state.refused];
    const now = ctx.host.now();
    this.at = now.toISOString();
    this.importName = { id: newUuid(now), at: this.at, source: source.name };
  }

  async run(): Promise<TeamReadReport> {
    const { newest, isOwn } = this.state;
    const arrivals: Arrival[] = [];
    const lines = [...newest.values()]
      .filter(it => !isOwn(it))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    // First what goes: a fact that was withdrawn and one that another member shares may be the same.
    for (const line of lines) {
      const before = this.state.received.get(line.id);
      if (before?.line === line.hash) await this.readAgain(line, before);
      else if (line.fact === undefined) await this.withdraw(line, before);
    }
    for (const line of lines) {
      const before = this.state.received.get(line.id);
      if (before?.line === line.hash || line.fact === undefined) continue;
      const arrival = await this.receive(line, line.fact, before);
      if (arrival !== undefined) arrivals.push(arrival);
    }
    const known = await findKnownHashes(
      this.ctx,
      arrivals.map(it => hashContent(it.fact.content)),
    );
    const fresh = new Map<string, Arrival>();
    const repeated: Arrival[] = [];
    for (const it of arrivals) {
      const hash = hashContent(it.fact.content);
      if (known.has(hash) || fresh.has(hash)) repeated.push(it);
      else fresh.set(hash, it);
    }
    const toAdd = [...fresh.values()];
    for (let from = 0; from < toAdd.length; from += batchSize) await this.add(toAdd.slice(from, from + batchSize));
    for (const it of repeated) await this.noteKnown(it);
    return this.report();
  }

  private async report(): Promise<TeamReadReport> {
    const contradictions = await contradictionsOf(
      this.store,
      this.changes.map(it => it.id),
    );
    const isNew = this.changes.some(it => it.what === 'added' || it.what === 'changed');
    return {
      folder: this.source.name,
      ...(isNew ? { id: this.importName.id } : {}),
      changes: this.changes.map(it => ({
        ...it,
        contradicts: it.what === 'withdrawn' ? [] : (contradictions.get(it.id) ?? []),
      })),
      known: this.known,
      refused: this.refused,
    };
  }

  /** A line that was read: its author may be known by now. */
  private async readAgain(line: PlacedLine, before: ReceivedLine): Promise<void> {
    if (line.fact !== undefined) this.known++;
    if (before.author.endsWith('>')) return;
    const author = await this.source.authorOf(line);
    if (author === before.author) return;
    await this.write(async tx => {
      await tx.putRecord('receivedShare', line.id, { ...before, author } satisfies ReceivedLine);
      const memory = before.isMade ? await tx.get(before.memory ?? '') : undefined;
      if (memory === undefined) return [];
      await tx.update({ ...memory, provenance: { ...memory.provenance, author } }, 'import', { author: 'known' });
      return [memory.id];
    });
  }

  /** Archives what came by the line, unless a person has made it theirs, or another member shares it too. */
  private async withdraw(line: PlacedLine, before: ReceivedLine | undefined): Promise<void> {
    const author = await this.source.authorOf(line);
    const id = before?.memory;
    const isMade = before?.isMade === true;
    await this.write(async tx => {
      const memory = isMade && id !== undefined ? await tx.get(id) : undefined;
      const body: ReceivedLine = { line: line.hash, isMade, author, ...(id === undefined ? {} : { memory: id }) };
      await tx.putRecord('receivedShare', line.id, body);
      if (memory?.status !== 'active' || this.isSharedByOthers(memory, line.id)) return [];
      const isUntouched = isOfTeamAlone(memory);
      this.note(isUntouched ? 'withdrawn' : 'kept', memory, author);
      if (!isUntouched) return [];
      await this.archive(tx, memory);
      return [memory.id];
    });
  }

  private isSharedByOthers({ contentHash }: Memory, id: string): boolean {
    return [...this.state.newest.values()].some(
      it => it.id !== id && it.fact !== undefined && hashContent(it.fact.content) === contentHash,
    );
  }

  /** What is still to be remembered of a new line; undefined where nothing is. */
  private async receive(
    line: PlacedLine,
    fact: SharedFact,
    before: ReceivedLine | undefined,
  ): Promise<Arrival | undefined> {
    const author = await this.source.authorOf(line);
    const made = before?.isMade === true ? (await this.store.get([before.memory ?? '']))[0] : undefined;
    const arrival = { line, fact, author, kept: undefined, isChange: false };
    if (made === undefined) return arrival;
    const isSameText = made.contentHash === hashContent(fact.content);
    if (isSameText && made.archiveReason === 'gone') {
      await this.restore(line, made, author);
      return undefined;
    }
    if (isSameText || made.status !== 'active') return arrival;
    if (!isOfTeamAlone(made)) {
      this.note('kept', made, author);
      return { ...arrival, kept: made };
    }
    if (!this.isSharedByOthers(made, line.id)) {
      await this.write(async tx => {
        const current = await tx.get(made.id);
        if (current !== undefined) await this.archive(tx, current);
        return [made.id];
      });
    }
    return { ...arrival, isChange: true };
  }

  private async restore(line: PlacedLine, made: Memory, author: string): Promise<void> {
    await this.write(async tx => {
      const { archivedAt, archiveReason, ...current } = (await tx.get(made.id)) ?? made;
      const provenance = { ...current.provenance, author };
      await tx.update({ ...current, provenance, status: 'active', updatedAt: this.at }, 'restore', { by: 'team' });
      await this.recordLine(tx, line, { memory: made.id, isMade: true, author });
      return [made.id];
    });
    this.note('restored', made, author);
  }

  /** A fact that a memory here says already, whatever became of it. */
  private async noteKnown({ line, fact, author }: Arrival): Promise<void> {
    const hash = hashContent(fact.content);
    const find = (tx: StoreTransaction): Promise<Memory[]> => tx.findByHash([hash], '');
    const [found] = await this.store.write(this.ctx.host.client, find);
    // It came from the team before: two members share it.
    const isMade = found?.provenance.author !== undefined;
    if (isMade && found.archiveReason === 'gone') {
      await this.restore(line, found, author);
      return;
    }
    this.known++;
    await this.write(async tx => {
      await this.recordLine(tx, line, { ...(found === undefined ? {} : { memory: found.id }), isMade, author });
      return [];
    });
  }

  /** Remembers facts as notes of the project, each with its author and the record of its line in one transaction. */
  private async add(arrivals: readonly Arrival[]): Promise<void> {
    const { ctx } = this;
    const byHash = new Map(arrivals.map(it => [hashContent(it.fact.content), it]));
    const inputs = arrivals.map(({ line, fact: { content, gate, kind, tags, said }, author }) => ({
      content,
      gate,
      kind,
      tags,
      at: said,
      author,
      ...this.fileOf(line),
      source: 'import' as const,
      lane: 'note' as const,
      store: 'project' as const,
      whole: true,
    }));
    const outcomes = await remember(ctx, inputs, this.onWritten, async (tx, _store, changes) => {
      for (const { before, after } of changes) {
        const arrival = before === undefined ? byHash.get(after.contentHash) : undefined;
        if (arrival === undefined) continue;
        const { expiresAt, ...lasting } = (await tx.get(after.id))!;
        // A member vouches for it: it fades as what an assistant was asked to note does, and does not expire before.
        await tx.update(lasting, 'import', { by: 'team' });
        await this.recordLine(tx, arrival.line, { memory: after.id, isMade: true, author: arrival.author });
        if (arrival.kept === undefined) continue;
        const edge = { source: after.id, target: arrival.kept.id, type: 'contradicts' as const };
        await tx.link([{ ...edge, strength: changedCertainty, reason: changedReason }]);
      }
      await recordImport(tx, this.importName, { changes });
    });
    for (const [i, arrival] of arrivals.entries()) await this.noteOutcome(arrival, outcomes[i]?.[0]);
  }

  private fileOf(line: PlacedLine): { readonly file?: string } {
    const file = this.source.fileOf(line);
    return file === undefined ? {} : { file };
  }

  private async noteOutcome(arrival: Arrival, outcome: RememberOutcome | undefined): Promise<void> {
    const { line, author } = arrival;
    if (outcome?.outcome === 'stored') {
      this.note(arrival.isChange ? 'changed' : 'added', outcome, author);
      return;
    }
    if (outcome?.outcome === 'reinforced') this.known++;
    else {
      const reason = outcome?.reason ?? messageTemplates.saysNothing;
      this.refused.push({ where: describePlace(line), reason });
    }
    const memory = outcome?.outcome === 'reinforced' ? { memory: outcome.id } : {};
    await this.write(async tx => {
      await this.recordLine(tx, line, { ...memory, isMade: false, author });
      return [];
    });
  }

  private recordLine(tx: StoreTransaction, { id, hash }: PlacedLine, body: Omit<ReceivedLine, 'line'>): Promise<void> {
    return tx.putRecord('receivedShare', id, { ...body, line: hash } satisfies ReceivedLine);
  }

  /** No person forgot it: it comes back when it is shared or said again. */
  private archive(tx: StoreTransaction, memory: Memory): Promise<void> {
    const archived = { status: 'archived', archiveReason: 'gone', archivedAt: this.at } as const;
    return tx.update({ ...memory, ...archived }, 'archive', { reason: 'gone', by: 'team' });
  }

  private note(what: TeamChange['what'], { id, content }: Pick<Memory, 'id' | 'content'>, author: string): void {
    const careful = describeInstructionMarks(content);
    this.changes.push({ what, id, content, author, ...(careful === undefined ? {} : { careful }) });
  }

  /** @param work returns the ids of the memories that it wrote */
  private async write(work: (tx: StoreTransaction) => Promise<readonly string[]>): Promise<void> {
    const ids = await this.store.write(this.ctx.host.client, work);
    if (ids.length > 0) this.onWritten(this.store, ids);
  }
}

/** Whether no person here has confirmed, pinned or otherwise vouched for what came. */
function isOfTeamAlone({ lane, pinned, feedback, usefulCount }: Memory): boolean {
  return lane === 'note' && !pinned && feedback <= 0 && usefulCount === 0;
}

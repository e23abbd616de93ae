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
import type { MemoryChange } from '../remember/factWriter.js';
import { pruneIntakes, type IntakeName } from '../remember/intakeLog.js';
import { remember } from '../remember/remember.js';
import { hashContent } from '../store/contentHash.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { describePlace, type PlacedLine, type SharedFact } from './teamLine.js';
import { applyDecision, isApplied } from './decisions.js';
import { describeFolderClock } from './earlyLines.js';
import {
  contradictionsOf,
  isNews,
  isOutdated,
  readTeamState,
  type ReceivedLine,
  type TeamSource,
  type TeamState,
} from './teamState.js';

type WriteListener = (store: Store, ids: readonly string[]) => void;
/** @param left facts that are still to be read */
type BatchListener = (left: number) => Promise<void>;

/** Facts per transaction: between two of them calls are answered. */
const batchSize = 200;
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
 * changed or put away stays as it is. Reading twice changes nothing. It is logged as an import, which can be taken back.
 * @param afterBatch called before the first batch of new facts and after each; what it throws ends the reading
 * @throws what writing a store throws; what was written stays, and the next time goes on from there
 */
export async function readShares(
  ctx: Context,
  source: TeamSource,
  onWritten: WriteListener,
  afterBatch: BatchListener = () => Promise.resolve(),
): Promise<TeamReadReport> {
  return new ShareReader(ctx, source, await readTeamState(ctx, source), { onWritten, afterBatch }).run();
}

class ShareReader {
  private readonly changes: Omit<TeamChange, 'contradicts'>[] = [];
  private readonly refused: ImportRefusal[];
  private readonly importName: IntakeName;
  private readonly store: Store;
  private readonly at: string;
  /** Ids under which others share a text, by its hash. */
  private readonly sharers: ReadonlyMap<string, readonly string[]>;
  private known = 0;
  private isLogged = false;
  private readonly ctx: Context;
  private readonly onWritten: WriteListener;
  private readonly afterBatch: BatchListener;

  constructor(
    ctx: Context,
    private readonly source: TeamSource,
    private readonly state: TeamState,
    { onWritten, afterBatch }: { readonly onWritten: WriteListener; readonly afterBatch: BatchListener },
  ) {
    this.onWritten = onWritten;
    this.afterBatch = afterBatch;
    this.store = source.store;
    // What another open project knows is not known here.
    this.ctx = { ...ctx, stores: ctx.stores.filter(it => it.store === source.store || it.store.kind === 'global') };
    this.refused = [...state.refused];
    this.sharers = groupSharers(state);
    const now = ctx.host.now();
    this.at = now.toISOString();
    this.importName = { id: newUuid(now), at: this.at, source: source.name };
  }

  async run(): Promise<TeamReadReport> {
    const { newest, isOwn } = this.state;
    const arrivals: Arrival[] = [];
    const { received } = this.state;
    // One's own withdrawal of what another member shared is read as one of theirs.
    const lines = [...newest.values()]
      .filter(it => !isOwn(it) || (it.fact === undefined && received.has(it.id)))
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    // First what goes: a fact that was withdrawn and one that another member shares may be the same.
    const unknown: PlacedLine[] = [];
    for (const line of lines) {
      const before = this.state.received.get(line.id);
      if (before !== undefined && !isNews(line, before)) await this.readAgain(line, before);
      else if (line.fact === undefined && before === undefined && !this.state.isOwnMemory(line.id)) unknown.push(line);
      else if (line.fact === undefined) await this.withdraw(line, before);
    }
    await this.writeEach(unknown, async (tx, line, author) => {
      await this.recordLine(tx, line, { isMade: false, author });
      return undefined;
    });
    for (const line of lines) {
      const before = this.state.received.get(line.id);
      if (line.fact === undefined || !isNews(line, before)) continue;
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
    if (toAdd.length > 0) await this.afterBatch(toAdd.length);
    for (let from = 0; from < toAdd.length; from += batchSize) {
      await this.add(toAdd.slice(from, from + batchSize));
      await this.afterBatch(Math.max(toAdd.length - from - batchSize, 0));
    }
    await this.writeEach(
      repeated.map(it => it.line),
      (tx, line, author) => this.noteKnown(tx, line, author),
    );
    await this.applyDecisions();
    if (this.isLogged) await pruneIntakes(this.ctx, 'import');
    return this.report();
  }

  /** Applies decisions of others, once the facts that it is about are here. */
  private async applyDecisions(): Promise<void> {
    const { isOwn, received, decisions } = this.state;
    const open = decisions.filter(it => !isOwn(it) && !isApplied(it, received));
    if (open.length === 0) return;
    const records = await this.store.records<ReceivedLine>('receivedShare', Number.MAX_SAFE_INTEGER);
    const state = { ...this.state, received: new Map(records.map(it => [it.id, it.body])) };
    await this.writeEach(open, async (tx, line, author) => {
      const effect = await applyDecision(tx, line, { state, author, isOfTeamAlone });
      if (effect === 'wait') return undefined;
      await this.recordLine(tx, line, { isMade: false, author });
      const memory = effect === undefined ? undefined : await tx.get(effect.memory);
      if (effect !== undefined && memory !== undefined)
        this.note(effect.kind === 'asked' ? 'kept' : effect.kind, memory, author);
      return undefined;
    });
  }

  private async report(): Promise<TeamReadReport> {
    const contradictions = await contradictionsOf(
      this.store,
      this.changes.map(it => it.id),
    );
    const clock = await describeFolderClock(this.source, this.state);
    return {
      folder: this.source.name,
      ...(this.isLogged ? { id: this.importName.id } : {}),
      changes: this.changes.map(it => ({
        ...it,
        contradicts: it.what === 'withdrawn' ? [] : (contradictions.get(it.id) ?? []),
      })),
      known: this.known,
      refused: this.refused,
      ...(clock === undefined ? {} : { clock }),
    };
  }

  /** A line that was read: its author may be known by now. */
  private async readAgain(line: PlacedLine, before: ReceivedLine): Promise<void> {
    if (line.fact !== undefined) this.known++;
    if (before.line !== line.hash || before.author.endsWith('>')) return;
    const author = await this.source.authorOf(line);
    if (author === before.author) return;
    const written = await this.store.write(this.ctx.host.client, async tx => {
      await tx.putRecord('receivedShare', line.id, { ...before, author } satisfies ReceivedLine);
      const memory = before.isMade ? await tx.get(before.memory ?? '') : undefined;
      if (memory === undefined) return [];
      // No change that undoing the read takes back.
      await tx.update({ ...memory, provenance: { ...memory.provenance, author } }, 'import', { author: 'known' });
      return [memory.id];
    });
    if (written.length > 0) this.onWritten(this.store, written);
  }

  /** Archives what came by the line, unless a person has made it theirs, or another member shares it too. */
  private async withdraw(line: PlacedLine, before: ReceivedLine | undefined): Promise<void> {
    const author = await this.source.authorOf(line);
    const isMade = before?.isMade === true;
    // What this person shared, and another member withdraws, is known by its own id.
    const own = before === undefined && this.state.isOwnMemory(line.id) ? line.id : undefined;
    const id = isMade ? before.memory : own;
    await this.write(async tx => {
      const memory = id === undefined ? undefined : await tx.get(id);
      await this.recordLine(tx, line, {
        isMade,
        author,
        ...(before?.memory === undefined ? {} : { memory: before.memory }),
      });
      if (memory?.status !== 'active' || this.isSharedByOthers(memory, line.id)) return [];
      if (own === undefined && isOfTeamAlone(memory)) {
        this.note('withdrawn', memory, author);
        return [await this.archive(tx, memory)];
      }
      if (this.state.isOwn(line)) return [];
      this.note('kept', memory, author);
      await this.askPerson(tx, memory, author);
      return [];
    });
  }

  /** What a person confirmed stays until they decide: the withdrawal of a colleague waits with what assistants request. */
  private async askPerson(tx: StoreTransaction, { id }: Memory, author: string): Promise<void> {
    await tx.putRecord('request', id, { action: 'forget', client: 'team', author, at: this.at });
    await tx.announce();
  }

  private isSharedByOthers({ contentHash }: Memory, id: string): boolean {
    return this.sharers.get(contentHash)?.some(it => it !== id) === true;
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
      await this.write(async tx => [await this.restore(tx, { line, author, memory: (await tx.get(made.id)) ?? made })]);
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
        return current === undefined ? [] : [await this.archive(tx, current)];
      });
    }
    return { ...arrival, isChange: true };
  }

  private async restore(
    tx: StoreTransaction,
    { line, author, memory }: Pick<Arrival, 'line' | 'author'> & { readonly memory: Memory },
  ): Promise<MemoryChange> {
    const { archivedAt, archiveReason, ...current } = memory;
    const provenance = { ...current.provenance, author };
    const after = { ...current, provenance, status: 'active', updatedAt: this.at } as const;
    await tx.update(after, 'restore', { by: 'team' });
    await this.recordLine(tx, line, { memory: memory.id, isMade: true, author });
    this.note('restored', memory, author);
    return { before: memory, after };
  }

  /** A fact that a memory here says already, whatever became of it. */
  private async noteKnown(tx: StoreTransaction, line: PlacedLine, author: string): Promise<MemoryChange | undefined> {
    const [found] = await tx.findByHash([hashContent(line.fact!.content)], '');
    // It came from the team before: two members share it.
    const isMade = found?.provenance.author !== undefined;
    if (isMade && found.archiveReason === 'gone') return this.restore(tx, { line, author, memory: found });
    this.known++;
    await this.recordLine(tx, line, { ...(found === undefined ? {} : { memory: found.id }), isMade, author });
    return undefined;
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
        const mark = {
          outdated: arrival.kept.id,
          replacement: after.id,
          type: 'contradicts',
          by: 'model',
          reason: changedReason,
        } as const;
        await tx.markOutdated(mark);
      }
      await recordImport(tx, this.importName, { changes });
      this.isLogged ||= changes.length > 0;
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

  private recordLine(
    tx: StoreTransaction,
    { id, hash, at }: PlacedLine,
    body: Omit<ReceivedLine, 'line' | 'at'>,
  ): Promise<void> {
    return tx.putRecord('receivedShare', id, { ...body, line: hash, at } satisfies ReceivedLine);
  }

  /** No person forgot it: it comes back when it is shared or said again. */
  private async archive(tx: StoreTransaction, memory: Memory): Promise<MemoryChange> {
    const after = { ...memory, status: 'archived', archiveReason: 'gone', archivedAt: this.at } as const;
    await tx.update(after, 'archive', { reason: 'gone', by: 'team' });
    return { before: memory, after };
  }

  private note(what: TeamChange['what'], { id, content }: Pick<Memory, 'id' | 'content'>, author: string): void {
    const careful = describeInstructionMarks(content);
    this.changes.push({ what, id, content, author, ...(careful === undefined ? {} : { careful }) });
  }

  /** In transactions of a batch each, with the author of each line. @param work returns what it changed, for undoing the read */
  private async writeEach<T extends PlacedLine>(
    lines: readonly T[],
    work: (tx: StoreTransaction, line: T, author: string) => Promise<MemoryChange | undefined>,
  ): Promise<void> {
    for (let from = 0; from < lines.length; from += batchSize) {
      const some = lines.slice(from, from + batchSize);
      const authors: string[] = [];
      for (const it of some) authors.push(await this.source.authorOf(it));
      await this.write(async tx => {
        const changes: MemoryChange[] = [];
        for (const [i, line] of some.entries()) {
          const change = await work(tx, line, authors[i]!);
          if (change !== undefined) changes.push(change);
        }
        return changes;
      });
      await this.afterBatch(0);
    }
  }

  /** @param work returns what it changed, for undoing the read */
  private async write(work: (tx: StoreTransaction) => Promise<readonly MemoryChange[]>): Promise<void> {
    const ids = await this.store.write(this.ctx.host.client, async tx => {
      const changes = await work(tx);
      await recordImport(tx, this.importName, { changes });
      return changes.map(it => it.after.id);
    });
    if (ids.length === 0) return;
    this.isLogged = true;
    this.onWritten(this.store, ids);
  }
}

function groupSharers({ newest, received, isOwn }: TeamState): ReadonlyMap<string, readonly string[]> {
  const sharers = new Map<string, string[]>();
  for (const line of newest.values()) {
    if (line.fact === undefined || isOwn(line) || isOutdated(line, received.get(line.id))) continue;
    const hash = hashContent(line.fact.content);
    const ids = sharers.get(hash);
    if (ids === undefined) sharers.set(hash, [line.id]);
    else ids.push(line.id);
  }
  return sharers;
}

/** Whether no person here has confirmed, pinned or otherwise vouched for what came. */
function isOfTeamAlone({ lane, pinned, feedback, usefulCount }: Memory): boolean {
  return lane === 'note' && !pinned && feedback <= 0 && usefulCount === 0;
}

import { stat } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import type { CallTracker } from '../callTracker.js';
import { classify } from '../classify/classify.js';
import type { Context } from '../context.js';
import type { CaptureSource, SessionCapture } from '../model/capture.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import { gateDefaults } from '../model/config.js';
import type { RememberInput } from '../model/rememberInput.js';
import { remember } from '../remember/remember.js';
import type { Store, StoreTransaction } from '../store/store.js';
import type { SessionLine } from './sources/claudeCode.js';
import { TranscriptStats } from './transcriptStats.js';
import { cursorRecordId, type CaptureCursor, type ResumePosition } from './captureCursor.js';
import { extractFacts } from './extractFacts.js';
import { GitHistory } from './gitHistory.js';
import { extractFactsWithModel, maxTurnCharacters, type LabeledTurn } from './extractFactsWithModel.js';
import { isInsideAnyRoot, resolveRealFolders } from './sources/claudeSessions.js';
import { reduceLine, type SessionSummaryState } from './sessionSummary.js';
import { writeSessionSummary } from './summaryWriter.js';
import { transcriptReaders, type TranscriptReader } from './sources/registry.js';

/** Lines done with in one go even where nobody says anything: what a crash makes us read again. */
const maxLinesPerBatch = 5_000;

/** A store that takes what a session says, and how far it has. */
interface CaptureTarget {
  readonly store: Store;
  readonly resumeAt: ResumePosition;
  cursor: CaptureCursor | undefined;
}

/** Something said, with its place in the file. */
interface TranscriptTurn {
  readonly line: Extract<SessionLine, { kind: 'person' | 'outcome' }>;
  readonly endOffset: number;
}

interface ExtractedFact {
  readonly content: string;
  readonly turn: TranscriptTurn;
}

export interface SessionCaptureOptions {
  readonly source: CaptureSource;
  readonly file: string;
  readonly signal: AbortSignal;
  onBytesRead(offset: number): void;
}

/** What came of one file: what was captured, and why it ended before the file did. */
export interface SessionCaptureResult {
  readonly captured: SessionCapture | undefined;
  readonly endReason: 'done' | 'cancelled' | { readonly waitsUntil: Date };
}

/**
 * Captures what a session file says beyond its cursors, batch by batch. The facts of a batch and the cursor behind them
 * are one transaction per store, so that a crash at any moment repeats nothing and skips nothing; each store has a
 * cursor of its own, and takes only what lies behind it.
 * @throws EngineError storeBusy (another process captures the same session), and what remembering throws
 */
export async function captureSession(
  ctx: Context,
  calls: CallTracker,
  options: SessionCaptureOptions,
): Promise<SessionCaptureResult> {
  const { source, file, signal } = options;
  const id = cursorRecordId(source, file);
  const reader = transcriptReaders[source];
  const stores = await findTargetStores(ctx, reader, file);
  const targets = await Promise.all(stores.map(it => openTarget(it, id, { reader, file })));
  const earliestTarget = targets.reduce((low, it) => (it.resumeAt.offset < low.resumeAt.offset ? it : low));
  const run = new CaptureRun({ ctx, calls, id, file, reader, targets, signal }, earliestTarget.cursor?.story ?? {});
  let batch: TranscriptTurn[] = [];
  let characters = 0;
  let lines = 0;
  let end = earliestTarget.resumeAt.offset;
  const stats = new TranscriptStats();
  const flush = async (): Promise<Date | undefined> => {
    const waitsUntil = await run.captureBatch(batch, end);
    options.onBytesRead(end);
    [batch, characters, lines] = [[], 0, 0];
    return waitsUntil;
  };
  for await (const it of reader.readLines(file, earliestTarget.resumeAt.offset)) {
    const { line } = it;
    const isTurn = line.kind === 'person' || line.kind === 'outcome';
    const isFull =
      lines >= maxLinesPerBatch ||
      (isTurn && batch.length > 0 && characters + estimatePromptLength(line) > maxTurnCharacters);
    if (isFull) {
      const waitsUntil = await flush();
      if (waitsUntil !== undefined) return { captured: await run.finish(stats), endReason: { waitsUntil } };
    }
    if (signal.aborted) return { captured: await run.finish(stats), endReason: 'cancelled' };
    stats.add(line);
    run.applyLine(line);
    if (isTurn) {
      batch.push({ line, endOffset: it.endOffset });
      characters += estimatePromptLength(line);
    }
    lines++;
    end = it.endOffset;
  }
  const waitsUntil = lines === 0 ? undefined : await flush();
  return { captured: await run.finish(stats), endReason: waitsUntil === undefined ? 'done' : { waitsUntil } };
}

/** The store of the session's project, the first one where it names none of those that are open; then the global store. */
async function findTargetStores(ctx: Context, reader: TranscriptReader, file: string): Promise<Store[]> {
  const projects = ctx.stores.filter(it => it.store.kind === 'project');
  const global = ctx.stores.filter(it => it.store.kind === 'global');
  const sessionFolder = projects.length > 1 ? await reader.readFolder(file) : undefined;
  let projectStore = projects[0];
  for (const it of projects.toReversed()) {
    if (sessionFolder !== undefined && (await isInsideAnyRoot(sessionFolder, await resolveRealFolders(it.folders))))
      projectStore = it;
  }
  return [...(projectStore === undefined ? [] : [projectStore]), ...global].map(it => it.store);
}

async function openTarget(
  store: Store,
  id: string,
  { reader, file }: { readonly reader: TranscriptReader; readonly file: string },
): Promise<CaptureTarget> {
  const cursor = (await store.record<CaptureCursor>('cursor', id))?.body;
  return { store, cursor, resumeAt: await reader.resumePosition(file, cursor) };
}

/** With the label that a model sees it under. */
const estimatePromptLength = ({ text }: { readonly text: string }): number => text.length + 20;

interface CaptureRunContext {
  readonly ctx: Context;
  readonly calls: CallTracker;
  readonly id: string;
  readonly file: string;
  readonly reader: TranscriptReader;
  readonly targets: readonly CaptureTarget[];
  readonly signal: AbortSignal;
}

/** One file being captured: its story so far, and what was kept. */
class CaptureRun {
  private readonly outcomes: RememberOutcome[] = [];
  private extractedBy: SessionCapture['by'] = 'rule';
  private gitHistory: GitHistory | undefined;
  private lastLineUuid: string | undefined;
  /** As it was at the last cursor: what a batch that waits has told does not count. */
  private committedState: SessionSummaryState;

  constructor(
    private readonly context: CaptureRunContext,
    private state: SessionSummaryState,
  ) {
    this.committedState = state;
  }

  applyLine(line: SessionLine): void {
    this.state = reduceLine(this.state, line);
    if (line.kind !== 'broken' && line.uuid !== undefined) this.lastLineUuid = line.uuid;
  }

  /** Keeps the facts of a batch that ends at an offset. @returns until when it has to wait, and nothing was done */
  async captureBatch(batch: readonly TranscriptTurn[], end: number): Promise<Date | undefined> {
    const { calls, targets, file, reader } = this.context;
    const facts = await this.extractBatchFacts(batch);
    if (facts instanceof Date) return facts;
    this.gitHistory ??= await GitHistory.read(this.state.folder);
    const inputs = facts.map(it => this.toRememberInput(it));
    const cursor: CaptureCursor = {
      file,
      offset: end,
      tail: await reader.hashTail(file, end),
      story: this.state,
      ...(this.lastLineUuid === undefined ? {} : { uuid: this.lastLineUuid }),
    };
    await calls.whenIdle();
    await calls.change(async onWritten => {
      for (const target of targets) {
        if (end <= target.resumeAt.offset && target.resumeAt.capturedUntil === undefined) continue;
        const targetInputs = inputs.filter((it, i) => this.belongsTo(target, it, facts[i]!.turn));
        await this.writeBatch(target, targetInputs, cursor, onWritten);
      }
    });
    this.committedState = this.state;
    return undefined;
  }

  /** The summary, and what came of the file; undefined when there was nothing new. */
  async finish(stats: TranscriptStats): Promise<SessionCapture | undefined> {
    const { ctx, calls, id, file, targets } = this.context;
    const primaryTarget = targets[0]!;
    let summary: string | undefined;
    await calls.change(async onWritten => {
      this.gitHistory ??= await GitHistory.read(this.committedState.folder);
      const written = await writeSessionSummary(ctx, primaryTarget.store, { id, git: this.gitHistory });
      if (written === undefined) return;
      onWritten(primaryTarget.store, [written.id]);
      summary = written.content;
    });
    const { counts } = stats;
    if (counts.lines === 0 && summary === undefined) return undefined;
    const session = this.committedState.session ?? id;
    return { file, session, read: counts, outcomes: this.outcomes, summary, by: this.extractedBy };
  }

  private async extractBatchFacts(batch: readonly TranscriptTurn[]): Promise<readonly ExtractedFact[] | Date> {
    const { ctx, signal } = this.context;
    const model = ctx.models.current();
    if (model.provider !== 'none' && batch.some(it => it.line.kind === 'person')) {
      const facts: ExtractedFact[] = [];
      let answeredByModel = true;
      for (const turns of splitIntoPrompts(batch)) {
        const labeledTurns = turns.map(({ turn, text }): LabeledTurn => ({
          speaker: turn.line.kind === 'person' ? 'person' : 'assistant',
          text,
        }));
        const answer = await extractFactsWithModel(model, labeledTurns, {
          previousSummary: this.state.told,
          log: ctx.host.log,
          signal,
        });
        if (answer === 'none') {
          answeredByModel = false;
          break;
        }
        if ('waitsUntil' in answer) {
          this.state = this.committedState;
          return answer.waitsUntil;
        }
        const { summary } = answer.facts;
        if (summary.trim() !== '') this.state = { ...this.state, told: summary.trim() };
        facts.push(...answer.facts.facts.map(({ content, turn }) => ({ content, turn: turns[turn]!.turn })));
      }
      if (answeredByModel) {
        this.extractedBy = 'model';
        return facts;
      }
    }
    return batch
      .filter(it => it.line.kind === 'person')
      .flatMap(turn => extractFacts(turn.line.text).map(content => ({ content, turn })));
  }

  private toRememberInput({ content, turn }: ExtractedFact): RememberInput {
    const { ctx, id } = this.context;
    const { at, branch, session = this.state.session ?? id } = turn.line;
    // What a line claims of its future would outlive everything; the clock is the host's.
    const assertedAt = at === undefined || Date.parse(at) > ctx.host.now().getTime() ? undefined : at;
    const commit = assertedAt === undefined ? undefined : this.gitHistory?.commitAt(assertedAt);
    return {
      content,
      source: 'conversation',
      lane: 'note',
      whole: true,
      session,
      store:
        gateDefaults[classify(content, assertedAt === undefined ? ctx.host.now() : new Date(assertedAt)).gate].store,
      ...(assertedAt === undefined ? {} : { at: assertedAt }),
      ...(branch === undefined ? {} : { branch }),
      ...(commit === undefined ? {} : { commit }),
    };
  }

  private belongsTo({ store, resumeAt }: CaptureTarget, input: RememberInput, turn: TranscriptTurn): boolean {
    const primaryStore = this.context.targets[0]!.store;
    const destination = input.store === 'global' ? this.context.targets.at(-1)!.store : primaryStore;
    if (destination !== store || turn.endOffset <= resumeAt.offset) return false;
    return resumeAt.capturedUntil === undefined || (turn.line.at ?? '') > resumeAt.capturedUntil;
  }

  /** Facts and cursor in one transaction. */
  private async writeBatch(
    target: CaptureTarget,
    inputs: readonly RememberInput[],
    cursor: CaptureCursor,
    onWritten: (store: Store, ids: readonly string[]) => void,
  ): Promise<void> {
    const { ctx, id } = this.context;
    const previousCursor = target.cursor;
    let nextCursor: CaptureCursor | undefined;
    const advanceCursor = async (tx: StoreTransaction): Promise<void> => {
      const storedCursor = (await tx.record<CaptureCursor>('cursor', id))?.body;
      if (storedCursor?.offset !== previousCursor?.offset || storedCursor?.tail !== previousCursor?.tail) {
        throw new EngineError('storeBusy', 'Another program is capturing this session. Try again in a moment.');
      }
      nextCursor = { ...cursor, ...(storedCursor?.summary === undefined ? {} : { summary: storedCursor.summary }) };
      await tx.putRecord('cursor', id, nextCursor);
    };
    const scopedContext = {
      ...ctx,
      stores: ctx.stores.filter(it => it.store === target.store || it.store.kind === 'global'),
    };
    if (inputs.length > 0)
      this.outcomes.push(...(await remember(scopedContext, inputs, onWritten, advanceCursor)).flat());
    // All of them may have been refused, and then nothing was written.
    if (nextCursor === undefined) await target.store.write(ctx.host.client, advanceCursor);
    target.cursor = nextCursor;
  }
}

/** The turns of a batch in portions that a model takes at once; one that is longer than a portion comes in pieces. */
function splitIntoPrompts(
  batch: readonly TranscriptTurn[],
): { readonly turn: TranscriptTurn; readonly text: string }[][] {
  const prompts: { readonly turn: TranscriptTurn; readonly text: string }[][] = [[]];
  let size = 0;
  const maxPartLength = maxTurnCharacters - 20;
  for (const turn of batch) {
    const { text } = turn.line;
    for (let from = 0; from < text.length; from += maxPartLength) {
      const part = text.slice(from, from + maxPartLength);
      if (size + part.length + 20 > maxTurnCharacters && size > 0) {
        prompts.push([]);
        size = 0;
      }
      prompts.at(-1)!.push({ turn, text: part });
      size += part.length + 20;
    }
  }
  return prompts;
}

/** Bytes of a file. */
export async function readFileSize(file: string): Promise<number> {
  return (await stat(file)).size;
}

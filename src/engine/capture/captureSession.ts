import { stat } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import { omitUndefined } from '../base/omitUndefined.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import type { CaptureSource, SessionCapture } from '../model/capture.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import type { RememberInput } from '../model/rememberInput.js';
import { prepareFacts } from '../remember/prepareFact.js';
import { recordIntakePart, type IntakeName } from '../remember/intakeLog.js';
import { remember } from '../remember/remember.js';
import { isStorableField } from '../secrets/storableText.js';
import type { Store, StoreTransaction } from '../store/store.js';
import { redactSecrets } from '../secrets/secretScanner.js';
import { cursorRecordId, type CaptureCursor, type ResumePosition, type SessionSigns } from './captureCursor.js';
import {
  addCandidates,
  candidatesRecordId,
  pruneCandidates,
  type CandidateInput,
  type CandidateList,
} from './candidates.js';
import { CommandFixes } from './commandFixes.js';
import {
  extractBatch,
  isBehind,
  type ExtractedFact,
  type TranscriptPlace,
  type TranscriptTurn,
} from './extractBatch.js';
import { GitHistory } from './gitHistory.js';
import { maxTurnCharacters, turnLabelLength } from './extractFactsWithModel.js';
import { reduceLine, type SessionSummaryState } from './sessionSummary.js';
import { addSigns } from './sessionAsk.js';
import { writeSessionSummary } from './summaryWriter.js';
import { transcriptReaders } from './sources/registry.js';
import type { TranscriptReader } from './sources/transcriptReader.js';
import { isInsideAnyRoot, resolveRealFolders } from './sources/sessionFiles.js';
import { TranscriptStats, type LineWithOffset } from './sources/sessionLine.js';

/** A crash makes the next capture repeat at most one batch. */
const maxLinesPerBatch = 5_000;
/** What a command needed was seen twice: likelier to last than most of what is said. */
const observedScore = 4;

/** A store that a session is captured into, with its own cursor. */
interface CaptureTarget {
  readonly store: Store;
  readonly resumeAt: ResumePosition;
  cursor: CaptureCursor | undefined;
}

export interface SessionCaptureOptions {
  readonly source: CaptureSource;
  readonly file: string;
  readonly name: IntakeName;
  readonly signal: AbortSignal;
  onBytesRead(offset: number): void;
}

/** `captured` is undefined for a file without new lines. `waitsUntil` is when the model may be asked again. */
export interface SessionCaptureResult {
  readonly captured: SessionCapture | undefined;
  readonly endReason: 'done' | 'cancelled' | { readonly waitsUntil: Date };
}

/**
 * Captures a session file behind its cursors, in batches. The facts of a batch and the moved cursor are one transaction
 * per store: a crash at any time neither repeats nor skips a line. Each store has its own cursor.
 * @throws EngineError storeBusy (another process captures the same session), and what `remember` throws
 */
export async function captureSession(
  ctx: Context,
  calls: CallTracker,
  options: SessionCaptureOptions,
): Promise<SessionCaptureResult> {
  const { source, file, name, signal } = options;
  const id = cursorRecordId(source, file);
  const reader = transcriptReaders[source];
  const stores = await findTargetStores(ctx, reader, file);
  const targets = await Promise.all(stores.map(it => openTarget(it, id, { reader, file })));
  const earliestTarget = targets.reduce((low, it) => (it.resumeAt.offset < low.resumeAt.offset ? it : low));
  const run = new CaptureRun(
    { ctx, calls, id, file, name, reader, targets, signal },
    earliestTarget.cursor?.story ?? {},
  );
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
    run.applyLine(it);
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

/** The store of the session's project, by default the first project's; then the global store. */
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

const estimatePromptLength = ({ text }: { readonly text: string }): number => text.length + turnLabelLength;

interface CaptureRunContext {
  readonly ctx: Context;
  readonly calls: CallTracker;
  readonly id: string;
  readonly file: string;
  readonly name: IntakeName;
  readonly reader: TranscriptReader;
  readonly targets: readonly CaptureTarget[];
  readonly signal: AbortSignal;
}

/** The capture of one file. */
class CaptureRun {
  private readonly outcomes: RememberOutcome[] = [];
  private extractedBy: SessionCapture['by'] = 'rule';
  private gitHistory: GitHistory | undefined;
  private lastLineUuid: string | undefined;
  private readonly commandFixes = new CommandFixes();
  /** What commands needed, found since the last batch. */
  private fixes: ExtractedFact[] = [];
  /** The state at the last written cursor, restored when a batch has to wait. */
  private committedState: SessionSummaryState;

  constructor(
    private readonly context: CaptureRunContext,
    private state: SessionSummaryState,
  ) {
    this.committedState = state;
  }

  applyLine({ line, endOffset }: LineWithOffset): void {
    this.state = reduceLine(this.state, line);
    if (line.kind === 'malformed') return;
    if (line.uuid !== undefined) this.lastLineUuid = line.uuid;
    if (line.work === undefined) return;
    for (const content of this.commandFixes.read(line.work))
      this.fixes.push({ input: { content }, turn: { line, endOffset } });
  }

  /** Remembers the facts of a batch and moves the cursors to `end`. @returns until when the batch has to wait, with nothing written */
  async captureBatch(batch: readonly TranscriptTurn[], end: number): Promise<Date | undefined> {
    const { calls, targets, file, reader } = this.context;
    const extracted = await extractBatch(this.context.ctx, batch, {
      previousSummary: this.state.told,
      signal: this.context.signal,
    });
    if ('waitsUntil' in extracted) {
      this.state = this.committedState;
      return extracted.waitsUntil;
    }
    const { facts } = extracted;
    if (extracted.by === 'model') this.extractedBy = 'model';
    if (extracted.summary !== undefined) this.state = { ...this.state, told: extracted.summary };
    const { fixes } = this;
    this.fixes = [];
    this.gitHistory ??= await GitHistory.read(this.state.folder);
    const inputs = facts.map(it => this.toRememberInput(it));
    const cursor: CaptureCursor = {
      file: redactSecrets(file),
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
        const candidates =
          target === targets[0]
            ? [
                ...extracted.candidates.filter(it => isBehind(target, it.turn)).map(it => this.toInput(it)),
                ...fixes
                  .filter(it => isBehind(target, it.turn))
                  .map(it => ({ ...this.toInput(it), score: observedScore, isObserved: true as const })),
              ]
            : [];
        const signs = extracted.turns
          .filter(it => isBehind(target, it.turn))
          .reduce<SessionSigns | undefined>((sum, it) => addSigns(sum, it), target.cursor?.signs);
        const withSigns = omitUndefined({ ...cursor, signs });
        await this.writeBatch(target, { inputs: targetInputs, candidates }, withSigns, onWritten);
      }
    });
    this.committedState = this.state;
    return undefined;
  }

  /** Writes the session's summary. @returns undefined for a file without new lines */
  async finish(stats: TranscriptStats): Promise<SessionCapture | undefined> {
    const { ctx, calls, id, file, name, targets } = this.context;
    const primaryTarget = targets[0]!;
    let summary: string | undefined;
    await calls.change(async onWritten => {
      this.gitHistory ??= await GitHistory.read(this.committedState.folder);
      const written = await writeSessionSummary(ctx, primaryTarget.store, { id, name, git: this.gitHistory });
      if (written === undefined) return;
      onWritten(primaryTarget.store, [written.id]);
      summary = written.content;
    });
    const { counts } = stats;
    if (counts.lines === 0 && summary === undefined) return undefined;
    const session = this.committedState.session ?? id;
    return { file, session, read: counts, outcomes: this.outcomes, summary, by: this.extractedBy };
  }

  private toRememberInput(fact: ExtractedFact): RememberInput {
    const { ctx, targets } = this.context;
    const input = this.toInput(fact);
    const stores = ctx.stores.filter(it => targets.some(target => target.store === it.store));
    const [prepared] = prepareFacts({ ...ctx, stores }, input);
    return prepared === undefined || 'refused' in prepared ? input : { ...input, store: prepared.store.kind };
  }

  private toInput({ turn, input: { reason, ...input } }: ExtractedFact): CandidateInput {
    const { ctx, id } = this.context;
    const { at, session = this.state.session ?? id } = turn.line;
    // A time in the future would outlive every other memory.
    const assertedAt = at === undefined || Date.parse(at) > ctx.host.now().getTime() ? undefined : at;
    const commit = assertedAt === undefined ? undefined : this.gitHistory?.commitAt(assertedAt);
    const { branch = assertedAt === undefined ? undefined : this.gitHistory?.branchAt(assertedAt) } = turn.line;
    const isSafe = reason !== undefined && isStorableField(reason);
    return {
      ...input,
      source: 'conversation',
      lane: 'note',
      whole: true,
      session,
      ...omitUndefined({ at: assertedAt, branch, commit, turn: turn.line.uuid, reason: isSafe ? reason : undefined }),
    };
  }

  private belongsTo(target: CaptureTarget, input: RememberInput, turn: TranscriptPlace): boolean {
    const primaryStore = this.context.targets[0]!.store;
    const destination = input.store === 'global' ? this.context.targets.at(-1)!.store : primaryStore;
    return destination === target.store && isBehind(target, turn);
  }

  /** Writes facts and cursor in one transaction. */
  private async writeBatch(
    target: CaptureTarget,
    {
      inputs,
      candidates,
    }: { readonly inputs: readonly RememberInput[]; readonly candidates: readonly CandidateInput[] },
    cursor: CaptureCursor,
    onWritten: (store: Store, ids: readonly string[]) => void,
  ): Promise<void> {
    const { ctx, id, name } = this.context;
    const previousCursor = target.cursor;
    let nextCursor: CaptureCursor | undefined;
    const advanceCursor = async (tx: StoreTransaction): Promise<void> => {
      const storedCursor = (await tx.record<CaptureCursor>('cursor', id))?.body;
      if (storedCursor?.offset !== previousCursor?.offset || storedCursor?.tail !== previousCursor?.tail) {
        throw new EngineError('storeBusy', 'Another program is capturing this session. Try again in a moment.');
      }
      nextCursor = { ...cursor, ...(storedCursor?.summary === undefined ? {} : { summary: storedCursor.summary }) };
      await tx.putRecord('cursor', id, nextCursor);
      if (candidates.length > 0) {
        const recordId = candidatesRecordId(id);
        const known = await tx.record<CandidateList>('state', recordId);
        await tx.putRecord('state', recordId, addCandidates(known, candidates, ctx.host.now()));
        await pruneCandidates(tx, target.store, recordId, ctx.host.now());
      }
    };
    const scopedContext = {
      ...ctx,
      stores: ctx.stores.filter(it => it.store === target.store || it.store.kind === 'global'),
    };
    if (inputs.length > 0)
      this.outcomes.push(
        ...(
          await remember(scopedContext, inputs, onWritten, async (tx, _store, changes) => {
            await advanceCursor(tx);
            const created = changes.filter(it => it.before === undefined).map(it => it.after.id);
            if (created.length > 0) await recordIntakePart(tx, 'capture', name, { created });
          })
        ).flat(),
      );
    // `remember` writes nothing where all facts are refused.
    if (nextCursor === undefined) await target.store.write(ctx.host.client, advanceCursor);
    target.cursor = nextCursor;
  }
}

/** In bytes. */
export async function readFileSize(file: string): Promise<number> {
  return (await stat(file)).size;
}

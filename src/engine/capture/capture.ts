import path from 'node:path';
import { realpath } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import { newUuid } from '../base/uuid.js';
import { message } from '../base/localizableMessage.js';
import { describeFileError, isFileError, openRegularFile } from '../base/regularFile.js';
import type { CallTracker } from '../store/callTracker.js';
import type { Context } from '../context.js';
import {
  captureConsentId,
  type CaptureResult,
  type CapturePreview,
  type CaptureProgress,
  type CaptureSource,
  type CandidateDecision,
  type CaptureCandidate,
  type CaptureConsent,
  type FailedSession,
  type GitLogReport,
  type SessionCapture,
  type SessionPreview,
} from '../model/capture.js';
import type { RememberOutcome } from '../model/rememberOutcome.js';
import { pruneIntakes } from '../remember/intakeLog.js';
import type { Store } from '../store/store.js';
import { decideCandidates, listCandidates } from './candidates.js';
import { cursorRecordId, type CaptureCursor, type ResumePosition } from './captureCursor.js';
import { maxTurnCharacters } from './extractFactsWithModel.js';
import { captureSession, readFileSize, type SessionCaptureResult } from './captureSession.js';
import { readGitLog } from './gitLog.js';
import { claimTurns } from './sessionAsk.js';
import { transcriptReaders } from './sources/registry.js';
import { TranscriptStats } from './sources/sessionLine.js';

export interface CaptureInput {
  readonly source: CaptureSource;
  /** Session files to read; default: those of the open folders in the source's own folder. */
  readonly files?: readonly string[];
}

export interface CaptureOptions extends CaptureInput {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CaptureProgress) => void;
}

/** Captures notes from sessions with an assistant, of sources that the person has allowed. Part of the façade. */
export class Capture {
  constructor(
    private readonly ctx: Context,
    private readonly calls: CallTracker,
  ) {}

  /**
   * What `run` would read now, per file, and what it would send to a language model. Stores nothing.
   * @throws EngineError invalidInput (no such file)
   */
  preview(input: CaptureInput): Promise<CapturePreview> {
    return this.calls.run(async () => {
      const sessions: SessionPreview[] = [];
      const { files, failed } = await this.resolveFiles(input);
      for (const file of files) {
        try {
          sessions.push(await this.previewSession(input.source, file));
        } catch (error) {
          failed.push(toFailedSession(file, error));
        }
      }
      const { provider } = this.ctx.host.config().model;
      const unreadWithTurns = sessions.map(it => it.unread).filter(it => it.personTurns > 0);
      const characters = unreadWithTurns.reduce((sum, it) => sum + it.characters, 0);
      const calls = unreadWithTurns.reduce((sum, it) => sum + Math.ceil(it.characters / maxTurnCharacters), 0);
      return {
        source: input.source,
        isAllowed: await this.hasConsent(input.source),
        sessions,
        failed,
        folder: input.files === undefined ? this.ctx.host.sessionFolders?.[input.source] : undefined,
        sends: provider === 'none' ? undefined : { provider, calls, characters },
      };
    });
  }

  /** Whether the person has allowed this source with the current language model provider. */
  isAllowed(source: CaptureSource): Promise<boolean> {
    return this.calls.run(() => this.hasConsent(source));
  }

  /** Records the person's consent, given after a preview. */
  allow(source: CaptureSource): Promise<void> {
    return this.recordConsent(source, true);
  }

  /** Withdraws the consent. Captured memories stay. */
  forbid(source: CaptureSource): Promise<void> {
    return this.recordConsent(source, false);
  }

  /**
   * Captures the new lines of an allowed source's sessions, oldest first, in the background. An abort by `signal` or by
   * closing ends it as `cancelled`; the next run resumes there, as it does after a crash. A file that cannot be read is
   * skipped, and named in the result.
   * @throws EngineError notAllowed | invalidInput, and what `remember` throws
   */
  run({ signal, onProgress = () => undefined, ...input }: CaptureOptions): Promise<CaptureResult> {
    return this.calls.runInBackground(signal, async abortSignal => {
      if (!(await this.hasConsent(input.source))) {
        throw new EngineError(
          'notAllowed',
          'Sessions are captured only once you have allowed it. Look at the preview, then allow it.',
        );
      }
      const { files, failed } = await this.resolveFiles(input);
      const sizes = await Promise.all(files.map(it => readFileSize(it).catch(() => 0)));
      const total = sizes.reduce((sum, it) => sum + it, 0);
      const sessions: SessionCapture[] = [];
      const startedAt = this.ctx.host.now();
      const name = { id: newUuid(startedAt), at: startedAt.toISOString(), source: input.source };
      const finish = async (
        rest: Pick<CaptureResult, 'cancelled' | 'waitsUntil'> = { cancelled: false, waitsUntil: undefined },
      ): Promise<CaptureResult> => {
        const hasStored = sessions.some(session => session.outcomes.some(it => it.outcome === 'stored'));
        if (!rest.cancelled) await pruneIntakes(this.ctx, 'capture');
        return { ...(hasStored ? { id: name.id } : {}), sessions, failed, ...rest };
      };
      let bytesDone = 0;
      for (const [i, file] of files.entries()) {
        const onBytesRead = (offset: number): void => {
          onProgress({ file, done: Math.min(total, bytesDone + offset), total });
        };
        const { captured, endReason } = await captureSession(this.ctx, this.calls, {
          source: input.source,
          file,
          name,
          signal: abortSignal,
          onBytesRead,
        }).catch((error: unknown): SessionCaptureResult => {
          // An aborted model request or a closing store: finished batches are stored.
          if (abortSignal.aborted && EngineError.is(error)) return { captured: undefined, endReason: 'cancelled' };
          failed.push(toFailedSession(file, error));
          return { captured: undefined, endReason: 'done' };
        });
        if (captured !== undefined) sessions.push(captured);
        if (endReason === 'cancelled') return finish({ cancelled: true, waitsUntil: undefined });
        if (endReason !== 'done') return finish({ cancelled: false, waitsUntil: endReason.waitsUntil });
        bytesDone += sizes[i]!;
      }
      return finish();
    });
  }

  /** What was said in captured sessions and may be lasting; rules alone keep none of it. Best first, twenty at most a project. */
  candidates(): Promise<readonly CaptureCandidate[]> {
    return this.calls.run(() => listCandidates(this.ctx));
  }

  /**
   * Keeps candidates as confirmed memories, and takes them and the dropped ones off the list; one that is refused stays.
   * @throws EngineError notFound (an id that is not listed), and what `remember` throws; then nothing is decided
   */
  decide(decision: CandidateDecision): Promise<readonly RememberOutcome[]> {
    return this.calls.change(async onWritten =>
      (await decideCandidates(this.ctx, decision, onWritten)).flatMap(it => it.outcomes),
    );
  }

  /**
   * Lists what reverts and merges in the history of a project say as candidates; keeps nothing.
   * @throws EngineError invalidInput (no history of git), and what writing a store throws
   */
  readGitLog(folder?: string): Promise<GitLogReport> {
    return this.calls.run(() => readGitLog(this.ctx, folder));
  }

  /**
   * The person's turns that an assistant is asked about at the end of a captured session: at most once per session, and
   * only where something lasting seems to have been said.
   */
  claimTurns(
    input: { readonly source: CaptureSource; readonly file: string },
    signal: AbortSignal,
  ): Promise<readonly string[] | undefined> {
    return this.calls.run(async () =>
      claimTurns(this.ctx, { source: input.source, file: await realpath(input.file) }, signal),
    );
  }

  private get globalStore(): Store {
    return this.ctx.globalStore;
  }

  private async hasConsent(source: CaptureSource): Promise<boolean> {
    const consent = (await this.globalStore.record<CaptureConsent>('state', captureConsentId(source)))?.body;
    const { provider } = this.ctx.host.config().model;
    return consent?.isAllowed === true && (provider === 'none' || consent.provider === provider);
  }

  private recordConsent(source: CaptureSource, isAllowed: boolean): Promise<void> {
    return this.calls.run(async () => {
      const { provider } = this.ctx.host.config().model;
      await this.globalStore.write(this.ctx.host.client, async tx => {
        await tx.putRecord('state', captureConsentId(source), { isAllowed, provider } satisfies CaptureConsent);
        await tx.log('consent', { capture: source, isAllowed, provider });
      });
    });
  }

  /** @throws EngineError invalidInput where none of the named files can be read */
  private async resolveFiles({
    source,
    files: named,
  }: CaptureInput): Promise<{ readonly files: readonly string[]; readonly failed: FailedSession[] }> {
    const failed: FailedSession[] = [];
    if (named === undefined) {
      const folder = this.ctx.host.sessionFolders?.[source];
      const { workspaceFolders } = this.ctx.host;
      if (folder === undefined) return { files: [], failed };
      const listed = transcriptReaders[source].listFiles(folder, workspaceFolders).catch((error: unknown) => {
        failed.push(toFailedSession(folder, error));
        return [];
      });
      return { files: await listed, failed };
    }
    const files: string[] = [];
    for (const it of named) {
      const file = path.resolve(it);
      try {
        await (await openRegularFile(file, { maxBytes: Infinity })).close();
        files.push(await realpath(file));
      } catch (error) {
        const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
        const missing = new EngineError('notFound', message`There is no file ${file}. Name a session file.`);
        if (named.length === 1) throw isMissing ? missing : error;
        failed.push(isMissing ? { file, problem: missing.message } : toFailedSession(file, error));
      }
    }
    return { files, failed };
  }

  private async previewSession(source: CaptureSource, file: string): Promise<SessionPreview> {
    const id = cursorRecordId(source, file);
    const reader = transcriptReaders[source];
    const positions: ResumePosition[] = [];
    let cursor: CaptureCursor | undefined;
    for (const { store } of this.ctx.stores) {
      cursor = (await store.record<CaptureCursor>('cursor', id))?.body;
      positions.push(await reader.resumePosition(file, cursor));
    }
    const stats = new TranscriptStats();
    let session: string | undefined;
    for await (const { line } of reader.readLines(file, Math.min(...positions.map(it => it.offset)))) {
      stats.add(line);
      if (line.kind !== 'malformed') session ??= line.session;
    }
    return {
      file,
      session: session ?? cursor?.story.session ?? path.basename(file).replace(/\.jsonl?$/iu, ''),
      folder: cursor?.story.folder ?? (await reader.readFolder(file)),
      // A session in a database has no file of its own.
      bytes: await readFileSize(file).catch(() => 0),
      unread: stats.counts,
    };
  }
}

/** @throws the error, where it is not about the file */
function toFailedSession(file: string, error: unknown): FailedSession {
  if (!isFileError(error)) throw error;
  return { file, problem: describeFileError(file, error) };
}

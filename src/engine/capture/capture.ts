import path from 'node:path';
import { realpath } from 'node:fs/promises';
import { EngineError } from '../base/errors.js';
import { message } from '../base/message.js';
import type { Calls } from '../calls.js';
import type { Context } from '../context.js';
import {
  consentId,
  type Captured,
  type CapturePreview,
  type CaptureProgress,
  type CaptureSource,
  type Consent,
  type SessionCapture,
  type SessionPreview,
} from '../model/capture.js';
import type { Store } from '../store/store.js';
import { Counting } from './counting.js';
import { cursorId, type Cursor, type Position } from './cursor.js';
import { turnCharacters } from './modelFacts.js';
import { captureSession, sizeOfFile, type SessionResult } from './session.js';
import { transcripts } from './transcripts.js';

export interface CaptureInput {
  readonly source: CaptureSource;
  /** Session files to read; left out, those of the open folders where the host says that the source keeps them. */
  readonly files?: readonly string[];
}

export interface CaptureOptions extends CaptureInput {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: CaptureProgress) => void;
}

/** Memories from sessions with an assistant: only from sources that a person has allowed, and only as notes. */
export class Capture {
  constructor(
    private readonly ctx: Context,
    private readonly calls: Calls,
  ) {}

  /**
   * Exactly what `run` would read now, file by file, and what would be sent to whom. Reads the files and keeps nothing.
   * @throws EngineError invalidInput (no such file)
   */
  preview(input: CaptureInput): Promise<CapturePreview> {
    return this.calls.run(async () => {
      const sessions: SessionPreview[] = [];
      for (const file of await this.filesOf(input)) sessions.push(await this.look(input.source, file));
      const { provider } = this.ctx.host.config().model;
      const turns = sessions.map(it => it.unread).filter(it => it.personTurns > 0);
      const characters = turns.reduce((sum, it) => sum + it.characters, 0);
      const calls = turns.reduce((sum, it) => sum + Math.ceil(it.characters / turnCharacters), 0);
      return {
        source: input.source,
        isAllowed: await this.mayRun(input.source),
        sessions,
        folder: input.files === undefined ? this.ctx.host.sessionFolders?.[input.source] : undefined,
        sends: provider === 'none' ? undefined : { provider, calls, characters },
      };
    });
  }

  /** Whether a person has allowed this source, and the language model that is set now. */
  isAllowed(source: CaptureSource): Promise<boolean> {
    return this.calls.run(() => this.mayRun(source));
  }

  /** A person's word, after they have seen a preview: sessions of the source may be read, and sent as it says. */
  allow(source: CaptureSource): Promise<void> {
    return this.decide(source, true);
  }

  /** Takes it back. What was captured stays. */
  forbid(source: CaptureSource): Promise<void> {
    return this.decide(source, false);
  }

  /**
   * Captures what is new in the sessions of an allowed source, oldest first. Makes way for calls. Called off by `signal`
   * or by closing it ends soon, `cancelled`; the next run goes on from there, as it does after a crash.
   * @throws EngineError notAllowed | invalidInput, and what remembering throws
   */
  run({ signal, onProgress = () => undefined, ...input }: CaptureOptions): Promise<Captured> {
    return this.calls.inBackground(signal, async until => {
      if (!(await this.mayRun(input.source))) {
        throw new EngineError(
          'notAllowed',
          'Sessions are captured only once you have allowed it. Look at the preview, then allow it.',
        );
      }
      const files = await this.filesOf(input);
      const sizes = await Promise.all(files.map(sizeOfFile));
      const total = sizes.reduce((sum, it) => sum + it, 0);
      const sessions: SessionCapture[] = [];
      let before = 0;
      for (const [i, file] of files.entries()) {
        const onBytes = (offset: number): void => {
          onProgress({ file, done: Math.min(total, before + offset), total });
        };
        const { captured, ended } = await captureSession(this.ctx, this.calls, {
          source: input.source,
          file,
          signal: until,
          onBytes,
        }).catch((error: unknown): SessionResult => {
          // A model that was being asked, a store that is being closed: what was kept before is kept.
          if (until.aborted && EngineError.is(error)) return { captured: undefined, ended: 'cancelled' };
          throw error;
        });
        if (captured !== undefined) sessions.push(captured);
        if (ended === 'cancelled') return { sessions, cancelled: true, waitsUntil: undefined };
        if (ended !== 'done') return { sessions, cancelled: false, waitsUntil: ended.waitsUntil };
        before += sizes[i]!;
      }
      return { sessions, cancelled: false, waitsUntil: undefined };
    });
  }

  private get global(): Store {
    return this.ctx.stores.find(it => it.store.kind === 'global')!.store;
  }

  private async mayRun(source: CaptureSource): Promise<boolean> {
    const consent = (await this.global.record<Consent>('state', consentId(source)))?.body;
    const { provider } = this.ctx.host.config().model;
    return consent?.isAllowed === true && (provider === 'none' || consent.provider === provider);
  }

  private decide(source: CaptureSource, isAllowed: boolean): Promise<void> {
    return this.calls.run(async () => {
      const { provider } = this.ctx.host.config().model;
      await this.global.write(this.ctx.host.client, async tx => {
        await tx.putRecord('state', consentId(source), { isAllowed, provider } satisfies Consent);
        await tx.log('consent', { capture: source, isAllowed, provider });
      });
    });
  }

  private async filesOf({ source, files }: CaptureInput): Promise<readonly string[]> {
    if (files === undefined) {
      const folder = this.ctx.host.sessionFolders?.[source];
      return folder === undefined ? [] : transcripts[source].files(folder, this.ctx.host.workspaceFolders);
    }
    return Promise.all(
      files.map(async it => {
        const size = await sizeOfFile(it).catch(() => undefined);
        if (size === undefined)
          throw new EngineError('invalidInput', message`There is no file ${path.resolve(it)}. Name a session file.`);
        return realpath(it);
      }),
    );
  }

  private async look(source: CaptureSource, file: string): Promise<SessionPreview> {
    const id = cursorId(source, file);
    const reader = transcripts[source];
    const positions: Position[] = [];
    let cursor: Cursor | undefined;
    for (const { store } of this.ctx.stores) {
      cursor = (await store.record<Cursor>('cursor', id))?.body;
      positions.push(await reader.position(file, cursor));
    }
    const counting = new Counting();
    let session: string | undefined;
    for await (const { line } of reader.lines(file, Math.min(...positions.map(it => it.offset)))) {
      counting.add(line);
      if (line.kind !== 'broken') session ??= line.session;
    }
    return {
      file,
      session: session ?? cursor?.story.session ?? path.basename(file).replace(/\.jsonl?$/iu, ''),
      folder: cursor?.story.folder ?? (await reader.folderOf(file)),
      bytes: await sizeOfFile(file),
      unread: counting.count,
    };
  }
}

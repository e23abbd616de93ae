import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { Log } from '../../engine/model/host.js';
import { commandIds, type CommandId } from '../contributions.js';
import type { Notice, Notices } from '../notices.js';
import { sentenceOf } from '../sentence.js';

type Run = (...args: readonly unknown[]) => unknown;

/** Registers commands and is the one place where their failures end: one sentence, and the log for the rest. */
export class Commands implements vscode.Disposable {
  private readonly disposables: vscode.Disposable[] = [];

  constructor(
    private readonly output: Log,
    private readonly notices: Notices,
  ) {}

  register(id: CommandId, run: Run): void {
    const guarded = async (...args: readonly unknown[]): Promise<unknown> => {
      try {
        return await run(...args);
      } catch (error) {
        this.report(id, error, () => vscode.commands.executeCommand(id, ...args));
        return undefined;
      }
    };
    this.disposables.push(vscode.commands.registerCommand(id, guarded));
  }

  /** Work that nobody waits for, such as the answer to a notification. */
  inBackground(what: string, work: PromiseLike<unknown>): void {
    work.then(undefined, (error: unknown) => {
      this.report(what, error);
    });
  }

  /** Tells a person something. The answer may come much later, or never: the command itself is done. */
  tell(what: string, notice: Notice): void {
    this.inBackground(what, this.notices.tell(notice));
  }

  dispose(): void {
    for (const it of this.disposables) it.dispose();
  }

  /** Tells a person what went wrong; `again` is offered where another try may help. */
  report(what: string, error: unknown, again?: () => Thenable<unknown>): void {
    if (error instanceof vscode.CancellationError) return;
    this.log(what, error);
    void this.show(sentenceOf(error), canBeRetried(error) ? again : undefined);
  }

  /** Notes a failure that the person is told of elsewhere. */
  log(what: string, error: unknown): void {
    // An expected failure is told to the person; its stack would say nothing more.
    if (EngineError.is(error) && error.code !== 'internal') this.output.warn(`${what}: ${error.code}`);
    else this.output.error(`${what} failed.`, error);
  }

  private async show(sentence: string, again: (() => Thenable<unknown>) | undefined): Promise<void> {
    const showLog = vscode.l10n.t('Show Log');
    const retry = vscode.l10n.t('Retry');
    const chosen = await vscode.window.showErrorMessage(sentence, ...(again === undefined ? [] : [retry]), showLog);
    if (chosen === showLog) await vscode.commands.executeCommand(commandIds.showLog);
    if (chosen === retry) await again?.();
  }
}

/** What may be different the next time, without the person typing anything else. */
function canBeRetried(error: unknown): boolean {
  const codes = [
    'storeUnavailable',
    'storeReadOnly',
    'storeFull',
    'storeBusy',
    'storeTooNew',
    'storeDamaged',
    'unsupportedFile',
    'downloadFailed',
    'checksumMismatch',
    'modelUnavailable',
    'closed',
  ];
  return EngineError.is(error) && codes.includes(error.code);
}

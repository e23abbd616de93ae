import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { EngineError, type EngineErrorCode } from '../../engine/base/errors.js';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Log } from '../../engine/model/host.js';
import { commandIds, formerCommandIds, type CommandId } from '../contributions.js';
import { statusMessageMs, type UserNotification, type Notifications } from '../ui/notifications.js';
import { localizedErrorMessage } from '../l10n/errorMessage.js';
import { showMessage, showStatusMessage } from '../ui/messages.js';
import type { UndoableChange, UndoHistory } from '../undo/undoHistory.js';

type CommandHandler = (...args: readonly unknown[]) => unknown;

/**
 * VS Code gives the focus back to a webview some 50 ms after its palette has closed, and a quick pick that is open by
 * then closes.
 */
const webviewFocusMs = 200;

/** Registers commands, and reports their failures: one sentence to the user, details to the log. */
export class CommandRegistry implements vscode.Disposable {
  private readonly runEmitter = new vscode.EventEmitter<CommandId>();
  private readonly disposables: vscode.Disposable[] = [];

  /** Fires when a command is run, before its work. */
  readonly onDidRun = this.runEmitter.event;

  constructor(
    private readonly logger: Log,
    private readonly notifications: Notifications,
    private readonly history: UndoHistory,
    /** Opens the memory again, for another try where a store could not be used. */
    private readonly reopen: () => Promise<void>,
  ) {}

  register(id: CommandId, handler: CommandHandler): void {
    const handleAndReport = async (...args: readonly unknown[]): Promise<unknown> => {
      this.runEmitter.fire(id);
      try {
        // The palette gives no arguments.
        if (args.length === 0 && isWebviewActive()) await setTimeout(webviewFocusMs);
        return await handler(...args);
      } catch (error) {
        this.report(id, error, () => vscode.commands.executeCommand(id, ...args));
        return undefined;
      }
    };
    this.disposables.push(vscode.commands.registerCommand(id, handleAndReport));
  }

  /** Has former ids, which keybindings may have, do what the commands of today do. */
  registerFormerIds(): void {
    for (const [former, id] of Object.entries(formerCommandIds)) {
      const runCommand = (...args: readonly unknown[]): unknown => vscode.commands.executeCommand(id, ...args);
      this.disposables.push(vscode.commands.registerCommand(former, runCommand));
    }
  }

  /** Reports the failure of work that is not awaited, such as the action of a notification. */
  runInBackground(operation: string, work: PromiseLike<unknown>): void {
    work.then(undefined, (error: unknown) => {
      this.report(operation, error);
    });
  }

  /** Shows a notification without waiting for its buttons, which may be pressed much later or never. */
  notify(operation: string, notice: UserNotification): void {
    this.runInBackground(operation, this.notifications.notify(notice));
  }

  /**
   * Says in the status bar what a person changed. Its undo is the first row of the tree, which stays, and "Undo Last Change":
   * a message with the same button would say it twice.
   */
  notifyChange(operation: CommandId, engine: MemoryEngine, message: string, change: UndoableChange): void {
    this.recordChange(operation, engine, change);
    showStatusMessage(message, statusMessageMs, 'check');
  }

  /** The same without a message, where the row itself shows the change. */
  recordChange(operation: CommandId, engine: MemoryEngine, change: UndoableChange): void {
    this.runInBackground(operation, this.history.record(engine, change));
  }

  /** Says in the status bar what a person changed and nothing undoes. */
  notifyFinalChange(operation: CommandId, engine: MemoryEngine, message: string): void {
    this.noteFinalChange(operation, engine);
    showStatusMessage(message, statusMessageMs, 'check');
  }

  /** The same without a message, where another one says it. */
  noteFinalChange(operation: CommandId, engine: MemoryEngine): void {
    this.runInBackground(operation, this.history.clear(engine));
  }

  dispose(): void {
    for (const it of [this.runEmitter, ...this.disposables]) it.dispose();
  }

  /** Shows an error. The button "Retry" is offered where another try may succeed. */
  report(operation: string, error: unknown, retry?: () => Thenable<unknown>): void {
    if (error instanceof vscode.CancellationError) return;
    this.logFailure(operation, error);
    const retryOnOpened = async (): Promise<void> => {
      if (mayOpenBetter(error)) await this.reopen();
      await retry?.();
    };
    const isOffered = retry !== undefined && isRetryable(error);
    void this.showFailure(localizedErrorMessage(error), isOffered ? retryOnOpened : undefined);
  }

  /** Logs a failure that is reported to the user elsewhere. */
  logFailure(operation: string, error: unknown): void {
    // The stack of an expected failure adds nothing to its message.
    if (EngineError.is(error) && error.code !== 'internal') this.logger.warn(`${operation}: ${error.code}`);
    else this.logger.error(`${operation} failed.`, error);
  }

  private async showFailure(sentence: string, retryAction: (() => Thenable<unknown>) | undefined): Promise<void> {
    const showLogLabel = vscode.l10n.t('Show Log');
    const retryLabel = vscode.l10n.t('Retry');
    const selectedLabel = await showMessage(
      'error',
      sentence,
      ...(retryAction === undefined ? [] : [retryLabel]),
      showLogLabel,
    );
    if (selectedLabel === showLogLabel) await vscode.commands.executeCommand(commandIds.showLog);
    if (selectedLabel === retryLabel) await retryAction?.();
  }
}

function isWebviewActive(): boolean {
  return vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputWebview;
}

/** Whether a store that is opened again may do what it refused: it was read-only when it was opened, or its file is gone. */
function mayOpenBetter(error: unknown): boolean {
  const codes: readonly EngineErrorCode[] = ['storeUnavailable', 'storeReadOnly', 'storeFull', 'storeDamaged'];
  return EngineError.is(error) && codes.includes(error.code);
}

/** Whether the same call may succeed later. */
function isRetryable(error: unknown): boolean {
  const retryableCodes: readonly EngineErrorCode[] = [
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
  return EngineError.is(error) && retryableCodes.includes(error.code);
}

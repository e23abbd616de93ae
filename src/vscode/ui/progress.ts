import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import { toPlainMessage } from './markdown.js';

interface Progress {
  readonly done: number;
  readonly total: number;
}

/** The cancellation and progress options of the engine's methods. */
interface ProgressContext {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

interface ProgressOptions {
  readonly title: string;
  /** False where the work cannot be cancelled. */
  readonly cancellable?: false;
  /** Formats an amount; absent = the bar is shown without a message. */
  readonly unit?: (amount: number) => string;
  /** Progress restarts with each pass. It is then reported by message only, because a bar cannot go back. */
  readonly hasMultiplePasses?: true;
}

/** Faster work shows no notification, which VS Code would keep for at least 800 ms and show only three of. */
const showAfterMs = 300;

/**
 * Runs work, and when that takes a while shows a notification with its progress and a button to cancel.
 * @throws CancellationError when the button was pressed and the work failed with `aborted`
 */
export async function withProgress<T>(
  options: ProgressOptions,
  work: (progressContext: ProgressContext) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let latestProgress: Progress = { done: 0, total: 1 };
  let reportLatest: ((progress: Progress) => void) | undefined;
  const onProgress = (progress: Progress): void => {
    latestProgress = progress;
    reportLatest?.(progress);
  };
  const result = work({ signal: controller.signal, onProgress });
  if (await settlesWithin(showAfterMs, result)) return result;
  const { title, cancellable = true } = options;
  const notification = { location: vscode.ProgressLocation.Notification, title: toPlainMessage(title), cancellable };
  return vscode.window.withProgress(notification, async (progress, token) => {
    const cancellationListener = token.onCancellationRequested(() => {
      controller.abort();
    });
    reportLatest = createReporter(progress, options);
    reportLatest(latestProgress);
    try {
      return await result;
    } catch (error) {
      if (token.isCancellationRequested && EngineError.is(error, 'aborted')) throw new vscode.CancellationError();
      throw error;
    } finally {
      cancellationListener.dispose();
    }
  });
}

async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return Promise.race([ended, pause(ms, false)]);
}

/** Reports only whole percents. */
function createReporter(
  notification: vscode.Progress<{ readonly message?: string; readonly increment?: number }>,
  { unit, hasMultiplePasses }: ProgressOptions,
): (progress: Progress) => void {
  let [reportedPercent, maxPercent] = [0, 0];
  return ({ done, total }) => {
    const percent = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (percent === reportedPercent) return;
    const increment = hasMultiplePasses === true ? {} : { increment: Math.max(0, percent - maxPercent) };
    const message = unit === undefined ? {} : { message: vscode.l10n.t('{0} of {1}', unit(done), unit(total)) };
    notification.report({ ...increment, ...message });
    [reportedPercent, maxPercent] = [percent, Math.max(maxPercent, percent)];
  };
}

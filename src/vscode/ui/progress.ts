import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';

/** How far work has got, in units of its own. */
interface Progress {
  readonly done: number;
  readonly total: number;
}

/** What work is to look at and to call, as the engine takes it. */
interface ProgressContext {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

interface ProgressOptions {
  readonly title: string;
  /** False where work that has begun cannot be called off. */
  readonly cancellable?: false;
  /** Words for an amount, where a bar without any tells too little. */
  readonly unit?: (amount: number) => string;
  /** It begins anew with each of several passes: words alone tell how far that one is, for a bar cannot go back. */
  readonly hasMultiplePasses?: true;
}

/** What is done by then needs no notification, which VS Code shows for 800 ms at least, and shows no fourth one beside. */
const showAfterMs = 300;

/**
 * Does work, and where that takes more than a moment shows a notification with its progress and a button to cancel.
 * @throws CancellationError when the button was pressed and the work ended because of it
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
  const notification = { location: vscode.ProgressLocation.Notification, title, cancellable };
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

/** Per cent at a time: more often would be more than anybody sees. */
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

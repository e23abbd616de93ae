import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';

/** How far work has got, in units of its own. */
interface Progress {
  readonly done: number;
  readonly total: number;
}

/** What work is to look at and to call, as the engine takes it. */
interface Means {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

interface Options {
  readonly title: string;
  /** False where work that has begun cannot be called off. */
  readonly cancellable?: false;
  /** Words for an amount, where a bar without any tells too little. */
  readonly unit?: (amount: number) => string;
  /** It begins anew with each of several passes: words alone tell how far that one is, for a bar cannot go back. */
  readonly passes?: true;
}

/** What is done by then needs no notification, which VS Code shows for 800 ms at least, and shows no fourth one beside. */
const quietMs = 300;

/**
 * Does work, and where that takes more than a moment shows a notification with its progress and a button to cancel.
 * @throws CancellationError when the button was pressed and the work ended because of it
 */
export async function withProgress<T>(options: Options, work: (means: Means) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let latest: Progress = { done: 0, total: 1 };
  let show: ((progress: Progress) => void) | undefined;
  const onProgress = (progress: Progress): void => {
    latest = progress;
    show?.(progress);
  };
  const working = work({ signal: controller.signal, onProgress });
  if (await endsWithin(quietMs, working)) return working;
  const { title, cancellable = true } = options;
  const notification = { location: vscode.ProgressLocation.Notification, title, cancellable };
  return vscode.window.withProgress(notification, async (progress, token) => {
    const cancelling = token.onCancellationRequested(() => {
      controller.abort();
    });
    show = showingIn(progress, options);
    show(latest);
    try {
      return await working;
    } catch (error) {
      if (token.isCancellationRequested && EngineError.is(error, 'aborted')) throw new vscode.CancellationError();
      throw error;
    } finally {
      cancelling.dispose();
    }
  });
}

async function endsWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const ended = work.then(
    () => true,
    () => true,
  );
  return Promise.race([ended, pause(ms, false)]);
}

/** Per cent at a time: more often would be more than anybody sees. */
function showingIn(
  notification: vscode.Progress<{ readonly message?: string; readonly increment?: number }>,
  { unit, passes }: Options,
): (progress: Progress) => void {
  let [shown, farthest] = [0, 0];
  return ({ done, total }) => {
    const now = total === 0 ? 100 : Math.floor((100 * done) / total);
    if (now === shown) return;
    const bar = passes === true ? {} : { increment: Math.max(0, now - farthest) };
    const words = unit === undefined ? {} : { message: vscode.l10n.t('{0} of {1}', unit(done), unit(total)) };
    notification.report({ ...bar, ...words });
    [shown, farthest] = [now, Math.max(farthest, now)];
  };
}

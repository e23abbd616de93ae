import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';

type OnProgress = (progress: { readonly done: number; readonly total: number }) => void;

/** Long work with its progress and a button to cancel. @throws CancellationError when it was pressed */
export function withProgress<T>(
  title: string,
  work: (signal: AbortSignal, onProgress: OnProgress) => Promise<T>,
): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const controller = new AbortController();
    const cancelling = token.onCancellationRequested(() => {
      controller.abort();
    });
    let shown = 0;
    try {
      return await work(controller.signal, ({ done, total }) => {
        const now = total === 0 ? 100 : Math.floor((100 * done) / total);
        if (now > shown) progress.report({ increment: now - shown });
        shown = Math.max(shown, now);
      });
    } catch (error) {
      if (token.isCancellationRequested && EngineError.is(error, 'aborted')) throw new vscode.CancellationError();
      throw error;
    } finally {
      cancelling.dispose();
    }
  });
}

import * as vscode from 'vscode';
import { createExtension } from './vscode/activate.js';

let closeExtension: (() => Promise<void>) | undefined;

export function activate(context: vscode.ExtensionContext): void {
  try {
    closeExtension = createExtension(context);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    void vscode.window.showErrorMessage(vscode.l10n.t('Recollect could not start: {0}', reason));
    throw error;
  }
}

/** Resolves once every acknowledged write is on disk. */
export async function deactivate(): Promise<void> {
  await closeExtension?.();
}

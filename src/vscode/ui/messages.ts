import * as vscode from 'vscode';
import { toPlainMessage } from './markdown.js';

// The only file that shows messages, which ESLint holds: a message may quote a memory or name a file of others.

export type MessageSeverity = 'information' | 'warning' | 'error';

/** Shows a notification whose text is no markup. @returns the pressed button */
export function showMessage(
  severity: MessageSeverity,
  message: string,
  ...buttons: readonly string[]
): Thenable<string | undefined> {
  return shown(severity)(toPlainMessage(message), ...buttons);
}

/** Shows a dialog, which draws neither links nor icons. @returns the pressed button; undefined for Cancel */
export function showModal(
  severity: MessageSeverity,
  { question, detail }: { readonly question: string; readonly detail: string },
  ...buttons: readonly string[]
): Thenable<string | undefined> {
  return shown(severity)(question, { modal: true, detail }, ...buttons);
}

/** @param icon of VS Code, before the text */
export function showStatusMessage(message: string, timeoutMs: number, icon?: string): void {
  const text = toPlainMessage(message);
  vscode.window.setStatusBarMessage(icon === undefined ? text : `$(${icon}) ${text}`, timeoutMs);
}

function shown(severity: MessageSeverity): typeof vscode.window.showInformationMessage {
  switch (severity) {
    case 'information':
      return vscode.window.showInformationMessage;
    case 'warning':
      return vscode.window.showWarningMessage;
    case 'error':
      return vscode.window.showErrorMessage;
  }
}

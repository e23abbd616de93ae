import * as vscode from 'vscode';

interface Confirmation {
  readonly question: string;
  readonly detail: string;
  /** The label of the confirming button. VS Code adds Cancel. */
  readonly button: string;
  /** Sets the icon of the dialog. */
  readonly severity?: 'warning';
}

/** Asks in a modal dialog. @returns whether the person pressed the button */
export async function confirmModal({ question, detail, button, severity }: Confirmation): Promise<boolean> {
  const show = severity === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
  return (await show(question, { modal: true, detail }, button)) === button;
}

import * as vscode from 'vscode';

/** Opens a report as an unsaved Markdown document. */
export async function openReport(content: string): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'markdown' }));
}

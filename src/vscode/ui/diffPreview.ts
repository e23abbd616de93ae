import * as vscode from 'vscode';
import { diffPreviewScheme } from '../contributions.js';

/** Texts side by side that lie in no file: what a file is, and what it would become. */
export class DiffPreviews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(diffPreviewScheme, this);
  private diffCount = 0;

  /** Opens a diff editor. @returns how to close it */
  async showDiff(title: string, left: string, right: string): Promise<() => Promise<void>> {
    const diffNumber = ++this.diffCount;
    const [leftUri, rightUri] = [
      this.addText(`${diffNumber}/left/${title}`, left),
      this.addText(`${diffNumber}/right/${title}`, right),
    ];
    await vscode.commands.executeCommand('vscode.diff', leftUri, rightUri, title);
    return async () => {
      const tabs = vscode.window.tabGroups.all.flatMap(it => it.tabs);
      const diffTabs = tabs.filter(
        ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === rightUri.toString(),
      );
      await vscode.window.tabGroups.close(diffTabs);
      for (const it of [leftUri, rightUri]) this.texts.delete(it.toString());
    };
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
  }

  private addText(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: diffPreviewScheme, path: `/${path}` });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}

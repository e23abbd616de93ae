import * as vscode from 'vscode';
import { previewScheme } from './contributions.js';

/** Texts side by side that lie in no file: what a file is, and what it would become. */
export class Previews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(previewScheme, this);
  private count = 0;

  /** Opens a diff editor. @returns how to close it */
  async compare(title: string, left: string, right: string): Promise<() => Promise<void>> {
    const number = ++this.count;
    const [from, to] = [this.keep(`${number}/left/${title}`, left), this.keep(`${number}/right/${title}`, right)];
    await vscode.commands.executeCommand('vscode.diff', from, to, title);
    return async () => {
      const tabs = vscode.window.tabGroups.all.flatMap(it => it.tabs);
      const mine = tabs.filter(
        ({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === to.toString(),
      );
      await vscode.window.tabGroups.close(mine);
      for (const it of [from, to]) this.texts.delete(it.toString());
    };
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
  }

  private keep(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: previewScheme, path: `/${path}` });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}

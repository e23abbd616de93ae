import * as vscode from 'vscode';
import { diffPreviewScheme } from '../contributions.js';

interface DiffOptions {
  /** Sets the language of both sides. */
  readonly fileName: string;
  /** Of the tab; the file's name when absent. */
  readonly title?: string;
  readonly left: string;
  readonly right: string;
}

/** Diff editors of texts that are in no file: a file as it is, and as it would become. */
export class DiffPreviews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(diffPreviewScheme, this);
  private diffCount = 0;

  /** Opens a diff editor. @returns a function that closes it */
  async showDiff({ fileName, title = fileName, left, right }: DiffOptions): Promise<() => Promise<void>> {
    const diffNumber = ++this.diffCount;
    const [leftUri, rightUri] = [
      this.addText(`${diffNumber}/left/${fileName}`, left),
      this.addText(`${diffNumber}/right/${fileName}`, right),
    ];
    await vscode.commands.executeCommand('vscode.diff', leftUri, rightUri, title, { preview: true });
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

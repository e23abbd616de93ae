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

/**
 * The question of a diff, which the buttons of its title answer: the first part of the path of its right side, which the
 * when-clauses of package.json read.
 */
export type DiffQuestion = 'write' | 'sides';
export type DiffAnswer = 'write' | 'cancel' | 'left' | 'right';

/** Diff editors of texts that are in no file: a file as it is, and as it would become. */
export class DiffPreviews implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  /** URI of the right side -> what takes its answer. */
  private readonly questions = new Map<string, (answer: DiffAnswer) => void>();
  private readonly subscriptions: readonly vscode.Disposable[];
  private diffCount = 0;

  constructor() {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(diffPreviewScheme, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const it of closed) this.questions.get(rightSideOf(it)?.toString() ?? '')?.('cancel');
      }),
    ];
  }

  /** Opens a diff editor. @returns a function that closes it */
  async showDiff(options: DiffOptions): Promise<() => Promise<void>> {
    const { close } = await this.open('plain', options);
    return close;
  }

  /** Opens a diff editor whose title has the answers, and closes it once there is one. A tab that is closed cancels. */
  async ask(question: DiffQuestion, options: DiffOptions): Promise<DiffAnswer> {
    const { rightUri, close } = await this.open(question, options);
    const key = rightUri.toString();
    const answer = await new Promise<DiffAnswer>(resolve => {
      this.questions.set(key, resolve);
    });
    this.questions.delete(key);
    await close();
    return answer;
  }

  /** @param uri of the right side, as a button of the title gives it; else the active diff is meant */
  answer(uri: unknown, answer: DiffAnswer): void {
    const asked = uri instanceof vscode.Uri ? uri : rightSideOf(vscode.window.tabGroups.activeTabGroup.activeTab);
    this.questions.get(asked?.toString() ?? '')?.(answer);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    for (const it of this.subscriptions) it.dispose();
  }

  private async open(
    kind: DiffQuestion | 'plain',
    { fileName, title = fileName, left, right }: DiffOptions,
  ): Promise<{ readonly rightUri: vscode.Uri; readonly close: () => Promise<void> }> {
    const diffNumber = ++this.diffCount;
    const [leftUri, rightUri] = [
      this.addText(`${kind}/${diffNumber}/left/${fileName}`, left),
      this.addText(`${kind}/${diffNumber}/right/${fileName}`, right),
    ];
    await vscode.commands.executeCommand('vscode.diff', leftUri, rightUri, title, { preview: kind === 'plain' });
    const close = async (): Promise<void> => {
      const tabs = vscode.window.tabGroups.all.flatMap(it => it.tabs);
      await vscode.window.tabGroups.close(tabs.filter(it => rightSideOf(it)?.toString() === rightUri.toString()));
      for (const it of [leftUri, rightUri]) this.texts.delete(it.toString());
    };
    return { rightUri, close };
  }

  private addText(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: diffPreviewScheme, path: `/${path}` });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}

function rightSideOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff ? tab.input.modified : undefined;
}

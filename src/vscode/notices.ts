import * as vscode from 'vscode';
import { contextKeys } from './contributions.js';

/** Notices that come again and again, and that a person may therefore have seen enough of. Kept by these names. */
export type NoticeTopic = 'remembered' | 'forgotten' | 'decided' | 'merged' | 'maintained' | 'indexed' | 'captured';

export interface Notice {
  readonly message: string;
  readonly severity?: 'warning';
  /** Absent where it does not repeat; then there is no "Don't Show Again". */
  readonly topic?: NoticeTopic;
  /** Buttons; the undo first. */
  readonly actions?: readonly { readonly title: string; readonly run: () => unknown }[];
}

/** Of `globalState`: the topics a person wants to see no more. */
const mutedKey = 'notices.muted';
/** VS Code takes a notification away after about as long; until then a newer one would stand on top of it. */
const toastMs = 15_000;
/** Long enough to be read once. */
const statusMs = 6_000;

/**
 * What Recollect tells a person: one notification at a time, and those that repeat only as long as the person wants them;
 * after that the status bar says the same and it goes away by itself.
 */
export class Notices {
  private shownAt: number | undefined;

  constructor(private readonly kept: vscode.Memento) {
    this.tellContext();
  }

  /** Resolves when the person has pressed a button and its work is done, or has closed the notification. */
  async tell({ message, severity, topic, actions = [] }: Notice): Promise<void> {
    if (topic !== undefined && this.muted().includes(topic)) {
      vscode.window.setStatusBarMessage(`$(thinking) ${message}`, statusMs);
      return;
    }
    await this.makeRoom();
    const never = vscode.l10n.t("Don't Show Again");
    const titles = [...actions.map(it => it.title), ...(topic === undefined ? [] : [never])];
    const show = severity === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const shownAt = Date.now();
    this.shownAt = shownAt;
    const chosen = await show(message, ...titles);
    if (this.shownAt === shownAt) this.shownAt = undefined;
    if (topic !== undefined && chosen === never) await this.mute([...this.muted(), topic]);
    await actions.find(it => it.title === chosen)?.run();
  }

  /** Shows everything again that a person had seen enough of. */
  async showAgain(): Promise<void> {
    await this.mute([]);
  }

  /** The one before goes to the notification centre, where its buttons still work. */
  private async makeRoom(): Promise<void> {
    if (this.shownAt === undefined || Date.now() - this.shownAt > toastMs) return;
    await vscode.commands.executeCommand('notifications.hideToasts');
  }

  private muted(): readonly string[] {
    return this.kept.get<readonly string[]>(mutedKey, []);
  }

  private async mute(topics: readonly string[]): Promise<void> {
    await this.kept.update(mutedKey, topics);
    this.tellContext();
  }

  private tellContext(): void {
    // Nothing waits for it and it cannot fail in a way that anybody could help.
    void vscode.commands.executeCommand('setContext', contextKeys.muted, this.muted().length > 0);
  }
}

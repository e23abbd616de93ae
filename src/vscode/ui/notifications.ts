import * as vscode from 'vscode';
import { contextKeys } from '../contributions.js';

/** Notices that come again and again, and that a person may therefore have seen enough of. Kept by these names. */
export type NotificationTopic =
  'remembered' | 'forgotten' | 'decided' | 'merged' | 'maintained' | 'indexed' | 'captured';

export interface UserNotification {
  readonly message: string;
  readonly severity?: 'warning';
  /** Absent where it does not repeat; then there is no "Don't Show Again". */
  readonly topic?: NotificationTopic;
  /** Buttons; the undo first. */
  readonly actions?: readonly { readonly title: string; readonly run: () => unknown }[];
}

/** Of `globalState`: the topics a person wants to see no more. */
const mutedTopicsKey = 'notices.muted';
/** VS Code takes a notification away after about as long; until then a newer one would stand on top of it. */
const toastDurationMs = 15_000;
/** How long a short message stays in the status bar: long enough to be read once. */
export const statusMessageMs = 4_000;
/** The same for the message of a muted notification, which is longer. */
const mutedMessageMs = 6_000;

/**
 * What Recollect tells a person: one notification at a time, and those that repeat only as long as the person wants them;
 * after that the status bar says the same and it goes away by itself.
 */
export class Notifications {
  private shownAt: number | undefined;

  constructor(private readonly memento: vscode.Memento) {
    this.updateMutedContext();
  }

  /** Resolves when the person has pressed a button and its work is done, or has closed the notification. */
  async notify({ message, severity, topic, actions = [] }: UserNotification): Promise<void> {
    if (topic !== undefined && this.mutedTopics().includes(topic)) {
      vscode.window.setStatusBarMessage(`$(thinking) ${message}`, mutedMessageMs);
      return;
    }
    await this.hidePreviousToast();
    const dontShowAgain = vscode.l10n.t("Don't Show Again");
    const titles = [...actions.map(it => it.title), ...(topic === undefined ? [] : [dontShowAgain])];
    const show = severity === 'warning' ? vscode.window.showWarningMessage : vscode.window.showInformationMessage;
    const shownAt = Date.now();
    this.shownAt = shownAt;
    const selectedTitle = await show(message, ...titles);
    if (this.shownAt === shownAt) this.shownAt = undefined;
    if (topic !== undefined && selectedTitle === dontShowAgain)
      await this.setMutedTopics([...this.mutedTopics(), topic]);
    await actions.find(it => it.title === selectedTitle)?.run();
  }

  /** Shows everything again that a person had seen enough of. */
  async unmuteAll(): Promise<void> {
    await this.setMutedTopics([]);
  }

  /** The one before goes to the notification centre, where its buttons still work. */
  private async hidePreviousToast(): Promise<void> {
    if (this.shownAt === undefined || Date.now() - this.shownAt > toastDurationMs) return;
    await vscode.commands.executeCommand('notifications.hideToasts');
  }

  private mutedTopics(): readonly string[] {
    return this.memento.get<readonly string[]>(mutedTopicsKey, []);
  }

  private async setMutedTopics(topics: readonly string[]): Promise<void> {
    await this.memento.update(mutedTopicsKey, topics);
    this.updateMutedContext();
  }

  private updateMutedContext(): void {
    // Nothing waits for it and it cannot fail in a way that anybody could help.
    void vscode.commands.executeCommand('setContext', contextKeys.muted, this.mutedTopics().length > 0);
  }
}

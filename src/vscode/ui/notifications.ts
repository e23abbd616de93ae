import * as vscode from 'vscode';
import { contextKeys } from '../contributions.js';
import { showMessage, showStatusMessage } from './messages.js';

/** Recurring notifications, which the user can mute. Stored by these names. */
export type NotificationTopic = 'merged' | 'maintained' | 'indexed' | 'captured';

export interface UserNotification {
  readonly message: string;
  readonly severity?: 'warning';
  /** Adds the button "Don't Show Again"; absent when the notification does not recur. */
  readonly topic?: NotificationTopic;
  /** Buttons; the first one stands out. */
  readonly actions?: readonly { readonly title: string; readonly run: () => unknown }[];
}

/** Key of the muted topics in `globalState`. */
const mutedTopicsKey = 'notices.muted';
/** About the time after which VS Code hides a notification; until then a newer one would be stacked on it. */
const toastDurationMs = 15_000;
/** How long a short message stays in the status bar: long enough to be read once. */
export const statusMessageMs = 4_000;
/** The same for the message of a muted notification, which is longer. */
const mutedMessageMs = 6_000;

/** Shows notifications, one at a time. Those of muted topics appear in the status bar for a few seconds instead. */
export class Notifications {
  private shownAt: number | undefined;

  constructor(private readonly memento: vscode.Memento) {
    this.updateMutedContext();
  }

  /** Resolves when the action of the pressed button is done, or when the notification is closed. */
  async notify({ message, severity, topic, actions = [] }: UserNotification): Promise<void> {
    if (topic !== undefined && this.mutedTopics().includes(topic)) {
      showStatusMessage(message, mutedMessageMs, 'thinking');
      return;
    }
    await this.hidePreviousToast();
    const dontShowAgain = vscode.l10n.t("Don't Show Again");
    const titles = [...actions.map(it => it.title), ...(topic === undefined ? [] : [dontShowAgain])];
    const shownAt = Date.now();
    this.shownAt = shownAt;
    const selectedTitle = await showMessage(severity ?? 'information', message, ...titles);
    if (this.shownAt === shownAt) this.shownAt = undefined;
    if (topic !== undefined && selectedTitle === dontShowAgain)
      await this.setMutedTopics([...this.mutedTopics(), topic]);
    await actions.find(it => it.title === selectedTitle)?.run();
  }

  async unmuteAll(): Promise<void> {
    await this.setMutedTopics([]);
  }

  /** Moves the previous notification to the notification center, where its buttons still work. */
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
    void vscode.commands.executeCommand('setContext', contextKeys.muted, this.mutedTopics().length > 0);
  }
}

/**
 * Whether a person really saw what a tool was about to do.
 *
 * VS Code shows our confirmation and calls the tool after a yes, but does not say who gave it: a person, or one of the
 * ways to approve in advance. As of 1.139 those are: the setting `chat.tools.global.autoApprove`
 * (`chat.tools.autoApprove` before 1.104); `chat.permissions.default` and `chat.defaultConfiguration`, with which new
 * chats begin; the permission level picked in a chat's input (Bypass Approvals, Autopilot); "always allow" for one tool;
 * and hooks. Only the settings can be read. The rest shows in the time: such a yes comes at once, and nobody reads a
 * sentence and presses a button in a third of a second.
 *
 * The limit: an approval in advance that takes longer than that (a busy machine, a model that assesses the risk) counts
 * as a person's.
 */
export class ToolApprovals {
  /** What was asked, and when, in milliseconds. Oldest first. */
  private readonly promptedAtByCall = new Map<string, number>();

  constructor(
    private readonly readSetting: (key: string) => unknown,
    private readonly now: () => number,
  ) {}

  /** The confirmation of this call is about to be shown. */
  recordPrompt(tool: string, input: unknown): void {
    const key = callKey(tool, input);
    this.promptedAtByCall.delete(key);
    this.promptedAtByCall.set(key, this.now());
    // Calls that were declined are never taken; nobody has hundreds of questions open.
    for (const oldestKey of this.promptedAtByCall.keys())
      if (this.promptedAtByCall.size > maxPendingPrompts) this.promptedAtByCall.delete(oldestKey);
  }

  /** The call has come: did a person agree to exactly this input? Answers once. */
  consumeApproval(tool: string, input: unknown): boolean {
    const key = callKey(tool, input);
    const promptedAt = this.promptedAtByCall.get(key);
    this.promptedAtByCall.delete(key);
    return promptedAt !== undefined && this.now() - promptedAt >= minReadingMs && !this.isApprovedBySetting(tool);
  }

  private isApprovedBySetting(tool: string): boolean {
    const global = this.readSetting('chat.tools.global.autoApprove');
    const configured = this.readSetting('chat.defaultConfiguration');
    const approvals = isRecord(configured) ? configured.approvals : undefined;
    return (
      global === true ||
      (isRecord(global) && global[tool] === true) ||
      this.readSetting('chat.tools.autoApprove') === true ||
      ['autoApprove', 'autopilot', 'assisted'].includes(String(this.readSetting('chat.permissions.default'))) ||
      ['allowAll', 'assisted'].includes(String(approvals))
    );
  }
}

const minReadingMs = 300;
const maxPendingPrompts = 100;

function callKey(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

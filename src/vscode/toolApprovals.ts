/**
 * Tracks confirmations of tool calls, to decide whether the user has read one.
 *
 * VS Code shows our confirmation and calls the tool once it is approved, but does not expose how: by the user, or by an
 * automatic approval. As of 1.139 those are: the setting `chat.tools.global.autoApprove` (`chat.tools.autoApprove`
 * before 1.104); `chat.permissions.default` and `chat.defaultConfiguration`, which new chats start with; the permission
 * level picked in a chat's input (Bypass Approvals, Autopilot); "always allow" for one tool; and hooks. Only the
 * settings can be read. The others are detected by time: they approve at once, faster than the user could read the
 * confirmation.
 *
 * Limitation: an automatic approval that takes longer (a busy machine, a model that assesses the risk) counts as the
 * user's.
 */
export class ToolApprovals {
  /** Tool and input -> time of the prompt in milliseconds. Oldest first. */
  private readonly promptedAtByCall = new Map<string, number>();

  constructor(
    private readonly readSetting: (key: string) => unknown,
    private readonly now: () => number,
  ) {}

  /** To be called when the confirmation of a call is about to be shown. */
  recordPrompt(tool: string, input: unknown): void {
    const key = callKey(tool, input);
    this.promptedAtByCall.delete(key);
    this.promptedAtByCall.set(key, this.now());
    // Declined calls are never consumed, so the oldest are evicted.
    for (const oldestKey of this.promptedAtByCall.keys())
      if (this.promptedAtByCall.size > maxPendingPrompts) this.promptedAtByCall.delete(oldestKey);
  }

  /** Whether the user has approved a call with exactly this input. Each approval is good for one call. */
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

/** A faster approval is an automatic one. */
const minReadingMs = 300;
const maxPendingPrompts = 100;

function callKey(tool: string, input: unknown): string {
  return `${tool} ${JSON.stringify(input)}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

import type { ClientCall } from '../../engine/access/clientRights.js';
import { briefingTokenBudget } from '../../engine/model/briefing.js';
import type { GuardedCall, HookMoment } from '../../engine/model/guards.js';

export const hookNames = ['session-start', 'prompt', 'before-tool', 'after-tool', 'stop'] as const;
export type HookName = (typeof hookNames)[number];

/** One event of an assistant that a hook answers. */
interface HookEvent {
  /**
   * The names that programs have for it: first the one of Claude Code, Codex and VS Code, which the output has, then that of
   * Copilot CLI. Any other event is not answered.
   */
  readonly events: readonly [string, ...string[]];
  /** The switch of the settings; undefined where the tool call says which one. */
  readonly moment?: HookMoment;
  /**
   * Without an answer by then, an assistant goes on without one. An answer takes a fraction of this, and seconds only where the
   * machine is busy: late, it is still worth more than none.
   */
  readonly timeoutMs: number;
  /** The call that it counts as: an assistant that may not call the tool is not given the same by its hook. */
  readonly call: ClientCall;
  /** Estimated tokens of its answer at most. */
  readonly tokenBudget: number;
}

const recalls = { call: { tool: 'recall', readOnly: true }, tokenBudget: 2_000 } as const;

/** Sent instead of the event after a tool where the call failed. */
const failureEvents: readonly string[] = ['PostToolUseFailure', 'postToolUseFailure'];

export const hookEvents: Readonly<Record<HookName, HookEvent>> = {
  'session-start': {
    events: ['SessionStart', 'sessionStart'],
    moment: 'start',
    timeoutMs: 8_000,
    call: { tool: 'context', readOnly: true },
    tokenBudget: briefingTokenBudget,
  },
  prompt: { events: ['UserPromptSubmit', 'userPromptSubmitted'], moment: 'prompt', timeoutMs: 8_000, ...recalls },
  // Each edit and each command waits for these.
  'before-tool': { events: ['PreToolUse', 'preToolUse'], timeoutMs: 300, ...recalls },
  'after-tool': {
    events: ['PostToolUse', 'postToolUse', ...failureEvents],
    timeoutMs: 300,
    ...recalls,
  },
  // Work in progress may end.
  stop: {
    events: ['Stop', 'agentStop'],
    moment: 'stop',
    timeoutMs: 12_000,
    call: { tool: 'remember', readOnly: false },
    tokenBudget: 2_000,
  },
};

/** The hook that an event is for; undefined for an event that has none. */
export function hookOf(event: string): HookName | undefined {
  return hookNames.find(it => hookEvents[it].events.includes(event));
}

/** Whether an event says by its name that a tool call failed. */
export function isFailureEvent(event: string): boolean {
  return failureEvents.includes(event);
}

/** Whether a hook is one of tool calls. */
export function isToolHook(hook: string | undefined): hook is 'before-tool' | 'after-tool' {
  return hook === 'before-tool' || hook === 'after-tool';
}

/** Whether a tool call is one that a hook has something to say of: after a tool, only its failure. */
export function isCallOf(hook: 'before-tool' | 'after-tool', { moment }: GuardedCall): boolean {
  return (moment === 'failure') === (hook === 'after-tool');
}

import { createHash } from 'node:crypto';
import path from 'node:path';
import type { BriefedProgram } from '../../engine/model/briefing.js';
import type { CaptureSource } from '../../engine/model/capture.js';
import type { GuardedCall } from '../../engine/model/guards.js';
import { hookEvents, type HookName } from './hookEvents.js';
import { readToolCall } from './readToolCall.js';

/**
 * The calling program, and so which keys it writes and reads. `vscode` is VS Code's own chat and also Copilot CLI where its hooks have
 * the names of VS Code's events: their input is alike, and each reads its own part of the output.
 */
export type HookCaller = BriefedProgram;

/** Fields of a hook's input on stdin that we use. */
export interface HookMessage {
  readonly caller: HookCaller;
  /** Programs that send such an input, the likeliest first: the rights of all hold. */
  readonly programs: readonly [BriefedProgram, ...BriefedProgram[]];
  /** Undefined where the input does not name its event. */
  readonly event: string | undefined;
  /** A hash of the session's id, which itself is not kept; undefined where the input names none. */
  readonly session: string | undefined;
  /** A full path. */
  readonly cwd: string | undefined;
  /** Reason for the start of a session: startup, resume, clear, compact, new. */
  readonly source: unknown;
  readonly prompt: string | undefined;
  /** Full path of the session's file, and whose sessions have its format; undefined where that is not known. */
  readonly transcript: SessionFile | undefined;
  /** The assistant goes on because a stop hook asked for something. */
  readonly isContinued: boolean;
  readonly isSubagent: boolean;
  /** The edit or command that begins, or that failed; undefined for any other. */
  readonly toolCall: GuardedCall | undefined;
}

/** A session's file that a hook names. */
export interface SessionFile {
  readonly file: string;
  readonly source: CaptureSource;
}

export type HookInput = Readonly<Record<string, unknown>>;

/** @param input of any shape and any program */
export function readHookMessage(input: HookInput): HookMessage {
  const caller = callerOf(input);
  const event = input.hook_event_name ?? input.hookEventName;
  const { cwd, source, prompt } = input;
  return {
    caller,
    programs: programsOf(caller, input.transcript_path),
    event: event === undefined ? undefined : typeof event === 'string' ? event : '',
    session: hashSession(input.session_id ?? input.sessionId),
    cwd: isFullPath(cwd) ? path.normalize(cwd) : undefined,
    source,
    prompt: typeof prompt === 'string' ? prompt : undefined,
    transcript: sessionFileOf(caller, input.transcript_path ?? input.transcriptPath),
    isContinued: input.stop_hook_active === true,
    isSubagent: input.agent_id !== undefined,
    toolCall: readToolCall(input),
  };
}

/**
 * Copilot CLI names no file of the session before its end, and then one of a folder of its own. VS Code's chat names one, except in
 * a window without a folder.
 */
function programsOf(caller: HookCaller, file: unknown): HookMessage['programs'] {
  if (caller !== 'vscode') return [caller];
  if (typeof file !== 'string') return ['copilot', 'vscode'];
  return isFileOfCopilot(file) ? ['copilot'] : ['vscode'];
}

function isFileOfCopilot(file: string): boolean {
  return /[\\/]session-state[\\/]/u.test(file);
}

const sourcesByCaller: Readonly<Partial<Record<HookCaller, CaptureSource>>> = {
  'claude-code': 'claudeCode',
  codex: 'codex',
  copilot: 'copilotCli',
};

function sessionFileOf(caller: HookCaller, file: unknown): SessionFile | undefined {
  if (!isFullPath(file) || !file.endsWith('.jsonl')) return undefined;
  const source = caller === 'vscode' && isFileOfCopilot(file) ? 'copilotCli' : sourcesByCaller[caller];
  return source === undefined ? undefined : { file, source };
}

/** Answer of a hook. */
export interface HookAnswer {
  /** Empty: nothing. */
  readonly text: string;
  /** Question to the person before the tool is used, where the program can ask. */
  readonly question?: string | undefined;
}

/**
 * The output of a hook, as its caller reads it.
 * @param event as the caller names it; the hook's own where it names none
 */
export function formatHookOutput(caller: HookCaller, hook: HookName, answer: HookAnswer, event?: string): string {
  if (answer.text === '') return '';
  const output = hook === 'stop' ? stopOutput(caller, answer.text) : contextOutput(caller, hook, answer, event);
  return JSON.stringify(output);
}

function contextOutput(
  caller: HookCaller,
  hook: HookName,
  { text: additionalContext, question }: HookAnswer,
  event: string | undefined,
): object {
  // Codex would run the command: it cannot be made to ask, and refuses an output that wants it.
  const asks =
    question === undefined || caller === 'codex'
      ? {}
      : { permissionDecision: 'ask', permissionDecisionReason: question };
  const output = { ...asks, additionalContext };
  if (caller === 'copilot') return output;
  const nested = { hookSpecificOutput: { hookEventName: event ?? hookEvents[hook].events[0], ...output } };
  return caller === 'vscode' ? { ...output, ...nested } : nested;
}

function stopOutput(caller: HookCaller, reason: string): object {
  const block = { decision: 'block', reason };
  // Codex refuses an output with keys that it does not know.
  return caller === 'vscode'
    ? { ...block, hookSpecificOutput: { hookEventName: hookEvents.stop.events[0], ...block } }
    : block;
}

function callerOf({
  hook_event_name,
  hookEventName,
  timestamp,
  turn_id,
  model,
  permission_mode,
}: HookInput): HookCaller {
  if (hook_event_name === undefined && hookEventName === undefined)
    return typeof timestamp === 'number' ? 'copilot' : 'claude-code';
  if (typeof timestamp === 'string') return 'vscode';
  // Claude Code names the model at the start of a session, and has no turns.
  const isCodex = turn_id !== undefined || (model !== undefined && permission_mode !== undefined);
  return isCodex ? 'codex' : 'claude-code';
}

function hashSession(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '') return undefined;
  return createHash('sha256').update(id).digest('hex').slice(0, sessionHashLength);
}

/** 64 bits: more than all sessions of a machine need. */
const sessionHashLength = 16;

function isFullPath(value: unknown): value is string {
  return typeof value === 'string' && path.isAbsolute(value);
}

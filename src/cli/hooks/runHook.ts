import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { appendAccesses } from '../../engine/access/accessLog.js';
import {
  readClientRights,
  requireRight,
  type ClientCall,
  type ClientRights,
} from '../../engine/access/clientRights.js';
import type { StoreKind } from '../../engine/model/memory.js';
import { loadSessionStartContext } from '../../engine/sessionStartContext.js';
import { readFileConfig } from '../../engine/settingsFile.js';
import { findDataDir } from '../dataDir.js';
import { hookClient } from './hookClient.js';
import type { HookTask } from './tasks.js';

/** What this program is called with to do a task of a hook (`hookChild.ts`); for no other use. */
export const hookTaskArgument = 'hook-task';

export const hookNames = ['session-start', 'prompt', 'stop'] as const;
type HookName = (typeof hookNames)[number];

/** What an assistant's hook says on stdin, as far as it concerns us (Claude Code's hooks, 2026). */
interface HookInput {
  readonly cwd?: unknown;
  readonly hook_event_name?: unknown;
  readonly source?: unknown;
  readonly prompt?: unknown;
  readonly transcript_path?: unknown;
  /** The assistant goes on because a stop hook asked for something. */
  readonly stop_hook_active?: unknown;
  /** Of a sub-agent. */
  readonly agent_id?: unknown;
}

interface HookOptions {
  readonly dataDir: string;
  /** Estimated tokens at most. */
  readonly tokenBudget: number;
}

/** After its answer a person does not want to wait; what is not captured now comes later. */
const stopTaskTimeoutMs = 3_000;
/**
 * An assistant waits for its hook: without an answer by then it goes on without one. At a stop, what was begun may end: a
 * batch of a session takes seconds where the machine is busy.
 */
export const hookTimeoutsMs = { 'session-start': 3_000, prompt: 3_000, stop: 12_000 } as const;
/** A harness writes its input at once; where none has come by then, there is none. */
const inputTimeoutMs = 1_500;
/** A prompt and a few paths; what is longer is not ours to read. */
const maxInputLength = 1_000_000;
/** Tokens: what stands at the start of every session is short. */
const defaultTokenBudgets: Readonly<Record<HookName, number>> = { 'session-start': 1_000, prompt: 2_000, stop: 2_000 };
/** Tokens of less than 9,500 characters, more than which assistants cut. */
const maxSessionStartTokens = 2_300;

/**
 * `recollect hook session-start|prompt|stop [--budget N] [--data-dir FOLDER]`. Reads the hook's JSON on stdin and prints
 * what the hook's protocol allows, or nothing. Ends with 0 in time whatever happens: an assistant must never be stopped,
 * nor disturbed, by a memory that cannot be read.
 * @param args what follows `hook`
 */
export async function runHook(args: readonly string[]): Promise<void> {
  const abortController = new AbortController();
  const exitSilently = (): void => {
    abortController.abort();
    process.exit(0);
  };
  const timeouts = hookNames.filter(it => args.includes(it)).map(it => hookTimeoutsMs[it]);
  setTimeout(exitSilently, Math.max(hookTimeoutsMs['session-start'], ...timeouts));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.on(event, exitSilently);
  process.stdout.on('error', exitSilently);
  process.removeAllListeners('warning');
  try {
    const output = await handleEvent(args, abortController.signal);
    if (output !== '')
      await new Promise<void>(resolve =>
        process.stdout.write(output, () => {
          resolve();
        }),
      );
  } catch {
    // No output is read here.
  }
  exitSilently();
}

async function handleEvent(args: readonly string[], signal: AbortSignal): Promise<string> {
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: { 'data-dir': { type: 'string' }, budget: { type: 'string' } },
  });
  const dataDir = values['data-dir'];
  const hook = hookNames.find(it => it === positionals[0]);
  const budget = Number(values.budget);
  const options: HookOptions = {
    dataDir: findDataDir(typeof dataDir === 'string' ? dataDir : undefined).path,
    tokenBudget: Number.isInteger(budget) && budget > 0 ? budget : defaultTokenBudgets[hook ?? 'prompt'],
  };
  const input = await readHookInput();
  if (input === undefined) return '';
  const admitted = hook === undefined ? undefined : await admitHook(hook, options.dataDir);
  if (admitted === undefined) return '';
  if (hook === 'session-start') return onSessionStart(input, options, admitted.store);
  return hook === 'prompt' ? onPrompt(input, options, signal) : onStop(input, options, signal);
}

/** What the hooks amount to: an assistant that may not call the tool is not given the same by its hook. */
const hookCalls: Readonly<Record<HookName, ClientCall>> = {
  'session-start': { tool: 'context', readOnly: true },
  prompt: { tool: 'recall', readOnly: true },
  stop: { tool: 'remember', readOnly: false },
};

/** Undefined where the person does not let the assistant do this. Not `admitClient`, which loads what finds secrets in names. */
async function admitHook(hook: HookName, dataDir: string): Promise<ClientRights | undefined> {
  const call = hookCalls[hook];
  try {
    const rights = readClientRights(dataDir, hookClient);
    requireRight(rights, hookClient, call);
    return rights;
  } catch {
    const refused = { client: hookClient, via: call.tool, at: new Date(), memories: [], refused: true } as const;
    await appendAccesses(dataDir, [refused]).catch(() => undefined);
    return undefined;
  }
}

async function onSessionStart(
  input: HookInput,
  { dataDir, tokenBudget }: HookOptions,
  onlyStore: StoreKind | undefined,
): Promise<string> {
  // A resumed session has had its context already.
  if (isWrongEvent(input, 'SessionStart') || input.source === 'resume') return '';
  const context = await loadSessionStartContext({
    dataDir,
    onlyStore,
    client: hookClient,
    folders: projectFolders(input),
    now: new Date(),
    rules: readFileConfig(dataDir).decay,
    tokenBudget: Math.min(tokenBudget, maxSessionStartTokens),
  });
  return hookOutput('SessionStart', context);
}

async function onPrompt(input: HookInput, { dataDir, tokenBudget }: HookOptions, signal: AbortSignal): Promise<string> {
  const { prompt } = input;
  if (isWrongEvent(input, 'UserPromptSubmit') || typeof prompt !== 'string' || prompt.trim() === '') return '';
  // A command of the assistant's own asks nothing.
  if (prompt.startsWith('/')) return '';
  const [folder] = projectFolders(input);
  const { createPromptTask } = await import('./tasks.js');
  return hookOutput(
    'UserPromptSubmit',
    await runTask(await createPromptTask({ dataDir, folder, prompt, tokenBudget }), signal),
  );
}

/** At most once per session it asks the assistant to remember what was said; a sub-agent is never asked. */
async function onStop(input: HookInput, { dataDir }: HookOptions, signal: AbortSignal): Promise<string> {
  if (isWrongEvent(input, 'Stop')) return '';
  const { transcript_path: file } = input;
  const transcript = typeof file === 'string' && path.isAbsolute(file) && file.endsWith('.jsonl') ? file : undefined;
  const [folder] = projectFolders({ cwd: process.env.CLAUDE_PROJECT_DIR ?? input.cwd });
  const { createStopTask } = await import('./tasks.js');
  const mayAsk = input.stop_hook_active !== true && input.agent_id === undefined;
  const task = await createStopTask({ dataDir, folder, transcript, mayAsk, timeoutMs: stopTaskTimeoutMs });
  const reason = await runTask(task, signal);
  return reason === '' ? '' : JSON.stringify({ decision: 'block', reason });
}

async function runTask(task: HookTask | undefined, signal: AbortSignal): Promise<string> {
  if (task === undefined) return '';
  const { runInChild } = await import('./childProcess.js');
  return runInChild(task, signal);
}

/** Called for another event than it was made for, a hook says nothing. */
function isWrongEvent({ hook_event_name: event }: HookInput, expected: string): boolean {
  return event !== undefined && event !== expected;
}

function hookOutput(hookEventName: string, additionalContext: string): string {
  return additionalContext === '' ? '' : JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } });
}

/** The folder the assistant works in; the home folder and the root of a disk are no project. */
function projectFolders({ cwd }: HookInput): string[] {
  const folder = typeof cwd === 'string' && path.isAbsolute(cwd) ? path.normalize(cwd) : process.cwd();
  return folder === os.homedir() || folder === path.parse(folder).root ? [] : [folder];
}

/** The object on stdin as soon as it is whole, whether or not stdin ends; undefined for anything else. */
async function readHookInput(): Promise<HookInput | undefined> {
  if (process.stdin.isTTY) return undefined;
  let text = '';
  const timer = setTimeout(() => process.stdin.destroy(), inputTimeoutMs);
  try {
    for await (const chunk of process.stdin.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      if (text.length > maxInputLength) return undefined;
      const input = chunk.trimEnd().endsWith('}') ? parseHookInput(text) : undefined;
      if (input !== undefined) return input;
    }
    return parseHookInput(text);
  } finally {
    clearTimeout(timer);
  }
}

function parseHookInput(text: string): HookInput | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/u, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

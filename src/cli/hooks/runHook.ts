import path from 'node:path';
import { appendAccesses, sessionStarted } from '../../engine/access/accessLog.js';
import { readClientRights, requireRight, type ClientRights } from '../../engine/access/clientRights.js';
import { hookClients } from '../../engine/model/briefing.js';
import type { StoreKind } from '../../engine/model/memory.js';
import { readFileConfig } from '../../engine/access/settingsFile.js';
import { findToolCallMatch, type ToolCallMatch } from '../../engine/hooks/toolCallMatch.js';
import { findDataDir } from '../dataDir.js';
import { filterProjects } from '../filterProjects.js';
import { codeOf, runInProcess } from './childProcess.js';
import type { HookCallOptions } from './hookCall.js';
import type { hookContext } from './hookContext.js';
import { hookEvents, hookNames, hookOf, isCallOf, isToolHook, type HookName } from './hookEvents.js';
import {
  formatHookOutput,
  readHookMessage,
  type HookAnswer,
  type HookInput,
  type HookMessage,
} from './hookMessages.js';

/** Code that reads a store is loaded only by the hooks that need it: mostly a tool call is about nothing that is remembered. */
const loadHookContext = (): typeof hookContext =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  (require(path.join(__dirname, 'hookContext.js')) as { readonly hookContext: typeof hookContext }).hookContext;

interface HookOptions {
  readonly dataDir: string;
  /** Estimated tokens at most. */
  readonly tokenBudget: number;
}

/** After its answer a person does not want to wait; what is not captured now comes later. */
const stopTaskTimeoutMs = 3_000;
/** How long noting why it failed may take. */
const noteTimeoutMs = 500;
/** Tokens of less than 9,500 characters, more than which assistants cut. */
const maxSessionStartTokens = 2_300;

/**
 * Prints what the protocol of a hook's caller allows, or nothing. Ends with 0 in time whatever happens: an assistant must never
 * be stopped, nor disturbed, by a memory that cannot be read.
 * @param input which may name the event itself
 */
export async function runHook(options: HookCallOptions, input: HookInput): Promise<void> {
  const abortController = new AbortController();
  const exitSilently = (): void => {
    abortController.abort();
    process.exit(0);
  };
  let running: RunningHook | undefined;
  const fail = (reason: string): void => {
    setTimeout(exitSilently, noteTimeoutMs);
    void noteFailure(running, reason).finally(exitSilently);
  };
  const timeOut = (): void => {
    fail('timeout');
  };
  let timer = setTimeout(timeOut, options.timeoutMs ?? hookEvents['session-start'].timeoutMs);
  const onEvent = (its: RunningHook): void => {
    running = its;
    clearTimeout(timer);
    timer = setTimeout(timeOut, options.timeoutMs ?? hookEvents[its.hook].timeoutMs);
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      fail(codeOf(error));
    });
  process.stdout.on('error', exitSilently);
  process.removeAllListeners('warning');
  try {
    const output = await handleEvent({ given: options, input }, onEvent, abortController.signal);
    if (output !== '')
      await new Promise<void>(resolve =>
        process.stdout.write(output, () => {
          resolve();
        }),
      );
  } catch (error) {
    await noteFailure(running, codeOf(error));
  }
  exitSilently();
}

/** The hook that runs. */
interface RunningHook {
  readonly hook: HookName;
  readonly client: string;
  readonly dataDir: string;
}

/** Leaves in the log of reads why a hook had no answer, for `recollect status`. */
async function noteFailure(running: RunningHook | undefined, failed: string): Promise<void> {
  if (running === undefined) return;
  const { hook, client, dataDir } = running;
  const failure = { client, via: `hook ${hook}`, at: new Date(), memories: [], failed };
  await appendAccesses(dataDir, [failure]).catch(() => undefined);
}

async function handleEvent(
  { given, input }: { readonly given: HookCallOptions; readonly input: HookInput },
  onEvent: (running: RunningHook) => void,
  signal: AbortSignal,
): Promise<string> {
  const message = readHookMessage(input);
  const named = message.event === undefined ? undefined : hookOf(message.event);
  const hook = hookNames.find(it => it === given.event) ?? (given.event === undefined ? named : undefined);
  // Called for another event than it was made for, a hook says nothing.
  if (hook === undefined || (message.event !== undefined && named !== hook)) return '';
  const dataDir = findDataDir(given.dataDir).path;
  onEvent({ hook, client: clientOf(message), dataDir });
  const options: HookOptions = {
    dataDir,
    tokenBudget: given.budget ?? hookEvents[hook].tokenBudget,
  };
  // Mostly a tool call is about nothing that is remembered: the files of keys say so before anything else is read.
  const match = await matchTool(hook, message, dataDir);
  if (match === 'none' || !isSwitchedOn(hook, message, dataDir)) return '';
  const rights = await admitHook(hook, message, dataDir);
  if (rights === undefined) return '';
  const said =
    match === undefined
      ? { text: await answer(hook, message, { options, rights, signal }) }
      : await onToolCall(match, message, { dataDir, rights });
  return formatHookOutput(message.caller, hook, said, message.event);
}

/** Match of the keys with a tool call: `none` where they say nothing; undefined where the hook is of no tool call. */
async function matchTool(
  hook: HookName,
  { toolCall, cwd }: HookMessage,
  dataDir: string,
): Promise<ToolCallMatch | 'none' | undefined> {
  if (!isToolHook(hook)) return undefined;
  if (toolCall === undefined || !isCallOf(hook, toolCall)) return 'none';
  return (await findToolCallMatch(dataDir, projectsOf(cwd)[0], toolCall)) ?? 'none';
}

function isSwitchedOn(hook: HookName, { toolCall }: HookMessage, dataDir: string): boolean {
  const moment = hookEvents[hook].moment ?? toolCall?.moment;
  return moment !== undefined && readFileConfig(dataDir).hooks.moments.includes(moment);
}

async function onToolCall(
  match: ToolCallMatch,
  message: HookMessage,
  { dataDir, rights }: { readonly dataDir: string; readonly rights: ClientRights },
): Promise<HookAnswer> {
  const asker = {
    dataDir,
    client: clientOf(message),
    session: message.session,
    onlyStore: rights.store,
    now: new Date(),
    rules: readFileConfig(dataDir).decay,
  };
  const { context: text, question } = await loadHookContext().loadToolCallContext(match, asker);
  return { text, question };
}

function answer(
  hook: HookName,
  message: HookMessage,
  {
    options,
    rights,
    signal,
  }: { readonly options: HookOptions; readonly rights: ClientRights; readonly signal: AbortSignal },
): Promise<string> {
  if (hook === 'session-start') return onSessionStart(message, options, rights.store);
  return hook === 'prompt' ? onPrompt(message, options, signal) : onStop(message, options, signal);
}

/** Undefined where the person does not let the assistant do this. Not `admitClient`, which loads what finds secrets in names. */
async function admitHook(
  hook: HookName,
  { programs }: HookMessage,
  dataDir: string,
): Promise<ClientRights | undefined> {
  const { call } = hookEvents[hook];
  const admitted: ClientRights[] = [];
  for (const client of programs.map(it => hookClients[it])) {
    try {
      const rights = readClientRights(dataDir, client);
      requireRight(rights, client, call);
      admitted.push(rights);
    } catch {
      const refused = { client, via: call.tool, at: new Date(), memories: [], refused: true } as const;
      await appendAccesses(dataDir, [refused]).catch(() => undefined);
      return undefined;
    }
  }
  const stores = new Set(admitted.flatMap(it => it.store ?? []));
  return stores.size > 1 ? undefined : { ...admitted[0]!, store: [...stores][0] };
}

/** Its name in the log of reads and in the settings. */
function clientOf({ programs: [program] }: HookMessage): string {
  return hookClients[program];
}

async function onSessionStart(
  message: HookMessage,
  { dataDir, tokenBudget }: HookOptions,
  onlyStore: StoreKind | undefined,
): Promise<string> {
  const { session } = message;
  const client = clientOf(message);
  const now = new Date();
  // A resumed session has had its context already. What it was given for its prompts may come again.
  if (message.source === 'resume') {
    const access = { client, session, via: sessionStarted, at: now, memories: [] };
    if (session !== undefined) await appendAccesses(dataDir, [access]).catch(() => undefined);
    return '';
  }
  const { decay, hooks } = readFileConfig(dataDir);
  return loadHookContext().loadSessionStartContext({
    dataDir,
    modelsDir: path.join(__dirname, 'models'),
    onlyStore,
    program: message.programs[0],
    client,
    session,
    isContinued: message.source === 'compact',
    folders: projectsOf(message.cwd),
    now,
    rules: decay,
    withHandover: hooks.moments.includes('handover'),
    tokenBudget: Math.min(tokenBudget, maxSessionStartTokens),
  });
}

function onPrompt(message: HookMessage, { dataDir, tokenBudget }: HookOptions, signal: AbortSignal): Promise<string> {
  const { prompt = '', cwd, session } = message;
  // A command of the assistant's own asks nothing.
  if (prompt.trim() === '' || prompt.startsWith('/')) return Promise.resolve('');
  const [folder] = projectsOf(cwd);
  const client = clientOf(message);
  return runInProcess({ kind: 'prompt', client, session, dataDir, folder, prompt, tokenBudget }, signal);
}

/** At most once per session it asks the assistant to remember what was said; a sub-agent is never asked. */
async function onStop(message: HookMessage, { dataDir }: HookOptions, signal: AbortSignal): Promise<string> {
  const { transcript, isContinued, isSubagent } = message;
  const project = process.env.CLAUDE_PROJECT_DIR;
  const [folder] = projectsOf(project !== undefined && path.isAbsolute(project) ? project : message.cwd);
  const task = await loadHookContext().createStopTask({
    client: clientOf(message),
    dataDir,
    folder,
    transcript,
    mayAsk: !isContinued && !isSubagent,
    timeoutMs: stopTaskTimeoutMs,
  });
  return task === undefined ? '' : runInProcess(task, signal);
}

/** The folder that the assistant works in, where it can be a project. */
const projectsOf = (cwd = process.cwd()): readonly string[] => filterProjects([path.normalize(cwd)]);

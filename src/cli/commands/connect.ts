import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Option, type Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { readTextFile, replaceTextFile } from '../../engine/base/atomicFile.js';
import { EngineError } from '../../engine/base/errors.js';
import { connectableAssistants, type ConnectableAssistant } from '../../engine/connect/assistants.js';
import { ConnectionRecords } from '../../engine/connect/connectionRecords.js';
import { launcherPath, writeLauncher } from '../../engine/connect/launcher.js';
import { addServer, readServerEntry } from '../../engine/connect/mcpConfig.js';
import { formatDate } from '../../engine/model/answer.js';
import { confirm, exitCodes, print, type ExitCode, type WithEngine } from '../command.js';

interface ConnectContext {
  readonly dataDir: () => string;
  /** The folder that is worked in. */
  readonly project: () => string;
  readonly isJson: () => boolean;
  readonly exit: (code: ExitCode) => void;
}

interface ConnectOptions {
  readonly undo?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Traces that are looked through for the last call of each assistant. */
const maxTraces = 500;

/** `recollect connect`, `recollect status` */
export function registerConnectCommands(program: Command, withEngine: WithEngine, context: ConnectContext): void {
  program
    .command('connect')
    .description('let an assistant reach the memory: shows the change of its file, and writes it after a yes')
    .argument('[name]', 'which assistant; without a name: who can reach the memory')
    .option('--undo', 'take the connection back')
    .addOption(new Option('--dry-run', 'show the difference and write nothing').conflicts('yes'))
    .option('--yes', 'write without asking')
    .action(async (name: string | undefined, options: ConnectOptions) => {
      if (name === undefined) await showStatus(withEngine, context);
      else await connect(name, options, context);
    });
  program
    .command('status')
    .description('who can reach the memory: which assistants are here, connected, and when each last asked')
    .action(() => showStatus(withEngine, context));
}

interface AssistantStatus {
  readonly name: string;
  readonly title: string;
  readonly installed: boolean;
  readonly connected: boolean;
  readonly file: string;
  /** When its model last searched the memory, as far as traces go back. */
  readonly lastCall?: string;
  /** Why its file cannot be read. */
  readonly problem?: string;
}

function showStatus(withEngine: WithEngine, context: ConnectContext): Promise<void> {
  return withEngine(async (engine, json) => {
    const traces = await engine.traces(maxTraces);
    const statuses: AssistantStatus[] = [];
    for (const assistant of assistantsHere(context)) {
      const isItsCall = (client = ''): boolean => assistant.clientName.test(client.replace(/^mcp:/u, ''));
      const lastCall = traces.find(it => isItsCall(it.client))?.at;
      statuses.push({ ...(await readStatus(assistant)), ...(lastCall === undefined ? {} : { lastCall }) });
    }
    const gap = engine.maintenance.clockGap;
    const clock =
      gap === undefined
        ? []
        : [
            `No program used the memory from ${gap.from.slice(0, 10)} to ${gap.to.slice(0, 10)}, or the clock is wrong: that time makes no memory older. If the date is right: recollect maintain --confirm-clock`,
            '',
          ];
    print(json, statuses, () => [
      ...clock,
      ...statuses.map(describeStatus),
      '',
      'Connect one with `recollect connect NAME`. The chats of VS Code need no connection where the extension is installed,',
      "and Claude Code none where Recollect's plugin is.",
    ]);
    return exitCodes.ok;
  });
}

async function connect(name: string, { undo, dryRun, yes }: ConnectOptions, context: ConnectContext): Promise<void> {
  const assistant = findAssistant(name, context);
  const { file, config } = assistant;
  const records = new ConnectionRecords(context.dataDir());
  const { text } = await readTextFile(file);
  const entry = assistant.entry(launcherPath(context.dataDir()));
  const current = readServerEntry(text, config);
  const isDone = undo === true ? current === undefined : isDeepStrictEqual(current, entry);
  const after = isDone
    ? text
    : undo === true
      ? await records.originalText(file, text!, config)
      : addServer(text, config, entry);
  const diff = isDone ? '' : createTwoFilesPatch(file, file, text ?? '', after ?? '', 'now', 'then', { context: 3 });
  if (!context.isJson()) print(false, diff, () => [isDone ? describeDone(assistant, undo === true) : diff.trimEnd()]);
  const mayWrite =
    !isDone && dryRun !== true && (yes === true || (!context.isJson() && (await confirm(`Write ${file}?`))));
  if (mayWrite) {
    if (undo !== true) await writeLauncher(context.dataDir(), path.join(__dirname, 'cli.js'));
    await replaceTextFile(file, text, after);
    if (undo === true) await records.remove(file);
    else await records.add(file, text, after!);
    if (!context.isJson()) console.error(describeWritten(assistant, undo === true));
  }
  if (context.isJson()) print(true, { name: assistant.id, file, written: mayWrite, diff }, () => []);
  context.exit(exitCodes.ok);
}

function assistantsHere({ project }: ConnectContext): readonly ConnectableAssistant[] {
  const { env, platform } = process;
  return connectableAssistants({ home: os.homedir(), project: project(), env, platform });
}

/** @throws EngineError invalidInput */
function findAssistant(name: string, context: ConnectContext): ConnectableAssistant {
  const assistants = assistantsHere(context);
  const found = assistants.find(it => it.id === name.toLowerCase() || it.title.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = assistants.map(it => it.id).join(', ');
  throw new EngineError('invalidInput', `${name.slice(0, 40)} cannot be connected here. There are: ${names}.`);
}

async function readStatus(assistant: ConnectableAssistant): Promise<AssistantStatus> {
  const { id, title, file, config, folders, program } = assistant;
  const status = { name: id, title, file, installed: folders.some(it => existsSync(it)) || isOnPath(program) };
  try {
    return { ...status, connected: readServerEntry((await readTextFile(file)).text, config) !== undefined };
  } catch (error) {
    if (!EngineError.is(error)) throw error;
    return { ...status, connected: false, problem: error.message };
  }
}

function isOnPath(program: string | undefined): boolean {
  if (program === undefined) return false;
  const names = process.platform === 'win32' ? ['.exe', '.cmd'].map(it => program + it) : [program];
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.some(folder => names.some(it => existsSync(path.join(folder, it))));
}

function describeStatus({ name, title, installed, connected, lastCall, problem }: AssistantStatus): string {
  const state = problem ?? (connected ? 'connected' : installed ? 'not connected' : 'not found on this machine');
  const last = lastCall === undefined ? '' : `, last asked ${formatDate(lastCall)}`;
  return `${name.padEnd(15)} ${title}: ${state}${last}`;
}

function describeDone({ title, file }: ConnectableAssistant, isUndo: boolean): string {
  return isUndo ? `${title} is not connected in ${file}.` : `${title} is connected in ${file} already.`;
}

function describeWritten({ title, id }: ConnectableAssistant, isUndo: boolean): string {
  if (isUndo) return `${title} no longer reaches the memory from its next start on.`;
  return `${title} can use the memory from its next start on. Take it back with: recollect connect ${id} --undo`;
}

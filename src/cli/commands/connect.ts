import os from 'node:os';
import path from 'node:path';
import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import { listClients } from '../../engine/access/listClients.js';
import { readTextFile, replaceTextFile } from '../../engine/base/atomicFile.js';
import { EngineError } from '../../engine/base/errors.js';
import { shellWord } from '../../engine/base/shellWord.js';
import { connectableAssistants, type ConnectableAssistant, type Places } from '../../connect/assistants.js';
import { readConnections, type AssistantConnection } from '../../connect/connections.js';
import { ConnectionRecords } from '../../connect/connectionRecords.js';
import { launcherPath, writeLauncher } from '../../connect/launcher.js';
import { addServer } from '../../connect/mcpConfig.js';
import { writePlugin } from '../../connect/plugin.js';
import { formatDate } from '../../engine/model/answerText.js';
import type { MemoryEngine } from '../../engine/engine.js';
import {
  agrees,
  argument,
  flag,
  option,
  refuseUnused,
  type CommandAnswer,
  type CommandCaller,
} from '../../operations/personCommand.js';
import { defineProgramCommand, type ProgramCommand } from '../command.js';

/** `recollect connect`, `recollect status` */
export const connectCommands: readonly ProgramCommand[] = [
  defineProgramCommand({
    name: 'connect',
    description: 'let an assistant reach the memory: shows the change of its file, and writes it after a yes',
    input: z.strictObject({
      name: argument('[name]', z.string().exactOptional(), 'which assistant; without a name: who can reach the memory'),
      undo: option('--undo', flag, 'take the connection back'),
      dryRun: option('--dry-run', flag, 'show the difference and write nothing', ['yes']),
      yes: option('--yes', flag, 'write without asking'),
    }),
    async answer({ dataDir }, { name, ...options }, caller) {
      if (name !== undefined) return connect(findAssistant(name), options, { dataDir, caller });
      const { undo, dryRun, yes } = options;
      refuseUnused(
        { '--undo': undo, '--dry-run': dryRun, '--yes': yes },
        'only with the name of an assistant: recollect connect NAME',
      );
      return engine => readStatus(engine, dataDir, caller);
    },
  }),
  defineProgramCommand({
    name: 'status',
    description:
      'who can reach the memory: which assistants are here, connected, when each saw the tools and last called',
    input: z.strictObject({}),
    answer: ({ dataDir }, _input, caller) => Promise.resolve(engine => readStatus(engine, dataDir, caller)),
  }),
  defineProgramCommand({
    name: 'plugin',
    description: 'write the plugin for Claude Code, Copilot and Codex into the data folder, and print where it lies',
    input: z.strictObject({}),
    answer: ({ dataDir }) => writePluginFolder(dataDir),
  }),
];

/** Prints one line: Claude Code runs this as the source of the plugin. */
async function writePluginFolder(storage: string): Promise<CommandAnswer> {
  const launcher = await writeLauncher(storage, path.join(__dirname, 'cli.js'));
  const source = path.join(__dirname, '..', 'media', 'claude-plugin');
  const plugin = await writePlugin({ source, storage, launcher });
  const marketplace = path.dirname(plugin);
  const install = [
    'Install it with one of these:',
    `  claude plugin marketplace add ${shellWord(marketplace)} && claude plugin install recollect@recollect`,
    `  copilot plugin install ${shellWord(plugin)}`,
    `  codex plugin marketplace add ${shellWord(marketplace)} && codex plugin add recollect@recollect && recollect connect codex`,
  ];
  return { output: { plugin, marketplace }, lines: [plugin], hints: process.stderr.isTTY ? install : [] };
}

async function readStatus(
  { maintenance }: MemoryEngine,
  dataDir: string,
  { isJson }: CommandCaller,
): Promise<CommandAnswer> {
  const connections = await readConnections(await listClients(dataDir), places());
  const gap = maintenance.clockGap;
  const clock =
    gap === undefined
      ? []
      : [
          `No program used the memory from ${gap.from.slice(0, 10)} to ${gap.to.slice(0, 10)}, or the clock is wrong: that time makes no memory older. If the date is right: recollect maintain --confirm-clock`,
          '',
        ];
  const rollbacks = await maintenance.olderCopies();
  return {
    output: connections.map(({ assistant: { id: name, title, file }, ...rest }) => ({ name, title, file, ...rest })),
    lines: [
      ...rollbacks.flatMap(it => [it, '']),
      ...clock,
      ...connections.map(describeConnection),
      '',
      'Connect one with `recollect connect NAME`. The chats of VS Code need no connection where the extension is installed,',
      "and a program none where Recollect's plugin is (`recollect plugin`).",
    ],
    remarks: isJson ? rollbacks : [],
  };
}

async function connect(
  assistant: ConnectableAssistant,
  { undo, dryRun, yes }: { readonly undo?: true; readonly dryRun?: true; readonly yes?: true },
  { dataDir, caller }: { readonly dataDir: string; readonly caller: CommandCaller },
): Promise<CommandAnswer> {
  const { id: name, file, config } = assistant;
  const isUndo = undo === true;
  const records = new ConnectionRecords(dataDir);
  const { text } = await readTextFile(file);
  const after = isUndo
    ? text && (await records.originalText(file, text, config))
    : addServer(text, config, assistant.entry(launcherPath(dataDir)));
  const isDone = after === text;
  const diff = isDone ? '' : createTwoFilesPatch(file, file, text ?? '', after ?? '', 'now', 'then', { context: 3 });
  caller.show([isDone ? describeDone(assistant, isUndo) : diff.trimEnd()]);
  const written = !isDone && dryRun !== true && (await agrees(caller, yes, `Write ${file}?`));
  if (written) {
    if (!isUndo) await writeLauncher(dataDir, path.join(__dirname, 'cli.js'));
    await replaceTextFile(file, text, after);
    if (isUndo) await records.remove(file);
    else await records.add(file, text, after!);
  }
  return {
    output: { name, file, written, diff },
    lines: [],
    hints: written ? [describeWritten(assistant, isUndo)] : [],
  };
}

function places(): Places {
  const { env, platform } = process;
  return { home: os.homedir(), env, platform };
}

/** @throws EngineError invalidInput */
function findAssistant(name: string): ConnectableAssistant {
  const assistants = connectableAssistants(places());
  const found = assistants.find(it => it.id === name.toLowerCase() || it.title.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const names = assistants.map(it => it.id).join(', ');
  throw new EngineError('invalidInput', `${name.slice(0, 40)} cannot be connected here. There are: ${names}.`);
}

function describeConnection(connection: AssistantConnection): string {
  const { assistant, installed, connected, toolsSeen, lastCall, failure, problem } = connection;
  const facts = [
    ...(installed ? [] : ['not found on this machine']),
    ...(connected ? ['connected'] : installed ? ['not connected'] : []),
    ...(toolsSeen === undefined ? [] : [`tools seen ${formatDate(toolsSeen)}`]),
    ...(lastCall === undefined ? [] : [`last call ${formatDate(lastCall)}`]),
    ...(failure === undefined ? [] : [describeFailure(failure)]),
  ];
  return `${assistant.id.padEnd(15)} ${assistant.title}: ${problem ?? facts.join(', ')}`;
}

function describeFailure({ at, via, reason }: NonNullable<AssistantConnection['failure']>): string {
  return `its ${via} failed ${at.slice(0, 16).replace('T', ' ')} (${reason})`;
}

function describeDone({ title, file }: ConnectableAssistant, isUndo: boolean): string {
  return isUndo ? `${title} is not connected in ${file}.` : `${title} is connected in ${file} already.`;
}

function describeWritten({ title, id }: ConnectableAssistant, isUndo: boolean): string {
  if (isUndo) return `${title} cannot reach the memory from its next start on.`;
  return `${title} can use the memory from its next start on. Take it back with: recollect connect ${id} --undo`;
}

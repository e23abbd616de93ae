import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Option, type Command } from 'commander';
import { createTwoFilesPatch } from 'diff';
import { listClients } from '../../engine/access/listClients.js';
import { readTextFile, replaceTextFile } from '../../engine/base/atomicFile.js';
import { EngineError } from '../../engine/base/errors.js';
import { shellWord } from '../../engine/base/shellWord.js';
import { connectableAssistants, type ConnectableAssistant, type Places } from '../../connect/assistants.js';
import { readConnections, type AssistantConnection } from '../../connect/connections.js';
import { ConnectionRecords } from '../../connect/connectionRecords.js';
import { launcherPath, writeLauncher } from '../../connect/launcher.js';
import { addServer, readServerEntry } from '../../connect/mcpConfig.js';
import { writePlugin } from '../../connect/plugin.js';
import { formatDate } from '../../engine/model/answer.js';
import { refuseUnused } from '../../operations/personCommand.js';
import { confirm, exitCodes, print, type ProgramContext } from '../command.js';

interface ConnectOptions {
  readonly undo?: true;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** `recollect connect`, `recollect status` */
export function registerConnectCommands(program: Command, context: ProgramContext): void {
  program
    .command('connect')
    .description('let an assistant reach the memory: shows the change of its file, and writes it after a yes')
    .argument('[name]', 'which assistant; without a name: who can reach the memory')
    .option('--undo', 'take the connection back')
    .addOption(new Option('--dry-run', 'show the difference and write nothing').conflicts('yes'))
    .option('--yes', 'write without asking')
    .action(async (name: string | undefined, options: ConnectOptions) => {
      refuseUnused(
        name === undefined ? { '--undo': options.undo, '--dry-run': options.dryRun, '--yes': options.yes } : {},
        'only with the name of an assistant: recollect connect NAME',
      );
      if (name === undefined) await showStatus(context);
      else await connect(name, options, context);
    });
  program
    .command('status')
    .description(
      'who can reach the memory: which assistants are here, connected, when each saw the tools and last called',
    )
    .action(() => showStatus(context));
  program
    .command('plugin')
    .description('write the plugin for Claude Code, Copilot and Codex into the data folder, and print where it lies')
    .action(() => showPlugin(context));
}

/** Prints one line: Claude Code runs this as the source of the plugin. */
async function showPlugin({ dataDir, isJson, print }: ProgramContext): Promise<void> {
  const launcher = await writeLauncher(dataDir(), path.join(__dirname, 'cli.js'));
  const source = path.join(__dirname, '..', 'media', 'claude-plugin');
  const folder = await writePlugin({ source, storage: dataDir(), launcher });
  const marketplace = path.dirname(folder);
  print({ plugin: folder, marketplace }, () => [folder]);
  if (!isJson() && process.stderr.isTTY)
    console.error(
      [
        'Install it with one of these:',
        `  claude plugin marketplace add ${shellWord(marketplace)} && claude plugin install recollect@recollect`,
        `  copilot plugin install ${shellWord(folder)}`,
        `  codex plugin marketplace add ${shellWord(marketplace)} && codex plugin add recollect@recollect && recollect connect codex`,
      ].join('\n'),
    );
}

function showStatus({ dataDir, withEngine }: ProgramContext): Promise<void> {
  return withEngine(async (engine, json) => {
    const connections = await readConnections(await listClients(dataDir()), places());
    const statuses = connections.map(({ assistant, ...rest }) => {
      return { name: assistant.id, title: assistant.title, file: assistant.file, ...rest };
    });
    const gap = engine.maintenance.clockGap;
    const clock =
      gap === undefined
        ? []
        : [
            `No program used the memory from ${gap.from.slice(0, 10)} to ${gap.to.slice(0, 10)}, or the clock is wrong: that time makes no memory older. If the date is right: recollect maintain --confirm-clock`,
            '',
          ];
    const rollbacks = (await engine.maintenance.olderCopies()).flatMap(it => [it, '']);
    if (json) for (const it of rollbacks.filter(line => line !== '')) console.error(it);
    print(json, statuses, () => [
      ...rollbacks,
      ...clock,
      ...connections.map(describeConnection),
      '',
      'Connect one with `recollect connect NAME`. The chats of VS Code need no connection where the extension is installed,',
      "and a program none where Recollect's plugin is (`recollect plugin`).",
    ]);
    return exitCodes.ok;
  });
}

async function connect(name: string, { undo, dryRun, yes }: ConnectOptions, context: ProgramContext): Promise<void> {
  const assistant = findAssistant(name);
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

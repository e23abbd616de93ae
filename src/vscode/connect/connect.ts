import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { CommandRegistry } from '../commands/commandRegistry.js';
import { commandIds, type CommandId } from '../contributions.js';
import { confirmModal } from '../ui/confirmModal.js';
import type { DiffPreviews } from '../ui/diffPreview.js';
import { requireTrust } from '../ui/workspaceFolders.js';
import { launcherPath, refreshLauncher, writeLauncher } from '../../engine/connect/launcher.js';
import { ConnectionRecords } from '../../engine/connect/connectionRecords.js';
import {
  readServerEntry,
  removeServer,
  addServer,
  type McpServerEntry,
  type McpConfigFile,
} from '../../engine/connect/mcpConfig.js';

interface AssistantConfigFile extends McpConfigFile {
  readonly command: CommandId;
  readonly name: string;
}

/** The assistants that are connected by a file in the project. */
const assistantConfigFiles = (): readonly AssistantConfigFile[] => [
  {
    command: commandIds.connectClaudeCode,
    name: 'Claude Code',
    path: '.mcp.json',
    section: 'mcpServers',
    allowsComments: false,
  },
  {
    command: commandIds.connectVsCodeAgents,
    name: vscode.l10n.t('agents of VS Code'),
    path: '.vscode/mcp.json',
    section: 'servers',
    allowsComments: true,
  },
];

/** A change of one file that the user confirms first. */
interface ConfigEdit {
  readonly file: vscode.Uri;
  /** Undefined where the file does not exist. */
  readonly before: string | undefined;
  readonly after: string;
}

/** "Connect …": adds the MCP server to an assistant's file in the project, once the user has confirmed the diff. */
export function registerConnect(
  commands: CommandRegistry,
  diffPreviews: DiffPreviews,
  context: vscode.ExtensionContext,
): void {
  const storage = context.globalStorageUri.fsPath;
  const commandLine = context.asAbsolutePath('dist/cli.js');
  const connectionRecords = new ConnectionRecords(storage);
  for (const it of assistantConfigFiles()) {
    commands.register(it.command, () =>
      connectAssistant({ commands, diffPreviews, connectionRecords, storage, commandLine }, it),
    );
  }
  refreshLauncher(storage, commandLine).catch((error: unknown) => {
    commands.logFailure('launcher', error);
  });
}

interface ConnectDependencies {
  readonly commands: CommandRegistry;
  readonly diffPreviews: DiffPreviews;
  readonly connectionRecords: ConnectionRecords;
  readonly storage: string;
  readonly commandLine: string;
}

async function connectAssistant(dependencies: ConnectDependencies, assistant: AssistantConfigFile): Promise<void> {
  const folder = await pickProjectFolder();
  if (folder === undefined) return;
  const file = vscode.Uri.joinPath(folder, assistant.path);
  const entry: McpServerEntry = { type: 'stdio', command: 'node', args: [launcherPath(dependencies.storage), 'mcp'] };
  const currentText = await readConfigFile(file);
  if (isDeepStrictEqual(readServerEntry(currentText, assistant), entry)) {
    await writeLauncher(dependencies.storage, dependencies.commandLine);
    offerToDisconnect(dependencies, assistant, file);
    return;
  }
  const edit = { file, before: currentText, after: addServer(currentText, assistant, entry) };
  if (!(await confirmEdit(dependencies, assistant, edit))) return;
  await writeLauncher(dependencies.storage, dependencies.commandLine);
  await applyEdit(edit);
  await dependencies.connectionRecords.add(file.fsPath, currentText, edit.after);
  const message = vscode.l10n.t('{0} can use the memory in this project from its next start on.', assistant.name);
  const undo = { title: vscode.l10n.t('Undo'), run: () => undoEdit(assistant, edit) };
  dependencies.commands.notify(assistant.command, { message, actions: [undo] });
}

async function pickProjectFolder(): Promise<vscode.Uri | undefined> {
  requireTrust(vscode.l10n.t('This workspace is not trusted. Trust it to connect assistants.'));
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(it => it.uri.scheme === 'file');
  if (folders.length === 0) {
    throw new EngineError('invalidInput', vscode.l10n.t('Open the folder of a project first.'));
  }
  if (folders.length === 1) return folders[0]!.uri;
  const rows = folders.map(it => ({ label: it.name, description: it.uri.fsPath, uri: it.uri }));
  const placeHolder = vscode.l10n.t('The project in which it will be connected');
  return (await vscode.window.showQuickPick(rows, { placeHolder }))?.uri;
}

/** Shows the change as a diff, and asks for confirmation. */
async function confirmEdit(
  { diffPreviews }: ConnectDependencies,
  { name, path: configPath }: AssistantConfigFile,
  { file, before = '', after }: ConfigEdit,
): Promise<boolean> {
  const closeDiff = await diffPreviews.showDiff({
    fileName: path.basename(file.fsPath),
    title: vscode.l10n.t('{0}: what will be written', configPath),
    left: before,
    right: after,
  });
  const detail = vscode.l10n.t(
    'The editor behind this shows the change; nothing else in the file is touched. The path in it is of this machine, so others who share the file need their own. Node 20.19 or newer must be on the PATH.',
  );
  const question = vscode.l10n.t('Write {0} to connect {1}?', configPath, name);
  try {
    return await confirmModal({ question, detail, button: vscode.l10n.t('Connect') });
  } finally {
    await closeDiff();
  }
}

function offerToDisconnect(
  { commands, connectionRecords }: ConnectDependencies,
  assistant: AssistantConfigFile,
  file: vscode.Uri,
): void {
  const message = vscode.l10n.t('{0}: the memory is connected in this project already.', assistant.name);
  const disconnect = async (): Promise<void> => {
    const before = await readConfigFile(file);
    if (before === undefined) return;
    const after = await connectionRecords.originalText(file.fsPath, before, assistant);
    if (after === undefined) await vscode.workspace.fs.delete(file);
    else await applyEdit({ file, before, after });
    await connectionRecords.remove(file.fsPath);
  };
  commands.notify(assistant.command, { message, actions: [{ title: vscode.l10n.t('Disconnect'), run: disconnect }] });
}

/** Restores the file; where it was edited since, removes only our entry. */
async function undoEdit(assistant: AssistantConfigFile, { file, before, after }: ConfigEdit): Promise<void> {
  const currentText = await readConfigFile(file);
  if (currentText === undefined) return;
  if (currentText !== after)
    return applyEdit({ file, before: currentText, after: removeServer(currentText, assistant) });
  if (before === undefined) await vscode.workspace.fs.delete(file);
  else await applyEdit({ file, before: after, after: before });
}

/**
 * @returns undefined where the file does not exist
 * @throws EngineError invalidInput where it has unsaved changes or is not UTF-8
 */
async function readConfigFile(file: vscode.Uri): Promise<string | undefined> {
  const openDocument = vscode.workspace.textDocuments.find(it => it.uri.toString() === file.toString());
  if (openDocument?.isDirty === true) {
    const name = path.basename(file.fsPath);
    throw new EngineError('invalidInput', vscode.l10n.t('{0} has changes that are not saved. Save it first.', name));
  }
  try {
    const bytes = await vscode.workspace.fs.readFile(file);
    // Keeps the byte order mark.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw new EngineError('invalidInput', vscode.l10n.t('{0} cannot be read as text.', file.fsPath), { cause: error });
  }
}

/** @throws EngineError invalidInput where the file has changed since the diff was shown */
async function applyEdit({ file, before, after }: ConfigEdit): Promise<void> {
  if ((await readConfigFile(file)) !== before) {
    const name = path.basename(file.fsPath);
    throw new EngineError(
      'invalidInput',
      vscode.l10n.t('{0} has changed meanwhile. Try again; nothing was written.', name),
    );
  }
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(after));
}

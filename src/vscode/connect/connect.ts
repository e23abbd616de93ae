import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { listClients } from '../../engine/access/listClients.js';
import { EngineError } from '../../engine/base/errors.js';
import { connectableAssistants, type ConnectableAssistant, type Places } from '../../engine/connect/assistants.js';
import { readConnections, type AssistantConnection } from '../../engine/connect/connections.js';
import type { CommandRegistry } from '../commands/commandRegistry.js';
import { commandIds, type CommandId } from '../contributions.js';
import { formatDay } from '../l10n/labels.js';
import { confirmModal } from '../ui/confirmModal.js';
import type { DiffPreviews } from '../ui/diffPreview.js';
import { requireTrust } from '../ui/workspaceFolders.js';
import { launcherPath, refreshLauncher, writeLauncher } from '../../engine/connect/launcher.js';
import { ConnectionRecords } from '../../engine/connect/connectionRecords.js';
import { readServerEntry, removeServer, addServer } from '../../engine/connect/mcpConfig.js';

/** Commands for the assistants that are connected by a file in the project. */
const ownCommands: readonly (readonly [command: CommandId, assistant: string])[] = [
  [commandIds.connectClaudeCode, 'claude-code'],
  [commandIds.connectVsCodeAgents, 'vscode'],
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
  const dependencies = { commands, diffPreviews, connectionRecords, storage, commandLine };
  for (const [command, id] of ownCommands) {
    commands.register(command, async () => {
      const folder = await pickProjectFolder();
      const assistant = folder === undefined ? undefined : assistantsIn(folder).find(it => it.id === id);
      if (assistant !== undefined) await connectAssistant(dependencies, assistant);
    });
  }
  commands.register(commandIds.connections, () => showConnections(dependencies));
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

/** "Who Can Reach the Memory": one row for each assistant, which connects it or takes its connection back. */
async function showConnections(dependencies: ConnectDependencies): Promise<void> {
  const folder = await pickProjectFolder();
  if (folder === undefined) return;
  const connections = await readConnections(await listClients(dependencies.storage), placesOf(folder));
  const picked = await vscode.window.showQuickPick(
    connections.map(it => ({
      label: `$(${it.connected ? 'pass-filled' : 'circle-large-outline'}) ${nameOf(it.assistant)}`,
      description: stateLabel(it),
      detail: it.problem ?? it.assistant.file,
      connection: it,
    })),
    {
      title: vscode.l10n.t('Who Can Reach the Memory'),
      placeHolder: vscode.l10n.t('Pick one to connect it, or to take its connection back'),
      matchOnDescription: true,
    },
  );
  if (picked === undefined) return;
  const { assistant, connected } = picked.connection;
  if (connected) await disconnectAssistant(dependencies, assistant);
  else await connectAssistant(dependencies, assistant);
}

function stateLabel({ installed, connected, lastCall }: AssistantConnection): string {
  const state = connected
    ? vscode.l10n.t('connected')
    : installed
      ? vscode.l10n.t('not connected')
      : vscode.l10n.t('not found on this machine');
  return lastCall === undefined ? state : vscode.l10n.t('{0}, last call {1}', state, formatDay(lastCall));
}

function nameOf({ id, title }: ConnectableAssistant): string {
  return id === 'vscode' ? vscode.l10n.t('agents of VS Code') : title;
}

const assistantsIn = (folder: vscode.Uri): readonly ConnectableAssistant[] => connectableAssistants(placesOf(folder));

function placesOf(folder: vscode.Uri): Places {
  return { home: os.homedir(), project: folder.fsPath, env: process.env, platform: process.platform };
}

async function connectAssistant(dependencies: ConnectDependencies, assistant: ConnectableAssistant): Promise<void> {
  const file = vscode.Uri.file(assistant.file);
  const entry = assistant.entry(launcherPath(dependencies.storage));
  const currentText = await readConfigFile(file);
  if (isDeepStrictEqual(readServerEntry(currentText, assistant.config), entry)) {
    await writeLauncher(dependencies.storage, dependencies.commandLine);
    offerToDisconnect(dependencies, assistant);
    return;
  }
  const edit = { file, before: currentText, after: addServer(currentText, assistant.config, entry) };
  const detail = vscode.l10n.t(
    'The editor behind this shows the change; nothing else in the file is touched. The path in it is of this machine, so others who share the file need their own. Node 20.19 or newer must be on the PATH.',
  );
  const question = vscode.l10n.t('Write {0} to connect {1}?', path.basename(assistant.file), nameOf(assistant));
  if (!(await confirmEdit(dependencies, edit, { question, detail, button: vscode.l10n.t('Connect') }))) return;
  await writeLauncher(dependencies.storage, dependencies.commandLine);
  await applyEdit(edit);
  await dependencies.connectionRecords.add(file.fsPath, currentText, edit.after);
  const message = vscode.l10n.t('{0} can use the memory from its next start on.', nameOf(assistant));
  const undo = { title: vscode.l10n.t('Undo'), run: () => undoEdit(assistant, edit) };
  dependencies.commands.notify('connect', { message, actions: [undo] });
}

/** Shows what taking the connection back changes, and does so once the user has confirmed it. */
async function disconnectAssistant(dependencies: ConnectDependencies, assistant: ConnectableAssistant): Promise<void> {
  const file = vscode.Uri.file(assistant.file);
  const before = await readConfigFile(file);
  if (before === undefined) return;
  const after = await dependencies.connectionRecords.originalText(file.fsPath, before, assistant.config);
  const confirmation = {
    question: vscode.l10n.t('Take the connection of {0} back?', nameOf(assistant)),
    detail: vscode.l10n.t(
      'The editor behind this shows the change. It cannot reach the memory from its next start on.',
    ),
    button: vscode.l10n.t('Disconnect'),
  };
  if (await confirmEdit(dependencies, { file, before, after: after ?? '' }, confirmation))
    await removeConnection(dependencies, assistant);
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
  { file, before = '', after }: ConfigEdit,
  confirmation: Parameters<typeof confirmModal>[0],
): Promise<boolean> {
  const fileName = path.basename(file.fsPath);
  const title = vscode.l10n.t('{0}: what will be written', fileName);
  const closeDiff = await diffPreviews.showDiff({ fileName, title, left: before, right: after });
  try {
    return await confirmModal(confirmation);
  } finally {
    await closeDiff();
  }
}

function offerToDisconnect(dependencies: ConnectDependencies, assistant: ConnectableAssistant): void {
  const message = vscode.l10n.t('{0}: the memory is connected already.', nameOf(assistant));
  const disconnect = (): Promise<void> => removeConnection(dependencies, assistant);
  dependencies.commands.notify('connect', {
    message,
    actions: [{ title: vscode.l10n.t('Disconnect'), run: disconnect }],
  });
}

async function removeConnection(
  { connectionRecords }: ConnectDependencies,
  assistant: ConnectableAssistant,
): Promise<void> {
  const file = vscode.Uri.file(assistant.file);
  const before = await readConfigFile(file);
  if (before === undefined) return;
  const after = await connectionRecords.originalText(file.fsPath, before, assistant.config);
  if (after === undefined) await vscode.workspace.fs.delete(file);
  else await applyEdit({ file, before, after });
  await connectionRecords.remove(file.fsPath);
}

/** Restores the file; where it was edited since, removes only our entry. */
async function undoEdit({ config }: ConnectableAssistant, { file, before, after }: ConfigEdit): Promise<void> {
  const currentText = await readConfigFile(file);
  if (currentText === undefined) return;
  if (currentText !== after) return applyEdit({ file, before: currentText, after: removeServer(currentText, config) });
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

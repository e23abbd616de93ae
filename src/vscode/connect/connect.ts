import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { listClients } from '../../engine/access/listClients.js';
import { EngineError } from '../../engine/base/errors.js';
import { message } from '../../engine/base/localizableMessage.js';
import { connectableAssistants, type ConnectableAssistant, type Places } from '../../connect/assistants.js';
import { readConnections } from '../../connect/connections.js';
import { ConnectionRecords } from '../../connect/connectionRecords.js';
import { launcherPath, refreshLauncher, writeLauncher } from '../../connect/launcher.js';
import { addServer, removeServer } from '../../connect/mcpConfig.js';
import { briefedPrograms, type BriefedProgram } from '../../engine/model/briefing.js';
import type { AssistantView } from '../../protocol.js';
import type { CommandRegistry } from '../commands/commandRegistry.js';
import { commandIds, type CommandId } from '../contributions.js';
import { confirmModal } from '../ui/confirmModal.js';
import type { DiffPreviews } from '../ui/diffPreview.js';
import { shortPath } from '../ui/workspaceFolders.js';

/** Commands for the assistants that are connected most often. */
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

/** Connects assistants to the memory, and takes that back: each writes a file once the user has confirmed the diff. */
export class AssistantConnections {
  private readonly storage: string;
  private readonly commandLine: string;
  private readonly records: ConnectionRecords;
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  /** Fires when an assistant may have been connected or disconnected. */
  readonly onDidChange = this.changeEmitter.event;

  constructor(
    private readonly commands: CommandRegistry,
    private readonly diffPreviews: DiffPreviews,
    context: vscode.ExtensionContext,
  ) {
    this.storage = context.globalStorageUri.fsPath;
    this.commandLine = context.asAbsolutePath('dist/cli.js');
    this.records = new ConnectionRecords(this.storage);
    for (const [command, id] of ownCommands) {
      commands.register(command, async () => {
        await this.setConnected(id, true);
      });
    }
    refreshLauncher(this.storage, this.commandLine).catch((error: unknown) => {
      commands.logFailure('launcher', error);
    });
  }

  /** The chats of VS Code first, which this extension connects, then those that a file connects. */
  async list(): Promise<readonly AssistantView[]> {
    const clients = await listClients(this.storage);
    const lastChatCall = clients.find(it => it.client === 'vscode')?.lastCall;
    const chats = { id: 'vscode-chat', title: vscode.l10n.t('Chats of VS Code'), installed: true, connected: true };
    const connections = await readConnections(clients, this.places());
    return [
      { ...chats, ...(lastChatCall === undefined ? {} : { lastCall: lastChatCall }) },
      ...connections.map(({ assistant, ...rest }) => {
        return { id: assistant.id, title: nameOf(assistant), file: assistant.file, ...rest };
      }),
    ];
  }

  /** Whether an assistant is on this machine, and its file does not connect it. */
  async isWaiting(id: string): Promise<boolean> {
    const found = (await readConnections([], this.places())).find(it => it.assistant.id === id);
    return found?.installed === true && !found.connected && found.problem === undefined;
  }

  /** Programs that may be given a briefing and are on this machine; VS Code is always one, and comes last. */
  async installedPrograms(): Promise<readonly BriefedProgram[]> {
    const installed = (await readConnections([], this.places())).filter(it => it.installed);
    const others = briefedPrograms.filter(program => installed.some(it => it.assistant.id === program));
    return [...others.filter(it => it !== 'vscode'), 'vscode'];
  }

  /** @returns whether its file was written. @throws EngineError where the file cannot be edited */
  async setConnected(id: string, connected: boolean): Promise<boolean> {
    const assistant = connectableAssistants(this.places()).find(it => it.id === id);
    if (assistant === undefined)
      throw new EngineError('notFound', message`There is no assistant ${id.slice(0, 40)} that can be connected.`);
    const isWritten = await (connected ? this.connect(assistant) : this.disconnect(assistant));
    this.changeEmitter.fire();
    return isWritten;
  }

  private async connect(assistant: ConnectableAssistant): Promise<boolean> {
    const file = vscode.Uri.file(assistant.file);
    const before = await readConfigFile(file);
    const after = addServer(before, assistant.config, assistant.entry(launcherPath(this.storage)));
    if (after === before) {
      await writeLauncher(this.storage, this.commandLine);
      this.offerToDisconnect(assistant);
      return false;
    }
    const edit = { file, before, after };
    const detail = vscode.l10n.t(
      'The editor behind this shows the change; nothing else in the file is touched. Node 20.19 or newer must be on the PATH.',
    );
    const question = vscode.l10n.t('Write {0} to connect {1}?', shortPath(assistant.file), nameOf(assistant));
    if (!(await this.confirmEdit(edit, { question, detail, button: vscode.l10n.t('Connect') }))) return false;
    await writeLauncher(this.storage, this.commandLine);
    await applyEdit(edit);
    await this.records.add(file.fsPath, before, after);
    const sentence =
      assistant.id === 'vscode'
        ? vscode.l10n.t('Agents of VS Code can use the memory from their next start on.')
        : vscode.l10n.t('{0} can use the memory from its next start on.', assistant.title);
    const undo = { title: vscode.l10n.t('Undo'), run: () => undoEdit(assistant, edit) };
    this.commands.notify('connect', { message: sentence, actions: [undo] });
    return true;
  }

  private async disconnect(assistant: ConnectableAssistant): Promise<boolean> {
    const file = vscode.Uri.file(assistant.file);
    const before = await readConfigFile(file);
    if (before === undefined) return false;
    const after = await this.records.originalText(file.fsPath, before, assistant.config);
    const confirmation = {
      question: vscode.l10n.t('Take the connection of {0} back?', nameOf(assistant)),
      detail: vscode.l10n.t(
        'The editor behind this shows the change. It cannot reach the memory from its next start on.',
      ),
      button: vscode.l10n.t('Disconnect'),
    };
    if (!(await this.confirmEdit({ file, before, after: after ?? '' }, confirmation))) return false;
    await this.removeConnection(assistant);
    return true;
  }

  private offerToDisconnect(assistant: ConnectableAssistant): void {
    const sentence = vscode.l10n.t('{0}: the memory is connected already.', nameOf(assistant));
    const disconnect = (): Promise<void> => this.removeConnection(assistant);
    this.commands.notify('connect', {
      message: sentence,
      actions: [{ title: vscode.l10n.t('Disconnect'), run: disconnect }],
    });
  }

  private async removeConnection(assistant: ConnectableAssistant): Promise<void> {
    const file = vscode.Uri.file(assistant.file);
    const before = await readConfigFile(file);
    if (before === undefined) return;
    const after = await this.records.originalText(file.fsPath, before, assistant.config);
    if (after === undefined) await vscode.workspace.fs.delete(file);
    else await applyEdit({ file, before, after });
    await this.records.remove(file.fsPath);
  }

  /** Shows the change as a diff, and asks for confirmation. */
  private async confirmEdit(
    { file, before = '', after }: ConfigEdit,
    confirmation: Parameters<typeof confirmModal>[0],
  ): Promise<boolean> {
    const fileName = path.basename(file.fsPath);
    const title = vscode.l10n.t('{0}: what will be written', fileName);
    const closeDiff = await this.diffPreviews.showDiff({ fileName, title, left: before, right: after });
    try {
      return await confirmModal(confirmation);
    } finally {
      await closeDiff();
    }
  }

  private places(): Places {
    // …/User/globalStorage/<id of the extension>: the folder of this VS Code, of whichever kind it is.
    const vscodeUser = path.resolve(this.storage, '..', '..');
    return { home: os.homedir(), vscodeUser, env: process.env, platform: process.platform };
  }
}

function nameOf({ id, title }: ConnectableAssistant): string {
  return id === 'vscode' ? vscode.l10n.t('agents of VS Code') : title;
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

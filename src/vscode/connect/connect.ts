import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';
import type { Commands } from '../commands/registry.js';
import { commandIds, connectScheme, type CommandId } from '../contributions.js';
import { launcherFile, refreshLauncher, writeLauncher } from './launcher.js';
import { Connections } from './connections.js';
import { serverIn, withoutServer, withServer, type ServerEntry, type ServerFile } from './serverEntry.js';

interface Assistant extends ServerFile {
  readonly command: CommandId;
  readonly name: string;
}

/** Who can be told of the memory by a file in the project. */
const assistants = (): readonly Assistant[] => [
  {
    command: commandIds.connectClaudeCode,
    name: 'Claude Code',
    path: '.mcp.json',
    section: 'mcpServers',
    comments: false,
  },
  {
    command: commandIds.connectVsCodeAgents,
    name: vscode.l10n.t('agents of VS Code'),
    path: '.vscode/mcp.json',
    section: 'servers',
    comments: true,
  },
];

/** A change of one file that a person is shown before it is made. */
interface Proposal {
  readonly file: vscode.Uri;
  /** Undefined where there is no file. */
  readonly before: string | undefined;
  readonly after: string;
}

/** "Connect …": tells an assistant of the memory, in a file of the project, after a person has seen the change. */
export function registerConnect(commands: Commands, context: vscode.ExtensionContext): vscode.Disposable {
  const storage = context.globalStorageUri.fsPath;
  const commandLine = context.asAbsolutePath('dist/cli.js');
  const shown = new ProposedText();
  const past = new Connections(storage);
  for (const it of assistants()) {
    commands.register(it.command, () => connect({ commands, shown, past, storage, commandLine }, it));
  }
  refreshLauncher(storage, commandLine).catch((error: unknown) => {
    commands.log('launcher', error);
  });
  return vscode.Disposable.from(shown);
}

interface Parts {
  readonly commands: Commands;
  readonly shown: ProposedText;
  readonly past: Connections;
  readonly storage: string;
  readonly commandLine: string;
}

async function connect(parts: Parts, assistant: Assistant): Promise<void> {
  const folder = await chooseFolder();
  if (folder === undefined) return;
  const file = vscode.Uri.joinPath(folder, assistant.path);
  const entry: ServerEntry = { type: 'stdio', command: 'node', args: [launcherFile(parts.storage), 'mcp'] };
  const before = await read(file);
  if (isDeepStrictEqual(serverIn(before, assistant), entry)) {
    await writeLauncher(parts.storage, parts.commandLine);
    offerToDisconnect(parts, assistant, file);
    return;
  }
  const proposal = { file, before, after: withServer(before, assistant, entry) };
  if (!(await agrees(parts, assistant, proposal))) return;
  await writeLauncher(parts.storage, parts.commandLine);
  await write(proposal);
  await parts.past.note(file.fsPath, before, proposal.after);
  const message = vscode.l10n.t('{0} can use the memory in this project from its next start on.', assistant.name);
  const undo = { title: vscode.l10n.t('Undo'), run: () => takeBack(assistant, proposal) };
  parts.commands.tell(assistant.command, { message, actions: [undo] });
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  if (!vscode.workspace.isTrusted) {
    throw new EngineError(
      'invalidInput',
      vscode.l10n.t('This workspace is not trusted. Trust it to connect assistants.'),
    );
  }
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(it => it.uri.scheme === 'file');
  if (folders.length === 0) {
    throw new EngineError('invalidInput', vscode.l10n.t('Open the folder of a project first.'));
  }
  if (folders.length === 1) return folders[0]!.uri;
  const rows = folders.map(it => ({ label: it.name, description: it.uri.fsPath, uri: it.uri }));
  const placeHolder = vscode.l10n.t('The project in which it will be connected');
  return (await vscode.window.showQuickPick(rows, { placeHolder }))?.uri;
}

/** Shows the change as a diff, and asks. */
async function agrees({ shown }: Parts, { name, path: where }: Assistant, proposal: Proposal): Promise<boolean> {
  const [left, right] = shown.sides(proposal);
  const title = vscode.l10n.t('{0}: what will be written', where);
  await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  const connectIt = vscode.l10n.t('Connect');
  const detail = vscode.l10n.t(
    'The editor behind this shows the change; nothing else in the file is touched. The path in it is of this machine, so others who share the file need their own. Node 20.19 or newer must be on the PATH.',
  );
  const question = vscode.l10n.t('Write {0} to connect {1}?', where, name);
  try {
    return (await vscode.window.showInformationMessage(question, { modal: true, detail }, connectIt)) === connectIt;
  } finally {
    await shown.close(right);
  }
}

function offerToDisconnect({ commands, past }: Parts, assistant: Assistant, file: vscode.Uri): void {
  const message = vscode.l10n.t('{0}: the memory is connected in this project already.', assistant.name);
  const disconnect = async (): Promise<void> => {
    const before = await read(file);
    if (before === undefined) return;
    const after = await past.textBefore(file.fsPath, before, assistant);
    if (after === undefined) await vscode.workspace.fs.delete(file);
    else await write({ file, before, after });
    await past.forget(file.fsPath);
  };
  commands.tell(assistant.command, { message, actions: [{ title: vscode.l10n.t('Disconnect'), run: disconnect }] });
}

/** The file as it was; where it was changed since, without our entry. */
async function takeBack(assistant: Assistant, { file, before, after }: Proposal): Promise<void> {
  const now = await read(file);
  if (now === undefined) return;
  if (now !== after) return write({ file, before: now, after: withoutServer(now, assistant) });
  if (before === undefined) await vscode.workspace.fs.delete(file);
  else await write({ file, before: after, after: before });
}

/** @returns undefined where there is no file; what is open and not saved is saved first by the person */
async function read(file: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find(it => it.uri.toString() === file.toString());
  if (open?.isDirty === true) {
    const name = path.basename(file.fsPath);
    throw new EngineError('invalidInput', vscode.l10n.t('{0} has changes that are not saved. Save it first.', name));
  }
  try {
    const bytes = await vscode.workspace.fs.readFile(file);
    // With its byte order mark, where it has one.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') return undefined;
    throw new EngineError('invalidInput', vscode.l10n.t('{0} cannot be read as text.', file.fsPath), { cause: error });
  }
}

/** Writes what was shown, if the file is still what it was then. */
async function write({ file, before, after }: Proposal): Promise<void> {
  if ((await read(file)) !== before) {
    const name = path.basename(file.fsPath);
    throw new EngineError(
      'invalidInput',
      vscode.l10n.t('{0} has changed meanwhile. Try again; nothing was written.', name),
    );
  }
  await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(after));
}

/** The texts of a diff, before and after. */
class ProposedText implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(connectScheme, this);
  private last = 0;

  sides({ file, before, after }: Proposal): [vscode.Uri, vscode.Uri] {
    const query = String(++this.last);
    const [left, right] = ['before', 'after'].map(side =>
      vscode.Uri.from({ scheme: connectScheme, path: `/${side}/${path.basename(file.fsPath)}`, query }),
    ) as [vscode.Uri, vscode.Uri];
    this.texts.clear();
    this.texts.set(left.toString(), before ?? '');
    this.texts.set(right.toString(), after);
    return [left, right];
  }

  async close(right: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap(it => it.tabs);
    const shown = tabs.filter(
      it => it.input instanceof vscode.TabInputTextDiff && it.input.modified.toString() === right.toString(),
    );
    await vscode.window.tabGroups.close(shown);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
  }
}

import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import { contextKeys } from './contributions.js';

/** Files with rules for assistants, in the folder of a project. */
const ruleFiles = '{CLAUDE.md,AGENTS.md,GEMINI.md}';

/** Of the open folders, in their order; of a file and the links to it the file alone. */
export async function findRuleFiles(): Promise<readonly vscode.Uri[]> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const found = folders.map(it => vscode.workspace.findFiles(new vscode.RelativePattern(it, ruleFiles), null));
  const byFile = new Map<string, vscode.Uri>();
  for (const uri of (await Promise.all(found)).flat()) {
    const file = await realpath(uri.fsPath).catch(() => uri.fsPath);
    if (!byFile.has(file) || file === uri.fsPath) byFile.set(file, uri);
  }
  return [...byFile.values()];
}

interface Welcome {
  /** Whether Claude Code is on this machine, and does not reach the memory yet. */
  readonly wantsClaudeCode: () => Promise<boolean>;
  readonly onDidConnect: vscode.Event<void>;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sets what the first view offers: sentences for the chat where a model answers there, the import of rules that lie in a
 * folder, and the connection of Claude Code where it is installed.
 */
export function watchWelcome({ wantsClaudeCode, onDidConnect, onFailure }: Welcome): vscode.Disposable {
  const set = (key: string, value: boolean): Thenable<unknown> =>
    vscode.commands.executeCommand('setContext', key, value);
  const update = async (): Promise<void> => {
    await set(contextKeys.hasChatModel, (await vscode.lm.selectChatModels()).length > 0);
    await set(contextKeys.hasRuleFile, (await findRuleFiles()).length > 0);
    await set(contextKeys.wantsClaudeCode, await wantsClaudeCode());
  };
  const start = (): void => {
    update().then(undefined, onFailure);
  };
  start();
  return vscode.Disposable.from(
    vscode.lm.onDidChangeChatModels(start),
    vscode.workspace.onDidChangeWorkspaceFolders(start),
    onDidConnect(start),
  );
}

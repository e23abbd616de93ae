import * as vscode from 'vscode';
import { contextKeys } from './contributions.js';

/** Files with rules for assistants, in the folder of a project. */
const ruleFiles = '{CLAUDE.md,AGENTS.md,GEMINI.md}';

/** Sets what the first view offers: sentences for the chat where a model answers there, and the import of rules that lie in a folder. */
export function watchWelcome(onFailure: (error: unknown) => void): vscode.Disposable {
  const set = (key: string, value: boolean): Thenable<unknown> =>
    vscode.commands.executeCommand('setContext', key, value);
  const update = async (): Promise<void> => {
    await set(contextKeys.hasChatModel, (await vscode.lm.selectChatModels()).length > 0);
    const folders = vscode.workspace.workspaceFolders ?? [];
    const found = await Promise.all(
      folders.map(it => vscode.workspace.findFiles(new vscode.RelativePattern(it, ruleFiles), null, 1)),
    );
    await set(contextKeys.hasRuleFile, found.flat().length > 0);
  };
  const start = (): void => {
    update().then(undefined, onFailure);
  };
  start();
  return vscode.Disposable.from(
    vscode.lm.onDidChangeChatModels(start),
    vscode.workspace.onDidChangeWorkspaceFolders(start),
  );
}

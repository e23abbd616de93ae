import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { EngineError } from '../../engine/base/errors.js';

/** @throws EngineError invalidInput with this message where the workspace is not trusted */
export function requireTrust(message: string): void {
  if (!vscode.workspace.isTrusted) throw new EngineError('invalidInput', message);
}

/**
 * Guards what writes into a project's folder, or spreads what the folder holds.
 * @throws EngineError invalidInput where the workspace is not trusted
 */
export function requireTrustToWrite(): void {
  requireTrust(vscode.l10n.t('This folder is not trusted, so nothing is written into it. Trust it first.'));
}

/** A path as a person writes it: `~/.codex/config.toml` in their home folder. */
export function shortPath(file: string): string {
  const home = os.homedir();
  return file.startsWith(home + path.sep) ? `~${file.slice(home.length)}` : file;
}

/**
 * The path of the open folder; with several, of the one that the person picks.
 * @returns undefined when the person picks none
 * @throws EngineError invalidInput where no folder on disk is open
 */
export async function pickFolder(): Promise<string | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(it => it.uri.scheme === 'file');
  if (folders.length === 0) {
    throw new EngineError('invalidInput', vscode.l10n.t('There is no project here. Open its folder first.'));
  }
  if (folders.length === 1) return folders[0]!.uri.fsPath;
  return (await vscode.window.showWorkspaceFolderPick())?.uri.fsPath;
}

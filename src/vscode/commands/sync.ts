import * as vscode from 'vscode';
import type { SyncConflict, SyncInput, SyncReport, SyncSide } from '../../engine/model/sync.js';
import { commandIds } from '../contributions.js';
import type { Previews } from '../previews.js';
import type { MemorySession } from '../session.js';
import { counted, countWord } from '../words.js';
import { withProgress } from './progress.js';
import { checkTrust, pickFolder } from './publish.js';
import type { Commands } from './registry.js';

interface Parts {
  readonly commands: Commands;
  readonly session: MemorySession;
  readonly previews: Previews;
}

/** "Sync Markdown": carries over what is clear, and shows each conflict as a diff for the person to decide. */
export function registerSync(parts: Parts): void {
  const { commands } = parts;
  commands.register(commandIds.sync, async () => {
    checkTrust();
    const folder = await pickFolder();
    if (folder === undefined) return;
    tell(parts, folder, await sync(parts, { folder }));
  });
}

async function sync({ session }: Parts, input: SyncInput): Promise<SyncReport> {
  const engine = await session.engine();
  return withProgress({ title: vscode.l10n.t('Syncing Markdown') }, means =>
    engine.publishing.sync({ ...input, ...means }),
  );
}

function tell(parts: Parts, folder: string, report: SyncReport): void {
  const { steps, conflicts, refused, mirror, compared } = report;
  const folderName = vscode.workspace.asRelativePath(mirror);
  // VS Code shows one line of a message without buttons.
  const found = [
    ...(steps.length > 0 ? [vscode.l10n.t('{0} carried over', countWord(steps.length))] : []),
    ...(conflicts.length > 0 ? [counted(conflicts.length, 'conflict')] : []),
    ...(refused.length > 0 ? [vscode.l10n.t('{0} left alone', countWord(refused.length))] : []),
  ];
  const nothing =
    compared === 0
      ? vscode.l10n.t('Nothing to sync: no memories and no Markdown here yet.')
      : vscode.l10n.t('Markdown in {0} is up to date.', folderName);
  const message = found.length === 0 ? nothing : vscode.l10n.t('Markdown in {0}: {1}.', folderName, found.join(', '));
  const decide = { title: vscode.l10n.t('Decide…'), run: () => decideEach(parts, folder, conflicts) };
  const details = async (): Promise<void> => {
    const content = refused.map(it => `- ${it.name}: ${it.reason}\n`).join('');
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'markdown' }));
  };
  const actions = [
    ...(conflicts.length > 0 ? [decide] : []),
    ...(refused.length > 0 ? [{ title: vscode.l10n.t('Details'), run: details }] : []),
  ];
  parts.commands.tell(commandIds.sync, { message, actions });
}

async function decideEach(parts: Parts, folder: string, conflicts: readonly SyncConflict[]): Promise<void> {
  const decisions: Record<string, SyncSide> = {};
  for (const it of conflicts) {
    const side = await pickSide(parts, it);
    if (side !== undefined) decisions[it.name] = side;
  }
  if (Object.keys(decisions).length === 0) return;
  checkTrust();
  tell(parts, folder, await sync(parts, { folder, decisions }));
}

/** Undefined where the person leaves it for later. */
async function pickSide({ previews }: Parts, { name, file, memory }: SyncConflict): Promise<SyncSide | undefined> {
  const close = await previews.compare(name, file, memory);
  const [keepFile, keepMemory] = [vscode.l10n.t('Keep the File (left)'), vscode.l10n.t('Keep the Memory (right)')];
  const question = vscode.l10n.t('{0} has changed on both sides. Which one holds?', name);
  const chosen = await vscode.window.showInformationMessage(question, keepFile, keepMemory, vscode.l10n.t('Later'));
  await close();
  if (chosen === keepFile) return 'file';
  return chosen === keepMemory ? 'memory' : undefined;
}

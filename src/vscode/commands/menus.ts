import * as vscode from 'vscode';
import { commandIds, type CommandId } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import type { CommandRegistry } from './commandRegistry.js';

/** Above the entries that follow it, so that a long list is read in parts of at most six. */
interface MenuSection {
  readonly section: string;
}

interface MenuEntry {
  readonly command: CommandId;
  readonly title: string;
  /**
   * `folder`: an open folder that the person trusts. `folders`: several. `memories`: at least one. Absent = always offered.
   */
  readonly needs?: 'folder' | 'folders' | 'memories';
}

/** Commands that list others, which are used too seldom for the palette. */
export function registerMenus(commands: CommandRegistry, engineHolder: EngineHolder): void {
  const register = (id: CommandId, title: () => string, entries: () => readonly (MenuEntry | MenuSection)[]): void => {
    commands.register(id, async () => {
      const engine = await engineHolder.engine();
      const hasMemories = (await engine.groups()).length > 0;
      const offered = entries().filter(it => 'section' in it || isOffered(it, hasMemories));
      const picked = await vscode.window.showQuickPick(offered.map(toItem), { title: title() });
      if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command);
    });
  };
  register(commandIds.publishMenu, () => vscode.l10n.t('Publish'), publishEntries);
  register(commandIds.connectMenu, () => vscode.l10n.t('Connect an Assistant'), connectEntries);
  register(commandIds.upkeep, () => vscode.l10n.t('Maintenance'), maintenanceEntries);
  register(commandIds.help, () => vscode.l10n.t('Help'), helpEntries);
}

function toItem(entry: MenuEntry | MenuSection): vscode.QuickPickItem & { readonly command?: CommandId } {
  return 'section' in entry
    ? { label: entry.section, kind: vscode.QuickPickItemKind.Separator }
    : { label: entry.title, command: entry.command };
}

function isOffered({ needs }: MenuEntry, hasMemories: boolean): boolean {
  if (needs === 'memories') return hasMemories;
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (needs === 'folders') return folders.length > 1;
  return needs === undefined || (vscode.workspace.isTrusted && folders.length > 0);
}

function publishEntries(): readonly MenuEntry[] {
  return [
    { command: commandIds.publish, title: vscode.l10n.t('Update CLAUDE.md…'), needs: 'folder' },
    { command: commandIds.publishUser, title: vscode.l10n.t('Update My Own CLAUDE.md…'), needs: 'memories' },
    { command: commandIds.unpublish, title: vscode.l10n.t('Remove What Was Published…'), needs: 'folder' },
    { command: commandIds.sync, title: vscode.l10n.t('Sync Markdown…'), needs: 'folder' },
    { command: commandIds.export, title: vscode.l10n.t('Export…'), needs: 'memories' },
    { command: commandIds.showIdentity, title: vscode.l10n.t('Show Identity') },
  ];
}

function connectEntries(): readonly MenuEntry[] {
  return [
    { command: commandIds.showBriefing, title: vscode.l10n.t('What My Assistant Gets'), needs: 'folder' },
    { command: commandIds.connectClaudeCode, title: vscode.l10n.t('Connect Claude Code…'), needs: 'folder' },
    { command: commandIds.connectVsCodeAgents, title: vscode.l10n.t('Connect VS Code Agents…'), needs: 'folder' },
    { command: commandIds.connections, title: vscode.l10n.t('Connections'), needs: 'folder' },
    { command: commandIds.clientRights, title: vscode.l10n.t('Rights of Assistants…') },
  ];
}

function maintenanceEntries(): readonly (MenuEntry | MenuSection)[] {
  return [
    { section: vscode.l10n.t('Maintenance') },
    { command: commandIds.runMaintenance, title: vscode.l10n.t('Run Maintenance…') },
    { command: commandIds.consolidate, title: vscode.l10n.t('Merge Memories…') },
    { command: commandIds.undoConsolidation, title: vscode.l10n.t('Undo a Merge…') },
    { command: commandIds.reviewCandidates, title: vscode.l10n.t('Candidates') },
    { section: vscode.l10n.t('Projects') },
    { command: commandIds.reviewGlobal, title: vscode.l10n.t('Review What Is for All Projects…'), needs: 'folder' },
    { command: commandIds.showProjects, title: vscode.l10n.t('Memories of All Projects') },
    { command: commandIds.chooseProject, title: vscode.l10n.t('Project of New Memories…'), needs: 'folders' },
    { command: commandIds.linkProject, title: vscode.l10n.t("Use Another Project's Memory…"), needs: 'folder' },
    { command: commandIds.unlinkProject, title: vscode.l10n.t('Keep Folder Apart from Project'), needs: 'folder' },
    { section: vscode.l10n.t('Sets') },
    { command: commandIds.showSet, title: vscode.l10n.t('Show a Set…') },
    { command: commandIds.moveToSet, title: vscode.l10n.t('Move to Set…'), needs: 'memories' },
    { section: vscode.l10n.t('Sensitive') },
    { command: commandIds.keepSensitive, title: vscode.l10n.t('Keep a Sensitive Memory…') },
    { command: commandIds.withdrawSensitive, title: vscode.l10n.t('Delete a Sensitive Memory for Good…') },
    { command: commandIds.copySensitiveKey, title: vscode.l10n.t('Copy the Key of Sensitive Memories…') },
    { command: commandIds.bringSensitiveKey, title: vscode.l10n.t('Bring a Key for Sensitive Memories…') },
    { section: vscode.l10n.t('Stores and Backups') },
    { command: commandIds.backUp, title: vscode.l10n.t('Back Up…') },
    { command: commandIds.restoreCheckpoint, title: vscode.l10n.t('Restore Checkpoint…') },
    { command: commandIds.moveStore, title: vscode.l10n.t('Move Project Store…'), needs: 'folder' },
    { command: commandIds.verify, title: vscode.l10n.t('Verify Store') },
    { command: commandIds.purge, title: vscode.l10n.t('Delete for Good…'), needs: 'memories' },
    { command: commandIds.reset, title: vscode.l10n.t('Reset Store…') },
    { section: vscode.l10n.t('Models') },
    { command: commandIds.setApiKey, title: vscode.l10n.t('Set Anthropic API Key…') },
    { command: commandIds.testModel, title: vscode.l10n.t('Test Language Model…') },
    { command: commandIds.downloadModel, title: vscode.l10n.t('Download Embedding Model…') },
    { command: commandIds.embeddingEndpoint, title: vscode.l10n.t('Embedding Endpoint…') },
  ];
}

function helpEntries(): readonly MenuEntry[] {
  return [
    { command: commandIds.getStarted, title: vscode.l10n.t('Get Started') },
    { command: commandIds.showLog, title: vscode.l10n.t('Show Log') },
    { command: commandIds.showNoticesAgain, title: vscode.l10n.t('Show All Notifications Again') },
    { command: commandIds.refresh, title: vscode.l10n.t('Refresh Explorer') },
  ];
}

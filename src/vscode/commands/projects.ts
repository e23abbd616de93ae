import * as vscode from 'vscode';
import type { MemoryEngine } from '../../engine/engine.js';
import type { Memory, StoreKind } from '../../engine/model/memory.js';
import type { CountedProject, ProjectLink, ProjectStatus } from '../../engine/model/project.js';
import { sharedMessages } from '../../engine/model/sharedMessages.js';
import { commandIds } from '../contributions.js';
import type { EngineHolder } from '../engineHolder.js';
import type { ExplorerNode } from '../explorer/treeNodes.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel, gateLabel, likenessLabel } from '../l10n/labels.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { pickMemory } from '../ui/memoryPicker.js';
import { showStatusMessage } from '../ui/messages.js';
import { statusMessageMs } from '../ui/notifications.js';
import { pickFolder } from '../ui/workspaceFolders.js';
import type { CommandRegistry } from './commandRegistry.js';
import { reportNoSelection, replaceWithSelection, selectedMemoryIds } from './selection.js';

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

type ProjectItem = vscode.QuickPickItem & { readonly key: string };

/** Commands on which project's memory a folder uses, and on the store that a memory belongs to. */
export function registerProjects(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  selection: () => Promise<readonly ExplorerNode[]>,
): void {
  commands.register(commandIds.linkProject, () => linkProject(commands, engineHolder));
  commands.register(commandIds.unlinkProject, () => unlinkProject(commands, engineHolder));
  commands.register(commandIds.reviewGlobal, () => reviewGlobal(commands, engineHolder));
  for (const [command, to] of [
    [commandIds.moveToProject, 'project'],
    [commandIds.moveToGlobal, 'global'],
  ] as const) {
    commands.register(command, async (...commandArgs) => {
      const args = await replaceWithSelection(commandArgs, selection);
      const selectedIds = selectedMemoryIds(args);
      if (reportNoSelection(args)) return;
      const ids = selectedIds.length > 0 ? selectedIds : await pickMemoryToMove(commands, engineHolder, to);
      if (ids.length > 0) await moveWithUndo(commands, engineHolder, ids, to);
    });
  }
}

/** Offers to review global memories that look like a project's, after an upgrade: once. */
export async function offerGlobalReview(commands: CommandRegistry, engine: MemoryEngine): Promise<void> {
  const count = await engine.moves.firstReview();
  if (count === 0) return;
  commands.notify(commandIds.reviewGlobal, {
    message: vscode.l10n.t(
      'What is kept for all projects may belong to one: {0}. Nothing is moved unless you choose it.',
      countLabel(count, 'memory'),
    ),
    actions: [{ title: vscode.l10n.t('Review…'), run: () => vscode.commands.executeCommand(commandIds.reviewGlobal) }],
  });
}

async function linkProject(commands: CommandRegistry, engineHolder: EngineHolder): Promise<void> {
  const picked = await pickStatus(engineHolder);
  if (picked === undefined) return;
  const { engine, status } = picked;
  const used = new Set(status.projects.slice(0, 1).map(it => it.key));
  const similarKeys = new Set(status.similar.map(it => it.project.key));
  const items: ProjectItem[] = [
    ...status.similar.map(it => ({ ...toItem(it.project), detail: likenessLabel(it.likeness) })),
    ...(await engine.projects.list()).filter(it => !similarKeys.has(it.key)).map(toItem),
  ].filter(it => !used.has(it.key));
  const item = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Use Another Project's Memory"),
    placeHolder: vscode.l10n.t('The project whose memory this folder uses from now on: {0}', status.folder),
    matchOnDescription: true,
  });
  if (item === undefined) return;
  const link = await engine.projects.link(item.key, status.folder);
  await engineHolder.reopen();
  const undo = async (): Promise<void> => {
    await (await engineHolder.engine()).projects.unlink(item.key, status.folder);
    await engineHolder.reopen();
  };
  const message = vscode.l10n.t('This folder uses the memory of {0} from now on.', namesOf(link));
  commands.notify(commandIds.linkProject, { message, actions: [{ title: vscode.l10n.t('Undo'), run: undo }] });
}

async function unlinkProject(commands: CommandRegistry, engineHolder: EngineHolder): Promise<void> {
  const picked = await pickStatus(engineHolder);
  if (picked === undefined) return;
  const { engine, status } = picked;
  const link = await engine.projects.unlink(undefined, status.folder);
  await engineHolder.reopen();
  const undo = async (): Promise<void> => {
    const current = await engineHolder.engine();
    for (const { key } of link.projects) await current.projects.link(key, status.folder);
    await engineHolder.reopen();
  };
  const message = vscode.l10n.t('This folder is kept apart from {0}.', namesOf(link));
  // Declined projects were not used: there is no one link to give back.
  const actions = link.projects.length === 1 ? [{ title: vscode.l10n.t('Undo'), run: undo }] : [];
  commands.notify(commandIds.unlinkProject, { message, actions });
}

async function pickStatus(
  engineHolder: EngineHolder,
): Promise<{ readonly engine: MemoryEngine; readonly status: ProjectStatus } | undefined> {
  const folder = await pickFolder();
  if (folder === undefined) return undefined;
  const engine = await engineHolder.engine();
  const status = (await engine.projects.status()).find(it => it.folder === folder);
  return status === undefined ? undefined : { engine, status };
}

async function reviewGlobal(commands: CommandRegistry, engineHolder: EngineHolder): Promise<void> {
  const memories = await (await engineHolder.engine()).moves.candidates();
  if (memories.length === 0) {
    const message = localize(sharedMessages.nothingMisplaced);
    commands.notify(commandIds.reviewGlobal, { message });
    return;
  }
  const items = memories.map(it => ({ label: toPlainMessage(it.summary), description: gateLabel(it.gate), id: it.id }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Memories for All Projects That Look Like One Project's"),
    placeHolder: vscode.l10n.t('Every project reads these. Choose what to move to the memory of this project'),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (picked === undefined || picked.length === 0) return;
  const ids = picked.map(it => it.id);
  await moveWithUndo(commands, engineHolder, ids, 'project');
}

async function pickMemoryToMove(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  to: StoreKind,
): Promise<readonly string[]> {
  const command = to === 'project' ? commandIds.moveToProject : commandIds.moveToGlobal;
  const picked = await pickMemory(await engineHolder.engine(), {
    title: to === 'project' ? vscode.l10n.t('Move to the Project') : vscode.l10n.t('Keep for All Projects'),
    placeholder: vscode.l10n.t('Type what it is about'),
    predicate: it => it.store !== to,
    onError: error => {
      commands.report(command, error);
    },
  });
  return picked === undefined ? [] : [picked.memory.id];
}

async function moveWithUndo(
  commands: CommandRegistry,
  engineHolder: EngineHolder,
  ids: readonly string[],
  to: StoreKind,
): Promise<void> {
  const engine = await engineHolder.engine();
  const { moved, refused } = await engine.moves.move(ids, to);
  const from = to === 'project' ? 'global' : 'project';
  const movedIds = moved.map(it => it.id);
  const command = to === 'project' ? commandIds.moveToProject : commandIds.moveToGlobal;
  const refusals = refused.map(it => `${toTruncatedLine(it.memory.content, maxQuotedLength)}: ${localize(it.reason)}`);
  if (refusals.length > 0) commands.notify(command, { message: refusals.join(' ') });
  if (moved.length > 0) {
    const steps = [{ do: 'move', ids: movedIds, to: from }] as const;
    commands.notifyChange(command, engine, movedSentence(moved, to), { name: 'moved', ids: movedIds, steps });
  } else if (refusals.length === 0)
    showStatusMessage(vscode.l10n.t('Nothing to move: it is there already.'), statusMessageMs);
}

function movedSentence(moved: readonly Memory[], to: StoreKind): string {
  const what =
    moved.length === 1 ? toTruncatedLine(moved[0]!.content, maxQuotedLength) : countLabel(moved.length, 'memory');
  return to === 'project'
    ? vscode.l10n.t('Moved to the project: {0}', what)
    : vscode.l10n.t('Kept for all projects: {0}', what);
}

function toItem(project: CountedProject): ProjectItem {
  const { key, name, memories, folders, remotes } = project;
  return {
    key,
    label: toPlainMessage(name),
    description: toPlainMessage([countLabel(memories, 'memory'), folders.at(-1) ?? remotes[0] ?? key].join(' · ')),
  };
}

function namesOf({ projects }: ProjectLink): string {
  return projects.map(it => it.name).join(', ');
}

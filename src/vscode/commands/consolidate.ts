import * as vscode from 'vscode';
import type { MergeProposal } from '../../engine/model/consolidation.js';
import { commandIds } from '../contributions.js';
import { toPlainMessage, toTruncatedLine } from '../ui/markdown.js';
import { statusMessageMs } from '../ui/notifications.js';
import { proposalIdOf, type VirtualDocuments } from '../ui/virtualDocuments.js';
import type { EngineHolder } from '../engineHolder.js';
import { countLabel, formatInteger, formatDay, kindLabel, formatPercent, storeLabel } from '../l10n/labels.js';
import { withProgress } from '../ui/progress.js';
import type { CommandRegistry } from './commandRegistry.js';
import { showStatusMessage } from '../ui/messages.js';

/** Characters of a memory's text in a notification. */
const maxQuotedLength = 60;

interface ConsolidationDependencies {
  readonly commands: CommandRegistry;
  readonly engineHolder: EngineHolder;
  readonly virtualDocuments: VirtualDocuments;
}

/** Commands that merge near-duplicates, and "Show Identity". */
export function registerConsolidation(dependencies: ConsolidationDependencies): void {
  const { commands, engineHolder, virtualDocuments } = dependencies;
  commands.register(commandIds.showIdentity, () => virtualDocuments.openIdentity());
  commands.register(commandIds.consolidate, async id => {
    if (typeof id === 'string')
      await virtualDocuments.showMergeDiff(await (await engineHolder.engine()).consolidation.get(id));
    else await proposeMerges(dependencies);
  });
  commands.register(commandIds.acceptProposal, async uri => {
    const id = proposalIdOf(uri);
    if (id !== undefined) await acceptProposal(dependencies, id);
  });
  commands.register(commandIds.editProposal, async uri => {
    const id = proposalIdOf(uri);
    if (id === undefined) return;
    const { content } = await (await engineHolder.engine()).consolidation.get(id);
    const edited = await vscode.window.showInputBox({
      title: vscode.l10n.t('Edit and Accept'),
      prompt: vscode.l10n.t('What the merged memory says'),
      value: content.replaceAll('\n', ' '),
      validateInput: text => (text.trim() === '' ? vscode.l10n.t('A memory cannot be empty.') : undefined),
    });
    if (edited !== undefined) await acceptProposal(dependencies, id, edited);
  });
  commands.register(commandIds.rejectProposal, async uri => {
    const id = proposalIdOf(uri);
    if (id === undefined) return;
    await (await engineHolder.engine()).consolidation.reject(id);
    await virtualDocuments.closeMergeDiff(id);
    await notifyWithNext(
      dependencies,
      vscode.l10n.t('Rejected. It is proposed again only when one of its memories changes.'),
    );
  });
  commands.register(commandIds.undoConsolidation, () => pickAndUndo(dependencies));
}

async function proposeMerges({ engineHolder, virtualDocuments, commands }: ConsolidationDependencies): Promise<void> {
  const engine = await engineHolder.engine();
  const title = vscode.l10n.t('Looking for memories that say the same');
  const { proposals, disagreements } = await withProgress({ title }, progressContext =>
    engine.consolidation.propose(progressContext),
  );
  const disagreementNote =
    disagreements.length === 0
      ? ''
      : ` ${vscode.l10n.t('Similar, but they disagree and stay apart: {0}.', countLabel(disagreements.length, 'pair'))}`;
  if (proposals.length === 0) {
    const message = vscode.l10n.t('No memories say the same.') + disagreementNote;
    commands.notify(commandIds.consolidate, { message });
    return;
  }
  const pickedItem = await vscode.window.showQuickPick(proposals.map(toQuickPickItem), {
    title: vscode.l10n.t('Merge Memories'),
    placeHolder: vscode.l10n.t('Choose what to look at; nothing is merged yet.') + disagreementNote,
    matchOnDetail: true,
  });
  if (pickedItem !== undefined) await virtualDocuments.showMergeDiff(pickedItem.proposal);
}

function toQuickPickItem(proposal: MergeProposal): vscode.QuickPickItem & { readonly proposal: MergeProposal } {
  const { content, originals, similarity, store } = proposal;
  const descriptionParts = [
    countLabel(originals.length, 'memory'),
    vscode.l10n.t('{0} alike', formatPercent(similarity * 100)),
    kindLabel(originals[0]!.kind),
    storeLabel(store),
  ];
  return { proposal, label: toPlainMessage(toTruncatedLine(content, 100)), description: descriptionParts.join(' · ') };
}

async function acceptProposal(dependencies: ConsolidationDependencies, id: string, content?: string): Promise<void> {
  const engine = await dependencies.engineHolder.engine();
  const { merged, archived } = await engine.consolidation.accept(id, content);
  await dependencies.virtualDocuments.closeMergeDiff(id);
  const text = toTruncatedLine(merged.content, maxQuotedLength);
  const message = vscode.l10n.t('Merged, {0} forgotten: {1}', formatInteger(archived.length), text);
  const undo = { title: vscode.l10n.t('Undo'), run: () => undoConsolidation(dependencies, id) };
  const actions = (await engine.consolidation.listProposals()).length > 0 ? [undo, nextAction(dependencies)] : [undo];
  dependencies.commands.notify(commandIds.acceptProposal, { message, topic: 'merged', actions });
}

async function notifyWithNext(dependencies: ConsolidationDependencies, message: string): Promise<void> {
  const remainingProposals = await (await dependencies.engineHolder.engine()).consolidation.listProposals();
  const actions = remainingProposals.length > 0 ? [nextAction(dependencies)] : [];
  dependencies.commands.notify(commandIds.rejectProposal, { message, topic: 'merged', actions });
}

function nextAction(dependencies: ConsolidationDependencies): {
  readonly title: string;
  readonly run: () => Promise<void>;
} {
  return { title: vscode.l10n.t('Next'), run: () => proposeMerges(dependencies) };
}

async function pickAndUndo(dependencies: ConsolidationDependencies): Promise<void> {
  const pastConsolidations = await (await dependencies.engineHolder.engine()).consolidation.listAccepted();
  if (pastConsolidations.length === 0) {
    const message = vscode.l10n.t('There is no consolidation to undo.');
    dependencies.commands.notify(commandIds.undoConsolidation, { message });
    return;
  }
  const rows = pastConsolidations.map(it => ({
    id: it.id,
    label: toPlainMessage(toTruncatedLine(it.merged.content, 100)),
    description: `${vscode.l10n.t('{0} forgotten', formatInteger(it.archived))} · ${formatDay(it.at)}`,
  }));
  const chosen = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Undo a Merge'),
    placeHolder: vscode.l10n.t('The memories it merged are active again as they were'),
  });
  if (chosen !== undefined) await undoConsolidation(dependencies, chosen.id);
}

async function undoConsolidation({ engineHolder }: ConsolidationDependencies, id: string): Promise<void> {
  const restored = await (await engineHolder.engine()).consolidation.undo(id);
  showStatusMessage(vscode.l10n.t('Active again: {0}', countLabel(restored.length, 'memory')), statusMessageMs);
}

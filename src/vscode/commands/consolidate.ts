import * as vscode from 'vscode';
import type { Proposal } from '../../engine/model/consolidation.js';
import { commandIds } from '../contributions.js';
import { oneLine } from '../markdown.js';
import { proposalOf, type Pages } from '../pages.js';
import type { MemorySession } from '../session.js';
import { counted, countWord, dayWord, kindWord, percent, storeWord } from '../words.js';
import { withProgress } from './progress.js';
import type { Commands } from './registry.js';

/** Of a memory's text in a notification. */
const quotedCharacters = 60;

interface Parts {
  readonly commands: Commands;
  readonly session: MemorySession;
  readonly pages: Pages;
}

/** Merging what says nearly the same, and the page about how a person works. */
export function registerConsolidation(parts: Parts): void {
  const { commands, session, pages } = parts;
  commands.register(commandIds.showIdentity, () => pages.openIdentity());
  commands.register(commandIds.consolidate, async id => {
    if (typeof id === 'string') await pages.compare(await (await session.engine()).consolidation.get(id));
    else await consolidate(parts);
  });
  commands.register(commandIds.acceptProposal, async uri => {
    const id = proposalOf(uri);
    if (id !== undefined) await accept(parts, id);
  });
  commands.register(commandIds.editProposal, async uri => {
    const id = proposalOf(uri);
    if (id === undefined) return;
    const { content } = await (await session.engine()).consolidation.get(id);
    const edited = await vscode.window.showInputBox({
      title: vscode.l10n.t('Edit and Accept'),
      prompt: vscode.l10n.t('What the merged memory says'),
      value: content.replaceAll('\n', ' '),
      validateInput: text => (text.trim() === '' ? vscode.l10n.t('A memory cannot be empty.') : undefined),
    });
    if (edited !== undefined) await accept(parts, id, edited);
  });
  commands.register(commandIds.rejectProposal, async uri => {
    const id = proposalOf(uri);
    if (id === undefined) return;
    await (await session.engine()).consolidation.reject(id);
    await pages.closeProposal(id);
    await next(parts, vscode.l10n.t('Rejected. It is proposed again only when one of its memories changes.'));
  });
  commands.register(commandIds.undoConsolidation, () => undoOne(parts));
}

async function consolidate({ session, pages, commands }: Parts): Promise<void> {
  const engine = await session.engine();
  const title = vscode.l10n.t('Looking for memories that say the same');
  const { proposals, disagreements } = await withProgress({ title }, means => engine.consolidation.propose(means));
  const apart =
    disagreements.length === 0
      ? ''
      : ` ${vscode.l10n.t('Similar, but they disagree and stay apart: {0}.', counted(disagreements.length, 'pair'))}`;
  if (proposals.length === 0) {
    const message = vscode.l10n.t('No memories say the same.') + apart;
    commands.tell(commandIds.consolidate, { message });
    return;
  }
  const chosen = await vscode.window.showQuickPick(proposals.map(row), {
    title: vscode.l10n.t('Consolidate Memories'),
    placeHolder: vscode.l10n.t('Choose what to look at; nothing is merged yet.') + apart,
    matchOnDetail: true,
  });
  if (chosen !== undefined) await pages.compare(chosen.proposal);
}

function row(proposal: Proposal): vscode.QuickPickItem & { readonly proposal: Proposal } {
  const { content, originals, similarity, store } = proposal;
  const about = [
    counted(originals.length, 'memory'),
    vscode.l10n.t('{0} alike', percent(similarity * 100)),
    kindWord(originals[0]!.kind),
    storeWord(store),
  ];
  return { proposal, label: oneLine(content, 100), description: about.join(' · ') };
}

async function accept(parts: Parts, id: string, content?: string): Promise<void> {
  const engine = await parts.session.engine();
  const { merged, archived } = await engine.consolidation.accept(id, content);
  await parts.pages.closeProposal(id);
  const text = oneLine(merged.content, quotedCharacters);
  const message = vscode.l10n.t('Merged, {0} archived: {1}', countWord(archived.length), text);
  const undo = { title: vscode.l10n.t('Undo'), run: () => undoById(parts, id) };
  const actions = (await engine.consolidation.proposals()).length > 0 ? [undo, another(parts)] : [undo];
  parts.commands.tell(commandIds.acceptProposal, { message, topic: 'merged', actions });
}

async function next(parts: Parts, message: string): Promise<void> {
  const left = await (await parts.session.engine()).consolidation.proposals();
  const actions = left.length > 0 ? [another(parts)] : [];
  parts.commands.tell(commandIds.rejectProposal, { message, topic: 'merged', actions });
}

function another(parts: Parts): { readonly title: string; readonly run: () => Promise<void> } {
  return { title: vscode.l10n.t('Next'), run: () => consolidate(parts) };
}

async function undoOne(parts: Parts): Promise<void> {
  const past = await (await parts.session.engine()).consolidation.past();
  if (past.length === 0) {
    const message = vscode.l10n.t('There is no consolidation to undo.');
    parts.commands.tell(commandIds.undoConsolidation, { message });
    return;
  }
  const rows = past.map(it => ({
    id: it.id,
    label: oneLine(it.merged.content, 100),
    description: `${vscode.l10n.t('{0} archived', countWord(it.archived))} · ${dayWord(it.at)}`,
  }));
  const chosen = await vscode.window.showQuickPick(rows, {
    title: vscode.l10n.t('Undo a Consolidation'),
    placeHolder: vscode.l10n.t('The memories it merged are active again as they were'),
  });
  if (chosen !== undefined) await undoById(parts, chosen.id);
}

async function undoById({ session }: Parts, id: string): Promise<void> {
  const restored = await (await session.engine()).consolidation.undo(id);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Active again: {0}', counted(restored.length, 'memory')), 4_000);
}

import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { escapeMarkdown, toTruncatedLine } from '../ui/markdown.js';
import { spokenMarks } from '../ui/memoryPresentation.js';
import {
  changeLabel,
  conflictJudgementLabel,
  countLabel,
  formatAge,
  formatDay,
  formatInteger,
  formatSpokenAge,
  lastingGroupLabel,
  placeLabel,
  planReviewLabel,
  planReviewPrefix,
  replacementLabel,
  requestLabel,
  requestPrefix,
  statusLabel,
  topicHint,
  topicLabel,
} from '../l10n/labels.js';
import { namesAction } from '../../engine/engine.js';
import { findInstructionMarks } from '../../engine/model/instructionMarks.js';
import { decayClasses } from '../../engine/model/memory.js';
import type { MemoryWithConfidence } from '../../engine/model/conflict.js';
import { noteRowUri } from './dimmedRows.js';
import {
  type AllMemoriesNode,
  type ConflictNode,
  type ExplorerNode,
  type GroupId,
  type GroupNode,
  type IntakeNode,
  type MemoryNode,
  type MemoryNodeContext,
  type MoreNode,
  type NeedCounts,
  type SensitiveNode,
  type UndoNode,
  rowClicked,
  toSearch,
} from './treeNodes.js';

/** Characters of a row: more than the widest side bar shows. */
const maxRowLength = 240;
/** Of a memory in the label of a row for screen readers. */
const maxSpokenLength = 400;

/** The tree item of a node. The tooltip of a memory is resolved later, on hover. */
export function toTreeItem(node: ExplorerNode): vscode.TreeItem {
  const item = createItem(node);
  item.id = node.id;
  return item;
}

function createItem(node: ExplorerNode): vscode.TreeItem {
  switch (node.type) {
    case 'undo':
      return toUndoItem(node);
    case 'group':
      return toGroupItem(node);
    case 'conflict':
      return toConflictItem(node);
    case 'intake':
      return toIntakeItem(node);
    case 'memory':
      return toMemoryItem(node);
    case 'sensitive':
      return toSensitiveItem(node);
    case 'more':
      return toMoreItem(node);
    case 'all':
      return toAllMemoriesItem(node);
  }
}

function toUndoItem({ change, text }: UndoNode): vscode.TreeItem {
  const label = vscode.l10n.t('Undo: {0}', changeLabel(change, text));
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon('discard');
  item.tooltip = label;
  item.command = { command: commandIds.undo, title: vscode.l10n.t('Undo') };
  item.accessibilityInformation = { label, role: 'button' };
  return item;
}

function toAllMemoriesItem({ count }: AllMemoriesNode): vscode.TreeItem {
  const label = vscode.l10n.t('Search {0} memories…', formatInteger(count));
  const item = new vscode.TreeItem(label);
  item.iconPath = new vscode.ThemeIcon('search');
  item.command = { command: commandIds.showProjects, title: vscode.l10n.t('Open'), arguments: [toSearch] };
  item.accessibilityInformation = { label, role: 'button' };
  return item;
}

function toMoreItem(node: MoreNode): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t('Show more'));
  const total = totalLabel(node.total, node.isAtLeast);
  item.description = vscode.l10n.t('{0} of {1}', formatInteger(node.shown), total);
  item.command = { command: commandIds.showMore, title: vscode.l10n.t('Show more'), arguments: [node] };
  item.accessibilityInformation = {
    label: vscode.l10n.t('Show more: {0} of {1} are shown', formatInteger(node.shown), total),
    role: 'button',
  };
  return item;
}

function toSensitiveItem(node: SensitiveNode): vscode.TreeItem {
  const { memory } = node;
  const item = new vscode.TreeItem(memory.label);
  item.description = memory.isReadable ? formatDay(memory.createdAt) : vscode.l10n.t('key {0} is not here', memory.key);
  const hint = memory.isReadable
    ? vscode.l10n.t('Kept encrypted with the key {0}. A click shows it.', memory.key)
    : vscode.l10n.t(
        'The key {0} is not here, so this cannot be read. Bring it with “Bring a Key for Sensitive Memories”.',
        memory.key,
      );
  item.tooltip = hint;
  item.iconPath = new vscode.ThemeIcon(memory.isReadable ? 'lock' : 'key');
  item.contextValue = 'sensitive';
  item.accessibilityInformation = { label: `${memory.label}, ${hint}` };
  item.command = { command: commandIds.showSensitive, title: vscode.l10n.t('Show'), arguments: [node] };
  return item;
}

function toConflictItem(node: ConflictNode): vscode.TreeItem {
  const { newer, older } = node.conflict;
  const judgement = conflictJudgementLabel(node.conflict);
  const [newerText, olderText] = [newer, older].map(it => toTruncatedLine(it.memory.content, maxRowLength)) as [
    string,
    string,
  ];
  const item = new vscode.TreeItem(vscode.l10n.t('Which holds? {0}', newerText));
  item.description = vscode.l10n.t('or: {0}', olderText);
  const sides = [
    vscode.l10n.t('Newer: {0}', escapeMarkdown(newer.memory.content)),
    vscode.l10n.t('Older: {0}', escapeMarkdown(older.memory.content)),
  ];
  item.tooltip = new vscode.MarkdownString(`${sides.join('\n\n')}\n\n${escapeMarkdown(judgement)}`);
  item.contextValue = 'conflict';
  item.command = { command: commandIds.settleConflict, title: vscode.l10n.t('Settle'), arguments: [node] };
  item.accessibilityInformation = {
    label:
      node.conflict.mark === undefined
        ? vscode.l10n.t('{0} may replace {1}: {2}', newerText, olderText, judgement)
        : vscode.l10n.t('{0} contradicts {1}: {2}', newerText, olderText, judgement),
  };
  return item;
}

function toIntakeItem({ intake }: IntakeNode): vscode.TreeItem {
  const isImport = intake.by === 'import';
  const label = isImport
    ? vscode.l10n.t('To review: {0} from {1}', countLabel(intake.undecided, 'memory'), intake.source)
    : vscode.l10n.t('To review: {0} from your sessions', countLabel(intake.undecided, 'candidate'));
  const item = new vscode.TreeItem(label);
  item.tooltip = isImport
    ? vscode.l10n.t('Imported, and kept as notes, which fade. A click shows them, to keep or forget.')
    : vscode.l10n.t('Said in captured sessions, and perhaps worth keeping. A click shows them.');
  item.contextValue = 'intake';
  item.command = isImport
    ? { command: commandIds.reviewIntakes, title: vscode.l10n.t('Review'), arguments: [intake.id] }
    : { command: commandIds.reviewCandidates, title: vscode.l10n.t('Review') };
  item.accessibilityInformation = { label: `${label}, ${formatDay(intake.at)}` };
  return item;
}

function toMemoryItem({ details, age, project, line, fadesSoon, context, replaced }: MemoryNode): vscode.TreeItem {
  const { memory } = details;
  const state =
    replaced === undefined ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed;
  const text = toTruncatedLine(line?.text ?? memory.content, maxRowLength);
  const item = new vscode.TreeItem(rowLabel(text, context), state);
  const place = [placeLabel(memory.provenance), line?.heading].filter(it => it !== undefined).join(' › ');
  const end = [...rowMarks(details, context), place, project, formatAge(age)];
  item.description = end.filter(it => it !== undefined && it !== '').join('  ');
  if (memory.lane === 'note') item.resourceUri = noteRowUri();
  // Without an icon, VS Code gives a row with a resource URI that of a file.
  item.iconPath = new vscode.ThemeIcon(memory.pinned ? 'pinned' : fadesSoon ? 'clock' : 'blank');
  item.contextValue = contextValueOf(details) + contextWord(context);
  const spoken = [
    toTruncatedLine(memory.content, maxSpokenLength),
    ...contextLabels(context),
    ...spokenMarks(details, fadesSoon),
    placeLabel(memory.provenance),
    project,
    formatSpokenAge(age),
  ];
  item.accessibilityInformation = { label: spoken.filter(it => it !== undefined).join(', ') };
  item.command = {
    command: commandIds.showInInspector,
    title: vscode.l10n.t('Open'),
    arguments: [memory.id, rowClicked],
  };
  return item;
}

/** Warnings and states, for a person to see before the text. */
function rowMarks({ memory }: MemoryWithConfidence, context: MemoryNodeContext | undefined): readonly string[] {
  const isSuspect = findInstructionMarks(memory.content).length > 0;
  return [
    ...(isSuspect ? [vscode.l10n.t('looks like an instruction')] : []),
    ...(context !== undefined && 'request' in context ? [requestLabel(context.request)] : []),
    ...(context !== undefined && 'replacement' in context ? [replacementLabel(context.replacement)] : []),
    ...(memory.status === 'active' ? [] : [statusLabel(memory.status, memory.archiveReason)]),
  ];
}

function contextWord(context: MemoryNodeContext | undefined): string {
  if (context === undefined) return '';
  if ('request' in context) return ' requested';
  return 'planReview' in context ? ' revisit' : '';
}

function contextLabels(context: MemoryNodeContext | undefined): readonly string[] {
  if (context === undefined) return [];
  if ('request' in context) return [`${requestPrefix(context.request)}: ${requestLabel(context.request)}`];
  return 'replacement' in context ? [replacementLabel(context.replacement)] : [planReviewLabel(context.planReview)];
}

function rowLabel(text: string, context: MemoryNodeContext | undefined): string {
  if (context === undefined) return text;
  // A prefix, because a narrow side bar truncates the end.
  if ('request' in context) return `${requestPrefix(context.request)}: ${text}`;
  if ('planReview' in context) return `${planReviewPrefix(context.planReview)}: ${text}`;
  return vscode.l10n.t('Before: {0}', text);
}

/** Words for the when-clauses of package.json (`viewItem =~ /…/`). */
function contextValueOf({ memory }: MemoryWithConfidence): string {
  return [
    'memory',
    memory.status === 'active' ? 'active' : 'inactive',
    memory.pinned ? 'pinned' : 'unpinned',
    memory.status === 'active' && memory.provenance.source !== 'code-index' ? 'editable' : 'fixed',
    memory.lane,
    memory.store,
    memory.decayClass === 'permanent' ? 'permanent' : 'fading',
    memory.provenance.uri?.startsWith('file:') === true ? 'anchored' : 'free',
    ...(namesAction(memory) ? ['guardable'] : []),
  ].join(' ');
}

function toGroupItem(node: GroupNode): vscode.TreeItem {
  const state = node.open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(groupLabel(node.id), state);
  const needs = node.needs === undefined ? [] : needLabels(node.needs);
  // A lone sort of need has the same number.
  const isSaid = needs.length === 1 && node.isAtLeast === undefined;
  const counts = [
    ...(isSaid ? [] : [totalLabel(node.count, node.isAtLeast)]),
    ...(needs.length > 0 ? [needs.join(', ')] : []),
  ];
  item.description = counts.join('  ');
  const hint = groupHint(node.id);
  item.tooltip = hint;
  item.contextValue = node.needs !== undefined && node.needs.conflicts > 1 ? 'contradictions' : 'fold';
  item.accessibilityInformation = {
    label: [groupLabel(node.id), ...counts, hint].filter(it => it !== undefined).join(', '),
  };
  return item;
}

function totalLabel(count: number, isAtLeast: true | undefined): string {
  return isAtLeast === true ? vscode.l10n.t('{0} or more', formatInteger(count)) : formatInteger(count);
}

/** `2 contradictions`, `1 overdue`. */
function needLabels({ requests, conflicts, likely, overdue, faded, intakes }: NeedCounts): readonly string[] {
  const parts: readonly (readonly [number, (count: string) => string])[] = [
    [requests, count => vscode.l10n.t('{0} asked for', count)],
    [
      conflicts,
      count => (conflicts === 1 ? vscode.l10n.t('1 contradiction') : vscode.l10n.t('{0} contradictions', count)),
    ],
    [likely, count => vscode.l10n.t('{0} to settle', count)],
    [overdue, count => vscode.l10n.t('{0} overdue', count)],
    [faded, count => vscode.l10n.t('{0} faded', count)],
    [intakes, count => vscode.l10n.t('{0} to review', count)],
  ];
  return parts.flatMap(([count, label]) => (count === 0 ? [] : [label(formatInteger(count))]));
}

function groupLabel(id: GroupId): string {
  switch (id) {
    case 'needsYou':
      return vscode.l10n.t('Needs You');
    case 'recent':
      return vscode.l10n.t('New This Week');
    case 'everywhere':
      return vscode.l10n.t('For All Projects');
    case 'code':
      return vscode.l10n.t('From the Code');
    case 'sensitive':
      return vscode.l10n.t('Sensitive');
    case 'forgotten':
      return vscode.l10n.t('Forgotten or Replaced');
    case 'rules':
    case 'facts':
    case 'people':
    case 'plans':
      return topicLabel(id);
    case 'lasts/ephemeral':
    case 'lasts/session':
    case 'lasts/durable':
    case 'lasts/permanent':
      return lastingGroupLabel(decayClasses.find(it => id === `lasts/${it}`)!);
  }
}

function groupHint(id: GroupId): string | undefined {
  switch (id) {
    case 'needsYou':
      return vscode.l10n.t('What only you can decide; a click on a row does');
    case 'recent':
      return vscode.l10n.t('Remembered in the last seven days, of every sort');
    case 'everywhere':
      return vscode.l10n.t('What your assistants get in every project');
    case 'code':
      return vscode.l10n.t('Files and declarations, described when they were indexed');
    case 'sensitive':
      return vscode.l10n.t('Kept encrypted; shown to you alone, one at a time');
    case 'forgotten':
      return vscode.l10n.t('No longer used; each can be restored');
    case 'rules':
    case 'facts':
    case 'people':
    case 'plans':
      return topicHint(id);
    case 'lasts/ephemeral':
    case 'lasts/session':
    case 'lasts/durable':
    case 'lasts/permanent':
      return undefined;
  }
}

import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { escapeMarkdown } from '../ui/markdown.js';
import { gateIcon, memoryIcon, memoryAccessibilityLabel, memoryBadges } from '../ui/memoryPresentation.js';
import {
  countLabel,
  formatInteger,
  formatDay,
  decayClassHint,
  decayClassLabel,
  gateHint,
  gateGroupLabel,
  kindLabel,
  planReviewPrefix,
  planReviewLabel,
  conflictJudgementLabel,
  replacementLabel,
  requestLabel,
  requestPrefix,
  temperatureHint,
  temperatureLabel,
} from '../l10n/labels.js';
import type { DecayClass } from '../../engine/model/memory.js';
import type { MemoryWithConfidence } from '../../engine/model/conflict.js';
import { confidenceBadgeUri } from './confidenceBadges.js';
import {
  type ConflictNode,
  type ExplorerNode,
  type TreeGroup,
  type MemoryNode,
  type MemoryNodeContext,
  type SectionNode,
  type SensitiveNode,
  rowClicked,
} from './treeNodes.js';

const decayClassIcons: Readonly<Record<DecayClass, string>> = {
  ephemeral: 'watch',
  session: 'history',
  durable: 'database',
  permanent: 'lock',
};

/** The tree item of a node. The tooltip of a memory is resolved later, on hover. */
export function toTreeItem(node: ExplorerNode): vscode.TreeItem {
  switch (node.type) {
    case 'group':
      return createCollapsibleItem(node.id, groupLabel(node.group), node, groupHint(node.group), groupIcon(node.group));
    case 'kind':
      return createCollapsibleItem(node.id, kindLabel(node.kind), node, undefined, undefined);
    case 'section':
      return toSectionItem(node);
    case 'conflict':
      return toConflictItem(node);
    case 'memory':
      return toMemoryItem(node);
    case 'sensitive':
      return toSensitiveItem(node);
    case 'more': {
      const item = new vscode.TreeItem(vscode.l10n.t('Show more…'));
      item.id = node.id;
      item.description = vscode.l10n.t('{0} more', formatInteger(node.remaining));
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.command = { command: commandIds.showMore, title: vscode.l10n.t('Show more'), arguments: [node] };
      return item;
    }
  }
}

function toSensitiveItem({ id, memory }: SensitiveNode): vscode.TreeItem {
  const item = new vscode.TreeItem(memory.label);
  item.id = id;
  item.description = memory.isReadable ? formatDay(memory.createdAt) : vscode.l10n.t('key {0} is not here', memory.key);
  item.tooltip = memory.isReadable
    ? vscode.l10n.t('Kept encrypted with the key {0}. A click shows it.', memory.key)
    : vscode.l10n.t(
        'The key {0} is not here, so this cannot be read. Bring it with “Bring a Key for Sensitive Memories”.',
        memory.key,
      );
  item.iconPath = new vscode.ThemeIcon(memory.isReadable ? 'lock' : 'key');
  item.contextValue = 'sensitive';
  item.command = {
    command: commandIds.showSensitive,
    title: vscode.l10n.t('Show'),
    arguments: [{ type: 'sensitive', id, memory }],
  };
  return item;
}

function toConflictItem({ id, conflict }: ConflictNode): vscode.TreeItem {
  const { newer, older } = conflict;
  const judgement = conflictJudgementLabel(conflict);
  const item = new vscode.TreeItem(newer.memory.summary, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.description = judgement;
  const sides = [
    vscode.l10n.t('Newer: {0}', escapeMarkdown(newer.memory.content)),
    vscode.l10n.t('Older: {0}', escapeMarkdown(older.memory.content)),
  ];
  item.tooltip = new vscode.MarkdownString(`${sides.join('\n\n')}\n\n---\n\n${escapeMarkdown(judgement)}`);
  item.iconPath = new vscode.ThemeIcon('git-compare');
  item.contextValue = 'conflict';
  item.accessibilityInformation = {
    label: vscode.l10n.t('{0} contradicts {1}: {2}', newer.memory.summary, older.memory.summary, judgement),
  };
  return item;
}

function toMemoryItem({ id, details, context, replaced }: MemoryNode): vscode.TreeItem {
  const { memory } = details;
  const state =
    replaced === undefined ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(memoryItemLabel(memory.summary, context), state);
  item.id = id;
  item.description = memoryItemDescription(details, context);
  item.resourceUri = confidenceBadgeUri(memory.id, details.effectiveConfidence);
  item.iconPath = memoryIcon(details);
  item.contextValue = contextValueOf(details) + contextWord(context);
  item.accessibilityInformation = { label: [memoryAccessibilityLabel(details), ...contextLabels(context)].join(', ') };
  item.command = {
    command: commandIds.showInInspector,
    title: vscode.l10n.t('Open'),
    arguments: [memory.id, rowClicked],
  };
  return item;
}

function contextWord(context: MemoryNodeContext | undefined): string {
  if (context === undefined) return '';
  if ('request' in context) return ' requested';
  return 'planReview' in context ? ' revisit' : '';
}

function contextLabels(context: MemoryNodeContext | undefined): readonly string[] {
  if (context === undefined || 'side' in context) return [];
  if ('request' in context) return [requestLabel(context.request)];
  return 'replacement' in context ? [replacementLabel(context.replacement)] : [planReviewLabel(context.planReview)];
}

function memoryItemDescription(details: MemoryWithConfidence, context: MemoryNodeContext | undefined): string {
  if (context === undefined || 'side' in context) return memoryBadges(details);
  if ('request' in context) return requestLabel(context.request);
  if ('replacement' in context) return replacementLabel(context.replacement);
  // The label has the rest.
  return context.planReview.why === 'overdue'
    ? ''
    : vscode.l10n.t('last said {0}', formatDay(context.planReview.since));
}

function memoryItemLabel(summary: string, context: MemoryNodeContext | undefined): string {
  if (context === undefined) return summary;
  // A prefix, because a narrow side bar truncates the end.
  if ('request' in context) return `${requestPrefix(context.request)}: ${summary}`;
  if ('planReview' in context) return `${planReviewPrefix(context.planReview)}: ${summary}`;
  if ('replacement' in context) return vscode.l10n.t('Before: {0}', summary);
  return context.side === 'newer' ? vscode.l10n.t('Newer: {0}', summary) : vscode.l10n.t('Older: {0}', summary);
}

/** Words for the when-clauses of package.json (`viewItem =~ /…/`). */
function contextValueOf({ memory }: MemoryWithConfidence): string {
  return [
    'memory',
    memory.status === 'active' ? 'active' : 'inactive',
    memory.pinned ? 'pinned' : 'unpinned',
    memory.lane,
    memory.store,
    memory.decayClass === 'permanent' ? 'permanent' : 'fading',
    memory.provenance.uri?.startsWith('file:') === true ? 'anchored' : 'free',
  ].join(' ');
}

function toSectionItem(node: SectionNode): vscode.TreeItem {
  switch (node.id) {
    case 'requests':
      return createCollapsibleItem(
        node.id,
        vscode.l10n.t('Requests'),
        node,
        vscode.l10n.t('What assistants want done and may not do without you'),
        new vscode.ThemeIcon('inbox'),
      );
    case 'conflicts':
      return createCollapsibleItem(
        node.id,
        vscode.l10n.t('Conflicts'),
        node,
        vscode.l10n.t('Memories that contradict each other; you say which one holds'),
        new vscode.ThemeIcon('git-compare'),
      );
    case 'revisit':
      return createCollapsibleItem(
        node.id,
        vscode.l10n.t('Revisit'),
        node,
        vscode.l10n.t('Plans that are overdue or have faded'),
        new vscode.ThemeIcon('bell'),
      );
    case 'sensitive':
      return createCollapsibleItem(
        node.id,
        vscode.l10n.t('Sensitive'),
        node,
        vscode.l10n.t('Kept encrypted; shown to you alone, one at a time'),
        new vscode.ThemeIcon('lock'),
      );
    case 'archived':
      return createCollapsibleItem(
        node.id,
        vscode.l10n.t('Archived'),
        node,
        vscode.l10n.t('Forgotten, done or faded; can be restored'),
        new vscode.ThemeIcon('archive'),
      );
  }
}

function createCollapsibleItem(
  id: string,
  label: string,
  { count, open }: { readonly count: number; readonly open: boolean },
  hint: string | undefined,
  icon: vscode.ThemeIcon | undefined,
): vscode.TreeItem {
  const state = open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(label, state);
  item.id = id;
  item.description = formatInteger(count);
  const countText = countLabel(count, id === 'conflicts' ? 'pair' : 'memory');
  item.tooltip = hint === undefined ? countText : `${hint} (${countText})`;
  if (icon !== undefined) item.iconPath = icon;
  item.contextValue = 'fold';
  item.accessibilityInformation = { label: `${label}, ${countText}` };
  return item;
}

function groupLabel(group: TreeGroup): string {
  switch (group.by) {
    case 'gate':
      return gateGroupLabel(group.gate);
    case 'decayClass':
      return decayClassLabel(group.decayClass);
    case 'temperature':
      return temperatureLabel(group.temperature);
  }
}

function groupHint(group: TreeGroup): string {
  switch (group.by) {
    case 'gate':
      return gateHint(group.gate);
    case 'decayClass':
      return decayClassHint(group.decayClass);
    case 'temperature':
      return temperatureHint(group.temperature);
  }
}

function groupIcon(group: TreeGroup): vscode.ThemeIcon {
  switch (group.by) {
    case 'gate':
      return gateIcon(group.gate);
    case 'decayClass':
      return new vscode.ThemeIcon(decayClassIcons[group.decayClass]);
    case 'temperature':
      return new vscode.ThemeIcon(group.temperature === 'hot' ? 'flame' : 'history');
  }
}

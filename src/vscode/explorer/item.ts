import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { translatedText } from '../engineWords.js';
import { escapeMarkdown } from '../markdown.js';
import { gateIcon, memoryIcon, memoryLabel, memoryMarks, type Shown } from '../present.js';
import {
  counted,
  countWord,
  dayWord,
  decayClassHint,
  decayClassWord,
  gateHint,
  gateWord,
  kindWord,
  revisitMark,
  revisitWord,
} from '../words.js';
import type { DecayClass } from '../../engine/model/memory.js';
import { confidenceUri } from './confidenceBadges.js';
import type { ConflictNode, ExplorerNode, Group, MemoryNode, MemoryPlace, SpecialNode } from './nodes.js';

const decayClassIcons: Readonly<Record<DecayClass, string>> = {
  ephemeral: 'watch',
  session: 'history',
  durable: 'database',
  permanent: 'lock',
};

/** A node as VS Code draws it. The tooltip of a memory comes later, when the pointer rests on it. */
export function treeItem(node: ExplorerNode): vscode.TreeItem {
  switch (node.type) {
    case 'group':
      return fold(node.id, groupWord(node.group), node, groupHint(node.group), groupIcon(node.group));
    case 'kind':
      return fold(node.id, kindWord(node.kind), node, undefined, undefined);
    case 'special':
      return specialItem(node);
    case 'conflict':
      return conflictItem(node);
    case 'memory':
      return memoryItem(node);
    case 'more': {
      const item = new vscode.TreeItem(vscode.l10n.t('Show more…'));
      item.id = node.id;
      item.description = vscode.l10n.t('{0} more', countWord(node.left));
      item.iconPath = new vscode.ThemeIcon('ellipsis');
      item.command = { command: commandIds.showMore, title: vscode.l10n.t('Show more'), arguments: [node] };
      return item;
    }
  }
}

function conflictItem({ id, conflict }: ConflictNode): vscode.TreeItem {
  const { newer, older } = conflict;
  const reason = translatedText(conflict.reason);
  // A side bar is narrow: what differs says more in its few words than half of either text.
  const item = new vscode.TreeItem(reason, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.description = newer.memory.summary;
  const sides = [
    vscode.l10n.t('Newer: {0}', escapeMarkdown(newer.memory.content)),
    vscode.l10n.t('Older: {0}', escapeMarkdown(older.memory.content)),
  ];
  item.tooltip = new vscode.MarkdownString(`${sides.join('\n\n')}\n\n---\n\n${escapeMarkdown(reason)}`);
  item.iconPath = new vscode.ThemeIcon('git-compare');
  item.contextValue = 'conflict';
  item.accessibilityInformation = {
    label: vscode.l10n.t('{0} contradicts {1}: {2}', newer.memory.summary, older.memory.summary, reason),
  };
  return item;
}

function memoryItem({ id, shown, because }: MemoryNode): vscode.TreeItem {
  const { memory } = shown;
  const item = new vscode.TreeItem(memoryName(memory.summary, because));
  item.id = id;
  item.description = descriptionOf(shown, because);
  item.resourceUri = confidenceUri(memory.id, shown.effectiveConfidence);
  item.iconPath = memoryIcon(shown);
  item.contextValue = contextOf(shown) + (because !== undefined && 'revisit' in because ? ' revisit' : '');
  const why = because !== undefined && 'revisit' in because ? `, ${revisitWord(because.revisit)}` : '';
  item.accessibilityInformation = { label: memoryLabel(shown) + why };
  item.command = { command: commandIds.openMemory, title: vscode.l10n.t('Open'), arguments: [memory.id] };
  return item;
}

function descriptionOf(shown: Shown, because: MemoryPlace | undefined): string {
  if (because === undefined || 'side' in because) return memoryMarks(shown);
  // The name says the rest.
  return because.revisit.why === 'overdue' ? '' : vscode.l10n.t('last told {0}', dayWord(because.revisit.since));
}

function memoryName(summary: string, because: MemoryPlace | undefined): string {
  if (because === undefined) return summary;
  // Before the text: what stands behind it is the first to go where the side bar is narrow.
  if ('revisit' in because) return `${revisitMark(because.revisit)}: ${summary}`;
  return because.side === 'newer' ? vscode.l10n.t('Newer: {0}', summary) : vscode.l10n.t('Older: {0}', summary);
}

/** What when-clauses of package.json look for with `viewItem =~ /…/`. */
function contextOf({ memory }: Shown): string {
  return [
    'memory',
    memory.status === 'active' ? 'active' : 'inactive',
    memory.pinned ? 'pinned' : 'unpinned',
    memory.lane,
    memory.decayClass === 'permanent' ? 'permanent' : 'fading',
    memory.provenance.uri?.startsWith('file:') === true ? 'anchored' : 'free',
  ].join(' ');
}

function specialItem(node: SpecialNode): vscode.TreeItem {
  switch (node.id) {
    case 'conflicts':
      return fold(
        node.id,
        vscode.l10n.t('Conflicts'),
        node,
        vscode.l10n.t('Memories that contradict each other; you say which one holds'),
        new vscode.ThemeIcon('git-compare'),
      );
    case 'revisit':
      return fold(
        node.id,
        vscode.l10n.t('Revisit'),
        node,
        vscode.l10n.t('Plans that are overdue or have faded'),
        new vscode.ThemeIcon('bell'),
      );
    case 'archived':
      return fold(
        node.id,
        vscode.l10n.t('Archived'),
        node,
        vscode.l10n.t('Forgotten, done or faded; can be restored'),
        new vscode.ThemeIcon('archive'),
      );
  }
}

function fold(
  id: string,
  label: string,
  { count, open }: { readonly count: number; readonly open: boolean },
  hint: string | undefined,
  icon: vscode.ThemeIcon | undefined,
): vscode.TreeItem {
  const state = open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
  const item = new vscode.TreeItem(label, state);
  item.id = id;
  item.description = countWord(count);
  if (hint !== undefined) item.tooltip = hint;
  if (icon !== undefined) item.iconPath = icon;
  item.contextValue = 'fold';
  item.accessibilityInformation = { label: `${label}, ${counted(count, id === 'conflicts' ? 'pair' : 'memory')}` };
  return item;
}

function groupWord(group: Group): string {
  return group.by === 'gate' ? gateWord(group.gate) : decayClassWord(group.decayClass);
}

function groupHint(group: Group): string {
  return group.by === 'gate' ? gateHint(group.gate) : decayClassHint(group.decayClass);
}

function groupIcon(group: Group): vscode.ThemeIcon {
  return group.by === 'gate' ? gateIcon(group.gate) : new vscode.ThemeIcon(decayClassIcons[group.decayClass]);
}

import * as vscode from 'vscode';
import { commandIds } from '../contributions.js';
import { gateIcon, memoryIcon, memoryLabel, memoryMarks, type Shown } from '../present.js';
import { countWord, decayClassHint, decayClassWord, gateHint, gateWord, kindWord } from '../words.js';
import type { DecayClass } from '../../engine/model/memory.js';
import { confidenceUri } from './confidenceBadges.js';
import type { ExplorerNode, Group, SpecialNode } from './nodes.js';

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
    case 'memory':
      return memoryItem(node.id, node.shown);
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

function memoryItem(id: string, shown: Shown): vscode.TreeItem {
  const { memory } = shown;
  const item = new vscode.TreeItem(memory.summary);
  item.id = id;
  item.description = memoryMarks(shown);
  item.resourceUri = confidenceUri(memory.id, shown.effectiveConfidence);
  item.iconPath = memoryIcon(shown);
  item.contextValue = contextOf(shown);
  item.accessibilityInformation = { label: memoryLabel(shown) };
  item.command = { command: commandIds.openMemory, title: vscode.l10n.t('Open'), arguments: [memory.id] };
  return item;
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
  return node.id === 'revisit'
    ? fold(
        node.id,
        vscode.l10n.t('Revisit'),
        { ...node, open: true },
        vscode.l10n.t('Plans whose day has passed'),
        new vscode.ThemeIcon('bell'),
      )
    : fold(
        node.id,
        vscode.l10n.t('Archived'),
        { ...node, open: false },
        vscode.l10n.t('Forgotten or faded; can be restored'),
        new vscode.ThemeIcon('archive'),
      );
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
  item.accessibilityInformation = { label: vscode.l10n.t('{0}, {1} memories', label, countWord(count)) };
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

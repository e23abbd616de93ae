import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { contextKeys, explorerViewId, settingKeys, settingsSection } from '../contributions.js';
import { memoryTooltip } from '../ui/memoryPresentation.js';
import type { EngineHolder, EngineHolderState } from '../engineHolder.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel, likenessLabel } from '../l10n/labels.js';
import { formatSetFilter, parseTypedFilter } from '../ui/searchAsYouType.js';
import { parseExplorerGrouping } from './explorerGrouping.js';
import { engineErrorCodeOf } from '../l10n/errorMessage.js';
import { TreeModel, type TreeOptions } from './treeModel.js';
import { indexingDropController } from './dropToIndex.js';
import { toTreeItem } from './treeItem.js';
import type { ExplorerNode, MoreNode } from './treeNodes.js';

/** Coalesces changes into one update. */
const debounceMs = 50;
/**
 * VS Code has finished refreshing the tree when it has requested nothing for this long; it debounces refreshes by less.
 */
const idleMs = 300;
/** How long a keybinding waits for an idle tree that has its selection again. */
const maxIdleWaitMs = 10_000;

/** The Memory Explorer: a tree view that follows the changes of memories. */
export class MemoryExplorer implements vscode.TreeDataProvider<ExplorerNode>, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<ExplorerNode[] | undefined>();
  private readonly disposables: { dispose(): unknown }[] = [this.changeEmitter];
  private readonly tree: vscode.TreeView<ExplorerNode>;
  private readonly loadedPages = new Map<string, number>();
  private filterText = '';
  private model: TreeModel | undefined;
  /**
   * Node id -> the object that VS Code has for the row. VS Code identifies rows by object, so it is updated in place.
   */
  private readonly issuedNodes = new Map<string, ExplorerNode>();
  private debounceTimer: NodeJS.Timeout | undefined;
  private updateQueue: Promise<void> = Promise.resolve();
  /** Time of the last change event, or request of VS Code for rows, on the monotonic clock. */
  private lastRequestAt = Number.NEGATIVE_INFINITY;
  /** Whether rows were selected, as far as is known: during a refresh VS Code reports none. */
  private hadSelection = false;

  readonly onDidChangeTreeData = this.changeEmitter.event;

  constructor(private readonly engineHolder: EngineHolder) {
    this.tree = vscode.window.createTreeView(explorerViewId, {
      treeDataProvider: this,
      canSelectMany: true,
      dragAndDropController: indexingDropController,
    });
    this.disposables.push(
      this.tree,
      this.tree.onDidChangeSelection(({ selection }) => {
        if (selection.length > 0) this.hadSelection = true;
        else if (this.millisecondsIdle() > maxIdleWaitMs) this.hadSelection = false;
      }),
      engineHolder.onDidChangeMemories(() => {
        this.scheduleUpdate();
      }),
      engineHolder.onDidChangeState(state => {
        this.applyState(state);
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(settingsSection)) this.refresh();
      }),
    );
    this.applyState(engineHolder.state);
  }

  get filter(): string {
    return this.filterText;
  }

  /**
   * The selected rows, once the tree is idle: during a refresh VS Code reports none, and on a slow machine they come back
   * long after it has asked for rows. For commands called by a keybinding.
   */
  async selection(): Promise<readonly ExplorerNode[]> {
    const calledAt = performance.now();
    const isRefreshed = (): boolean =>
      this.millisecondsIdle() >= idleMs && (this.tree.selection.length > 0 || !this.hadSelection);
    while (!isRefreshed() && performance.now() - calledAt < maxIdleWaitMs) await sleep(debounceMs);
    return this.tree.selection;
  }

  private millisecondsIdle(): number {
    return performance.now() - this.lastRequestAt;
  }

  /** @param text as typed; empty = no filter */
  setFilter(text: string): void {
    const filter = text.trim();
    if (filter === this.filterText) return;
    this.filterText = filter;
    setContext(contextKeys.filtered, filter !== '');
    this.refresh();
  }

  /** Discards the model and reloads the tree. */
  refresh(): void {
    clearTimeout(this.debounceTimer);
    this.debounceTimer = undefined;
    this.model = undefined;
    this.fireChange();
  }

  loadMore({ parentId }: MoreNode): void {
    this.loadedPages.set(parentId, (this.loadedPages.get(parentId) ?? 1) + 1);
    this.refresh();
  }

  getTreeItem(node: ExplorerNode): vscode.TreeItem {
    return toTreeItem(node);
  }

  resolveTreeItem(item: vscode.TreeItem, node: ExplorerNode): vscode.TreeItem {
    if (node.type === 'memory') item.tooltip = memoryTooltip(node.details);
    return item;
  }

  async getChildren(node?: ExplorerNode): Promise<ExplorerNode[]> {
    try {
      const nodes = await this.loadChildren(node);
      return nodes.map(it => this.issueNode(it));
    } finally {
      this.lastRequestAt = performance.now();
    }
  }

  dispose(): void {
    clearTimeout(this.debounceTimer);
    for (const it of this.disposables) it.dispose();
  }

  private async loadChildren(node?: ExplorerNode): Promise<ExplorerNode[]> {
    const engine = await this.engineHolder.engineIfAvailable();
    if (engine === undefined) return [];
    this.model ??= new TreeModel(engine, this.treeOptions());
    if (node !== undefined) return [...(await this.model.childrenOf(node))];
    const { nodes, active, archived } = await this.model.loadRoots();
    setContext(contextKeys.empty, active === 0);
    setContext(contextKeys.nothingArchived, archived === 0);
    this.updateMessage(nodes);
    return [...nodes];
  }

  private treeOptions(): TreeOptions {
    const grouping = parseExplorerGrouping(
      vscode.workspace.getConfiguration(settingsSection).get(settingKeys.explorerGroupBy),
    );
    return { grouping, filter: this.filterText, loadedPages: this.loadedPages };
  }

  private scheduleUpdate(): void {
    this.debounceTimer ??= setTimeout(() => {
      this.debounceTimer = undefined;
      this.updateQueue = this.updateQueue
        .then(() => this.update())
        .catch(() => {
          this.refresh(); // Shows the error in the view.
        });
    }, debounceMs);
  }

  /**
   * Replaces the model by a current one, and refreshes only the rows that look different. Loads the new model first:
   * while VS Code refreshes a row it does not know it, and a click on it would get lost.
   */
  private async update(): Promise<void> {
    const { model, engineHolder } = this;
    if (model === undefined || engineHolder.state.kind !== 'open') {
      this.refresh();
      return;
    }
    const nextModel = new TreeModel(engineHolder.state.engine, this.treeOptions());
    let changedIds: readonly string[] | 'all';
    do {
      await nextModel.preload(model);
      changedIds = await nextModel.diff(model);
    } while (!nextModel.covers(model)); // VS Code has asked for rows meanwhile.
    if (this.model !== model) return;
    this.model = nextModel;
    for (const issuedNode of this.issuedNodes.values()) this.issueNode(issuedNode);
    if (changedIds === 'all') this.fireChange();
    else if (changedIds.length > 0) {
      this.updateMessage((await nextModel.loadRoots()).nodes);
      this.fireChange(changedIds.flatMap(id => this.issuedNodes.get(id) ?? []));
    }
  }

  /** Makes VS Code refresh some nodes with their descendants, or the whole tree. */
  private fireChange(nodes?: ExplorerNode[]): void {
    this.lastRequestAt = performance.now();
    if (nodes === undefined) this.issuedNodes.clear();
    this.changeEmitter.fire(nodes);
  }

  private issueNode(node: ExplorerNode): ExplorerNode {
    const issuedNode = this.issuedNodes.get(node.id) ?? { ...node };
    this.issuedNodes.set(node.id, issuedNode);
    // Requests may complete out of order, so the model's current node wins.
    return Object.assign(issuedNode, this.model?.node(node.id) ?? node);
  }

  private applyState(state: EngineHolderState): void {
    setContext(contextKeys.state, state.kind);
    this.model = undefined;
    // viewsWelcome shows the error; a message of the tree would hide it.
    setContext(contextKeys.failure, state.kind === 'failed' ? engineErrorCodeOf(state.error) : '');
    if (state.kind === 'failed') this.fireChange();
  }

  private updateMessage(nodes: readonly ExplorerNode[]): void {
    if (this.filterText === '') {
      this.tree.message = projectMessage(this.engineHolder.state);
      this.tree.description = '';
      return;
    }
    const { scopeId } = parseTypedFilter(this.filterText);
    const matchCount = nodes.reduce((sum, it) => sum + (it.type === 'group' ? it.count : 0), 0);
    this.tree.description = vscode.l10n.t('filtered');
    if (scopeId !== undefined && formatSetFilter(scopeId) === this.filterText) {
      this.tree.message = vscode.l10n.t('Set {0}: {1}', scopeId, countLabel(matchCount, 'memory'));
      return;
    }
    this.tree.message =
      matchCount === 0
        ? vscode.l10n.t('No memory matches "{0}".', this.filterText)
        : vscode.l10n.t('{0} match "{1}".', matchCount, this.filterText);
  }
}

/** Says why the folder's own memories are missing, or beside which ones they are empty: nothing vanishes without a word. */
function projectMessage(state: EngineHolderState): string {
  const [missing] = state.kind === 'open' ? state.engine.team.store.notices : [];
  if (missing !== undefined) return localize(missing);
  const notices = state.kind === 'open' ? state.engine.projects.notices : [];
  const [notice] = notices;
  if (notice === undefined) return '';
  const { name, folders } = notice.project;
  switch (notice.kind) {
    case 'similar':
      return vscode.l10n.t(
        'This folder has no memories yet and looks like the project {0} ({1}). Use its memory? See "Use Another Project\'s Memory…" and "Keep Folder Apart from Project" in the menu of this view.',
        name,
        folders.at(-1) ?? likenessLabel(notice.likeness),
      );
    case 'copy':
      return vscode.l10n.t('This folder is another copy of {0} and uses its memory.', name);
    case 'moved':
      return vscode.l10n.t('This folder is taken for {0}, whose old folder is gone, and uses its memory.', name);
  }
}

function setContext(key: string, value: unknown): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

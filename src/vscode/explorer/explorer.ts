import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { contextKeys, explorerViewId, settingsSection } from '../contributions.js';
import { memoryTooltip } from '../ui/memoryPresentation.js';
import type { EngineHolder, EngineHolderState } from '../engineHolder.js';
import { localize } from '../l10n/engineMessages.js';
import { countLabel, formatInteger, likenessLabel } from '../l10n/labels.js';
import { formatSetFilter, parseTypedFilter } from '../ui/searchAsYouType.js';
import { groupingOfFormerSetting, parseExplorerGrouping, type ExplorerGrouping } from './explorerGrouping.js';
import { engineErrorCodeOf } from '../l10n/errorMessage.js';
import { TreeModel, type TreeOptions, type TreeRoots } from './treeModel.js';
import { indexingDropController } from './dropToIndex.js';
import { toTreeItem } from './treeItem.js';
import type { ExplorerNode, MoreNode } from './treeNodes.js';
import type { UndoHistory } from '../undo/undoHistory.js';
import type { WalkthroughSteps } from '../walkthroughSteps.js';

/** Coalesces changes into one update. */
const debounceMs = 50;
/**
 * VS Code has finished refreshing the tree when it has requested nothing for this long; it debounces refreshes by less.
 */
const idleMs = 300;
/** Ages in the rows are right to the minute. */
const ageUpdateMs = 60_000;
/** From this number on the first row opens the page with a search field, because scrolling takes too long. */
const manyMemories = 5_000;
/** Key of the grouping in `globalState`. */
const groupingKey = 'explorer.grouping';
/** How long a keybinding waits for an idle tree that has its selection again. */
const maxIdleWaitMs = 10_000;

export interface ExplorerOptions {
  /** Keeps the grouping, for every window. */
  readonly memento: vscode.Memento;
  readonly history: UndoHistory;
  readonly steps: WalkthroughSteps;
}

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
  /** Whether a person opened a group, by its id: VS Code forgets it where the filter hides the groups. */
  private readonly openById = new Map<string, boolean>();
  private debounceTimer: NodeJS.Timeout | undefined;
  private updateQueue: Promise<void> = Promise.resolve();
  /** Time of the last change event, or request of VS Code for rows, on the monotonic clock. */
  private lastRequestAt = Number.NEGATIVE_INFINITY;
  /** Whether rows were selected, as far as is known: during a refresh VS Code reports none. */
  private hadSelection = false;

  readonly onDidChangeTreeData = this.changeEmitter.event;

  constructor(
    private readonly engineHolder: EngineHolder,
    private readonly options: ExplorerOptions,
  ) {
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
      this.tree.onDidExpandElement(({ element }) => this.openById.set(element.id, true)),
      this.tree.onDidCollapseElement(({ element }) => this.openById.set(element.id, false)),
      engineHolder.onDidChangeMemories(() => {
        this.scheduleUpdate();
      }),
      options.history.onDidChange(() => {
        this.scheduleUpdate();
      }),
      engineHolder.onDidChangeState(state => {
        this.applyState(state);
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(settingsSection)) this.refresh();
      }),
      this.tree.onDidChangeVisibility(({ visible }) => {
        if (!visible) return;
        options.steps.note(contextKeys.hasSeenTree);
        this.scheduleUpdate();
      }),
    );
    const ageTimer = setInterval(() => {
      if (this.tree.visible && this.model !== undefined) this.scheduleUpdate();
    }, ageUpdateMs);
    this.disposables.push({
      dispose: () => {
        clearInterval(ageTimer);
      },
    });
    setContext(contextKeys.grouping, this.grouping);
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

  async setGrouping(grouping: ExplorerGrouping): Promise<void> {
    await this.options.memento.update(groupingKey, grouping);
    setContext(contextKeys.grouping, grouping);
    this.refresh();
  }

  /** Until a person chooses one, what they had set before there was a choice in the menu. */
  private get grouping(): ExplorerGrouping {
    const chosen = this.options.memento.get<unknown>(groupingKey);
    return chosen === undefined
      ? groupingOfFormerSetting(vscode.workspace.getConfiguration(settingsSection).get('explorer.groupBy'))
      : parseExplorerGrouping(chosen);
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
    const item = toTreeItem(node);
    const isOpen = this.openById.get(node.id);
    const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
    if (isOpen !== undefined && item.collapsibleState !== None) item.collapsibleState = isOpen ? Expanded : Collapsed;
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: ExplorerNode): vscode.TreeItem {
    const { state } = this.engineHolder;
    if (node.type !== 'memory' || state.kind !== 'open') return item;
    const { engine } = state;
    const { explainer, projectNames } = engine;
    const project = projectNames.length === 1 ? projectNames[0] : node.project;
    item.tooltip = memoryTooltip(node.details, { fadesAt: explainer.fadesAt(node.details.memory), project });
    return item;
  }

  async getChildren(node?: ExplorerNode): Promise<ExplorerNode[]> {
    // VS Code asks for the rows of open groups only, and says nothing of one that is opened during a refresh.
    if (node !== undefined) this.openById.set(node.id, true);
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
    const roots = await this.model.loadRoots();
    setContext(contextKeys.empty, roots.active === 0);
    if (roots.active > 0) this.options.steps.note(contextKeys.remembers);
    if (this.tree.visible) this.options.steps.note(contextKeys.hasSeenTree);
    setContext(contextKeys.nothingArchived, roots.inactive === 0);
    this.updateMessage(roots);
    return [...roots.nodes];
  }

  private treeOptions(): TreeOptions {
    const { grouping, filterText, loadedPages } = this;
    return { grouping, filter: filterText, loadedPages, now: new Date(), manyMemories, history: this.options.history };
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
      this.updateMessage(await nextModel.loadRoots());
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

  private updateMessage({ active, matches }: TreeRoots): void {
    if (matches === undefined) {
      this.tree.message = projectMessage(this.engineHolder.state);
      this.tree.description = '';
      return;
    }
    const { scopeId } = parseTypedFilter(this.filterText);
    this.tree.description = vscode.l10n.t('filtered');
    if (scopeId !== undefined) {
      this.tree.message =
        formatSetFilter(scopeId) === this.filterText
          ? vscode.l10n.t('Set {0}: {1}', scopeId, countLabel(matches, 'memory'))
          : vscode.l10n.t('{0} in the set {1} match "{2}".', countLabel(matches, 'memory'), scopeId, this.filterText);
      return;
    }
    this.tree.message =
      matches === 0
        ? vscode.l10n.t('No memory has the words "{0}". "Recall…" searches by meaning.', this.filterText)
        : vscode.l10n.t('{0} of {1} have "{2}".', formatInteger(matches), formatInteger(active), this.filterText);
  }
}

/** The reason why the folder's own memories are missing or empty; empty where they are there. */
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
        'This folder has no memories yet and looks like the project {0} ({1}). Use its memory? See "Use Another Project\'s Memory…" and "Keep Folder Apart from Project" in "Maintenance…" of this view.',
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

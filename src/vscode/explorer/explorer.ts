import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { contextKeys, explorerViewId, settingKeys, settingsSection } from '../contributions.js';
import { memoryTooltip } from '../present.js';
import type { MemorySession, SessionState } from '../session.js';
import { readGrouping } from '../settings.js';
import { errorCode } from '../sentence.js';
import { ExplorerContent, type ExplorerView } from './content.js';
import { dropToIndex } from './dropToIndex.js';
import { treeItem } from './item.js';
import type { ExplorerNode, MoreNode } from './nodes.js';

/** Changes that come this close together are one refresh. */
const settleMs = 50;
/** VS Code has asked for all of the tree when it asked for nothing this long; it puts off a refresh for less. */
const quietMs = 300;
/** A key waits no longer than this for it. */
const quietWithinMs = 5_000;

/** The Memory Explorer: its tree, kept up to date, and what its toolbar does. */
export class Explorer implements vscode.TreeDataProvider<ExplorerNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ExplorerNode[] | undefined>();
  private readonly disposables: { dispose(): unknown }[] = [this.changed];
  private readonly tree: vscode.TreeView<ExplorerNode>;
  private readonly pages = new Map<string, number>();
  private filterText = '';
  private content: ExplorerContent | undefined;
  /** Node id -> what VS Code has for it, which knows a row by its object: always this one, kept as the node is. */
  private readonly handedOut = new Map<string, ExplorerNode>();
  private settling: NodeJS.Timeout | undefined;
  private updating: Promise<void> = Promise.resolve();
  /** When VS Code was last told to ask for rows, or asked, on the monotonic clock. */
  private lastAsked = Number.NEGATIVE_INFINITY;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly session: MemorySession) {
    this.tree = vscode.window.createTreeView(explorerViewId, {
      treeDataProvider: this,
      canSelectMany: true,
      dragAndDropController: dropToIndex,
    });
    this.disposables.push(
      this.tree,
      session.onDidChangeMemories(() => {
        this.refreshSoon();
      }),
      session.onDidChangeState(state => {
        this.showState(state);
      }),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration(settingsSection)) this.refresh();
      }),
    );
    this.showState(session.state);
  }

  get filter(): string {
    return this.filterText;
  }

  /** What is selected, for commands that keys call. While VS Code asks for a tree anew it knows none of its rows. */
  async selection(): Promise<readonly ExplorerNode[]> {
    const called = performance.now();
    while (performance.now() - this.lastAsked < quietMs && performance.now() - called < quietWithinMs) {
      await sleep(settleMs);
    }
    return this.tree.selection;
  }

  /** Shows only what matches; an empty text shows everything. */
  setFilter(text: string): void {
    const filter = text.trim();
    if (filter === this.filterText) return;
    this.filterText = filter;
    setContext(contextKeys.filtered, filter !== '');
    this.refresh();
  }

  /** Reads everything anew. */
  refresh(): void {
    clearTimeout(this.settling);
    this.settling = undefined;
    this.content = undefined;
    this.show();
  }

  showMore({ of }: MoreNode): void {
    this.pages.set(of, (this.pages.get(of) ?? 1) + 1);
    this.refresh();
  }

  getTreeItem(node: ExplorerNode): vscode.TreeItem {
    return treeItem(node);
  }

  resolveTreeItem(item: vscode.TreeItem, node: ExplorerNode): vscode.TreeItem {
    if (node.type === 'memory') item.tooltip = memoryTooltip(node.shown);
    return item;
  }

  async getChildren(node?: ExplorerNode): Promise<ExplorerNode[]> {
    try {
      const nodes = await this.children(node);
      return nodes.map(it => this.handOut(it));
    } finally {
      this.lastAsked = performance.now();
    }
  }

  dispose(): void {
    clearTimeout(this.settling);
    for (const it of this.disposables) it.dispose();
  }

  private async children(node?: ExplorerNode): Promise<ExplorerNode[]> {
    const engine = await this.session.engineForDisplay();
    if (engine === undefined) return [];
    this.content ??= new ExplorerContent(engine, this.view());
    if (node !== undefined) return [...(await this.content.childrenOf(node))];
    const { nodes, active, archived } = await this.content.overview();
    setContext(contextKeys.empty, active === 0);
    setContext(contextKeys.nothingArchived, archived === 0);
    this.showMessage(nodes);
    return [...nodes];
  }

  private view(): ExplorerView {
    const grouping = readGrouping(vscode.workspace.getConfiguration(settingsSection).get(settingKeys.explorerGroupBy));
    return { grouping, filter: this.filterText, pages: this.pages };
  }

  private refreshSoon(): void {
    this.settling ??= setTimeout(() => {
      this.settling = undefined;
      this.updating = this.updating
        .then(() => this.update())
        .catch(() => {
          this.refresh(); // Says what is wrong where a person looks.
        });
    }, settleMs);
  }

  /**
   * Puts the memories as they are now in place of what is shown, where they look different. Read beforehand, and no more
   * asked anew than that: while VS Code asks for rows anew it does not know them, and a click on one would get lost.
   */
  private async update(): Promise<void> {
    const { content, session } = this;
    if (content === undefined || session.state.kind !== 'open') {
      this.refresh();
      return;
    }
    const next = new ExplorerContent(session.state.engine, this.view());
    await next.loadLike(content);
    const changed = await next.changedSince(content);
    if (this.content !== content) return;
    this.content = next;
    for (const known of this.handedOut.values()) this.handOut(known);
    if (changed === 'all') this.show();
    else if (changed.length > 0) {
      this.showMessage((await next.overview()).nodes);
      this.show(changed.flatMap(id => this.handedOut.get(id) ?? []));
    }
  }

  /** Has VS Code ask anew for some nodes and what is below them, or for the whole tree. */
  private show(nodes?: ExplorerNode[]): void {
    this.lastAsked = performance.now();
    if (nodes === undefined) this.handedOut.clear();
    this.changed.fire(nodes);
  }

  private handOut(node: ExplorerNode): ExplorerNode {
    const known = this.handedOut.get(node.id) ?? { ...node };
    this.handedOut.set(node.id, known);
    // An answer to an earlier question may come after that to a later one.
    return Object.assign(known, this.content?.node(node.id) ?? node);
  }

  private showState(state: SessionState): void {
    setContext(contextKeys.state, state.kind);
    this.content = undefined;
    // The view says what went wrong by itself (viewsWelcome); a message of the tree would hide that.
    setContext(contextKeys.failure, state.kind === 'failed' ? errorCode(state.error) : '');
    if (state.kind === 'failed') this.show();
  }

  private showMessage(nodes: readonly ExplorerNode[]): void {
    if (this.filterText === '') {
      this.tree.message = '';
      this.tree.description = '';
      return;
    }
    const found = nodes.reduce((sum, it) => sum + (it.type === 'group' ? it.count : 0), 0);
    this.tree.description = vscode.l10n.t('filtered');
    this.tree.message =
      found === 0
        ? vscode.l10n.t('No memory matches "{0}".', this.filterText)
        : vscode.l10n.t('{0} match "{1}".', found, this.filterText);
  }
}

function setContext(key: string, value: unknown): void {
  // Nothing waits for it and it cannot fail in a way that anybody could help.
  void vscode.commands.executeCommand('setContext', key, value);
}

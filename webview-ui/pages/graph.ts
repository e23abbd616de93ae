import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { repeat } from 'lit/directives/repeat.js';
import { edgeTypes, type EdgeType } from '../../src/engine/model/edge.js';
import { maxSearchLength, type NeighborsView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { findCommunities, type Community } from '../graph/communities.js';
import { communitySign } from '../graph/communitySigns.js';
import { DrawnGraph, type DrawnChange } from '../graph/drawnGraph.js';
import type { GraphLayout, GraphNode } from '../graph/graphLayout.js';
import { nextMatch, searchNodes } from '../graph/graphSearch.js';
import { GraphCanvas, zoomStep } from '../graph/graphCanvas.js';
import {
  emptyState,
  failureNotice,
  icon,
  iconButton,
  loadingIndicator,
  memorySummaryRow,
  pageHeading,
  rememberButton,
} from '../components.js';
import { communityLegend, renderSign } from './communityLegend.js';
import { edgeLabels, relationLabel } from './edgeLabels.js';
import type { InspectorState } from '../inspectorState.js';
import { isComposing } from '../keyboard.js';
import type { Page } from './page.js';

/** The page with the neighborhood of a memory, as a graph and as a list. */
export class GraphPage implements Page {
  private readonly pendingLoad: AsyncValue<undefined>;
  private readonly drawing: DrawnGraph;
  private readonly layout: GraphLayout;
  private readonly graphCanvas: GraphCanvas;
  private selectedId: string | undefined;
  private communities: readonly Community[] = [];
  /** Of the memories that are in one. */
  private communityById: ReadonlyMap<string, Community> = new Map();
  /** Of the last search: the chosen community or all that is drawn, and what of it was found, in the order drawn. */
  private searched: readonly GraphNode[] = [];
  private matches: readonly GraphNode[] = [];
  /** Undefined where all memories count the same. */
  private emphasizedIds: ReadonlySet<string> | undefined;

  constructor(private readonly app: PageHost) {
    this.pendingLoad = new AsyncValue(() => {
      app.scheduleRender();
    });
    const source = {
      neighbors: (id: string) => app.connection.request('neighbors', { id }),
      edgesBetween: (ids: readonly string[]) => app.connection.request('edgesBetween', { ids }),
    };
    this.drawing = new DrawnGraph(source, change => {
      this.showDrawing(change);
    });
    this.layout = this.drawing.layout;
    this.graphCanvas = new GraphCanvas(this.layout, {
      onSelect: id => {
        this.select(id);
      },
      onExpand: id => {
        this.expand(id);
      },
      isEdgeTypeVisible: type => this.isVisible(type),
      selectedId: () => this.selectedId,
      signOf: id => communitySign(this.communityById.get(id)?.index),
      emphasizedIds: () => this.emphasizedIds,
    });
  }

  open(id: string | undefined): void {
    const { memory, graph } = this.app.state;
    const memoryId = id ?? memory;
    const { rootId, expandedIds } = this.drawing;
    if (memoryId !== undefined && (memoryId !== rootId || expandedIds.length === 0))
      this.startAt(memoryId, rootId === undefined ? graph : undefined);
    else this.refresh();
  }

  refresh(): void {
    if (this.drawing.expandedIds.length > 0) void this.pendingLoad.load(this.drawing.load());
    else if (this.app.state.memory === undefined) {
      void this.app.hasMemories.load(this.app.connection.request('hasMemories', undefined));
    }
  }

  view(): unknown {
    const choose = html`<vscode-button secondary @click=${this.chooseMemory}
      >${l10n.t('Choose Memory…')}</vscode-button
    >`;
    const { hasMemories } = this.app;
    if (this.app.state.memory === undefined && hasMemories.loading && hasMemories.value === undefined)
      return loadingIndicator();
    if (this.app.state.memory === undefined && hasMemories.value === false) {
      return emptyState(
        'type-hierarchy',
        l10n.t('Nothing is remembered yet'),
        l10n.t('How memories hang together is drawn here.'),
        rememberButton(this.app),
      );
    }
    if (this.app.state.memory === undefined) {
      return emptyState(
        'type-hierarchy',
        l10n.t('How memories hang together'),
        l10n.t('Choose a memory to see what it contradicts, refines and came from.'),
        choose,
      );
    }
    if (this.pendingLoad.failure !== undefined && this.drawing.isEmpty) {
      return html`<div class="padded">
        ${failureNotice(this.pendingLoad.failure, () => {
          this.open(undefined);
        })}${choose}
      </div>`;
    }
    if (this.drawing.isEmpty) return this.pendingLoad.loading ? loadingIndicator() : this.renderGone(choose);
    this.updateMatches();
    return html`${pageHeading(l10n.t('Graph'))}
      <div class="split graph-split has-detail">
        <section class="picture" aria-label=${l10n.t('Graph')}>
          ${this.renderToolbar(choose)} ${this.renderCanvas()} ${this.renderLegend()}
        </section>
        <section class="detail" aria-label=${l10n.t('Neighbors')}>${this.renderNeighbors()}</section>
      </div>`;
  }

  private renderGone(choose: unknown): unknown {
    return emptyState(
      'type-hierarchy',
      l10n.t('This memory no longer exists'),
      l10n.t('Choose another memory to see what it contradicts, refines and came from.'),
      choose,
    );
  }

  private renderToolbar(choose: unknown): unknown {
    return html`<div class="toolbar">
      ${choose} ${this.renderSearch()}
      <fieldset class="types">
        <legend class="visually-hidden">${l10n.t('Links that are shown')}</legend>
        ${this.presentEdgeTypes().map(
          it =>
            html`<vscode-checkbox
              label=${edgeLabels()[it]}
              ?checked=${this.isVisible(it)}
              @change=${() => {
                this.toggleEdgeType(it);
              }}
            ></vscode-checkbox>`,
        )}
      </fieldset>
      <span class="zoom">
        ${iconButton('zoom-in', l10n.t('Zoom in'), () => {
          this.graphCanvas.zoom(zoomStep);
        })}
        ${iconButton('zoom-out', l10n.t('Zoom out'), () => {
          this.graphCanvas.zoom(1 / zoomStep);
        })}
        ${iconButton('screen-full', l10n.t('Show everything'), () => {
          this.graphCanvas.fitToView();
        })}
      </span>
    </div>`;
  }

  private renderCanvas(): unknown {
    const { formatter } = this.app;
    const label = l10n.t(
      'Graph of {0} with {1}; the list beside it says the same. Arrows go from one to the next, Enter shows its neighbors, plus and minus zoom.',
      formatter.memoryCount(this.layout.nodes.length),
      formatter.linkCount(this.layout.links.length),
    );
    return html`<canvas
      role="application"
      tabindex="0"
      aria-label=${label}
      ${ref(it => {
        this.graphCanvas.attach(it);
      })}
    ></canvas>`;
  }

  private renderSearch(): unknown {
    const { search } = this.app.state.graph;
    return html`<span class="search">
      <vscode-textfield
        type="search"
        label=${l10n.t('Search the graph')}
        placeholder=${l10n.t('Search text or #tag')}
        maxlength=${maxSearchLength}
        .value=${search}
        @input=${this.onSearchInput}
        @keydown=${this.onSearchKeyDown}
        >${html`<span slot="content-before" class="codicon codicon-search" aria-hidden="true"></span>`}${
          search.trim() === ''
            ? nothing
            : html`<span slot="content-after" class="matches">${this.describeMatches()}</span>`
        }</vscode-textfield
      >
      ${
        this.matches.length > 0
          ? nothing
          : html`<vscode-button secondary @click=${this.searchAllMemories}
              >${l10n.t('Search All Memories…')}</vscode-button
            >`
      }
    </span>`;
  }

  private renderLegend(): unknown {
    return communityLegend(this.app.formatter, {
      communities: this.communities,
      chosen: this.chosenCommunity(),
      loneCount: this.layout.nodes.length - this.communityById.size,
      onChoose: it => {
        this.toggleCommunity(it);
      },
    });
  }

  private renderNeighbors(): unknown {
    const node = this.selectedId === undefined ? undefined : this.layout.node(this.selectedId);
    if (node === undefined) return nothing;
    const neighborsView = this.drawing.viewOf(node.id);
    const community = this.communityById.get(node.id);
    return html`<div class="what">${memorySummaryRow(this.app, node.memory)}</div>
      ${
        community === undefined
          ? nothing
          : html`<p class="marks community">${renderSign(community.index)}${l10n.t('Group: {0}', community.name)}</p>`
      }
      ${
        this.pendingLoad.failure === undefined
          ? nothing
          : failureNotice(this.pendingLoad.failure, () => {
              this.refresh();
            })
      }
      ${
        neighborsView === undefined
          ? html`<vscode-button
              secondary
              @click=${() => {
                this.expand(node.id);
              }}
              >${l10n.t('Show Neighbors')}</vscode-button
            >`
          : this.renderNeighborList(
              node.id,
              neighborsView.neighbors.filter(it => this.isVisible(it.edge.type)),
            )
      }`;
  }

  private renderNeighborList(id: string, neighbors: NeighborsView['neighbors']): unknown {
    const { formatter } = this.app;
    return html`<h2 class="side-title">
        ${l10n.t('Neighbors')} <span class="count">${formatter.number(neighbors.length)}</span>
      </h2>
      ${neighbors.length === 0 ? html`<p class="hint">${l10n.t('It is linked with no other memory.')}</p>` : nothing}
      <ul class="neighbours">
        ${repeat(
          neighbors,
          it => `${it.edge.type} ${it.memory.id}`,
          ({ edge, memory }) =>
            html`<li>
              <button
                class="neighbour"
                title=${edge.reason}
                @click=${() => {
                  this.select(memory.id);
                }}
              >
                <span class="relation">${relationLabel(edge, id)} · ${formatter.percent(edge.strength * 100)}</span>
                <span class="summary">${memory.summary}</span>
              </button>
              ${
                this.drawing.viewOf(memory.id) !== undefined
                  ? html`<span class="open-mark" title=${l10n.t('Its neighbors are shown')}>${icon('check')}</span>`
                  : iconButton('add', l10n.t('Show the neighbors of {0}', memory.summary), () => {
                      this.expand(memory.id);
                    })
              }
            </li>`,
        )}
      </ul>`;
  }

  /** The types of the edges in the graph, in the order of the model. */
  private presentEdgeTypes(): readonly EdgeType[] {
    const presentTypes = new Set(this.layout.links.map(it => it.edge.type));
    return edgeTypes.filter(it => presentTypes.has(it));
  }

  private isVisible(type: EdgeType): boolean {
    return !this.app.state.graph.hidden.includes(type);
  }

  private toggleEdgeType(type: EdgeType): void {
    const { graph } = this.app.state;
    const hidden = this.isVisible(type) ? [...graph.hidden, type] : graph.hidden.filter(it => it !== type);
    this.app.setState({ graph: { ...graph, hidden } });
    this.updateCommunities();
  }

  private updateCommunities(): void {
    const visibleLinks = this.layout.links.filter(it => this.isVisible(it.edge.type));
    this.communities = findCommunities(this.layout.nodes, visibleLinks);
    this.communityById = new Map(
      this.communities.flatMap(community => community.members.map(it => [it.id, community] as const)),
    );
  }

  private chosenCommunity(): Community | undefined {
    const { community } = this.app.state.graph;
    return community === undefined ? undefined : this.communityById.get(community);
  }

  private toggleCommunity(community: Community): void {
    const { graph } = this.app.state;
    const isChosen = community === this.chosenCommunity();
    this.app.setState({ graph: { ...graph, community: isChosen ? undefined : community.members[0]?.id } });
  }

  private updateMatches(): void {
    const chosen = this.chosenCommunity();
    const { nodes } = this.layout;
    this.searched = chosen === undefined ? nodes : nodes.filter(it => this.communityById.get(it.id) === chosen);
    this.matches = searchNodes(this.searched, this.app.state.graph.search);
    // A search without a match emphasizes what it searched.
    const emphasized = this.matches.length > 0 ? this.matches : this.searched;
    this.emphasizedIds = emphasized.length === nodes.length ? undefined : new Set(emphasized.map(it => it.id));
  }

  /** `3 of 24`. */
  private describeMatches(): string {
    const { formatter } = this.app;
    return l10n.t('{0} of {1}', formatter.number(this.matches.length), formatter.number(this.searched.length));
  }

  private search(text: string): void {
    this.app.setState({ graph: { ...this.app.state.graph, search: text } });
    this.updateMatches();
    this.app.announce(text.trim() === '' ? '' : this.describeMatches());
  }

  private readonly onSearchInput = (event: Event): void => {
    this.search((event.currentTarget as HTMLInputElement).value);
  };

  private readonly onSearchKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    if (event.key === 'Enter') this.goToMatch(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && this.app.state.graph.search !== '') this.search('');
    else return;
    event.preventDefault();
  };

  private goToMatch(step: 1 | -1): void {
    const isSearching = this.app.state.graph.search.trim() !== '';
    const next = isSearching ? nextMatch(this.matches, this.selectedId, step) : undefined;
    if (next === undefined) return;
    this.select(next.node.id);
    this.graphCanvas.center(next.node.id);
    const { formatter } = this.app;
    this.app.announce(
      l10n.t(
        '{0} of {1}: {2}',
        formatter.number(next.position + 1),
        formatter.number(this.matches.length),
        next.node.memory.summary,
      ),
    );
  }

  private select(id: string): void {
    this.selectedId = id;
    this.app.announce(this.layout.node(id)?.memory.summary ?? '');
  }

  private expand(id: string): void {
    this.selectedId = id;
    if (this.drawing.viewOf(id) === undefined) void this.pendingLoad.load(this.drawing.load([id]));
    this.app.scheduleRender();
  }

  /** Replaces the graph by one around a memory. @param stored of the same graph before a reload */
  private startAt(id: string, stored?: InspectorState['graph']): void {
    const { hidden } = this.app.state.graph;
    const { search = '', community, expanded = [] } = stored ?? {};
    this.drawing.startAt(id, expanded);
    this.updateCommunities();
    this.selectedId = id;
    this.app.setState({ memory: id, graph: { hidden, expanded, search, community } });
    this.pendingLoad.clear();
    void this.pendingLoad.load(this.drawing.load());
  }

  private showDrawing(change: DrawnChange): void {
    const nodeOf = (id: string | undefined): GraphNode | undefined =>
      id === undefined ? undefined : this.layout.node(id);
    // What was selected may no longer exist.
    this.selectedId = (nodeOf(this.selectedId) ?? nodeOf(this.drawing.rootId) ?? this.layout.nodes[0])?.id;
    this.updateCommunities();
    this.app.setState({ graph: { ...this.app.state.graph, expanded: this.drawing.expandedIds } });
    if (change === 'same') this.graphCanvas.draw();
    else this.graphCanvas.startLayout(change === 'first' ? 1 : 0.5);
  }

  private readonly chooseMemory = (): void => {
    this.pickMemory({});
  };

  private readonly searchAllMemories = (): void => {
    this.pickMemory({ text: this.app.state.graph.search });
  };

  private pickMemory(input: { readonly text?: string }): void {
    void this.app.connection
      .request('pickMemory', input)
      .then(id => {
        if (id !== undefined) this.startAt(id);
      })
      .catch(() => undefined);
  }
}

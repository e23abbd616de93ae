import '@vscode-elements/elements/dist/vscode-checkbox/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { repeat } from 'lit/directives/repeat.js';
import { edgeTypes, type EdgeType } from '../../src/engine/model/edge.js';
import { gates } from '../../src/engine/model/memory.js';
import type { NeighboursView } from '../../src/protocol.js';
import { Asked, type App } from '../app.js';
import { GraphLayout } from '../graph/layout.js';
import { GraphPicture, zoomStep } from '../graph/picture.js';
import { emptyState, failed, icon, iconButton, loading, memoryLine, rememberButton } from '../parts.js';
import { edgeNames } from './edgeNames.js';
import type { Page } from './page.js';

/** How one memory hangs together with others: a picture to wander in, and the same as a list. */
export class GraphPage implements Page {
  private readonly asked: Asked<undefined>;
  private readonly layout = new GraphLayout();
  private readonly picture: GraphPicture;
  /** What is known of each memory that was expanded. */
  private readonly known = new Map<string, NeighboursView>();
  /** The memory that the picture began with. */
  private root: string | undefined;
  private selected: string | undefined;

  constructor(private readonly app: App) {
    this.asked = new Asked(() => {
      app.update();
    });
    this.picture = new GraphPicture(this.layout, {
      onSelect: id => {
        this.select(id);
      },
      onExpand: id => {
        this.expand(id);
      },
      shows: type => this.shows(type),
      selected: () => this.selected,
    });
  }

  open(id: string | undefined): void {
    const { memory, graph } = this.app.state;
    const wanted = id ?? memory;
    if (wanted !== undefined && wanted !== this.root) this.begin(wanted, this.root === undefined ? graph.expanded : []);
    else this.refresh();
  }

  refresh(): void {
    const ids = [...this.known.keys()];
    if (ids.length > 0) void this.asked.ask(this.load(ids));
    else if (this.app.state.memory === undefined) {
      void this.app.remembers.ask(this.app.connection.ask('remembers', undefined));
    }
  }

  view(): unknown {
    const choose = html`<vscode-button secondary @click=${this.choose}>${l10n.t('Choose Memory…')}</vscode-button>`;
    const { remembers } = this.app;
    if (this.app.state.memory === undefined && remembers.loading && remembers.value === undefined) return loading();
    if (this.app.state.memory === undefined && remembers.value === false) {
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
    if (this.asked.failure !== undefined && this.known.size === 0) {
      return html`<div class="padded">
        ${failed(this.asked.failure, () => {
          this.open(undefined);
        })}${choose}
      </div>`;
    }
    if (this.known.size === 0) return loading();
    return html`<div class="split graph-split has-detail">
      <section class="picture" aria-label=${l10n.t('Graph')}>
        ${this.toolbar(choose)} ${this.canvas()} ${this.legend()}
      </section>
      <section class="detail" aria-label=${l10n.t('Neighbours')}>${this.neighbours()}</section>
    </div>`;
  }

  private toolbar(choose: unknown): unknown {
    return html`<div class="toolbar">
      ${choose}
      <fieldset class="types">
        <legend class="visually-hidden">${l10n.t('Links that are shown')}</legend>
        ${this.typesThere().map(
          it =>
            html`<vscode-checkbox
              label=${edgeNames()[it]}
              ?checked=${this.shows(it)}
              @change=${() => {
                this.toggle(it);
              }}
            ></vscode-checkbox>`,
        )}
      </fieldset>
      <span class="zoom">
        ${iconButton('zoom-in', l10n.t('Zoom in'), () => {
          this.picture.zoom(zoomStep);
        })}
        ${iconButton('zoom-out', l10n.t('Zoom out'), () => {
          this.picture.zoom(1 / zoomStep);
        })}
        ${iconButton('screen-full', l10n.t('Show everything'), () => {
          this.picture.fit();
        })}
      </span>
    </div>`;
  }

  private canvas(): unknown {
    const { format } = this.app;
    const label = l10n.t(
      'Graph of {0} with {1}; the list beside it says the same. Arrows go from one to the next, Enter shows its neighbours, plus and minus zoom.',
      format.memories(this.layout.nodes.length),
      format.links(this.layout.links.length),
    );
    return html`<canvas
      role="application"
      tabindex="0"
      aria-label=${label}
      ${ref(it => {
        this.picture.attach(it);
      })}
    ></canvas>`;
  }

  private legend(): unknown {
    const there = new Set(this.layout.nodes.map(it => it.memory.gate));
    return html`<ul class="legend" aria-label=${l10n.t('Colours')}>
      ${gates.filter(it => there.has(it)).map(it => html`<li><span class="swatch round layer-${it}"></span>${this.app.words.gate[it]}</li>`)}
    </ul>`;
  }

  private neighbours(): unknown {
    const { format } = this.app;
    const node = this.selected === undefined ? undefined : this.layout.node(this.selected);
    if (node === undefined) return nothing;
    const known = this.known.get(node.id);
    const shown = known?.neighbours.filter(it => this.shows(it.edge.type)) ?? [];
    return html`<div class="what">${memoryLine(this.app, node.memory)}</div>
      ${
        this.asked.failure === undefined
          ? nothing
          : failed(this.asked.failure, () => {
              this.refresh();
            })
      }
      ${
        known === undefined
          ? html`<vscode-button
              secondary
              @click=${() => {
                this.expand(node.id);
              }}
              >${l10n.t('Show Neighbours')}</vscode-button
            >`
          : html`<h2 class="side-title">
                ${l10n.t('Neighbours')} <span class="count">${format.number(shown.length)}</span>
              </h2>
              ${shown.length === 0 ? html`<p class="hint">${l10n.t('It hangs together with no other memory.')}</p>` : nothing}
              <ul class="neighbours">
                ${repeat(
                  shown,
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
                        <span class="relation">${edgeNames()[edge.type]} · ${format.percent(edge.strength * 100)}</span>
                        <span class="summary">${memory.summary}</span>
                      </button>
                      ${
                        this.known.has(memory.id)
                          ? html`<span class="open-mark" title=${l10n.t('Its neighbours are shown')}
                              >${icon('check')}</span
                            >`
                          : iconButton('add', l10n.t('Show the neighbours of {0}', memory.summary), () => {
                              this.expand(memory.id);
                            })
                      }
                    </li>`,
                )}
              </ul>`
      }`;
  }

  /** Types of links that are there, in the model's order. */
  private typesThere(): readonly EdgeType[] {
    const there = new Set(this.layout.links.map(it => it.edge.type));
    return edgeTypes.filter(it => there.has(it));
  }

  private shows(type: EdgeType): boolean {
    return !this.app.state.graph.hidden.includes(type);
  }

  private toggle(type: EdgeType): void {
    const { graph } = this.app.state;
    const hidden = this.shows(type) ? [...graph.hidden, type] : graph.hidden.filter(it => it !== type);
    this.app.set({ graph: { ...graph, hidden } });
  }

  private select(id: string): void {
    this.selected = id;
    this.app.announce(this.layout.node(id)?.memory.summary ?? '');
  }

  private expand(id: string): void {
    this.selected = id;
    if (!this.known.has(id)) void this.asked.ask(this.load([id]));
    this.app.update();
  }

  /** A new picture, around one memory. */
  private begin(id: string, expanded: readonly string[] = []): void {
    this.layout.clear();
    this.known.clear();
    this.root = id;
    this.selected = id;
    const { hidden } = this.app.state.graph;
    this.app.set({ memory: id, graph: { hidden, expanded: [] } });
    void this.asked.ask(this.load([id, ...expanded.filter(it => it !== id)]));
  }

  /** Asks for the neighbours of memories, and puts them into the picture. */
  private async load(ids: readonly string[]): Promise<undefined> {
    const before = this.layout.nodes.length + this.layout.links.length;
    const isFirst = before === 0;
    for (const id of ids) {
      const view = await this.app.connection.ask('neighbours', { id });
      this.known.set(id, view);
      const node = this.layout.addNode(view.memory);
      for (const { edge, memory } of view.neighbours) {
        this.layout.addNode(memory, node);
        this.layout.addLink(edge);
      }
    }
    const { graph } = this.app.state;
    this.app.set({ graph: { ...graph, expanded: [...this.known.keys()] } });
    if (this.layout.nodes.length + this.layout.links.length > before) this.picture.run(isFirst ? 1 : 0.5);
    else this.picture.draw();
    return undefined;
  }

  private readonly choose = (): void => {
    void this.app.connection
      .ask('pick', undefined)
      .then(id => {
        if (id !== undefined) this.begin(id);
      })
      .catch(() => undefined);
  };
}

import '@vscode/codicons/dist/codicon.css';
import './style.css';
import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { pageNames, type PageName, type Start, type Target } from '../src/protocol.js';
import { Asked, type App } from './app.js';
import { Connection } from './connection.js';
import { Format } from './format.js';
import { ConfidencePage } from './pages/confidence.js';
import { GraphPage } from './pages/graph.js';
import { HealthPage } from './pages/health.js';
import { TracesPage } from './pages/traces.js';
import type { Page } from './pages/page.js';
import { readState, type State } from './state.js';

/** The whole inspector: a tab per page, the state that outlives it, and one drawing function. */
class Inspector implements App {
  readonly words: Start['words'];
  readonly format: Format;
  readonly remembers = new Asked<boolean>(() => {
    this.update();
  });
  state: State;
  private readonly pages: Readonly<Record<PageName, Page>>;
  private drawing = false;
  private announced = '';

  constructor(
    readonly connection: Connection,
    { words, language, target }: Start,
    private readonly root: HTMLElement,
  ) {
    this.words = words;
    this.format = new Format(language);
    this.state = readState(connection.state);
    this.pages = {
      traces: new TracesPage(this),
      confidence: new ConfidencePage(this),
      graph: new GraphPage(this),
      health: new HealthPage(this),
    };
    window.addEventListener('resize', () => {
      this.update();
    });
    this.go(target ?? { page: this.state.page });
  }

  go(target: Target): void {
    this.set({ page: target.page });
    this.pages[target.page].open(target.id);
  }

  refresh(): void {
    this.pages[this.state.page].refresh();
  }

  set(change: Partial<State>): void {
    this.state = { ...this.state, ...change };
    this.connection.keep(this.state);
    this.update();
  }

  update(): void {
    if (this.drawing) return;
    this.drawing = true;
    requestAnimationFrame(() => {
      this.drawing = false;
      this.draw();
    });
  }

  announce(sentence: string): void {
    this.announced = sentence;
    this.update();
  }

  private draw(): void {
    const { page } = this.state;
    render(
      html`
        <header class="tabs" role="tablist" aria-label=${l10n.t('Memory Inspector')} @keydown=${this.moveTab}>
          ${repeat(
            pageNames,
            it => it,
            it => this.tab(it, it === page),
          )}
        </header>
        <main id="page" role="tabpanel" aria-labelledby="tab-${page}" class="page ${page}">
          ${this.pages[page].view()}
        </main>
        <div class="visually-hidden" role="status">${this.announced}</div>
      `,
      this.root,
    );
    // How long opening takes is measured by the first of these.
    if (this.root.querySelector('.loading') === null) performance.mark('shown');
  }

  private tab(page: PageName, selected: boolean): unknown {
    const names: Readonly<Record<PageName, string>> = {
      traces: l10n.t('Traces'),
      confidence: l10n.t('Confidence'),
      graph: l10n.t('Graph'),
      health: l10n.t('Health'),
    };
    return html`<button
      id="tab-${page}"
      role="tab"
      aria-selected=${selected}
      aria-controls="page"
      tabindex=${selected ? 0 : -1}
      @click=${() => {
        this.go({ page });
      }}
    >
      ${names[page]}
    </button>`;
  }

  private readonly moveTab = ({ key }: KeyboardEvent): void => {
    const at = pageNames.indexOf(this.state.page);
    const last = pageNames.length - 1;
    const places: Readonly<Record<string, number>> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const page = pageNames[places[key] ?? -1];
    if (page === undefined) return;
    this.go({ page });
    document.getElementById(`tab-${page}`)?.focus();
  };
}

const root = document.getElementById('inspector')!;
let inspector: Inspector | undefined;
const connection = new Connection(message => {
  switch (message.type) {
    case 'start':
      if (message.start.bundle !== undefined) l10n.config({ contents: message.start.bundle });
      inspector = new Inspector(connection, message.start, root);
      break;
    case 'changed':
      inspector?.refresh();
      break;
    case 'show':
      inspector?.go(message.target);
      break;
  }
});

import '@vscode/codicons/dist/codicon.css';
import './style.css';
import * as l10n from '@vscode/l10n';
import { html, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { pageNames, type PageName, type InitialState, type NavigationTarget } from '../src/protocol.js';
import type { App } from './app.js';
import { AsyncValue } from './asyncValue.js';
import { HostConnection } from './hostConnection.js';
import { isRepeatedPress } from './keyboard.js';
import { Formatter } from './formatter.js';
import { AccessPage } from './pages/access.js';
import { BriefingPage } from './pages/briefing.js';
import { ForecastPage } from './pages/forecast.js';
import { GraphPage } from './pages/graph.js';
import { HealthPage } from './pages/health.js';
import { MemoryPage } from './pages/memory.js';
import { ProjectsPage } from './pages/projects.js';
import { ReviewPage } from './pages/review.js';
import { TimelinePage } from './pages/timeline.js';
import { TracesPage } from './pages/traces.js';
import type { Page } from './pages/page.js';
import { parseInspectorState, type InspectorState } from './inspectorState.js';

/** The inspector: a tab per page, the state, and one render function. */
class InspectorApp implements App {
  readonly labels: InitialState['labels'];
  readonly formatter: Formatter;
  readonly hasMemories = new AsyncValue<boolean>(() => {
    this.scheduleRender();
  });
  state: InspectorState;
  private readonly pages: Readonly<Record<PageName, Page>>;
  private isRenderScheduled = false;
  private announcement = '';

  constructor(
    readonly connection: HostConnection,
    { labels, language, target }: InitialState,
    private readonly root: HTMLElement,
  ) {
    this.labels = labels;
    this.formatter = new Formatter(language);
    this.state = parseInspectorState(connection.state);
    this.pages = {
      traces: new TracesPage(this),
      memory: new MemoryPage(this),
      timeline: new TimelinePage(this),
      review: new ReviewPage(this),
      forecast: new ForecastPage(this),
      graph: new GraphPage(this),
      health: new HealthPage(this),
      projects: new ProjectsPage(this),
      briefing: new BriefingPage(this),
      access: new AccessPage(this),
    };
    // Before the elements get it, which press at each repetition: "Undo" would take back one decision after the other.
    root.addEventListener('keydown', ignoreRepeatedPress, { capture: true });
    window.addEventListener('resize', () => {
      this.scheduleRender();
    });
    this.navigate(target ?? { page: this.state.page });
  }

  navigate(target: NavigationTarget): void {
    this.setState({ page: target.page });
    this.pages[target.page].open(target.id);
  }

  refresh(): void {
    this.pages[this.state.page].refresh();
  }

  setState(change: Partial<InspectorState>): void {
    this.state = { ...this.state, ...change };
    this.connection.saveState(this.state);
    this.scheduleRender();
  }

  scheduleRender(): void {
    if (this.isRenderScheduled) return;
    this.isRenderScheduled = true;
    requestAnimationFrame(() => {
      this.isRenderScheduled = false;
      this.render();
    });
  }

  announce(sentence: string): void {
    this.announcement = sentence;
    this.scheduleRender();
  }

  private render(): void {
    const { page } = this.state;
    render(
      html`
        <header class="tabs" role="tablist" aria-label=${l10n.t('Memory Inspector')} @keydown=${this.onTabKeyDown}>
          ${repeat(
            pageNames,
            it => it,
            it => this.renderTab(it, it === page),
          )}
        </header>
        <main id="page" role="tabpanel" aria-labelledby="tab-${page}" class="page ${page}">
          ${this.pages[page].view()}
        </main>
        <div class="visually-hidden" role="status">${this.announcement}</div>
      `,
      this.root,
    );
    // The UI test measures the opening time by the first of these marks.
    if (this.root.querySelector('.loading') === null) performance.mark('shown');
  }

  private renderTab(page: PageName, selected: boolean): unknown {
    const names: Readonly<Record<PageName, string>> = {
      traces: l10n.t('Traces'),
      memory: l10n.t('Memory'),
      timeline: l10n.t('Timeline'),
      review: l10n.t('Review'),
      forecast: l10n.t('Forecast'),
      graph: l10n.t('Graph'),
      health: l10n.t('Health'),
      projects: l10n.t('Projects'),
      briefing: l10n.t('Briefing'),
      access: l10n.t('Access'),
    };
    return html`<button
      id="tab-${page}"
      role="tab"
      aria-selected=${selected}
      aria-controls="page"
      tabindex=${selected ? 0 : -1}
      @click=${() => {
        this.navigate({ page });
      }}
    >
      ${names[page]}
    </button>`;
  }

  private readonly onTabKeyDown = ({ key }: KeyboardEvent): void => {
    const index = pageNames.indexOf(this.state.page);
    const last = pageNames.length - 1;
    const nextIndexByKey: Readonly<Record<string, number>> = {
      ArrowRight: index === last ? 0 : index + 1,
      ArrowLeft: index === 0 ? last : index - 1,
      Home: 0,
      End: last,
    };
    const page = pageNames[nextIndexByKey[key] ?? -1];
    if (page === undefined) return;
    this.navigate({ page });
    document.getElementById(`tab-${page}`)?.focus();
  };
}

function ignoreRepeatedPress(event: KeyboardEvent): void {
  if (!isRepeatedPress(event)) return;
  event.preventDefault();
  event.stopPropagation();
}

const root = document.getElementById('inspector')!;
let inspector: InspectorApp | undefined;
const connection = new HostConnection(message => {
  switch (message.type) {
    case 'initialize':
      if (message.initialState.bundle !== undefined) l10n.config({ contents: message.initialState.bundle });
      inspector = new InspectorApp(connection, message.initialState, root);
      break;
    case 'changed':
      inspector?.refresh();
      break;
    case 'navigate':
      inspector?.navigate(message.target);
      break;
  }
});

import * as l10n from '@vscode/l10n';
import { html, nothing, render } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import {
  linkedViews,
  maxDrafts,
  pageNames,
  type PageName,
  type InitialState,
  type NavigationTarget,
  type ViewName,
} from '../src/protocol.js';
import { AsyncValue } from './asyncValue.js';
import { icon } from './components.js';
import type { HostConnection } from './hostConnection.js';
import { isRepeatedPress } from './keyboard.js';
import { Formatter } from './formatter.js';
import { AccessPage } from './pages/access.js';
import { AnswersPage } from './pages/answers.js';
import { BriefingPage } from './pages/briefing.js';
import { ForecastPage } from './pages/forecast.js';
import { GraphPage } from './pages/graph.js';
import { InboxPage } from './pages/inbox.js';
import { MemoriesPage } from './pages/memories.js';
import type { Page } from './pages/page.js';
import { parseInspectorState, type InspectorState } from './inspectorState.js';
import type { PageHost } from './pageHost.js';

/** The inspector: a tab per page, the state, and one render function. */
export class InspectorApp implements PageHost {
  readonly labels: InitialState['labels'];
  readonly formatter: Formatter;
  readonly hasMemories = new AsyncValue<boolean>(() => {
    this.scheduleRender();
  });
  state: InspectorState;
  private readonly pages: Readonly<Record<ViewName, Page>>;
  private isRenderScheduled = false;
  private announcement = '';
  /** Whether the search field gets the keys once it is there. */
  private isSearchWanted = false;

  constructor(
    readonly connection: HostConnection,
    { labels, language, target, drafts }: InitialState,
    private readonly root: HTMLElement,
  ) {
    this.labels = labels;
    this.formatter = new Formatter(language);
    const state = parseInspectorState(connection.state);
    // Its own may be older than a reload of the window, after which the extension has none; the extension's, of a closed tab.
    const ownIds = new Set(state.drafts.map(it => it.id));
    this.state = { ...state, drafts: [...drafts.filter(it => !ownIds.has(it.id)), ...state.drafts].slice(-maxDrafts) };
    connection.keepDrafts(this.state.drafts);
    this.pages = {
      memories: new MemoriesPage(this),
      answers: new AnswersPage(this),
      inbox: new InboxPage(this),
      access: new AccessPage(this),
      graph: new GraphPage(this),
      forecast: new ForecastPage(this),
      briefing: new BriefingPage(this),
    };
    // Before the elements get it, which press at each repetition: "Undo" would take back one decision after the other.
    root.addEventListener('keydown', ignoreRepeatedPress, { capture: true });
    // Before the webview hands it to VS Code, which shows its find widget.
    document.addEventListener('keydown', event => {
      focusPageSearch(event, root);
    });
    window.addEventListener('resize', () => {
      this.scheduleRender();
    });
    connection.slowRequests.onChange = () => {
      this.scheduleRender();
    };
    this.navigate(target ?? { page: this.state.page });
  }

  navigate(target: NavigationTarget): void {
    this.setState({ page: target.page });
    this.isSearchWanted = target.isSearch === true;
    this.pages[target.page].open(target.id, target);
  }

  refresh(): void {
    this.pages[this.state.page].refresh();
  }

  setState(change: Partial<InspectorState>): void {
    this.state = { ...this.state, ...change };
    this.connection.saveState(this.state);
    if (change.drafts !== undefined) this.connection.keepDrafts(change.drafts);
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
    const { page: view } = this.state;
    const page = pageOf(view);
    render(
      html`
        <header>
          <div class="tabs" role="tablist" aria-label=${l10n.t('Memory Inspector')} @keydown=${this.onTabKeyDown}>
            ${repeat(
              pageNames,
              it => it,
              it => this.renderTab(it, it === page),
            )}
          </div>
        </header>
        ${
          this.connection.slowRequests.isAny
            ? html`<div class="waiting" role="progressbar" aria-label=${l10n.t('Loading')}></div>`
            : nothing
        }
        <main>
          <div id="page" role="tabpanel" aria-labelledby="tab-${page}" class="page ${view}">
            ${view === page ? nothing : this.renderBackLink(page)} ${this.pages[view].view()}
          </div>
        </main>
        <div class="visually-hidden" role="status">${this.announcement}</div>
      `,
      this.root,
    );
    const search = this.root.querySelector<HTMLElement>('[data-page-search]');
    if (this.isSearchWanted && search !== null) {
      this.isSearchWanted = false;
      // Its own content, which takes the focus, is drawn after it.
      requestAnimationFrame(() => {
        search.focus();
      });
    }
    // The UI test measures the opening time by the first of these marks.
    if (this.root.querySelector('.loading') === null) performance.mark('shown');
  }

  private renderTab(page: PageName, selected: boolean): unknown {
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
      ${pageTitles()[page]}
    </button>`;
  }

  /** From a view that a link opened to the page of the link. */
  private renderBackLink(page: PageName): unknown {
    return html`<button
      class="link leave"
      @click=${() => {
        this.navigate({ page });
      }}
    >
      ${icon('arrow-left')} ${pageTitles()[page]}
    </button>`;
  }

  private readonly onTabKeyDown = ({ key }: KeyboardEvent): void => {
    const index = pageNames.indexOf(pageOf(this.state.page));
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

function pageTitles(): Readonly<Record<PageName, string>> {
  return {
    memories: l10n.t('Memories'),
    answers: l10n.t('Answers'),
    inbox: l10n.t('Inbox'),
    access: l10n.t('Access and Health'),
  };
}

function pageOf(view: ViewName): PageName {
  return pageNames.find(it => it === view) ?? linkedViews[view as keyof typeof linkedViews];
}

/** Ctrl+F: the search field of the page; on a memory that is read, and where there is no field, it stays with VS Code. */
function focusPageSearch(event: KeyboardEvent, root: HTMLElement): void {
  const isFind =
    (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key.toLowerCase() === 'f';
  const field = root.querySelector<HTMLElement>('[data-page-search]');
  if (!isFind || field?.checkVisibility() !== true) return;
  if (event.target instanceof Element && event.target.closest('.memory-page') !== null) return;
  event.preventDefault();
  event.stopPropagation();
  field.focus();
}

function ignoreRepeatedPress(event: KeyboardEvent): void {
  if (!isRepeatedPress(event)) return;
  event.preventDefault();
  event.stopPropagation();
}

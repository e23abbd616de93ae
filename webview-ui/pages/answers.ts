import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { TraceSummary } from '../../src/engine/model/trace.js';
import { maxSearchLength, type TraceView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { emptyState, failureNotice, icon, loadingIndicator, pageHeading, rememberButton } from '../components.js';
import type { Page } from './page.js';
import { renderTraceDetail } from './answerDetail.js';

const tracePageSize = 50;
/** From the last keystroke to the update of the list. */
const debounceMs = 150;

/** The page of what was asked and answered, newest first, and why the selected answer was given. */
export class AnswersPage implements Page {
  private readonly summaries: AsyncValue<readonly TraceSummary[]>;
  private readonly detail: AsyncValue<TraceView>;
  private debounceTimer: number | undefined;
  private limit = tracePageSize;

  constructor(private readonly app: PageHost) {
    this.summaries = new AsyncValue(() => {
      app.scheduleRender();
    });
    this.detail = new AsyncValue(() => {
      app.scheduleRender();
    });
  }

  open(id: string | undefined): void {
    if (id !== undefined) this.select(id);
    else if (this.app.state.trace !== undefined) this.loadDetail(this.app.state.trace);
    this.loadList();
  }

  refresh(): void {
    this.loadList();
  }

  view(): unknown {
    const { trace, filter } = this.app.state;
    const list = this.summaries.value;
    if (list?.length === 0 && filter === '' && trace === undefined) {
      return emptyState(
        'search',
        l10n.t('No answer is recorded yet'),
        l10n.t(
          'What assistants ask is recorded and explained here. A look of your own is recorded once you pick one of its memories.',
        ),
        this.emptyAction(),
      );
    }
    return html`<div class="split ${trace === undefined ? '' : 'has-detail'}">
      <section class="list" aria-label=${l10n.t('Answers')}>
        ${trace === undefined ? pageHeading(l10n.t('Answers')) : nothing} ${this.renderFilter()} ${this.renderRows()}
      </section>
      <section class="detail" aria-label=${l10n.t('Explanation')}>${this.renderExplanation()}</section>
    </div>`;
  }

  private emptyAction(): unknown {
    const { connection, hasMemories } = this.app;
    if (hasMemories.value === undefined) return nothing;
    if (!hasMemories.value) return rememberButton(this.app);
    return html`<vscode-button @click=${() => void connection.request('recall', undefined).catch(() => undefined)}
      >${l10n.t('Recall…')}</vscode-button
    >`;
  }

  private renderFilter(): unknown {
    return html`<vscode-textfield
      class="filter"
      data-page-search
      type="search"
      label=${l10n.t('Filter answers')}
      placeholder=${l10n.t('Filter by words of the question')}
      maxlength=${maxSearchLength}
      .value=${this.app.state.filter}
      @input=${this.onFilterInput}
      >${html`<span slot="content-before" class="codicon codicon-filter" aria-hidden="true"></span>`}</vscode-textfield
    >`;
  }

  private renderRows(): unknown {
    const { value, failure } = this.summaries;
    if (failure !== undefined) {
      return failureNotice(failure, () => {
        this.loadList();
      });
    }
    if (value === undefined) return loadingIndicator();
    if (value.length === 0) {
      const sentence = this.app.state.filter === '' ? l10n.t('No answer is recorded.') : l10n.t('No answer matches.');
      return html`<p class="hint">${sentence}</p>`;
    }
    const { trace } = this.app.state;
    const active = value.some(it => it.id === trace) ? `row-${trace}` : nothing;
    return html`<ul
        role="listbox"
        tabindex="0"
        aria-label=${l10n.t('Answers, newest first')}
        aria-activedescendant=${active}
        @keydown=${this.onRowKeyDown}
      >
        ${repeat(
          value,
          it => it.id,
          it => this.renderRow(it),
        )}
      </ul>
      ${value.length < this.limit ? nothing : html`<button class="link more" @click=${this.showMore}>${l10n.t('Show older')}</button>`}`;
  }

  private renderRow(summary: TraceSummary): unknown {
    const { formatter, state } = this.app;
    const requester = describeRequester(summary);
    return html`<li
      id="row-${summary.id}"
      role="option"
      aria-selected=${summary.id === state.trace}
      title=${summary.query}
      @click=${() => {
        this.select(summary.id);
      }}
    >
      <span class="query">${summary.query}</span>
      <span class="facts"
        ><span title=${requester.name}
          >${icon(requester.icon)}<span class="visually-hidden">${requester.name}</span></span
        >
        ${requester.icon === 'plug' ? html`${requester.name} ·` : nothing}
        <time datetime=${summary.at} title=${formatter.dateTime(summary.at)}
          >${formatter.relativeTime(summary.at)}</time
        >
        · ${formatter.memoryCount(summary.hits)}
        ${summary.degraded ? html`<span class="warning" title=${l10n.t('Something was missing')}>${icon('warning')}</span>` : nothing}
      </span>
    </li>`;
  }

  private renderExplanation(): unknown {
    const { value, failure, loading: isLoading } = this.detail;
    const { trace } = this.app.state;
    if (trace === undefined)
      return html`<p class="hint center">${l10n.t('Choose an answer to see why it was given.')}</p>`;
    const back = html`<button class="link back" @click=${this.closeDetail}>
      ${icon('arrow-left')} ${l10n.t('All answers')}
    </button>`;
    if (failure !== undefined) {
      return html`${back}${failureNotice(failure, () => {
        this.loadDetail(trace);
      })}`;
    }
    if (value === undefined) return isLoading ? loadingIndicator() : nothing;
    return html`${back}${renderTraceDetail(this.app, value, {
      rerun: () => void this.rerun(trace),
      copy: text => {
        void this.app.connection.request('copyText', { text }).then(() => {
          this.app.announce(l10n.t('Copied.'));
        });
      },
      feedback: (id, useful) => void this.sendFeedback(id, useful),
    })}`;
  }

  private readonly onFilterInput = (event: Event): void => {
    const { value } = event.target as HTMLInputElement;
    this.limit = tracePageSize;
    this.app.setState({ filter: value });
    window.clearTimeout(this.debounceTimer);
    this.debounceTimer = window.setTimeout(() => {
      this.loadList();
    }, debounceMs);
  };

  private readonly showMore = (): void => {
    this.limit += tracePageSize;
    this.loadList();
  };

  private readonly closeDetail = (): void => {
    this.detail.clear();
    this.app.setState({ trace: undefined });
  };

  private readonly onRowKeyDown = (event: KeyboardEvent): void => {
    const rows = this.summaries.value ?? [];
    const index = rows.findIndex(it => it.id === this.app.state.trace);
    const nextIndexByKey: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(rows.length - 1, index + 1),
      ArrowUp: Math.max(0, index - 1),
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[nextIndexByKey[event.key] ?? -1];
    if (row === undefined) return;
    event.preventDefault();
    this.select(row.id);
    document.getElementById(`row-${row.id}`)?.scrollIntoView({ block: 'nearest' });
  };

  private select(id: string): void {
    this.detail.clear();
    this.app.setState({ trace: id });
    this.loadDetail(id);
  }

  private loadList(): void {
    const { filter } = this.app.state;
    const text = filter.trim();
    const requestedLimit = this.limit;
    const { connection, hasMemories } = this.app;
    void this.summaries
      .load(connection.request('traces', { limit: requestedLimit, ...(text === '' ? {} : { text }) }))
      .then(() => {
        if (this.summaries.value?.length === 0) void hasMemories.load(connection.request('hasMemories', undefined));
      });
  }

  private loadDetail(id: string): void {
    void this.detail.load(this.app.connection.request('trace', { id }));
  }

  private async rerun(id: string): Promise<void> {
    await this.detail.load(
      (async () => {
        const trace = await this.app.connection.request('recallAgain', { id });
        this.app.announce(l10n.t('Asked again.'));
        // A person who has opened another answer meanwhile stays there.
        if (this.app.state.trace === id) this.app.setState({ trace });
        return this.app.connection.request('trace', { id: trace });
      })(),
    );
    this.loadList();
  }

  private async sendFeedback(id: string, useful: boolean): Promise<void> {
    const before = this.detail.value;
    if (before === undefined) return;
    await this.detail.load(
      (async () => {
        const card = await this.app.connection.request('feedback', { id, useful });
        this.app.announce(useful ? l10n.t('Marked as useful.') : l10n.t('Marked as not useful.'));
        return { ...before, memories: { ...before.memories, [id]: card } };
      })(),
    );
  }
}

/** The icon and name of what asked: a person, a chat's model, or a program that uses the memory. */
export function describeRequester({ client, asker }: Pick<TraceSummary, 'client' | 'asker'>): {
  icon: string;
  name: string;
} {
  if (asker !== 'model') {
    return client === 'cli'
      ? { icon: 'terminal', name: l10n.t('You, on the command line') }
      : { icon: 'account', name: l10n.t('You') };
  }
  if (client === 'vscode') return { icon: 'sparkle', name: l10n.t('A chat of VS Code') };
  return { icon: 'plug', name: client.replace(/^(?:mcp|http|hook):/u, '') };
}

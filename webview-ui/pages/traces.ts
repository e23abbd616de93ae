import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { TraceSummary } from '../../src/engine/model/trace.js';
import type { TraceView } from '../../src/protocol.js';
import { Asked, type App } from '../app.js';
import { emptyState, failed, icon, loading, rememberButton } from '../parts.js';
import type { Page } from './page.js';
import { traceDetail } from './traceDetail.js';

/** Rows that are asked for at a time. */
const pageSize = 50;
/** Typing settles for this long before the list follows it. */
const settleMs = 150;

/** Recalls, and one of them taken apart. */
export class TracesPage implements Page {
  private readonly list: Asked<readonly TraceSummary[]>;
  private readonly detail: Asked<TraceView>;
  private settling: number | undefined;
  private wanted = pageSize;

  constructor(private readonly app: App) {
    this.list = new Asked(() => {
      app.update();
    });
    this.detail = new Asked(() => {
      app.update();
    });
  }

  open(id: string | undefined): void {
    if (id !== undefined) this.select(id);
    else if (this.app.state.trace !== undefined) this.askDetail(this.app.state.trace);
    this.askList();
  }

  refresh(): void {
    this.askList();
  }

  view(): unknown {
    const { trace, filter } = this.app.state;
    const list = this.list.value;
    if (list?.length === 0 && filter === '' && trace === undefined) {
      return emptyState(
        'search',
        l10n.t('Nothing has been recalled yet'),
        l10n.t('Each recall is explained here: by a chat that uses #recall, by another program, or by yourself.'),
        this.first(),
      );
    }
    return html`<div class="split ${trace === undefined ? '' : 'has-detail'}">
      <section class="list" aria-label=${l10n.t('Recalls')}>${this.search()} ${this.rows()}</section>
      <section class="detail" aria-label=${l10n.t('Explanation')}>${this.explanation()}</section>
    </div>`;
  }

  /** What to do where nothing was recalled. */
  private first(): unknown {
    const { connection, remembers } = this.app;
    if (remembers.value === undefined) return nothing;
    if (!remembers.value) return rememberButton(this.app);
    return html`<vscode-button @click=${() => void connection.ask('recall', undefined).catch(() => undefined)}
      >${l10n.t('Recall…')}</vscode-button
    >`;
  }

  private search(): unknown {
    return html`<vscode-textfield
      class="filter"
      type="search"
      label=${l10n.t('Filter recalls')}
      placeholder=${l10n.t('Filter by words of the question')}
      .value=${this.app.state.filter}
      @input=${this.typed}
      >${html`<span slot="content-before" class="codicon codicon-filter" aria-hidden="true"></span>`}</vscode-textfield
    >`;
  }

  private rows(): unknown {
    const { value, failure } = this.list;
    if (failure !== undefined) {
      return failed(failure, () => {
        this.askList();
      });
    }
    if (value === undefined) return loading();
    if (value.length === 0) return html`<p class="hint">${l10n.t('No recall matches.')}</p>`;
    const { trace } = this.app.state;
    const active = value.some(it => it.id === trace) ? `row-${trace}` : nothing;
    return html`<ul
        role="listbox"
        tabindex="0"
        aria-label=${l10n.t('Recalls, newest first')}
        aria-activedescendant=${active}
        @keydown=${this.moveRow}
      >
        ${repeat(
          value,
          it => it.id,
          it => this.row(it),
        )}
      </ul>
      ${value.length < this.wanted ? nothing : html`<button class="link more" @click=${this.more}>${l10n.t('Show older')}</button>`}`;
  }

  private row(it: TraceSummary): unknown {
    const { format, state } = this.app;
    const who = asker(it);
    const facts = [format.memories(it.hits), format.duration(it.ms), ...(it.cache === 'hit' ? [l10n.t('cached')] : [])];
    return html`<li
      id="row-${it.id}"
      role="option"
      aria-selected=${it.id === state.trace}
      title=${it.query}
      @click=${() => {
        this.select(it.id);
      }}
    >
      <span class="query">${it.query}</span>
      <span class="facts"
        ><span title=${who.name}>${icon(who.icon)}<span class="visually-hidden">${who.name}</span></span>
        <time datetime=${it.at} title=${format.moment(it.at)}>${format.ago(it.at)}</time> · ${facts.join(' · ')}
        ${it.degraded ? html`<span class="warning" title=${l10n.t('Something was missing')}>${icon('warning')}</span>` : nothing}
      </span>
    </li>`;
  }

  private explanation(): unknown {
    const { value, failure, loading: isLoading } = this.detail;
    const { trace } = this.app.state;
    if (trace === undefined)
      return html`<p class="hint center">${l10n.t('Choose a recall to see why it answered so.')}</p>`;
    const back = html`<button class="link back" @click=${this.close}>
      ${icon('arrow-left')} ${l10n.t('All recalls')}
    </button>`;
    if (failure !== undefined) {
      return html`${back}${failed(failure, () => {
        this.askDetail(trace);
      })}`;
    }
    if (value === undefined) return isLoading ? loading() : nothing;
    return html`${back}${traceDetail(this.app, value, {
      again: () => void this.again(trace),
      feedback: (id, useful) => void this.feedback(id, useful),
    })}`;
  }

  private readonly typed = (event: Event): void => {
    const { value } = event.target as HTMLInputElement;
    this.wanted = pageSize;
    this.app.set({ filter: value });
    window.clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      this.askList();
    }, settleMs);
  };

  private readonly more = (): void => {
    this.wanted += pageSize;
    this.askList();
  };

  private readonly close = (): void => {
    this.detail.forget();
    this.app.set({ trace: undefined });
  };

  private readonly moveRow = (event: KeyboardEvent): void => {
    const rows = this.list.value ?? [];
    const at = rows.findIndex(it => it.id === this.app.state.trace);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(rows.length - 1, at + 1),
      ArrowUp: Math.max(0, at - 1),
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[places[event.key] ?? -1];
    if (row === undefined) return;
    event.preventDefault();
    this.select(row.id);
    document.getElementById(`row-${row.id}`)?.scrollIntoView({ block: 'nearest' });
  };

  private select(id: string): void {
    this.detail.forget();
    this.app.set({ trace: id });
    this.askDetail(id);
  }

  private askList(): void {
    const { filter } = this.app.state;
    const text = filter.trim();
    const limit = this.wanted;
    const { connection, remembers } = this.app;
    void this.list.ask(connection.ask('traces', { limit, ...(text === '' ? {} : { text }) })).then(() => {
      if (this.list.value?.length === 0) void remembers.ask(connection.ask('remembers', undefined));
    });
  }

  private askDetail(id: string): void {
    void this.detail.ask(this.app.connection.ask('trace', { id }));
  }

  private async again(id: string): Promise<void> {
    await this.detail.ask(
      (async () => {
        const trace = await this.app.connection.ask('recallAgain', { id });
        this.app.set({ trace });
        return this.app.connection.ask('trace', { id: trace });
      })(),
    );
    if (this.detail.failure === undefined) this.app.announce(l10n.t('Asked again.'));
    this.askList();
  }

  private async feedback(id: string, useful: boolean): Promise<void> {
    const before = this.detail.value;
    if (before === undefined) return;
    await this.detail.ask(
      (async () => {
        const card = await this.app.connection.ask('feedback', { id, useful });
        return { ...before, memories: { ...before.memories, [id]: card } };
      })(),
    );
    if (this.detail.failure === undefined) {
      this.app.announce(useful ? l10n.t('Marked as useful.') : l10n.t('Marked as not useful.'));
    }
  }
}

/** A person at the keyboard, a chat's model, or the model of a program outside VS Code. */
export function asker({ client, asker: by }: Pick<TraceSummary, 'client' | 'asker'>): { icon: string; name: string } {
  if (client.startsWith('mcp:')) return { icon: 'plug', name: l10n.t('MCP client {0}', client.slice('mcp:'.length)) };
  if (by === 'model') return { icon: 'sparkle', name: l10n.t('Chat tool') };
  if (client === 'cli') return { icon: 'terminal', name: l10n.t('A person, on the command line') };
  return { icon: 'account', name: l10n.t('A person') };
}

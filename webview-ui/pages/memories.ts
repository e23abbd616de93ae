import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { globalPlace, memoryOrders, type MemoryOrder, type MemoryPlace } from '../../src/engine/model/project.js';
import { maxSearchLength, type MemoryCard, type MemoryListView, type NavigationTarget } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { emptyState, failureNotice, icon, loadingIndicator, pageHeading, rememberButton } from '../components.js';
import type { InspectorState } from '../inspectorState.js';
import { LastChange, type Change } from '../lastChange.js';
import { MemoryDetail } from './memory.js';
import { MemoryList } from './memoryList.js';
import type { Page } from './page.js';

const memoryPageSize = 100;
/** From the last keystroke to the search. */
const debounceMs = 200;
/** Values of the choice of a place that name none. */
const everywhere = '';

/** The page of all memories: a list to search, filter and sort, and the memory that is open next to it. */
export class MemoriesPage implements Page {
  private readonly places: AsyncValue<readonly MemoryPlace[]>;
  private readonly memories: AsyncValue<MemoryListView>;
  private readonly transferred: AsyncValue<boolean>;
  private readonly change: LastChange;
  private readonly detail: MemoryDetail;
  private readonly list: MemoryList;
  private debounceTimer: number | undefined;
  /** How many memories the person asked for; a refresh while they load asks for as many. */
  private wantedCount = memoryPageSize;

  constructor(private readonly app: PageHost) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.places = new AsyncValue(update);
    this.memories = new AsyncValue(update);
    this.transferred = new AsyncValue(update);
    this.change = new LastChange(app, () => {
      this.refresh();
    });
    this.detail = new MemoryDetail(app, () => {
      this.loadMemories();
    });
    this.list = new MemoryList(app, {
      onOpen: id => {
        this.openMemory(id);
      },
    });
  }

  open(id: string | undefined, target?: NavigationTarget): void {
    if (id !== undefined) this.detail.show(id, target?.isEdit === true);
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.places.load(this.app.connection.request('places', undefined));
    this.loadMemories();
    if (!this.isElsewhere()) this.detail.refresh();
  };

  view(): unknown {
    const { value, failure } = this.memories;
    const { memory, list } = this.app.state;
    if (value === undefined && failure === undefined) return loadingIndicator();
    if (value?.total === 0 && memory === undefined && isUnfiltered(list)) return this.renderEmpty();
    return html`<div class="split ${memory === undefined ? '' : 'has-detail'}">
      <section class="list" aria-label=${l10n.t('All memories')}>
        ${memory === undefined ? pageHeading(l10n.t('Memories')) : nothing} ${this.renderTools()} ${this.renderRows()}
      </section>
      <section class="detail" aria-label=${l10n.t('Memory')}>${this.renderDetail()}</section>
    </div>`;
  }

  private renderEmpty(): unknown {
    return emptyState(
      'note',
      l10n.t('Nothing is remembered yet'),
      l10n.t('What you and your assistants remember is listed here, the newest first.'),
      rememberButton(this.app),
    );
  }

  private renderTools(): unknown {
    const { list } = this.app.state;
    return html`<div class="tools">
      <vscode-textfield
        id="memory-search"
        data-page-search
        type="search"
        label=${l10n.t('Search by meaning')}
        placeholder=${l10n.t('Search by meaning')}
        maxlength=${maxSearchLength}
        .value=${list.query}
        @input=${(event: Event) => {
          this.type({ query: inputValueOf(event) });
        }}
        >${fieldIcon('search')}</vscode-textfield
      >
      <vscode-textfield
        id="memory-filter"
        type="search"
        label=${l10n.t('Only with these words')}
        placeholder=${l10n.t('Only with these words')}
        maxlength=${maxSearchLength}
        .value=${list.words}
        @input=${(event: Event) => {
          this.type({ words: inputValueOf(event) });
        }}
        >${fieldIcon('filter')}</vscode-textfield
      >
      <div class="choices">${this.renderPlaceChoice()} ${this.renderOrderChoice()}</div>
    </div>`;
  }

  private renderPlaceChoice(): unknown {
    const { place = everywhere } = this.app.state;
    const label = l10n.t('Project');
    return html`<vscode-single-select
      id="memory-place"
      .value=${place}
      label=${label}
      title=${label}
      @change=${(event: Event) => {
        const value = inputValueOf(event);
        this.app.setState({ place: value === everywhere ? undefined : value, memory: undefined });
        this.choose({});
      }}
    >
      <vscode-option value=${everywhere} ?selected=${place === everywhere}>${l10n.t('This window')}</vscode-option>
      ${(this.places.value ?? []).map(
        it =>
          html`<vscode-option value=${it.id} ?selected=${it.id === place}
            >${placeName(it)} (${this.app.formatter.number(it.memories)})</vscode-option
          >`,
      )}
    </vscode-single-select>`;
  }

  /** The order, which while a search shows is that of its answers, and as the last one those that are no longer in use. */
  private renderOrderChoice(): unknown {
    const { order, outOfUse } = this.app.state.list;
    const isSearch = this.isSearch();
    const names: Readonly<Record<MemoryOrder, string>> = {
      newest: l10n.t('Newest first'),
      used: l10n.t('Most used first'),
      fading: l10n.t('Fading first'),
    };
    const label = l10n.t('Show');
    const shown = isSearch ? 'best' : order;
    // An element of its own, because this one keeps the choices that it had at first.
    const choice = html`<vscode-single-select
      id="memory-order"
      .value=${outOfUse ? 'out' : shown}
      label=${label}
      title=${label}
      @change=${(event: Event) => {
        const value = inputValueOf(event);
        const chosen = memoryOrders.find(it => it === value);
        if (isSearch) this.choose({ outOfUse: value === 'out' });
        else this.choose({ order: chosen ?? 'newest', outOfUse: chosen === undefined });
      }}
    >
      ${
        isSearch
          ? html`<vscode-option value="best" ?selected=${!outOfUse}>${l10n.t('Best answers first')}</vscode-option>`
          : memoryOrders.map(
              it =>
                html`<vscode-option value=${it} ?selected=${!outOfUse && it === order}>${names[it]}</vscode-option>`,
            )
      }
      <vscode-option value="out" ?selected=${outOfUse}>${l10n.t('Forgotten or replaced')}</vscode-option>
    </vscode-single-select>`;
    return keyed(isSearch, choice);
  }

  private renderRows(): unknown {
    const { value, failure } = this.memories;
    if (failure !== undefined) return failureNotice(failure, this.refresh);
    if (value === undefined) return loadingIndicator();
    if (value.memories.length === 0) {
      const { list } = this.app.state;
      return html`${this.change.view('batch')}
        <p class="hint">${emptySentence(list)}</p>`;
    }
    return html`${this.renderCount(value)} ${this.change.view('batch')}
    ${this.list.view(value.memories, this.isMixed())}
    ${value.hasMore ? html`<button class="link more" @click=${this.showMore}>${l10n.t('Show more')}</button>` : nothing}`;
  }

  /** How many show of how many, or what can be done with those that are selected. */
  private renderCount({ memories, total }: MemoryListView): unknown {
    const { formatter } = this.app;
    const { selection } = this.list;
    if (selection.length > 0) return this.renderBatch(selection);
    const shown = formatter.number(memories.length);
    const sentence =
      total === undefined
        ? this.searchOrder()
        : total === memories.length
          ? formatter.memoryCount(total)
          : l10n.t('{0} of {1} memories', shown, formatter.number(total));
    return html`<p class="facts counted" role="status">${sentence}</p>`;
  }

  private renderBatch(selection: readonly MemoryCard[]): unknown {
    const button = (label: string, run: () => void): unknown =>
      html`<vscode-button secondary ?disabled=${this.change.isBusy} @click=${run}>${label}</vscode-button>`;
    const notes = selection.filter(it => it.lane === 'note' && it.status === 'active');
    const active = selection.filter(it => it.status === 'active');
    const gone = selection.filter(it => it.status !== 'active');
    return html`<div class="batch" role="group" aria-label=${l10n.t('Selected memories')}>
      <p class="facts">${l10n.t('{0} selected', this.app.formatter.number(selection.length))}</p>
      ${
        active.length === 0
          ? nothing
          : button(l10n.t('Forget'), () => {
              this.changeMany('forget', active);
            })
      }
      ${
        gone.length === 0
          ? nothing
          : button(l10n.t('Restore'), () => {
              this.changeMany('restore', gone);
            })
      }
      ${
        notes.length === 0
          ? nothing
          : button(l10n.t('Confirm'), () => {
              this.changeMany('confirm', notes);
            })
      }
      ${button(l10n.t('Move…'), () => {
        this.moveMany(selection);
      })}
      ${button(l10n.t('Copy'), () => {
        this.copyMany(selection);
      })}
      ${button(l10n.t('Clear'), () => {
        this.list.clearSelection();
      })}
    </div>`;
  }

  private renderDetail(): unknown {
    const { memory } = this.app.state;
    if (memory === undefined)
      return html`<p class="hint center">
        ${l10n.t('Choose a memory to read it whole. Ctrl+click selects several.')}
      </p>`;
    const back = html`<button class="link back" @click=${this.closeDetail}>
      ${icon('arrow-left')} ${l10n.t('All memories')}
    </button>`;
    return html`${back}${this.isElsewhere() ? this.renderElsewhere(memory) : this.detail.view()}`;
  }

  /** A memory of a project that is not open: to read, copy and move. */
  private renderElsewhere(id: string): unknown {
    const memory = this.memories.value?.memories.find(it => it.id === id);
    if (memory === undefined) return nothing;
    return html`<article class="memory-page">
      <h1 class="content">${memory.content}</h1>
      ${this.transferred.failure === undefined ? nothing : failureNotice(this.transferred.failure, this.refresh)}
      <div class="buttons">
        <vscode-button
          @click=${() => {
            this.transfer(id);
          }}
          >${l10n.t('Copy or Move…')}</vscode-button
        >
      </div>
    </article>`;
  }

  /** Whether the chosen place is a project that this window does not read. */
  private isElsewhere(): boolean {
    const { place } = this.app.state;
    return place !== undefined && this.places.value?.find(it => it.id === place)?.isOpen === false;
  }

  /** Whether memories of a project and those of all projects are listed together. */
  private isMixed(): boolean {
    const isOfProject = ({ id, isOpen }: MemoryPlace): boolean => isOpen && id !== globalPlace;
    return this.app.state.place === undefined && this.places.value?.some(isOfProject) === true;
  }

  /** Memories that are out of use are no answers: a search lists those that contain it, the newest first. */
  private searchOrder(): string {
    return this.app.state.list.outOfUse ? l10n.t('Newest first') : l10n.t('Best answers first');
  }

  private isSearch(): boolean {
    return this.app.state.list.query.trim() !== '';
  }

  private openMemory(id: string): void {
    if (this.isElsewhere()) this.app.setState({ memory: id });
    else this.detail.show(id);
  }

  private readonly closeDetail = (): void => {
    const { memory } = this.app.state;
    this.app.setState({ memory: undefined });
    requestAnimationFrame(() => {
      requestAnimationFrame(() => {
        document.getElementById('memory-rows')?.focus();
        document.getElementById(`memory-row-${memory}`)?.scrollIntoView({ block: 'nearest' });
      });
    });
  };

  private type(change: Partial<InspectorState['list']>): void {
    this.app.setState({ list: { ...this.app.state.list, ...change } });
    window.clearTimeout(this.debounceTimer);
    this.debounceTimer = window.setTimeout(() => {
      this.choose({});
    }, debounceMs);
  }

  private choose(change: Partial<InspectorState['list']>): void {
    this.app.setState({ list: { ...this.app.state.list, ...change } });
    this.wantedCount = memoryPageSize;
    if (!this.change.isBusy) this.change.clear();
    this.list.clearSelection();
    this.loadMemories();
  }

  private readonly showMore = (): void => {
    const shown = this.memories.value?.memories ?? [];
    this.wantedCount = shown.length + memoryPageSize;
    this.loadMemories(shown);
  };

  private changeMany(name: 'forget' | 'restore' | 'confirm', memories: readonly MemoryCard[]): void {
    const { connection, formatter } = this.app;
    const all = async (request: typeof name): Promise<void> => {
      for (const { id } of memories) await connection.request(request, { id });
    };
    const count = formatter.memoryCount(memories.length);
    const sentences = {
      forget: l10n.t('Forgotten: {0}', count),
      restore: l10n.t('In use again: {0}', count),
      confirm: l10n.t('Confirmed: {0}', count),
    };
    const opposite = { forget: 'restore', restore: 'forget', confirm: undefined } as const;
    void this.change
      .make(async (): Promise<Change> => {
        await all(name);
        const undo = opposite[name];
        return { of: 'batch', sentence: sentences[name], ...(undo === undefined ? {} : { undo: () => all(undo) }) };
      })
      .then(() => {
        this.list.clearSelection();
      });
  }

  /** VS Code asks where to, and says what was moved, with an undo. */
  private moveMany(memories: readonly MemoryCard[]): void {
    const { place } = this.app.state;
    const ids = memories.map(it => it.id);
    void this.change
      .make(async () => {
        await this.app.connection.request('transfer', { ids, ...(place === undefined ? {} : { place }) });
        return undefined;
      })
      .then(() => {
        this.list.clearSelection();
      });
  }

  private copyMany(memories: readonly MemoryCard[]): void {
    const text = memories.map(it => it.content).join('\n');
    void this.change.make(async () => {
      await this.app.connection.request('copyText', { text });
      return { of: 'batch', sentence: l10n.t('Copied.') };
    });
  }

  private transfer(id: string): void {
    const { place } = this.app.state;
    if (this.transferred.loading || place === undefined) return;
    void this.transferred.load(this.app.connection.request('transfer', { place, ids: [id] })).then(isDone => {
      if (isDone && this.transferred.value === true) this.refresh();
    });
  }

  /**
   * Loads as many memories as are wanted, in whole pages.
   * @param shown those that stay, and that the others follow
   */
  private loadMemories(shown: readonly MemoryCard[] = []): void {
    const { place, list } = this.app.state;
    const { order, outOfUse } = list;
    const [query, words] = [list.query.trim(), list.words.trim()];
    const input = {
      ...{ order, outOfUse, limit: memoryPageSize },
      ...(place === undefined ? {} : { place }),
      ...(query === '' ? {} : { query }),
      ...(words === '' ? {} : { words }),
    };
    const count = this.wantedCount;
    const loadPages = async (before: readonly MemoryCard[], offset: number): Promise<MemoryListView> => {
      const page = await this.app.connection.request('memories', { ...input, offset });
      // Memories stored in the meantime move the others one place on.
      const knownIds = new Set(before.map(it => it.id));
      const memories = [...before, ...page.memories.filter(it => !knownIds.has(it.id))];
      const end = offset + page.memories.length;
      return page.hasMore && end < count ? loadPages(memories, end) : { ...page, memories };
    };
    void this.memories.load(loadPages(shown, shown.length));
  }
}

function isUnfiltered({ query, words, outOfUse }: InspectorState['list']): boolean {
  return query.trim() === '' && words.trim() === '' && !outOfUse;
}

function emptySentence(list: InspectorState['list']): string {
  if (!isUnfiltered({ ...list, outOfUse: false })) return l10n.t('No memory matches.');
  return list.outOfUse ? l10n.t('Nothing is forgotten or replaced.') : l10n.t('It has no memories yet.');
}

function placeName({ id, name }: MemoryPlace): string {
  return id === globalPlace ? l10n.t('For all projects') : name;
}

function fieldIcon(name: string): unknown {
  return html`<span slot="content-before" class="codicon codicon-${name}" aria-hidden="true"></span>`;
}

function inputValueOf(event: Event): string {
  return (event.target as HTMLInputElement).value;
}

import '@vscode-elements/elements/dist/vscode-textfield/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { globalPlace, type MemoryPlace } from '../../src/engine/model/project.js';
import { maxSearchLength, type MemoryCard, type PlaceView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator } from '../components.js';
import type { Page } from './page.js';

const memoryPageSize = 100;
/** From the last keystroke to the search. */
const debounceMs = 200;

/** The page of every project's memories: the list of places, and the memories of the selected one, to read, copy or move. */
export class ProjectsPage implements Page {
  private readonly places: AsyncValue<readonly MemoryPlace[]>;
  private readonly memories: AsyncValue<PlaceView>;
  private readonly transferred: AsyncValue<boolean>;
  private debounceTimer: number | undefined;
  private text = '';
  /** How many memories of the selected place the person asked for; a refresh while they load asks for as many. */
  private wantedCount = memoryPageSize;

  constructor(private readonly app: App) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.places = new AsyncValue(update);
    this.memories = new AsyncValue(update);
    this.transferred = new AsyncValue(update);
  }

  open(): void {
    this.transferred.clear();
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.places.load(this.app.connection.request('places', undefined));
    this.loadMemories();
  };

  view(): unknown {
    const { value, failure } = this.places;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (value === undefined) return loadingIndicator();
    const selected = value.find(it => it.id === this.app.state.place);
    return html`<div class="split ${selected === undefined ? '' : 'has-detail'}">
      <section class="list" aria-label=${l10n.t('Projects')}>
        <ul
          role="listbox"
          tabindex="0"
          aria-label=${l10n.t('Projects')}
          aria-activedescendant=${selected === undefined ? nothing : `place-${selected.id}`}
          @keydown=${this.onPlaceKeyDown}
        >
          ${repeat(
            value,
            it => it.id,
            it => this.renderPlace(it),
          )}
        </ul>
      </section>
      <section class="detail" aria-label=${l10n.t('Memories')}>
        ${
          selected === undefined
            ? html`<p class="hint center">${l10n.t('Choose a project to see its memories.')}</p>`
            : this.renderMemories(selected)
        }
      </section>
    </div>`;
  }

  private renderPlace(place: MemoryPlace): unknown {
    const { id, folders, memories, isOpen } = place;
    const facts = [
      this.app.formatter.memoryCount(memories),
      ...(id === globalPlace
        ? [l10n.t('every project reads it')]
        : isOpen
          ? [l10n.t('this window')]
          : folders.slice(-1)),
    ];
    return html`<li
      id="place-${id}"
      role="option"
      aria-selected=${id === this.app.state.place}
      title=${folders.join('\n')}
      @click=${() => {
        this.select(id);
      }}
    >
      <span class="query">${this.nameOf(place)}</span>
      <span class="facts">${facts.join(' · ')}</span>
    </li>`;
  }

  private renderMemories(place: MemoryPlace): unknown {
    return html`<button class="link back" @click=${this.closeDetail}>
        ${icon('arrow-left')} ${l10n.t('All projects')}
      </button>
      <h1>${this.nameOf(place)}</h1>
      <vscode-textfield
        class="filter"
        type="search"
        label=${l10n.t('Search its memories')}
        placeholder=${l10n.t('Search its memories')}
        maxlength=${maxSearchLength}
        .value=${this.text}
        @input=${this.onSearchInput}
        >${html`<span slot="content-before" class="codicon codicon-search" aria-hidden="true"></span>`}</vscode-textfield
      >
      ${this.transferred.failure === undefined ? nothing : failureNotice(this.transferred.failure, this.refresh)}
      ${this.renderRows(place)}`;
  }

  private renderRows(place: MemoryPlace): unknown {
    const { value, failure } = this.memories;
    if (failure !== undefined) return failureNotice(failure, this.refresh);
    if (value === undefined) return loadingIndicator();
    if (value.memories.length === 0) {
      const sentence = this.text.trim() === '' ? l10n.t('It has no memories yet.') : l10n.t('No memory of it matches.');
      return html`<p class="hint">${sentence}</p>`;
    }
    return html`<ul class="place-memories">
        ${repeat(
          value.memories,
          it => it.id,
          it => this.renderMemory(place, it),
        )}
      </ul>
      ${value.hasMore ? html`<button class="link more" @click=${this.showMore}>${l10n.t('Show older')}</button>` : nothing}`;
  }

  private renderMemory(place: MemoryPlace, memory: MemoryCard): unknown {
    const { labels, formatter } = this.app;
    const marks = [
      ...new Set([labels.gate[memory.gate], labels.kind[memory.kind]]),
      labels.lane[memory.lane],
      formatter.percent(memory.effectiveConfidence),
      ...(memory.pinned ? [l10n.t('pinned')] : []),
    ];
    return html`<li>
      <div class="place-memory">
        <p class="content">${memory.content}</p>
        <p class="facts">
          ${marks.join(' · ')} ·
          <time datetime=${memory.createdAt} title=${formatter.dateTime(memory.createdAt)}
            >${formatter.relativeTime(memory.createdAt)}</time
          >
        </p>
      </div>
      <vscode-button
        secondary
        aria-label=${l10n.t('Copy or move: {0}', memory.summary)}
        @click=${() => {
          this.transfer(place, memory);
        }}
        >${l10n.t('Copy or Move…')}</vscode-button
      >
    </li>`;
  }

  private nameOf({ id, name }: MemoryPlace): string {
    return id === globalPlace ? l10n.t('Global memory') : name;
  }

  private readonly onPlaceKeyDown = (event: KeyboardEvent): void => {
    const places = this.places.value ?? [];
    const index = places.findIndex(it => it.id === this.app.state.place);
    const nextIndexByKey: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(places.length - 1, index + 1),
      ArrowUp: Math.max(0, index - 1),
      Home: 0,
      End: places.length - 1,
    };
    const place = places[nextIndexByKey[event.key] ?? -1];
    if (place === undefined) return;
    event.preventDefault();
    this.select(place.id);
    document.getElementById(`place-${place.id}`)?.scrollIntoView({ block: 'nearest' });
  };

  private readonly onSearchInput = (event: Event): void => {
    this.text = (event.target as HTMLInputElement).value;
    window.clearTimeout(this.debounceTimer);
    this.debounceTimer = window.setTimeout(() => {
      this.wantedCount = memoryPageSize;
      this.loadMemories();
    }, debounceMs);
  };

  private readonly showMore = (): void => {
    const shown = this.memories.value?.memories ?? [];
    this.wantedCount = shown.length + memoryPageSize;
    this.loadMemories(shown);
  };

  private readonly closeDetail = (): void => {
    this.memories.clear();
    this.app.setState({ place: undefined });
  };

  private select(id: string): void {
    this.memories.clear();
    this.transferred.clear();
    this.text = '';
    this.wantedCount = memoryPageSize;
    this.app.setState({ place: id });
    this.loadMemories();
  }

  private transfer(place: MemoryPlace, { id }: MemoryCard): void {
    if (this.transferred.loading) return;
    const request = this.app.connection.request('transfer', { place: place.id, id });
    void this.transferred.load(request).then(() => {
      if (this.transferred.value === true) this.refresh();
    });
  }

  /**
   * Loads as many memories as are wanted, in whole pages.
   * @param shown those that stay, and that the others follow
   */
  private loadMemories(shown: readonly MemoryCard[] = []): void {
    const { place } = this.app.state;
    const count = this.wantedCount;
    if (place === undefined) return;
    const text = this.text.trim();
    const input = { id: place, limit: memoryPageSize, ...(text === '' ? {} : { text }) };
    const loadPages = async (before: readonly MemoryCard[], offset: number): Promise<PlaceView> => {
      const page = await this.app.connection.request('placeMemories', { ...input, offset });
      // What was stored in the meantime moves the others one place on.
      const knownIds = new Set(before.map(it => it.id));
      const memories = [...before, ...page.memories.filter(it => !knownIds.has(it.id))];
      const end = offset + page.memories.length;
      return page.hasMore && end < count ? loadPages(memories, end) : { memories, hasMore: page.hasMore };
    };
    void this.memories.load(loadPages(shown, shown.length));
  }
}

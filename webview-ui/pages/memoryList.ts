import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { MemoryCard } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { icon } from '../components.js';
import { dayMs } from '../../src/engine/model/duration.js';
import { rowFacts } from './memoryStory.js';

/** A memory that is kept no longer than this from now fades soon. */
const soonMs = 14 * dayMs;

interface ListActions {
  /** The rows changed: one is opened, or several are selected. */
  readonly onOpen: (id: string) => void;
}

/** Memories as rows of which one is open and any number is selected: one stop of the Tab key, and keys of its own. */
export class MemoryList {
  private selected: ReadonlySet<string> = new Set();
  /** The row that the keys start from. */
  private current: string | undefined;
  /** Where a range of selected rows starts. */
  private anchor: string | undefined;
  private memories: readonly MemoryCard[] = [];
  private marksGlobal = false;

  constructor(
    private readonly app: PageHost,
    private readonly actions: ListActions,
  ) {}

  /** The rows that are selected, where they are more than the open one. */
  get selection(): readonly MemoryCard[] {
    const selected = this.memories.filter(it => this.selected.has(it.id));
    return selected.length > 1 ? selected : [];
  }

  clearSelection(): void {
    this.selected = new Set();
    this.app.scheduleRender();
  }

  /** @param marksGlobal whether rows say of their memory that it is for all projects */
  view(memories: readonly MemoryCard[], marksGlobal: boolean): unknown {
    this.memories = memories;
    this.marksGlobal = marksGlobal;
    const open = this.current ?? this.app.state.memory;
    const active = memories.some(it => it.id === open) ? `memory-row-${open}` : nothing;
    return html`<ul
      id="memory-rows"
      role="listbox"
      tabindex="0"
      aria-label=${l10n.t('Memories')}
      aria-multiselectable="true"
      aria-activedescendant=${active}
      @keydown=${this.onKeyDown}
    >
      ${repeat(
        memories,
        it => it.id,
        it => this.renderRow(it),
      )}
    </ul>`;
  }

  private renderRow(memory: MemoryCard): unknown {
    const { id, content, pinned, lane, status, keptUntil, store } = memory;
    const { formatter, state } = this.app;
    const isSelected = this.selected.size > 1 ? this.selected.has(id) : id === state.memory;
    const isFading = keptUntil !== undefined && Date.parse(keptUntil) - Date.now() < soonMs;
    const isOver = keptUntil !== undefined && Date.parse(keptUntil) < Date.now();
    const until = isFading ? l10n.t('kept until {0}', formatter.date(keptUntil)) : '';
    const fades = isOver ? l10n.t('faded') : until;
    const place = this.marksGlobal && store === 'global' ? [l10n.t('for all projects')] : [];
    return html`<li
      id="memory-row-${id}"
      role="option"
      aria-selected=${isSelected}
      class="memory-row ${lane === 'note' && status === 'active' ? 'note' : ''}"
      @click=${(event: MouseEvent) => {
        this.onClick(id, event);
      }}
    >
      <span class="content">${content}</span>
      <span class="facts"
        >${pinned ? html`${icon('pinned')}<span class="visually-hidden">${l10n.t('pinned')}</span> ` : nothing}${
          isFading ? html`<span title=${fades}>${icon('clock')}</span> ` : nothing
        }${[...place, ...rowFacts(this.app, memory), ...(isFading ? [fades] : [])].join(' · ')}</span
      >
    </li>`;
  }

  private onClick(id: string, event: MouseEvent): void {
    if (event.shiftKey) this.selectRange(id);
    else if (event.ctrlKey || event.metaKey) this.toggle(id);
    else this.open(id);
  }

  private readonly onKeyDown = (event: KeyboardEvent): void => {
    const last = this.memories.length - 1;
    const index = this.memories.findIndex(it => it.id === (this.current ?? this.app.state.memory));
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === 'a') {
      this.selected = new Set(this.memories.map(it => it.id));
      this.app.scheduleRender();
    } else if (event.key === ' ' && this.current !== undefined) this.toggle(this.current);
    else if (event.key === 'Escape' && this.selected.size > 0) this.clearSelection();
    else {
      const nextIndexByKey: Readonly<Record<string, number>> = {
        ArrowDown: Math.min(last, index + 1),
        ArrowUp: Math.max(0, index - 1),
        Home: 0,
        End: last,
      };
      const next = this.memories[nextIndexByKey[event.key] ?? -1];
      if (next === undefined) return;
      if (event.shiftKey) this.selectRange(next.id);
      else if (isCommand) this.moveTo(next.id);
      else this.open(next.id);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  private open(id: string): void {
    this.selected = new Set();
    this.anchor = id;
    this.moveTo(id);
    this.actions.onOpen(id);
  }

  private toggle(id: string): void {
    const selected = new Set(this.selected.size === 0 ? this.opened() : this.selected);
    if (!selected.delete(id)) selected.add(id);
    this.selected = selected;
    this.anchor = id;
    this.moveTo(id);
  }

  private selectRange(id: string): void {
    const indexOf = (wanted: string | undefined): number => this.memories.findIndex(it => it.id === wanted);
    const from = indexOf(this.anchor ?? this.app.state.memory);
    const to = indexOf(id);
    const [first, end] = from === -1 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    this.selected = new Set(this.memories.slice(first, end + 1).map(it => it.id));
    this.moveTo(id);
  }

  /** The open memory, which is the first one of a selection. */
  private opened(): readonly string[] {
    const { memory } = this.app.state;
    return memory !== undefined && this.memories.some(it => it.id === memory) ? [memory] : [];
  }

  private moveTo(id: string): void {
    this.current = id;
    this.app.scheduleRender();
    requestAnimationFrame(() => document.getElementById(`memory-row-${id}`)?.scrollIntoView({ block: 'nearest' }));
  }
}

import * as l10n from '@vscode/l10n';
import { html, nothing, svg } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { TimelineMemory, TimelineView, TimelineWeekView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import { emptyState, failureNotice, icon, loadingIndicator, rememberButton } from '../components.js';
import type { Page } from './page.js';

/** Weeks of a page: as many as a person looks through before they ask for more. */
const weeksPerPage = 6;
/** Memories of a week that show at first; few, because each is a stop of the Tab key. */
const memoriesPerWeek = 5;
/** Memories that a button adds to a week. */
const memoriesPerStep = 100;
const maxMemoriesPerWeek = 1_000;

/** Width of the view box, which is stretched to the width of the element. */
const barUnits = 1_000;

/** The page of what was learned, week by week, the newest first. */
export class TimelinePage implements Page {
  private readonly timeline: AsyncValue<TimelineView>;
  /** Monday -> the week with more memories than the page has. */
  private readonly openWeeks: AsyncValue<ReadonlyMap<string, TimelineWeekView>>;
  private weeks = weeksPerPage;
  /** Monday -> how many memories of the week the person asked for. */
  private readonly wantedCounts = new Map<string, number>();

  constructor(private readonly app: App) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.timeline = new AsyncValue(update);
    this.openWeeks = new AsyncValue(update);
  }

  open(): void {
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.load();
  };

  view(): unknown {
    const { value, failure } = this.timeline;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (value === undefined) return loadingIndicator();
    if (value.weeks.length === 0) {
      return emptyState(
        'history',
        l10n.t('Nothing is remembered yet'),
        l10n.t('What was learned is listed here, week by week.'),
        rememberButton(this.app),
      );
    }
    const weeks = value.weeks.map(it => this.openWeeks.value?.get(it.monday) ?? it);
    const maxCount = Math.max(...weeks.map(it => it.count));
    return html`<div class="timeline-page">
      ${repeat(
        weeks,
        it => it.monday,
        it => this.renderWeek(it, maxCount),
      )}
      ${this.openWeeks.failure === undefined ? nothing : failureNotice(this.openWeeks.failure, this.refresh)}
      ${
        value.hasMore
          ? html`<vscode-button secondary class="older" ?disabled=${this.timeline.loading} @click=${this.showOlder}
              >${l10n.t('Show Older Weeks')}</vscode-button
            >`
          : html`<p class="hint">${l10n.t('There is nothing older.')}</p>`
      }
    </div>`;
  }

  private renderWeek(week: TimelineWeekView, maxCount: number): unknown {
    const { labels, formatter } = this.app;
    const { monday, count, byKind, memories } = week;
    const kinds = byKind.map(it => `${formatter.number(it.count)} ${labels.kind[it.kind]}`);
    const left = count - memories.length;
    const title = formatter.week(monday);
    return html`<section class="week" aria-labelledby="week-${monday}">
      <h2 id="week-${monday}">${title} <span class="count">${formatter.memoryCount(count)}</span></h2>
      ${shareBar(byKind, maxCount)}
      <p class="facts">${kinds.join(' · ')}</p>
      ${byKind.map(({ kind }) => {
        const its = memories.filter(it => it.kind === kind);
        if (its.length === 0) return nothing;
        return html`<h3><span class="swatch kind-${kind}"></span>${labels.kind[kind]}</h3>
          <ul>
            ${repeat(
              its,
              it => it.id,
              it => this.renderMemory(it),
            )}
          </ul>`;
      })}
      ${
        left > 0 && memories.length >= maxMemoriesPerWeek
          ? html`<p class="hint">
              ${l10n.t('{0} more: the Memory Explorer finds them by words.', formatter.number(left))}
            </p>`
          : nothing
      }
      ${
        left > 0 && memories.length < maxMemoriesPerWeek
          ? html`<button
              class="link more"
              aria-label=${l10n.t('Show {0} more of {1}', formatter.number(Math.min(left, memoriesPerStep)), title)}
              @click=${() => {
                this.showMore(week);
              }}
            >
              ${l10n.t('Show {0} more', formatter.number(Math.min(left, memoriesPerStep)))}
            </button>`
          : nothing
      }
    </section>`;
  }

  private renderMemory(memory: TimelineMemory): unknown {
    const { labels, formatter } = this.app;
    const { status, archiveReason, replacedBy } = memory;
    const isGone = status !== 'active';
    const marks = [
      ...(isGone ? [labels.inactive[archiveReason ?? status]] : []),
      ...(replacedBy === undefined ? [] : [l10n.t('replaced')]),
      ...(memory.pinned ? [l10n.t('pinned')] : []),
      labels.lane[memory.lane],
      labels.source[memory.provenance.source],
    ];
    return html`<li class=${isGone || replacedBy !== undefined ? 'past' : ''}>
      <button
        class="neighbour"
        title=${memory.content}
        @click=${() => {
          this.app.navigate({ page: 'memory', id: memory.id });
        }}
      >
        <span class="summary"
          >${isGone ? icon('archive') : replacedBy === undefined ? nothing : icon('history')} ${memory.summary}</span
        >
        <span class="relation"
          ><time datetime=${memory.createdAt} title=${formatter.dateTime(memory.createdAt)}
            >${formatter.weekday(memory.createdAt)}</time
          >
          · ${marks.join(' · ')}</span
        >
      </button>
    </li>`;
  }

  private readonly showOlder = (): void => {
    const before = this.timeline.value?.weeks.length ?? 0;
    this.weeks += weeksPerPage;
    void this.load().then(() => {
      const first = this.timeline.value?.weeks[before];
      if (first === undefined) return;
      this.app.announce(this.app.formatter.week(first.monday));
    });
  };

  private showMore({ monday, memories }: TimelineWeekView): void {
    this.wantedCounts.set(monday, Math.min(memories.length + memoriesPerStep, maxMemoriesPerWeek));
    void this.loadOpenWeeks();
  }

  private async load(): Promise<void> {
    const { connection } = this.app;
    await this.timeline.load(connection.request('timeline', { weeks: this.weeks, memoriesPerWeek }));
    await this.loadOpenWeeks();
  }

  private async loadOpenWeeks(): Promise<void> {
    if (this.wantedCounts.size === 0) return;
    const loadWeek = async ([monday, count]: [string, number]): Promise<readonly TimelineWeekView[]> => {
      const input = { before: nextMonday(monday), weeks: 1, memoriesPerWeek: count };
      const { weeks } = await this.app.connection.request('timeline', input);
      return weeks.filter(it => it.monday === monday);
    };
    const load = async (): Promise<ReadonlyMap<string, TimelineWeekView>> => {
      const weeks = (await Promise.all([...this.wantedCounts].map(loadWeek))).flat();
      return new Map(weeks.map(it => [it.monday, it]));
    };
    await this.openWeeks.load(load());
  }
}

/**
 * The kinds of a week as a stacked bar, whose length is their number. The words below it say the same.
 * @param maxCount the number of a bar with full width
 */
function shareBar(byKind: TimelineWeekView['byKind'], maxCount: number): unknown {
  let startX = 0;
  return html`<svg class="share" viewBox="0 0 ${barUnits} 8" preserveAspectRatio="none" aria-hidden="true">
    ${byKind.map(({ kind, count }) => {
      const width = (count / maxCount) * barUnits;
      const segment = svg`<rect class="kind-${kind}" x=${startX} y="0" width=${width} height="8" />`;
      startX += width;
      return segment;
    })}
  </svg>`;
}

/** @param monday `YYYY-MM-DD` */
function nextMonday(monday: string): string {
  const day = new Date(`${monday}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 7);
  return day.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

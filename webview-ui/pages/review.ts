import '@vscode-elements/elements/dist/vscode-button/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import {
  candidatesIntakeId,
  type DecidedIntake,
  type Intake,
  type IntakeChoice,
} from '../../src/engine/model/intake.js';
import type { IntakeItemView, IntakeReviewView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import { emptyState, failureNotice, icon, loadingIndicator } from '../components.js';
import { availableChoices, currentChoice, itemId, ReviewList } from './reviewList.js';
import type { Page } from './page.js';

const itemsPerPage = 200;

/**
 * The page of what imports and captures brought in: the list of them, and what came in by the selected one, to keep, drop
 * or move. Nothing is done before it is applied, and one undo takes it back.
 */
export class ReviewPage implements Page {
  private readonly intakes: AsyncValue<readonly Intake[]>;
  private readonly review: AsyncValue<IntakeReviewView>;
  private readonly decided: AsyncValue<DecidedIntake | number>;
  private readonly list: ReviewList;
  private limit = itemsPerPage;

  constructor(private readonly app: App) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.intakes = new AsyncValue(update);
    this.review = new AsyncValue(update);
    this.decided = new AsyncValue(update);
    this.list = new ReviewList(app, (its, choice) => {
      this.choose(its, choice);
    });
  }

  open(id: string | undefined): void {
    this.decided.clear();
    if (id !== undefined) this.select(id);
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.intakes.load(this.app.connection.request('intakes', undefined));
    void this.loadReview();
  };

  view(): unknown {
    const { value, failure } = this.intakes;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (value === undefined) return loadingIndicator();
    if (value.length === 0) {
      return emptyState(
        'inbox',
        l10n.t('Nothing has come in yet'),
        l10n.t('What an import or captured sessions bring in is listed here, to keep, drop or move it.'),
      );
    }
    const selected = value.find(it => it.id === this.app.state.review.intake);
    return html`<div class="split ${selected === undefined ? '' : 'has-detail'}">
      <section class="list" aria-label=${l10n.t('What came in')}>
        <ul
          role="listbox"
          tabindex="0"
          aria-label=${l10n.t('Imports and captures, newest first')}
          aria-activedescendant=${selected === undefined ? nothing : `intake-${selected.id}`}
          @keydown=${this.onIntakeKeyDown}
        >
          ${repeat(
            value,
            it => it.id,
            it => this.renderIntake(it),
          )}
        </ul>
      </section>
      <section class="detail" aria-label=${l10n.t('Review')} @keydown=${this.onDetailKeyDown}>
        ${
          selected === undefined
            ? html`<p class="hint center">${l10n.t('Choose an import or a capture to see what came in.')}</p>`
            : this.renderDetail(selected)
        }
      </section>
    </div>`;
  }

  private renderIntake(intake: Intake): unknown {
    const { formatter, state } = this.app;
    return html`<li
      id="intake-${intake.id}"
      role="option"
      aria-selected=${intake.id === state.review.intake}
      @click=${() => {
        this.select(intake.id);
        void this.loadReview();
      }}
    >
      <span class="query">${nameOf(intake)}</span>
      <span class="facts"
        >${this.countOf(intake)} ·
        <time datetime=${intake.at} title=${formatter.dateTime(intake.at)}
          >${formatter.relativeTime(intake.at)}</time
        ></span
      >
    </li>`;
  }

  private renderDetail(intake: Intake): unknown {
    const { value, failure } = this.review;
    const back = html`<button class="link back" @click=${this.closeDetail}>
      ${icon('arrow-left')} ${l10n.t('All that came in')}
    </button>`;
    if (failure !== undefined) return html`${back}${failureNotice(failure, this.refresh)}`;
    if (value?.intake.id !== intake.id) return html`${back}${loadingIndicator()}`;
    const { items, more } = value;
    return html`${back}
      <h1>${nameOf(intake)}</h1>
      <p class="facts">${this.countOf(intake)} · ${this.app.formatter.dateTime(intake.at)}</p>
      <p class="hint">${explanationOf(intake)}</p>
      ${this.renderDecision(value)}
      ${
        items.length === 0
          ? html`<p class="hint">${l10n.t('Nothing of it is left to decide about.')}</p>`
          : html`${this.list.renderKeys(items)} ${this.renderActions(items)} ${this.list.render(items)}`
      }
      ${
        more > 0
          ? html`<button class="link more" @click=${this.showMore}>
              ${l10n.t('Show {0} more', this.app.formatter.number(Math.min(more, itemsPerPage)))}
            </button>`
          : nothing
      }`;
  }

  private renderActions(items: readonly IntakeItemView[]): unknown {
    const chosen = Object.values(this.chosenOf(items));
    return html`<div class="review-actions">
      <vscode-button ?disabled=${chosen.length === 0 || this.decided.loading} @click=${this.apply}
        >${l10n.t('Apply')}</vscode-button
      >
      ${
        chosen.length === 0
          ? html`<span class="facts">${l10n.t('Nothing is chosen. What is not chosen stays as it is.')}</span>`
          : html`<vscode-button secondary @click=${this.clearChoices}>${l10n.t('Reset')}</vscode-button
              ><span class="facts">${this.countChoices(chosen)}</span>`
      }
    </div>`;
  }

  /** What was decided last, with its undo; and why it failed, or what stayed where it was. */
  private renderDecision({ decision }: IntakeReviewView): unknown {
    const { failure, value } = this.decided;
    const { formatter } = this.app;
    const refused = typeof value === 'object' ? value.refused : [];
    return html`${
      failure === undefined
        ? nothing
        : html`<div class="notice error" role="alert">${icon('error')}<span>${failure}</span></div>`
    }
    ${refused.map(it => html`<div class="notice warning">${icon('warning')}<span>${it.reason}</span></div>`)}
    ${
      decision === undefined
        ? nothing
        : html`<div class="notice">
            ${icon('check')}<span
              >${l10n.t(
                'Decided {0}: {1}.',
                formatter.relativeTime(decision.at),
                this.countDecided(decision.counts),
              )}</span
            >
            <button id="review-undo" class="link" @click=${this.undo}>${l10n.t('Undo')}</button>
          </div>`
    }`;
  }

  private countOf({ by, count }: Intake): string {
    return by === 'candidates'
      ? l10n.t('Statements: {0}', this.app.formatter.number(count))
      : this.app.formatter.memoryCount(count);
  }

  private countChoices(chosen: readonly IntakeChoice[]): string {
    const { formatter } = this.app;
    const count = (choice: IntakeChoice): number => chosen.filter(it => it === choice).length;
    return [
      ...(count('keep') > 0 ? [l10n.t('to keep: {0}', formatter.number(count('keep')))] : []),
      ...(count('drop') > 0 ? [l10n.t('to drop: {0}', formatter.number(count('drop')))] : []),
      ...(count('global') > 0 ? [l10n.t('to the global memory: {0}', formatter.number(count('global')))] : []),
    ].join(' · ');
  }

  private countDecided({ keep, drop, global }: Readonly<Record<IntakeChoice, number>>): string {
    const { formatter } = this.app;
    const parts = [
      ...(keep > 0 ? [l10n.t('{0} kept', formatter.number(keep))] : []),
      ...(drop > 0 ? [l10n.t('{0} dropped', formatter.number(drop))] : []),
      ...(global > 0 ? [l10n.t('{0} moved to the global memory', formatter.number(global))] : []),
    ];
    return parts.length === 0 ? l10n.t('nothing changed') : parts.join(', ');
  }

  /** What is chosen of these items and differs from how they are. */
  private chosenOf(items: readonly IntakeItemView[]): Readonly<Record<string, IntakeChoice>> {
    const { choices } = this.app.state.review;
    return Object.fromEntries(
      items.flatMap(it => {
        const choice = choices[itemId(it)];
        return choice === undefined || choice === currentChoice(it) ? [] : [[itemId(it), choice] as const];
      }),
    );
  }

  private choose(items: readonly IntakeItemView[], choice: IntakeChoice): void {
    const { review } = this.app.state;
    const choices = { ...review.choices };
    for (const it of items) {
      const id = itemId(it);
      if (!availableChoices(it).includes(choice)) continue;
      if (choice === currentChoice(it)) Reflect.deleteProperty(choices, id);
      else choices[id] = choice;
    }
    this.app.setState({ review: { ...review, choices } });
  }

  private readonly clearChoices = (): void => {
    this.app.setState({ review: { ...this.app.state.review, choices: {} } });
    this.list.focus();
  };

  private readonly apply = (): void => {
    const { intake, items = [] } = this.review.value ?? {};
    const choices = this.chosenOf(items);
    if (intake === undefined || this.decided.loading || Object.keys(choices).length === 0) return;
    void this.decided.load(this.app.connection.request('decideIntake', { id: intake.id, choices })).then(() => {
      if (this.decided.failure !== undefined) return;
      this.app.setState({ review: { intake: intake.id, choices: {} } });
      this.showResult(l10n.t('It is done. Undo takes it back.'));
    });
  };

  private readonly undo = (): void => {
    const { intake, decision } = this.review.value ?? {};
    if (intake === undefined || decision === undefined || this.decided.loading) return;
    void this.decided.load(this.app.connection.request('undoIntake', { id: intake.id })).then(() => {
      if (this.decided.failure === undefined) this.showResult(l10n.t('It is as it was.'));
    });
  };

  private showResult(sentence: string): void {
    this.app.announce(sentence);
    void this.intakes.load(this.app.connection.request('intakes', undefined));
    void this.loadReview().then(() => {
      if ((this.review.value?.items.length ?? 0) > 0) this.list.focus();
      else requestAnimationFrame(() => document.getElementById('review-undo')?.focus());
    });
  }

  private readonly onDetailKeyDown = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    if (event.key === 'Enter') this.apply();
    else if (event.key.toLowerCase() === 'z') this.undo();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private readonly onIntakeKeyDown = (event: KeyboardEvent): void => {
    const intakes = this.intakes.value ?? [];
    const index = intakes.findIndex(it => it.id === this.app.state.review.intake);
    const nextIndexByKey: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(intakes.length - 1, index + 1),
      ArrowUp: Math.max(0, index - 1),
      Home: 0,
      End: intakes.length - 1,
    };
    const intake = intakes[nextIndexByKey[event.key] ?? -1];
    if (intake === undefined) return;
    event.preventDefault();
    this.select(intake.id);
    void this.loadReview();
    document.getElementById(`intake-${intake.id}`)?.scrollIntoView({ block: 'nearest' });
  };

  private readonly closeDetail = (): void => {
    this.select(undefined);
  };

  private readonly showMore = (): void => {
    this.limit += itemsPerPage;
    void this.loadReview();
  };

  private select(intake: string | undefined): void {
    if (intake === this.app.state.review.intake) return;
    this.review.clear();
    this.decided.clear();
    this.list.reset();
    this.limit = itemsPerPage;
    this.app.setState({ review: { ...this.app.state.review, intake } });
  }

  private async loadReview(): Promise<void> {
    const { intake } = this.app.state.review;
    if (intake === undefined) return;
    await this.review.load(this.app.connection.request('review', { id: intake, limit: this.limit }));
  }
}

function nameOf({ by, source }: Intake): string {
  switch (by) {
    case 'import':
      return l10n.t('Import of {0}', source);
    case 'claudeCode':
      return l10n.t('Claude Code sessions');
    case 'vscodeChat':
      return l10n.t('Chats in VS Code');
    case 'candidates':
      return l10n.t('Said in sessions, and undecided');
  }
}

function explanationOf({ id }: Intake): string {
  return id === candidatesIntakeId
    ? l10n.t('Rules cannot judge whether this lasts. What you keep is remembered as your word.')
    : l10n.t(
        'What you keep stays as it is: a note stays a note, and is no surer for it. What you drop is forgotten, and no recall finds it.',
      );
}

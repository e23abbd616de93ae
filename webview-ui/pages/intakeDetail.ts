import '@vscode-elements/elements/dist/vscode-button/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { captureSourceNames } from '../../src/engine/model/capture.js';
import { candidatesIntakeId, type Intake, type IntakeChoice, type KeptItem } from '../../src/engine/model/intake.js';
import type { IntakeItemView, IntakeReviewView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator } from '../components.js';
import { availableChoices, currentChoice, itemId, ReviewList } from './reviewList.js';

const itemsPerPage = 200;
const maxKeptShown = 5;
const maxSteps = 100;

/** Choices that are not carried out yet, by the id of an item. */
type Choices = Readonly<Record<string, IntakeChoice>>;

/** The result of a decision, or of its undo. */
interface Outcome {
  readonly sentence: string;
  readonly kept: readonly KeptItem[];
}

/**
 * The items of one import or capture, to keep, drop or move. Nothing is done before it is applied. One undo takes back the
 * last choice that is not applied, else the last decision.
 */
export class IntakeDetail {
  private readonly review: AsyncValue<IntakeReviewView>;
  private readonly outcome: AsyncValue<Outcome>;
  /** The intake that the outcome is of. */
  private decided: Intake | undefined;
  private readonly list: ReviewList;
  /** The choices before each step since the intake was opened or decided about, and before each that was taken back. */
  private past: Choices[] = [];
  private future: Choices[] = [];
  private limit = itemsPerPage;

  /** @param onDecided called when a decision or its undo is done */
  constructor(
    private readonly app: App,
    private readonly onDecided: () => void,
  ) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.review = new AsyncValue(update);
    this.outcome = new AsyncValue(update);
    this.list = new ReviewList(app, (its, choice) => {
      this.choose(its, choice);
    });
  }

  /** Forgets what the last decision said, as when the page is opened again. */
  clearOutcome(): void {
    // A decision under way still has to say its result.
    if (!this.outcome.loading) this.outcome.clear();
  }

  /** Shows another intake, or none. */
  select(intake: string | undefined): void {
    if (intake === this.app.state.review.intake) return;
    this.review.clear();
    this.clearOutcome();
    this.list.reset();
    [this.past, this.future] = [[], []];
    this.limit = itemsPerPage;
    this.app.setState({ review: { ...this.app.state.review, intake } });
  }

  readonly refresh = (): void => {
    void this.loadReview();
  };

  view(intake: Intake): unknown {
    const { value, failure } = this.review;
    if (failure !== undefined) return failureNotice(failure, this.refresh);
    if (value?.intake.id !== intake.id) return loadingIndicator();
    const { items, more } = value;
    return html`<h1>${intakeName(intake)}</h1>
      <p class="facts">${countOf(this.app, intake)} · ${this.app.formatter.dateTime(intake.at)}</p>
      <p class="hint">${explanationOf(intake)}</p>
      ${this.renderOutcome(intake)} ${this.renderDecision(value)}
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
      <vscode-button ?disabled=${chosen.length === 0 || this.outcome.loading} @click=${this.apply}
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

  /** Why the last decision or its undo failed, or what stayed as it was; by name where another intake was opened since. */
  private renderOutcome(intake: Intake): unknown {
    const { failure, value } = this.outcome;
    const name = this.decided === undefined || this.decided.id === intake.id ? '' : `${intakeName(this.decided)}: `;
    if (failure !== undefined) {
      return html`<div class="notice error" role="alert">${icon('error')}<span>${name}${failure}</span></div>`;
    }
    if (value === undefined || value.kept.length === 0) return nothing;
    const rest = value.kept.length - maxKeptShown;
    return html`<div id="review-outcome" class="notice warning" tabindex="-1">
      ${icon('warning')}
      <div>
        <p>${name}${value.sentence}</p>
        <ul class="kept">
          ${value.kept.slice(0, maxKeptShown).map(it => html`<li>${it.text} <span class="facts">${it.reason}</span></li>`)}
          ${rest > 0 ? html`<li>${l10n.t('and {0} more', this.app.formatter.number(rest))}</li>` : nothing}
        </ul>
      </div>
    </div>`;
  }

  /** The last decision, with its undo. */
  private renderDecision({ decision }: IntakeReviewView): unknown {
    if (decision === undefined) return nothing;
    const { formatter } = this.app;
    return html`<div class="notice">
      ${icon('check')}<span
        >${l10n.t('Decided {0}: {1}.', formatter.relativeTime(decision.at), this.countDecided(decision.counts))}</span
      >
      <button id="review-undo" class="link" aria-disabled=${this.outcome.loading} @click=${this.undo}>
        ${l10n.t('Undo')}
      </button>
    </div>`;
  }

  private countChoices(chosen: readonly IntakeChoice[]): string {
    const { formatter } = this.app;
    const count = (choice: IntakeChoice): number => chosen.filter(it => it === choice).length;
    return [
      ...(count('keep') > 0 ? [l10n.t('to keep: {0}', formatter.number(count('keep')))] : []),
      ...(count('drop') > 0 ? [l10n.t('to forget: {0}', formatter.number(count('drop')))] : []),
      ...(count('global') > 0 ? [l10n.t('to the global memory: {0}', formatter.number(count('global')))] : []),
    ].join(' · ');
  }

  private countDecided({ keep, drop, global }: Readonly<Record<IntakeChoice, number>>): string {
    const { formatter } = this.app;
    const parts = [
      ...(keep > 0 ? [l10n.t('{0} kept', formatter.number(keep))] : []),
      ...(drop > 0 ? [l10n.t('{0} forgotten', formatter.number(drop))] : []),
      ...(global > 0 ? [l10n.t('{0} moved to the global memory', formatter.number(global))] : []),
    ];
    return parts.length === 0 ? l10n.t('nothing changed') : parts.join(', ');
  }

  /** Choices of these items that differ from how they are. */
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
    const { choices: before } = this.app.state.review;
    const choices: Record<string, IntakeChoice> = { ...before };
    for (const it of items) {
      const id = itemId(it);
      if (!availableChoices(it).includes(choice)) continue;
      // The last one chosen is the last key.
      Reflect.deleteProperty(choices, id);
      if (choice !== currentChoice(it)) choices[id] = choice;
    }
    const ids = Object.keys(choices);
    if (ids.length === Object.keys(before).length && ids.every(it => choices[it] === before[it])) return;
    this.takeStep(choices);
  }

  private readonly clearChoices = (): void => {
    const ids = new Set(this.review.value?.items.map(itemId));
    const { choices } = this.app.state.review;
    this.takeStep(Object.fromEntries(Object.entries(choices).filter(([id]) => !ids.has(id))));
    this.list.focus();
  };

  private takeStep(choices: Choices): void {
    this.past = [...this.past, this.app.state.review.choices].slice(-maxSteps);
    this.future = [];
    this.setChoices(choices);
  }

  private setChoices(choices: Choices): void {
    this.app.setState({ review: { ...this.app.state.review, choices } });
  }

  private readonly undoStep = (): void => {
    const { choices } = this.app.state.review;
    const chosenEarlier = Object.keys(this.chosenOf(this.review.value?.items ?? [])).at(-1);
    const before = this.past.pop();
    if (before === undefined && chosenEarlier === undefined) {
      this.undo();
      return;
    }
    this.future.push(choices);
    this.showStep(before ?? Object.fromEntries(Object.entries(choices).filter(([id]) => id !== chosenEarlier)));
  };

  private readonly redoStep = (): void => {
    const after = this.future.pop();
    if (after === undefined) {
      this.app.announce(l10n.t('There is nothing to redo.'));
      return;
    }
    this.past.push(this.app.state.review.choices);
    this.showStep(after);
  };

  private showStep(choices: Choices): void {
    this.setChoices(choices);
    const chosen = Object.values(this.chosenOf(this.review.value?.items ?? []));
    this.app.announce(chosen.length === 0 ? l10n.t('Nothing is chosen.') : this.countChoices(chosen));
    this.list.focus();
  }

  private readonly apply = (): void => {
    const { intake, items = [] } = this.review.value ?? {};
    const choices = this.chosenOf(items);
    if (intake === undefined || Object.keys(choices).length === 0) return;
    this.carryOut(intake, async () => {
      const { counts, refused } = await this.app.connection.request('decideIntake', { id: intake.id, choices });
      const { review } = this.app.state;
      this.setChoices(Object.fromEntries(Object.entries(review.choices).filter(([id, it]) => choices[id] !== it)));
      const left = this.app.formatter.number(refused.length);
      const sentence =
        refused.length === 0
          ? l10n.t('It is done. Undo takes it back.')
          : l10n.t('Done: {0}. Left as they were: {1}.', this.countDecided(counts), left);
      return { sentence, kept: refused };
    });
  };

  private readonly undo = (): void => {
    const { intake, decision } = this.review.value ?? {};
    if (intake === undefined || decision === undefined) return;
    this.carryOut(intake, async () => {
      const { undone, kept } = await this.app.connection.request('undoIntake', { id: intake.id });
      const { formatter } = this.app;
      const sentence =
        kept.length === 0
          ? l10n.t('It is as it was.')
          : l10n.t('As before: {0}. Not taken back: {1}.', formatter.number(undone), formatter.number(kept.length));
      return { sentence, kept };
    });
  };

  /** Carries out decisions and undos, one at a time, and says the result. */
  private carryOut(intake: Intake, work: () => Promise<Outcome>): void {
    if (this.outcome.loading) return;
    this.decided = intake;
    void this.outcome.load(work()).then(() => {
      const { failure, value } = this.outcome;
      const isOpen = (): boolean => this.app.state.page === 'inbox' && this.app.state.review.intake === intake.id;
      if (failure !== undefined || value === undefined) {
        this.app.announce(failure ?? '');
        return;
      }
      this.app.announce(value.sentence);
      if (isOpen()) [this.past, this.future] = [[], []];
      this.onDecided();
      void this.loadReview().then(() => {
        if (!isOpen()) return;
        if (value.kept.length > 0) focusInNextFrame('review-outcome');
        else if ((this.review.value?.items.length ?? 0) > 0) this.list.focus();
        else focusInNextFrame('review-undo');
      });
    });
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey) return;
    const key = event.key.toLowerCase();
    if (!['enter', 'y', 'z'].includes(key)) return;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held down would take back one decision after the other.
    if (event.repeat) return;
    if (key === 'enter') this.apply();
    else if (key === 'y' || event.shiftKey) this.redoStep();
    else this.undoStep();
  };

  private readonly showMore = (): void => {
    this.limit += itemsPerPage;
    void this.loadReview();
  };

  private async loadReview(): Promise<void> {
    const { intake } = this.app.state.review;
    if (intake === undefined) return;
    await this.review.load(this.app.connection.request('review', { id: intake, limit: this.limit }));
  }
}

function focusInNextFrame(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus());
}

export function countOf({ formatter }: App, { by, count }: Intake): string {
  return by === 'candidates' ? l10n.t('Statements: {0}', formatter.number(count)) : formatter.memoryCount(count);
}

export function intakeName({ by, source }: Intake): string {
  if (by === 'import') return l10n.t('Import of {0}', source);
  if (by === 'vscodeChat') return l10n.t('Chats in VS Code');
  if (by === 'candidates') return l10n.t('Said in sessions, and undecided');
  return l10n.t('Sessions of {0}', captureSourceNames[by]);
}

function explanationOf({ id }: Intake): string {
  return id === candidatesIntakeId
    ? l10n.t('Rules cannot judge whether this lasts. What you keep is remembered as your word.')
    : l10n.t(
        'What you keep stays as it is: a note stays a note, and is no surer for it. No recall finds what you forget.',
      );
}

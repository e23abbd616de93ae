import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { captureSourceNames } from '../../src/engine/model/capture.js';
import { candidatesIntakeId, type Intake, type IntakeChoice, type KeptItem } from '../../src/engine/model/intake.js';
import type { IntakeItemView, IntakeReviewView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator } from '../components.js';
import { ReviewList } from './reviewList.js';
import { availableChoices, currentChoice, itemId } from './reviewRows.js';

/** Items that are loaded at once; the list shows them in parts. */
const itemsPerLoad = 2_000;
const maxKeptShown = 5;

/** Choices by the id of an item. */
type Choices = Readonly<Record<string, IntakeChoice>>;

/** Rest that a decision, or its undo, could not do, or its failure. */
interface Outcome {
  readonly intake: Intake;
  readonly sentence: string;
  readonly kept: readonly KeptItem[];
  readonly isFailure?: true;
  readonly isUndo?: true;
}

/**
 * The items of one import or capture, to keep, drop or move. Each choice is carried out at once, one after the other; one undo
 * takes back the last, the next one the choice before it.
 */
export class IntakeDetail {
  private readonly review: AsyncValue<IntakeReviewView>;
  private readonly list: ReviewList;
  private outcome: Outcome | undefined;
  /** Choices that are being carried out, which show as if they were. */
  private pending: Choices = {};
  /** Decisions and undos under way, in their order. */
  private work: Promise<void> = Promise.resolve();
  private workCount = 0;
  private limit = itemsPerLoad;

  /** @param onDecided called when a decision or its undo is done */
  constructor(
    private readonly app: PageHost,
    private readonly onDecided: () => void,
  ) {
    this.review = new AsyncValue(() => {
      app.scheduleRender();
    });
    this.list = new ReviewList(app, {
      choiceOf: it => this.pending[itemId(it)] ?? currentChoice(it),
      choose: (its, choice) => {
        this.choose(its, choice);
      },
    });
  }

  /** Forgets what the last decision said, as when the page is opened again. */
  clearOutcome(): void {
    // A decision under way still has to say its result.
    if (this.workCount === 0) this.outcome = undefined;
  }

  /** Shows another intake, or none. */
  select(intake: string | undefined): void {
    if (intake === this.app.state.review.intake) return;
    this.review.clear();
    this.clearOutcome();
    this.list.reset();
    this.limit = itemsPerLoad;
    this.app.setState({ review: { intake } });
  }

  readonly refresh = (): void => {
    void this.loadReview();
  };

  view(intake: Intake): unknown {
    const { value, failure } = this.review;
    if (failure !== undefined) return failureNotice(failure, this.refresh);
    if (value?.intake.id !== intake.id) return loadingIndicator();
    const { items, more } = value;
    const { formatter } = this.app;
    const undecided = items.filter(it => (this.pending[itemId(it)] ?? currentChoice(it)) === undefined).length;
    return html`<h1>${intakeName(intake)}</h1>
      <p class="facts">
        ${countOf(this.app, intake)} · ${l10n.t('{0} undecided', formatter.number(undecided))} ·
        ${formatter.dateTime(intake.at)}
      </p>
      <p class="hint">${explanationOf(intake)}</p>
      ${
        items.length === 0
          ? html`<p class="hint">${l10n.t('Nothing of it is left to decide about.')}</p>`
          : this.list.render(items)
      }
      ${
        more > 0
          ? html`<button class="link more" @click=${this.loadMore}>
              ${l10n.t('Show {0} more', formatter.number(Math.min(more, itemsPerLoad)))}
            </button>`
          : nothing
      }
      <div class="outcome">${this.renderOutcome(intake)} ${this.renderDecision(value)}</div>`;
  }

  /** Why a decision or its undo failed, or what stayed as it was; by name where another intake was opened since. */
  private renderOutcome(intake: Intake): unknown {
    if (this.outcome === undefined) return nothing;
    const { intake: decided, sentence, kept, isFailure } = this.outcome;
    const name = decided.id === intake.id ? '' : `${intakeName(decided)}: `;
    if (isFailure) {
      return html`<div class="notice error" role="alert">${icon('error')}<span>${name}${sentence}</span></div>`;
    }
    const rest = kept.length - maxKeptShown;
    return html`<div id="review-outcome" class="notice warning" tabindex="-1">
      ${icon('warning')}
      <div>
        <p>${name}${sentence}</p>
        <ul class="kept">
          ${kept.slice(0, maxKeptShown).map(it => html`<li>${it.text} <span class="facts">${it.reason}</span></li>`)}
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
      <button id="review-undo" class="link" aria-disabled=${this.workCount > 0} @click=${this.undo}>
        ${l10n.t('Undo')}
      </button>
    </div>`;
  }

  private countDecided({ keep, drop, global }: Readonly<Record<IntakeChoice, number>>): string {
    const { formatter } = this.app;
    const parts = [
      ...(keep > 0 ? [l10n.t('{0} kept', formatter.number(keep))] : []),
      ...(drop > 0 ? [l10n.t('{0} forgotten', formatter.number(drop))] : []),
      ...(global > 0 ? [l10n.t('{0} kept for all projects', formatter.number(global))] : []),
    ];
    return parts.length === 0 ? l10n.t('nothing changed') : parts.join(', ');
  }

  private choose(items: readonly IntakeItemView[], choice: IntakeChoice): void {
    const { intake } = this.review.value ?? {};
    const chosen = items.filter(
      it => availableChoices(it).includes(choice) && (this.pending[itemId(it)] ?? currentChoice(it)) !== choice,
    );
    if (intake === undefined || chosen.length === 0) return;
    const choices = Object.fromEntries(chosen.map(it => [itemId(it), choice]));
    this.pending = { ...this.pending, ...choices };
    this.carryOut(intake, choices, async () => {
      const { counts, refused } = await this.app.connection.request('decideIntake', { id: intake.id, choices });
      if (refused.length === 0) return undefined;
      const left = this.app.formatter.number(refused.length);
      const sentence = l10n.t('Done: {0}. Left as they were: {1}.', this.countDecided(counts), left);
      return { intake, sentence, kept: refused };
    });
  }

  private readonly undo = (): void => {
    const { intake, decision } = this.review.value ?? {};
    // A decision under way would take the place of the one that shows.
    if (intake === undefined || decision === undefined || this.workCount > 0) return;
    this.carryOut(intake, {}, async () => {
      const { undone, kept } = await this.app.connection.request('undoIntake', { id: intake.id });
      if (kept.length === 0) {
        this.app.announce(l10n.t('It is as it was.'));
        this.list.focus();
        return undefined;
      }
      const { formatter } = this.app;
      const parts = [formatter.number(undone), formatter.number(kept.length)] as const;
      return { intake, sentence: l10n.t('As before: {0}. Not taken back: {1}.', ...parts), kept, isUndo: true };
    });
  };

  /** Carries out decisions and undos, one after the other. @param choices what shows as done until then */
  private carryOut(intake: Intake, choices: Choices, decide: () => Promise<Outcome | undefined>): void {
    // A decision that failed is said until the list is opened again, however fast the next key comes.
    if (this.workCount++ === 0 && this.outcome?.isFailure !== true) this.outcome = undefined;
    this.work = this.work.then(async () => {
      try {
        const outcome = await decide();
        if (outcome !== undefined) this.showOutcome(outcome);
      } catch (error) {
        const sentence = error instanceof Error ? error.message : String(error);
        this.showOutcome({ intake, sentence, kept: [], isFailure: true });
      }
      if (this.app.state.review.intake === intake.id) await this.loadReview();
      this.pending = Object.fromEntries(Object.entries(this.pending).filter(([id, it]) => choices[id] !== it));
      this.workCount--;
      this.onDecided();
      this.app.scheduleRender();
    });
    this.app.scheduleRender();
  }

  private showOutcome(outcome: Outcome): void {
    this.outcome = outcome;
    this.app.announce(outcome.sentence);
    this.app.scheduleRender();
    if (outcome.isUndo) focusInNextFrame('review-outcome');
  }

  readonly onKeyDown = (event: KeyboardEvent): void => {
    if ((!event.ctrlKey && !event.metaKey) || event.key.toLowerCase() !== 'z') return;
    event.preventDefault();
    event.stopPropagation();
    // A key that is held down would take back one decision after the other.
    if (!event.repeat) this.undo();
  };

  private readonly loadMore = (): void => {
    this.limit += itemsPerLoad;
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

export function countOf({ formatter }: PageHost, { by, count }: Intake): string {
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
        'Each choice is carried out at once. What you keep is your word; what you pass stays a note, which fades.',
      );
}

import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Intake } from '../../src/engine/model/intake.js';
import { maxNeeds, upkeepNeed, type HealthView, type NavigationTarget, type NeedsView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, loadingIndicator, pageHeading } from '../components.js';
import { LastChange } from '../lastChange.js';
import { countOf, IntakeDetail, intakeName } from './intakeDetail.js';
import { MaintenanceSection } from './maintenanceSection.js';
import { needsOf, renderNeed, type Need } from './needs.js';
import type { Page } from './page.js';

/** A row of the inbox. */
interface Row {
  readonly id: string;
  readonly text: string;
  readonly facts: unknown;
  /** Absent for what is no intake. */
  readonly intake?: Intake;
}

/** The page of what needs a person: decisions, what came in by imports and captures, and maintenance. */
export class InboxPage implements Page {
  private readonly needs: AsyncValue<NeedsView>;
  private readonly intakes: AsyncValue<readonly Intake[]>;
  private readonly health: AsyncValue<HealthView>;
  private readonly change: LastChange;
  private readonly intake: IntakeDetail;
  private readonly maintenance: MaintenanceSection;

  constructor(private readonly app: PageHost) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.needs = new AsyncValue(update);
    this.intakes = new AsyncValue(update);
    this.health = new AsyncValue(update);
    this.change = new LastChange(app, () => {
      this.refresh();
    });
    this.intake = new IntakeDetail(app, () => {
      this.loadIntakes();
    });
    this.maintenance = new MaintenanceSection(app);
  }

  open(id: string | undefined, target?: NavigationTarget): void {
    this.intake.clearOutcome();
    if (target?.isPreview === true) this.maintenance.showPreview();
    if (id === upkeepNeed) this.select(id, false);
    else if (id !== undefined) this.select(id, true);
    this.refresh();
  }

  readonly refresh = (): void => {
    void this.needs.load(this.app.connection.request('needs', undefined));
    this.loadIntakes();
    this.intake.refresh();
    if (this.app.state.need === upkeepNeed) this.loadMaintenance();
  };

  view(): unknown {
    const failure = this.needs.failure ?? this.intakes.failure;
    if (failure !== undefined) return html`<div class="padded">${failureNotice(failure, this.refresh)}</div>`;
    if (this.needs.value === undefined || this.intakes.value === undefined) return loadingIndicator();
    const needs = needsOf(this.app, this.needs.value);
    const isOpen = this.openedIntake() !== undefined || this.app.state.need !== undefined;
    return html`<div class="split ${isOpen ? 'has-detail' : ''}">
      <section class="list" aria-label=${l10n.t('Inbox')}>
        ${isOpen ? nothing : pageHeading(l10n.t('Inbox'))} ${this.renderList(needs)}
      </section>
      <section
        class="detail"
        aria-label=${l10n.t('Decision')}
        @keydown=${(event: KeyboardEvent) => {
          if (this.openedIntake() !== undefined) this.intake.onKeyDown(event);
        }}
      >
        ${this.renderDetail(needs)}
      </section>
    </div>`;
  }

  private renderList(needs: readonly Need[]): unknown {
    const opened = this.openedId();
    const { formatter } = this.app;
    const isCut = (this.needs.value?.conflicts.length ?? 0) >= maxNeeds;
    const undecided = this.undecidedIntakes();
    const wanted = needs.length + undecided.length;
    const count = isCut ? `${formatter.number(wanted)}+` : formatter.number(wanted);
    const intakes = this.intakes.value ?? [];
    const groups: readonly (readonly [id: string, title: string, rows: readonly Row[]])[] = [
      [
        'needs',
        wanted === 0 ? l10n.t('Nothing needs you') : l10n.t('Needs you: {0}', count),
        [...needs, ...undecided.map(it => this.toRow(it))],
      ],
      ['came-in', l10n.t('What came in'), intakes.filter(it => it.undecided === 0).map(it => this.toRow(it))],
      [
        'maintenance',
        l10n.t('Maintenance'),
        [{ id: upkeepNeed, text: l10n.t('Forget what has faded'), facts: l10n.t('a preview first') }],
      ],
    ];
    return html`<div
      role="listbox"
      tabindex="0"
      aria-label=${l10n.t('What needs you')}
      aria-activedescendant=${opened === undefined ? nothing : `inbox-${opened}`}
      @keydown=${(event: KeyboardEvent) => {
        this.onKeyDown(
          event,
          groups.flatMap(([, , rows]) => rows),
        );
      }}
    >
      ${groups.map(([id, title, rows]) =>
        id !== 'needs' && rows.length === 0
          ? nothing
          : html`<div role="group" aria-labelledby="inbox-group-${id}">
              <p id="inbox-group-${id}" class="group-title" role="presentation">${title}</p>
              ${repeat(
                rows,
                it => it.id,
                it => this.renderRow(it, it.id === opened),
              )}
            </div>`,
      )}
    </div>`;
  }

  private renderRow(row: Row, isOpen: boolean): unknown {
    return html`<div
      id="inbox-${row.id}"
      role="option"
      aria-selected=${isOpen}
      title=${row.text}
      @click=${() => {
        this.openRow(row);
      }}
    >
      <span class="query">${row.text}</span>
      <span class="facts">${row.facts}</span>
    </div>`;
  }

  private toRow(intake: Intake): Row {
    const { formatter } = this.app;
    const when = html`<time datetime=${intake.at} title=${formatter.dateTime(intake.at)}
      >${formatter.relativeTime(intake.at)}</time
    >`;
    const isOpen = intake.undecided > 0 && intake.by === 'import';
    const left = isOpen ? html` · ${l10n.t('{0} to review', formatter.number(intake.undecided))}` : nothing;
    const facts = html`${countOf(this.app, intake)}${left} · ${when}`;
    return { id: intake.id, text: intakeName(intake), facts, intake };
  }

  private renderDetail(needs: readonly Need[]): unknown {
    const back = html`<button class="link back" @click=${this.closeDetail}>
      ${icon('arrow-left')} ${l10n.t('Inbox')}
    </button>`;
    const { need } = this.app.state;
    const intake = this.openedIntake();
    if (intake !== undefined) return html`${back}${this.intake.view(intake)}`;
    if (need === upkeepNeed) return html`${back}${this.renderMaintenance()}`;
    const opened = needs.find(it => it.id === need);
    const outcome = html`<div class="outcome">${this.change.view('inbox')}</div>`;
    if (opened !== undefined) return html`${back}${renderNeed(this.app, opened, this.change)}${outcome}`;
    const isDone = needs.length === 0 && this.undecidedIntakes().length === 0;
    const hint = isDone ? l10n.t('Nothing wants a decision of yours.') : l10n.t('Choose what to decide.');
    return html`${need === undefined ? nothing : back}
      <p class="hint center">${hint}</p>
      ${outcome}`;
  }

  private renderMaintenance(): unknown {
    const { value, failure } = this.health;
    if (failure !== undefined) return failureNotice(failure, this.refresh);
    if (value === undefined) return loadingIndicator();
    return html`${pageHeading(l10n.t('Maintenance'))}${this.maintenance.view(value.runs)}
      <section class="block" aria-labelledby="merge-title">
        <h2 id="merge-title">${l10n.t('Memories that say the same')}</h2>
        <p class="hint">${l10n.t('Each merge is shown as a diff, and done after a yes.')}</p>
        <vscode-button
          secondary
          @click=${() => void this.app.connection.request('runCommand', { name: 'merge' }).catch(() => undefined)}
          >${l10n.t('Look for Them…')}</vscode-button
        >
      </section>`;
  }

  private undecidedIntakes(): readonly Intake[] {
    return (this.intakes.value ?? []).filter(it => it.undecided > 0);
  }

  private openedIntake(): Intake | undefined {
    const { need, review } = this.app.state;
    return need === undefined ? this.intakes.value?.find(it => it.id === review.intake) : undefined;
  }

  private openedId(): string | undefined {
    return this.app.state.need ?? this.openedIntake()?.id;
  }

  private openRow({ id, intake }: Row): void {
    this.select(id, intake !== undefined);
    if (intake !== undefined) this.intake.refresh();
    else if (id === upkeepNeed) this.loadMaintenance();
  }

  private select(id: string, isIntake: boolean): void {
    if (isIntake) this.intake.select(id);
    this.app.setState({ need: isIntake ? undefined : id });
  }

  private readonly onKeyDown = (event: KeyboardEvent, rows: readonly Row[]): void => {
    const index = rows.findIndex(it => it.id === this.openedId());
    const nextIndexByKey: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(rows.length - 1, index + 1),
      ArrowUp: Math.max(0, index - 1),
      Home: 0,
      End: rows.length - 1,
    };
    const row = rows[nextIndexByKey[event.key] ?? -1];
    if (row === undefined) return;
    event.preventDefault();
    this.openRow(row);
    document.getElementById(`inbox-${row.id}`)?.scrollIntoView({ block: 'nearest' });
  };

  private readonly closeDetail = (): void => {
    this.intake.select(undefined);
    this.app.setState({ need: undefined });
  };

  private loadIntakes(): void {
    void this.intakes.load(this.app.connection.request('intakes', undefined));
  }

  private loadMaintenance(): void {
    void this.health.load(this.app.connection.request('health', undefined));
    this.maintenance.refresh();
  }
}

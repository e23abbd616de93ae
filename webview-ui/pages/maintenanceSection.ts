import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import {
  maintenanceActions,
  type MaintenanceAction,
  ruledKinds,
  type RuledKind,
} from '../../src/engine/model/maintenance.js';
import type { MaintenanceRunView, MaintenancePreviewView } from '../../src/protocol.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { failureNotice, icon, iconButton, memorySummaryRow, placeLabel } from '../components.js';

/** Past runs of maintenance with their undo, and a preview of the next one. */
export class MaintenanceSection {
  private readonly preview: AsyncValue<MaintenancePreviewView>;
  private readonly currentAction: AsyncValue<string>;

  constructor(private readonly app: PageHost) {
    const update = (): void => {
      app.scheduleRender();
    };
    this.preview = new AsyncValue(update);
    this.currentAction = new AsyncValue(update);
  }

  /** Reloads the preview after memories changed, and leaves what an action said: its own changes cause this. */
  refresh(): void {
    if (this.preview.value !== undefined && !this.preview.loading) this.loadPreview();
  }

  view(runs: readonly MaintenanceRunView[]): unknown {
    const busy = this.preview.loading || this.currentAction.loading;
    const { value: done, failure } = this.currentAction;
    return html`<section class="block" aria-labelledby="maintenance-title" aria-busy=${busy}>
      <h2 id="maintenance-title">${l10n.t('Forget what has faded')}</h2>
      ${
        runs.length === 0
          ? html`<p class="hint">
              ${l10n.t('It has not run yet. It forgets what has faded, and what counts least where there is no room left; a preview changes nothing.')}
            </p>`
          : html`<ul class="runs" aria-label=${l10n.t('Last runs')}>
              ${runs.map(it => this.renderRun(it, busy))}
            </ul>`
      }
      <div class="buttons">
        <vscode-button secondary ?disabled=${busy} @click=${this.showPreview}
          >${l10n.t('Preview Maintenance')}</vscode-button
        >
        <vscode-button secondary ?disabled=${busy} @click=${this.runMaintenance}
          >${l10n.t('Run Maintenance…')}</vscode-button
        >
      </div>
      ${failure === undefined ? nothing : failureNotice(failure, this.runMaintenance)}
      ${done === undefined || done === '' ? nothing : html`<p class="notice">${icon('check')}<span>${done}</span></p>`}
      ${this.preview.failure === undefined ? nothing : failureNotice(this.preview.failure, this.showPreview)}
      ${this.preview.value === undefined ? nothing : this.renderPreview(this.preview.value)}
    </section>`;
  }

  private renderRun({ run, undoableCount }: MaintenanceRunView, busy: boolean): unknown {
    const { formatter } = this.app;
    const { counts } = run;
    const summaryParts = maintenanceActions
      .filter(it => counts[it] > 0)
      .map(it => `${formatter.number(counts[it])} ${resultLabels()[it]}`);
    return html`<li>
      <time datetime=${run.at} title=${formatter.dateTime(run.at)}>${formatter.relativeTime(run.at)}</time>
      <span class="what"
        >${placeLabel(run.store)}: ${summaryParts.length === 0 ? l10n.t('nothing had to go') : summaryParts.join(', ')}
        ${run.status === 'finished' ? nothing : html`<span class="marks">(${statusLabels()[run.status]})</span>`}</span
      >
      ${
        undoableCount === 0
          ? nothing
          : html`<button
              class="link"
              ?disabled=${busy}
              @click=${() => {
                this.undoRun(run.id);
              }}
            >
              ${undoableCount === 1 ? l10n.t('Undo 1') : l10n.t('Undo {0}', formatter.number(undoableCount))}<span
                class="visually-hidden"
                >: ${l10n.t('restore what this run has forgotten')}</span
              >
            </button>`
      }
    </li>`;
  }

  private renderPreview(view: MaintenancePreviewView): unknown {
    const takenBack = ruledKinds.flatMap(kind => {
      const ids = view.runs.flatMap(it => it.takenBack?.items ?? []).flatMap(it => (it.kind === kind ? [it.id] : []));
      const count = view.runs.reduce((sum, it) => sum + (it.takenBack?.counts[kind] ?? 0), 0);
      return count === 0 ? [] : [this.renderGroup(ruledLabels()[kind], ids, { count, view, canPin: false })];
    });
    const removals = maintenanceActions.flatMap(action => {
      const ids = view.runs.flatMap(it => it.decisions[action].map(({ id }) => id));
      const count = view.runs.reduce((sum, it) => sum + it.counts[action], 0);
      return count === 0 ? [] : [this.renderGroup(previewLabels()[action], ids, { count, view, canPin: true })];
    });
    const groups = [...takenBack, ...removals];
    const warnings = [...new Set(view.runs.flatMap(it => it.warnings))].map(
      it => html`<p class="notice">${icon('warning')}<span>${it}</span></p>`,
    );
    if (groups.length === 0)
      return html`${warnings}
        <p class="notice">${icon('check')}<span>${l10n.t('It would change nothing now.')}</span></p>`;
    return html`${warnings}
      <p class="hint">${l10n.t('Nothing was changed yet. A pinned memory stays.')}</p>
      ${groups}`;
  }

  private renderGroup(
    title: string,
    ids: readonly string[],
    {
      count,
      view,
      canPin,
    }: { readonly count: number; readonly view: MaintenancePreviewView; readonly canPin: boolean },
  ): unknown {
    const { formatter } = this.app;
    const { memories } = view;
    return html`<section class="decisions" aria-label=${title}>
      <h3>${title} <span class="count">${formatter.number(count)}</span></h3>
      <ul>
        ${ids.map(id => {
          const memory = memories[id];
          if (memory === undefined) return html`<li><span class="what gone">${l10n.t('No longer there')}</span></li>`;
          return html`<li>
            <div class="what">${memorySummaryRow(this.app, memory)}</div>
            ${
              canPin
                ? iconButton('pin', l10n.t('Keep by pinning: {0}', memory.summary), () => {
                    this.pinMemory(id);
                  })
                : nothing
            }
          </li>`;
        })}
      </ul>
      ${
        count > ids.length
          ? html`<p class="hint">${l10n.t('and {0} more', formatter.number(count - ids.length))}</p>`
          : nothing
      }
    </section>`;
  }

  /** Shows what the next run would do, in the place of what was done. */
  readonly showPreview = (): void => {
    this.currentAction.clear();
    this.loadPreview();
  };

  private loadPreview(): void {
    void this.preview.load(this.app.connection.request('previewMaintenance', undefined));
  }

  private readonly runMaintenance = (): void => {
    void this.perform(async () => {
      const runs = await this.app.connection.request('runMaintenance', undefined);
      if (runs === undefined) return '';
      this.preview.clear();
      if (runs.some(it => it.status === 'cancelled'))
        return l10n.t('It was cancelled. Run it again to go on from there.');
      const countOf = (action: MaintenanceAction): number => runs.reduce((all, it) => all + it.counts[action], 0);
      const archived = countOf('faded') + countOf('expired') + countOf('quota');
      const pruned = countOf('pruned');
      if (archived + pruned === 0) return l10n.t('Done. Nothing had to go.');
      const { formatter } = this.app;
      return l10n.t('Done: {0} forgotten, {1} deleted for good.', formatter.number(archived), formatter.number(pruned));
    });
  };

  private undoRun(run: string): void {
    void this.perform(async () => {
      const restoredCount = await this.app.connection.request('undoMaintenance', { run });
      return l10n.t('Active again: {0}.', this.app.formatter.memoryCount(restoredCount));
    });
  }

  /** The change event of the pinned memory reloads the preview. */
  private pinMemory(id: string): void {
    void this.perform(async () => l10n.t('Pinned: {0}', (await this.app.connection.request('pin', { id })).summary));
  }

  private async perform(work: () => Promise<string>): Promise<void> {
    this.currentAction.clear();
    await this.currentAction.load(work());
    if (this.currentAction.value !== undefined) this.app.announce(this.currentAction.value);
  }
}

function previewLabels(): Readonly<Record<MaintenanceAction, string>> {
  return {
    faded: l10n.t('To forget: they have faded'),
    expired: l10n.t('To forget: their time is over'),
    quota: l10n.t('To forget: there is no room left'),
    pruned: l10n.t('To delete for good'),
  };
}

function ruledLabels(): Readonly<Record<RuledKind, string>> {
  return {
    day: l10n.t('Take back a day that a rule of an earlier version read'),
    life: l10n.t('Take back a short life that such a rule gave'),
    points: l10n.t('Take back confidence that such a rule gave or took'),
    mark: l10n.t('Take back a contradiction that such a rule found'),
  };
}

function resultLabels(): Readonly<Record<MaintenanceAction, string>> {
  return {
    faded: l10n.t('faded'),
    expired: l10n.t('expired'),
    quota: l10n.t('no room left'),
    pruned: l10n.t('deleted'),
  };
}

function statusLabels(): Readonly<Record<MaintenanceRunView['run']['status'], string>> {
  return {
    running: l10n.t('running'),
    finished: l10n.t('finished'),
    cancelled: l10n.t('cancelled'),
    interrupted: l10n.t('interrupted'),
  };
}

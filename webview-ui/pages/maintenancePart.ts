import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import {
  maintenanceActions,
  type MaintenanceAction,
  type MaintenanceDecision,
} from '../../src/engine/model/maintenance.js';
import type { MaintenanceLine, PreviewView } from '../../src/protocol.js';
import { Asked, type App } from '../app.js';
import { failed, icon, iconButton, memoryLine } from '../parts.js';

/** What maintenance did and would do: past runs with their undo, and a list to go through before the next one. */
export class MaintenancePart {
  private readonly preview: Asked<PreviewView>;
  private readonly work: Asked<string>;

  constructor(private readonly app: App) {
    const update = (): void => {
      app.update();
    };
    this.preview = new Asked(update);
    this.work = new Asked(update);
  }

  /** Memories changed: what would become of them as well. */
  refresh(): void {
    if (this.preview.value !== undefined && !this.preview.loading) this.look();
  }

  view(runs: readonly MaintenanceLine[]): unknown {
    const busy = this.preview.loading || this.work.loading;
    const { value: done, failure } = this.work;
    return html`<section class="block" aria-labelledby="maintenance-title" aria-busy=${busy}>
      <h2 id="maintenance-title">${l10n.t('Maintenance')}</h2>
      ${
        runs.length === 0
          ? html`<p class="hint">
              ${l10n.t('It has not run yet. It archives what has faded and what a quota has no room for; a preview changes nothing.')}
            </p>`
          : html`<ul class="runs" aria-label=${l10n.t('Last runs')}>
              ${runs.map(it => this.line(it, busy))}
            </ul>`
      }
      <div class="buttons">
        <vscode-button secondary ?disabled=${busy} @click=${this.look}>${l10n.t('Preview Maintenance')}</vscode-button>
        <vscode-button secondary ?disabled=${busy} @click=${this.run}>${l10n.t('Run Maintenance…')}</vscode-button>
      </div>
      ${failure === undefined ? nothing : failed(failure, this.run)}
      ${done === undefined || done === '' ? nothing : html`<p class="notice">${icon('check')}<span>${done}</span></p>`}
      ${this.preview.failure === undefined ? nothing : failed(this.preview.failure, this.look)}
      ${this.preview.value === undefined ? nothing : this.wouldDo(this.preview.value)}
    </section>`;
  }

  private line({ run, undoable }: MaintenanceLine, busy: boolean): unknown {
    const { format, words } = this.app;
    const { counts } = run;
    const done = maintenanceActions
      .filter(it => counts[it] > 0)
      .map(it => `${format.number(counts[it])} ${doneNames()[it]}`);
    return html`<li>
      <time datetime=${run.at} title=${format.moment(run.at)}>${format.ago(run.at)}</time>
      <span class="what"
        >${words.store[run.store]}: ${done.length === 0 ? l10n.t('nothing had to go') : done.join(', ')}
        ${run.status === 'finished' ? nothing : html`<span class="marks">(${statusNames()[run.status]})</span>`}</span
      >
      ${
        undoable === 0
          ? nothing
          : html`<button
              class="link"
              ?disabled=${busy}
              @click=${() => {
                this.undo(run.id);
              }}
            >
              ${undoable === 1 ? l10n.t('Undo 1') : l10n.t('Undo {0}', format.number(undoable))}<span
                class="visually-hidden"
                >: ${l10n.t('make active again what this run archived')}</span
              >
            </button>`
      }
    </li>`;
  }

  private wouldDo(view: PreviewView): unknown {
    const groups = maintenanceActions.flatMap(action => {
      const decisions = view.runs.flatMap(it => it.decisions[action]);
      const count = view.runs.reduce((sum, it) => sum + it.counts[action], 0);
      return count === 0 ? [] : [this.group(action, decisions, count, view)];
    });
    if (groups.length === 0)
      return html`<p class="notice">${icon('check')}<span>${l10n.t('It would change nothing now.')}</span></p>`;
    return html`<p class="hint">${l10n.t('Nothing was changed yet. A pinned memory stays.')}</p>
      ${groups}`;
  }

  private group(
    action: MaintenanceAction,
    decisions: readonly MaintenanceDecision[],
    count: number,
    { memories }: PreviewView,
  ): unknown {
    const { format } = this.app;
    const title = wouldNames()[action];
    return html`<section class="decisions" aria-label=${title}>
      <h3>${title} <span class="count">${format.number(count)}</span></h3>
      <ul>
        ${decisions.map(({ id }) => {
          const memory = memories[id];
          if (memory === undefined) return html`<li><span class="what gone">${l10n.t('No longer there')}</span></li>`;
          return html`<li>
            <div class="what">${memoryLine(this.app, memory)}</div>
            ${iconButton('pin', l10n.t('Keep by pinning: {0}', memory.summary), () => {
              this.keep(id);
            })}
          </li>`;
        })}
      </ul>
      ${
        count > decisions.length
          ? html`<p class="hint">${l10n.t('and {0} more', format.number(count - decisions.length))}</p>`
          : nothing
      }
    </section>`;
  }

  private readonly look = (): void => {
    this.work.forget();
    void this.preview.ask(this.app.connection.ask('preview', undefined));
  };

  private readonly run = (): void => {
    void this.do(async () => {
      const runs = await this.app.connection.ask('maintain', undefined);
      if (runs === undefined) return '';
      this.preview.forget();
      if (runs.some(it => it.status === 'cancelled'))
        return l10n.t('It was called off. Run it again to go on from there.');
      const sum = (action: MaintenanceAction): number => runs.reduce((all, it) => all + it.counts[action], 0);
      const archived = sum('faded') + sum('expired') + sum('quota');
      const pruned = sum('pruned');
      if (archived + pruned === 0) return l10n.t('Done. Nothing had to go.');
      const { format } = this.app;
      return l10n.t('Done: {0} archived, {1} deleted.', format.number(archived), format.number(pruned));
    });
  };

  private undo(run: string): void {
    void this.do(async () => {
      const back = await this.app.connection.ask('undoMaintenance', { run });
      return l10n.t('Active again: {0}.', this.app.format.memories(back));
    });
  }

  /** The preview follows by itself, because a memory changed. */
  private keep(id: string): void {
    void this.do(async () => l10n.t('Pinned: {0}', (await this.app.connection.ask('pin', { id })).summary));
  }

  private async do(work: () => Promise<string>): Promise<void> {
    this.work.forget();
    await this.work.ask(work());
    if (this.work.value !== undefined) this.app.announce(this.work.value);
  }
}

function wouldNames(): Readonly<Record<MaintenanceAction, string>> {
  return {
    faded: l10n.t('Archive, because they have faded'),
    expired: l10n.t('Archive, because their time is over'),
    quota: l10n.t('Archive, because a quota is full'),
    pruned: l10n.t('Delete from the archive'),
  };
}

function doneNames(): Readonly<Record<MaintenanceAction, string>> {
  return {
    faded: l10n.t('faded'),
    expired: l10n.t('expired'),
    quota: l10n.t('over quota'),
    pruned: l10n.t('deleted'),
  };
}

function statusNames(): Readonly<Record<MaintenanceLine['run']['status'], string>> {
  return {
    running: l10n.t('running'),
    finished: l10n.t('finished'),
    cancelled: l10n.t('called off'),
    interrupted: l10n.t('interrupted'),
  };
}

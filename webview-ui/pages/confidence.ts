import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { CurveEvent, Outlook } from '../../src/engine/model/inspection.js';
import { decayClasses, gates } from '../../src/engine/model/memory.js';
import type { ConfidenceView } from '../../src/protocol.js';
import { Asked, type App } from '../app.js';
import type { Frame } from '../charts/axes.js';
import { curveChart } from '../charts/curve.js';
import { stackChart, type Layer } from '../charts/stack.js';
import { emptyState, failed, icon, loading, memoryLine, rememberButton } from '../parts.js';
import { outlookGroupings, outlookSpans, type State } from '../state.js';
import { eventNames } from './eventNames.js';
import type { Page } from './page.js';

/** Wider, a chart says no more. Pixels. */
const widest = 1_100;
const chartHeight = 240;

/** What becomes of one memory, and of all of them. */
export class ConfidencePage implements Page {
  private readonly curve: Asked<ConfidenceView>;
  private readonly outlook: Asked<Outlook>;

  constructor(private readonly app: App) {
    this.curve = new Asked(() => {
      app.update();
    });
    this.outlook = new Asked(() => {
      app.update();
    });
  }

  open(id: string | undefined): void {
    if (id !== undefined && id !== this.app.state.memory) {
      this.curve.forget();
      this.app.set({ memory: id });
    }
    this.refresh();
  }

  refresh(): void {
    this.askCurve();
    this.askOutlook();
  }

  view(): unknown {
    if (this.isEmpty()) {
      return emptyState(
        'graph-line',
        l10n.t('Nothing is remembered yet'),
        l10n.t('What is remembered, and what will fade, is counted here.'),
        rememberButton(this.app),
      );
    }
    return html`<section class="block first" aria-labelledby="memory-title">
        <h2 id="memory-title">${l10n.t('One memory')}</h2>
        ${this.memory()}
      </section>
      <section class="block" aria-labelledby="outlook-title">
        <h2 id="outlook-title">${l10n.t('All memories')}</h2>
        ${this.all()}
      </section>`;
  }

  private memory(): unknown {
    const { value, failure } = this.curve;
    const choose = html`<vscode-button secondary @click=${this.choose}>${l10n.t('Choose Memory…')}</vscode-button>`;
    if (this.app.state.memory === undefined) {
      return html`<div class="row">
        <p class="hint">${l10n.t('Choose a memory to see how sure it was, is and will be.')}</p>
        ${choose}
      </div>`;
    }
    if (failure !== undefined) return html`${failed(failure, this.askCurve)}${choose}`;
    if (value === undefined) return loading();
    const words = (it: CurveEvent): string => this.eventSentence(it);
    return html`<div class="row">
        <div class="what">${memoryLine(this.app, value.memory)}</div>
        ${choose}
      </div>
      <p class="forecast">${this.forecast(value)}</p>
      ${curveChart(value, this.frame(), this.app.format, words)}
      <details class="plain">
        <summary>${l10n.t('Events')} <span class="count">${this.app.format.number(value.events.length)}</span></summary>
        <table>
          <thead>
            <tr>
              <th scope="col">${l10n.t('What')}</th>
              <th scope="col">${l10n.t('When')}</th>
              <th scope="col">${l10n.t('By')}</th>
              <th scope="col" class="number">${l10n.t('Confidence')}</th>
            </tr>
          </thead>
          <tbody>
            ${value.events.map(
              it =>
                html`<tr>
                  <th scope="row">${eventNames()[it.action]}</th>
                  <td>${this.app.format.moment(it.at)}</td>
                  <td>${it.actor}</td>
                  <td class="number">${this.app.format.percent(it.confidence)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`;
  }

  private forecast({ memory, fadesAt, halfLifeDays, now }: ConfidenceView): string {
    const { format } = this.app;
    const sure = format.percent(memory.effectiveConfidence);
    if (memory.status !== 'active') return l10n.t('{0} now; no longer in use.', sure);
    if (memory.pinned) return l10n.t('{0} now; pinned, so it does not fade.', sure);
    if (fadesAt === undefined) return l10n.t('{0} now; it does not fade.', sure);
    if (fadesAt <= now) return l10n.t('{0} now; the next maintenance archives it.', sure);
    return l10n.t(
      '{0} now; archived on {1} ({2}) unless it is told again, used or pinned.{3}',
      sure,
      format.day(fadesAt),
      format.ago(fadesAt),
      halfLifeDays === undefined
        ? ''
        : ` ${l10n.t('It halves in {0} days.', format.number(halfLifeDays, halfLifeDays < 10 ? 1 : 0))}`,
    );
  }

  private eventSentence(it: CurveEvent): string {
    const { format } = this.app;
    return l10n.t('{0}, {1}, {2}', eventNames()[it.action], format.moment(it.at), format.percent(it.confidence));
  }

  private all(): unknown {
    const { value, failure } = this.outlook;
    const { outlook } = this.app.state;
    if (failure !== undefined) return failed(failure, this.askOutlook);
    if (value === undefined) return loading();
    const { format } = this.app;
    const layers = this.layers(value);
    const total = (i: number): number => layers.reduce((sum, it) => sum + it.counts[i]!, 0);
    const here = (value.times.length - 1) / 2;
    const last = value.times.length - 1;
    if (countsNothing(layers)) return html`<p class="hint">${l10n.t('Nothing is remembered.')}</p>`;
    const sentence = l10n.t(
      '{0} now; {1} of today’s will be left in {2} days unless told again, used or pinned.',
      format.memories(total(here)),
      format.number(total(last)),
      format.number(outlook.days),
    );
    return html`<div class="row">
        <p class="forecast">${sentence}</p>
        <div class="choices">
          <label class="choice"
            >${l10n.t('By')}
            <vscode-single-select .value=${outlook.by} label=${l10n.t('By')} @change=${this.chooseGrouping}>
              <vscode-option value="gate" ?selected=${outlook.by === 'gate'}>${l10n.t('Gate')}</vscode-option>
              <vscode-option value="decayClass" ?selected=${outlook.by === 'decayClass'}
                >${l10n.t('Decay class')}</vscode-option
              >
            </vscode-single-select></label
          >
          <label class="choice"
            >${l10n.t('Over')}
            <vscode-single-select .value=${String(outlook.days)} label=${l10n.t('Over')} @change=${this.chooseSpan}>
              ${outlookSpans.map(it => html`<vscode-option value=${it} ?selected=${it === outlook.days}>${l10n.t('± {0} days', it)}</vscode-option>`)}
            </vscode-single-select></label
          >
        </div>
      </div>
      ${stackChart(layers, value.times, { now: value.now, label: sentence, frame: this.frame(), format })}
      <ul class="legend" aria-label=${l10n.t('Layers')}>
        ${layers.map(
          it =>
            html`<li>
              <span class="swatch layer-${it.key}"></span>${it.name}
              <span class="count"
                >${format.number(it.counts[here]!)}${
                  it.counts[here] === it.counts[last]
                    ? nothing
                    : html` ${icon('arrow-right')} ${format.number(it.counts[last]!)}`
                }</span
              >
            </li>`,
        )}
      </ul>`;
  }

  /** Neither now nor at any time that is counted. */
  private isEmpty(): boolean {
    const { value } = this.outlook;
    if (value === undefined || this.app.state.memory !== undefined) return false;
    return countsNothing(this.layers(value));
  }

  private layers({ byGate, byDecayClass }: Outlook): readonly Layer[] {
    const { words, state } = this.app;
    return state.outlook.by === 'gate'
      ? gates.map(it => ({ key: it, name: words.gate[it], counts: byGate[it] }))
      : decayClasses.map(it => ({ key: it, name: words.decayClass[it], counts: byDecayClass[it] })).reverse();
  }

  private frame(): Frame {
    // The page's padding, and a scroll bar that may come.
    return { width: Math.max(180, Math.min(widest, window.innerWidth - 56)), height: chartHeight };
  }

  private readonly choose = (): void => {
    void this.app.connection
      .ask('pick', undefined)
      .then(id => {
        if (id !== undefined) this.open(id);
      })
      .catch(() => undefined);
  };

  private readonly chooseGrouping = (event: Event): void => {
    const by = outlookGroupings.find(it => it === valueOf(event));
    if (by !== undefined) this.setOutlook({ ...this.app.state.outlook, by });
  };

  private readonly chooseSpan = (event: Event): void => {
    const days = outlookSpans.find(it => String(it) === valueOf(event));
    if (days !== undefined) this.setOutlook({ ...this.app.state.outlook, days });
  };

  private setOutlook(outlook: State['outlook']): void {
    this.app.set({ outlook });
    this.askOutlook();
  }

  private readonly askCurve = (): void => {
    const { memory } = this.app.state;
    if (memory !== undefined) void this.curve.ask(this.app.connection.ask('confidence', { id: memory }));
  };

  private readonly askOutlook = (): void => {
    void this.outlook.ask(this.app.connection.ask('outlook', { days: this.app.state.outlook.days }));
  };
}

function countsNothing(layers: readonly Layer[]): boolean {
  return layers.every(it => it.counts.every(count => count === 0));
}

function valueOf(event: Event): string {
  return (event.target as HTMLInputElement).value;
}

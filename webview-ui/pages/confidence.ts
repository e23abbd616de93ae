import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { CurveEvent, ActiveCountForecast } from '../../src/engine/model/explanation.js';
import { decayClasses, gates } from '../../src/engine/model/memory.js';
import type { ConfidenceView } from '../../src/protocol.js';
import type { App } from '../app.js';
import { AsyncValue } from '../asyncValue.js';
import type { ChartSize } from '../charts/axes.js';
import { curveChart } from '../charts/curveChart.js';
import { stackChart, type ChartLayer } from '../charts/stackChart.js';
import { emptyState, failureNotice, icon, loadingIndicator, memorySummaryRow, rememberButton } from '../components.js';
import { outlookGroupings, outlookSpans, type InspectorState } from '../inspectorState.js';
import { eventLabels } from './eventLabels.js';
import type { Page } from './page.js';

/** Pixels. */
const maxChartWidth = 1_100;
const chartHeight = 240;

/** The page with the confidence curve of one memory, and the forecast of all. */
export class ConfidencePage implements Page {
  private readonly curve: AsyncValue<ConfidenceView>;
  private readonly outlook: AsyncValue<ActiveCountForecast>;

  constructor(private readonly app: App) {
    this.curve = new AsyncValue(() => {
      app.scheduleRender();
    });
    this.outlook = new AsyncValue(() => {
      app.scheduleRender();
    });
  }

  open(id: string | undefined): void {
    if (id !== undefined && id !== this.app.state.memory) {
      this.curve.clear();
      this.app.setState({ memory: id });
    }
    this.refresh();
  }

  refresh(): void {
    this.loadCurve();
    this.loadOutlook();
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
        ${this.renderMemory()}
      </section>
      <section class="block" aria-labelledby="outlook-title">
        <h2 id="outlook-title">${l10n.t('All memories')}</h2>
        ${this.renderOutlook()}
      </section>`;
  }

  private renderMemory(): unknown {
    const { value, failure } = this.curve;
    const choose = html`<vscode-button secondary @click=${this.chooseMemory}
      >${l10n.t('Choose Memory…')}</vscode-button
    >`;
    if (this.app.state.memory === undefined) {
      return html`<div class="row">
        <p class="hint">${l10n.t('Choose a memory to see how sure it was, is and will be.')}</p>
        ${choose}
      </div>`;
    }
    if (failure !== undefined) return html`${failureNotice(failure, this.loadCurve)}${choose}`;
    if (value === undefined) return loadingIndicator();
    const eventLabel = (it: CurveEvent): string => this.eventSentence(it);
    return html`<div class="row">
        <div class="what">${memorySummaryRow(this.app, value.memory)}</div>
        ${choose}
      </div>
      <p class="forecast">${this.forecastSentence(value)}</p>
      <p class="hint">${this.strengthSentence(value)}</p>
      ${curveChart(value, this.chartSize(), this.app.formatter, eventLabel)}
      <details class="plain">
        <summary>
          ${l10n.t('Events')} <span class="count">${this.app.formatter.number(value.events.length)}</span>
        </summary>
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
                  <th scope="row">${eventLabels()[it.action]}</th>
                  <td>${this.app.formatter.dateTime(it.at)}</td>
                  <td>${it.actor}</td>
                  <td class="number">${this.app.formatter.percent(it.confidence)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`;
  }

  private forecastSentence({ memory, fadesAt, halfLifeDays, now }: ConfidenceView): string {
    const { formatter } = this.app;
    const confidence = formatter.percent(memory.effectiveConfidence);
    if (memory.status !== 'active') return l10n.t('{0} now; no longer in use.', confidence);
    if (memory.pinned) return l10n.t('{0} now; pinned, so it does not fade.', confidence);
    if (fadesAt === undefined) return l10n.t('{0} now; it does not fade.', confidence);
    if (fadesAt <= now) return l10n.t('{0} now; the next maintenance archives it.', confidence);
    return l10n.t(
      '{0} now; archived on {1} ({2}) unless it is said again, used or pinned.{3}',
      confidence,
      formatter.date(fadesAt),
      formatter.relativeTime(fadesAt),
      halfLifeDays === undefined
        ? ''
        : ` ${l10n.t('It halves in {0} days.', formatter.number(halfLifeDays, halfLifeDays < 10 ? 1 : 0))}`,
    );
  }

  private strengthSentence({ strength: { value, reinforcementCount, ageDays, sequenceLag } }: ConfidenceView): string {
    const { formatter } = this.app;
    return l10n.t(
      'Strength {0} (times said: {1}, age in days: {2}, written since: {3}).',
      formatter.number(value, 2),
      formatter.number(reinforcementCount),
      formatter.number(Math.floor(ageDays)),
      formatter.number(sequenceLag),
    );
  }

  private eventSentence(event: CurveEvent): string {
    const { formatter } = this.app;
    return l10n.t(
      '{0}, {1}, {2}',
      eventLabels()[event.action],
      formatter.dateTime(event.at),
      formatter.percent(event.confidence),
    );
  }

  private renderOutlook(): unknown {
    const { value, failure } = this.outlook;
    const { outlook } = this.app.state;
    if (failure !== undefined) return failureNotice(failure, this.loadOutlook);
    if (value === undefined) return loadingIndicator();
    const { formatter } = this.app;
    const layers = this.layers(value);
    const totalAt = (i: number): number => layers.reduce((sum, it) => sum + it.counts[i]!, 0);
    const nowIndex = (value.times.length - 1) / 2;
    const lastIndex = value.times.length - 1;
    if (areAllZero(layers)) return html`<p class="hint">${l10n.t('Nothing is remembered.')}</p>`;
    const sentence = l10n.t(
      '{0} now; {1} of today’s will be left in {2} days unless said again, used or pinned.',
      formatter.memoryCount(totalAt(nowIndex)),
      formatter.number(totalAt(lastIndex)),
      formatter.number(outlook.days),
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
      ${stackChart(layers, value.times, { now: value.now, label: sentence, size: this.chartSize(), formatter })}
      <ul class="legend" aria-label=${l10n.t('Layers')}>
        ${layers.map(
          it =>
            html`<li>
              <span class="swatch layer-${it.key}"></span>${it.name}
              <span class="count"
                >${formatter.number(it.counts[nowIndex]!)}${
                  it.counts[nowIndex] === it.counts[lastIndex]
                    ? nothing
                    : html` ${icon('arrow-right')} ${formatter.number(it.counts[lastIndex]!)}`
                }</span
              >
            </li>`,
        )}
      </ul>`;
  }

  /** Whether the forecast has no memory at any time. */
  private isEmpty(): boolean {
    const { value } = this.outlook;
    if (value === undefined || this.app.state.memory !== undefined) return false;
    return areAllZero(this.layers(value));
  }

  private layers({ byGate, byDecayClass }: ActiveCountForecast): readonly ChartLayer[] {
    const { labels, state } = this.app;
    return state.outlook.by === 'gate'
      ? gates.map(it => ({ key: it, name: labels.gate[it], counts: byGate[it] }))
      : decayClasses.map(it => ({ key: it, name: labels.decayClass[it], counts: byDecayClass[it] })).reverse();
  }

  private chartSize(): ChartSize {
    // 56 = the page's padding, and a scroll bar that may appear.
    return { width: Math.max(180, Math.min(maxChartWidth, window.innerWidth - 56)), height: chartHeight };
  }

  private readonly chooseMemory = (): void => {
    void this.app.connection
      .request('pickMemory', undefined)
      .then(id => {
        if (id !== undefined) this.open(id);
      })
      .catch(() => undefined);
  };

  private readonly chooseGrouping = (event: Event): void => {
    const by = outlookGroupings.find(it => it === inputValueOf(event));
    if (by !== undefined) this.setOutlook({ ...this.app.state.outlook, by });
  };

  private readonly chooseSpan = (event: Event): void => {
    const days = outlookSpans.find(it => String(it) === inputValueOf(event));
    if (days !== undefined) this.setOutlook({ ...this.app.state.outlook, days });
  };

  private setOutlook(outlook: InspectorState['outlook']): void {
    this.app.setState({ outlook });
    this.loadOutlook();
  }

  private readonly loadCurve = (): void => {
    const { memory } = this.app.state;
    if (memory !== undefined) void this.curve.load(this.app.connection.request('confidence', { id: memory }));
  };

  private readonly loadOutlook = (): void => {
    void this.outlook.load(this.app.connection.request('forecast', { days: this.app.state.outlook.days }));
  };
}

function areAllZero(layers: readonly ChartLayer[]): boolean {
  return layers.every(it => it.counts.every(count => count === 0));
}

function inputValueOf(event: Event): string {
  return (event.target as HTMLInputElement).value;
}

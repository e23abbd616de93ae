import '@vscode-elements/elements/dist/vscode-option/index.js';
import '@vscode-elements/elements/dist/vscode-single-select/index.js';
import * as l10n from '@vscode/l10n';
import { html, nothing } from 'lit';
import type { ActiveCountForecast } from '../../src/engine/model/explanation.js';
import { decayClasses, gates } from '../../src/engine/model/memory.js';
import type { PageHost } from '../pageHost.js';
import { AsyncValue } from '../asyncValue.js';
import { chartSize } from '../charts/axes.js';
import { stackChart, type ChartLayer } from '../charts/stackChart.js';
import { emptyState, failureNotice, icon, loadingIndicator, pageHeading, rememberButton } from '../components.js';
import { outlookGroupings, outlookSpans, type InspectorState } from '../inspectorState.js';
import type { Page } from './page.js';

/** The page with the forecast: how many memories there were, are and will be. */
export class ForecastPage implements Page {
  private readonly outlook: AsyncValue<ActiveCountForecast>;

  constructor(private readonly app: PageHost) {
    this.outlook = new AsyncValue(() => {
      app.scheduleRender();
    });
  }

  open(): void {
    this.loadOutlook();
  }

  refresh(): void {
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
    return html`${pageHeading(l10n.t('Forecast'))}
      <section class="block first" aria-labelledby="outlook-title">
        <h2 id="outlook-title">${l10n.t('All memories')}</h2>
        ${this.renderOutlook()}
      </section>`;
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
    const sentence = l10n.t(
      '{0} now; in {1} days {2} of these. The others are forgotten unless said again, used or pinned, and can be restored.',
      formatter.memoryCount(totalAt(nowIndex)),
      formatter.number(outlook.days),
      formatter.number(totalAt(lastIndex)),
    );
    return html`<div class="row">
        <p class="forecast">${sentence}</p>
        <div class="choices">
          <label class="choice"
            >${l10n.t('Group by')}
            <vscode-single-select .value=${outlook.by} label=${l10n.t('Group by')} @change=${this.chooseGrouping}>
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
      ${stackChart(layers, value.times, { now: value.now, label: sentence, size: chartSize(), formatter })}
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
    return value !== undefined && areAllZero(this.layers(value));
  }

  private layers({ byGate, byDecayClass }: ActiveCountForecast): readonly ChartLayer[] {
    const { labels, state } = this.app;
    return state.outlook.by === 'gate'
      ? gates.map(it => ({ key: it, name: labels.gate[it], counts: byGate[it] }))
      : decayClasses.map(it => ({ key: it, name: labels.decayClass[it], counts: byDecayClass[it] })).reverse();
  }

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

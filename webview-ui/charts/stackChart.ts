import * as l10n from '@vscode/l10n';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, curveMonotoneX, stack } from 'd3-shape';
import { html, svg } from 'lit';
import type { Formatter } from '../formatter.js';
import { chartAxes, chartMargin, type ChartSize } from './axes.js';

export interface ChartLayer {
  /** Suffix of its CSS class. */
  readonly key: string;
  readonly name: string;
  /** One per time. */
  readonly counts: readonly number[];
}

/** A stacked area chart of counts over time. `label` is its content as a sentence, for screen readers. */
export function stackChart(
  layers: readonly ChartLayer[],
  times: readonly string[],
  {
    now,
    label,
    size,
    formatter,
  }: { readonly now: string; readonly label: string; readonly size: ChartSize; readonly formatter: Formatter },
): unknown {
  const timestamps = times.map(it => Date.parse(it));
  const series = stack<number, ChartLayer>()
    .keys(layers)
    .value((i, layer) => layer.counts[i]!)(times.map((_, i) => i));
  const maxTotal = Math.max(1, ...times.map((_, i) => layers.reduce((sum, it) => sum + it.counts[i]!, 0)));
  const x = scaleUtc([timestamps[0]!, timestamps.at(-1)!], [chartMargin.left, size.width - chartMargin.right]);
  const y = scaleLinear([0, maxTotal], [size.height - chartMargin.bottom, chartMargin.top]).nice(4);
  const path = area<readonly number[]>()
    .x((_, i) => x(timestamps[i]!))
    .y0(it => y(it[0]!))
    .y1(it => y(it[1]!))
    .curve(curveMonotoneX);
  const forecastX = x(Date.parse(now));
  return html`<svg class="chart" role="img" aria-label=${label} width=${size.width} height=${size.height}>
    ${series.map(it => svg`<path class="layer-${it.key.key}" d=${path(it) ?? ''}><title>${it.key.name}</title></path>`)}
    ${svg`<rect class="ahead" x=${forecastX} y=${chartMargin.top} width=${size.width - chartMargin.right - forecastX} height=${size.height - chartMargin.top - chartMargin.bottom} />`}
    ${chartAxes(size, x, y, {
      now: new Date(now),
      nowLabel: l10n.t('now'),
      formatValues: ticks => ticks.map(it => (Number.isInteger(it) ? formatter.number(it) : '')),
      formatTimes: ticks => formatter.axisTimes(ticks),
    })}
  </svg>`;
}

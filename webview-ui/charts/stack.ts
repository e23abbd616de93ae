import * as l10n from '@vscode/l10n';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { area, curveMonotoneX, stack } from 'd3-shape';
import { html, svg } from 'lit';
import type { Format } from '../format.js';
import { axes, margin, type Frame } from './axes.js';

export interface Layer {
  /** Its class in the style sheet. */
  readonly key: string;
  readonly name: string;
  /** One count per time. */
  readonly counts: readonly number[];
}

/** Counts over time, one layer on the other; `label` says in words what it shows. */
export function stackChart(
  layers: readonly Layer[],
  times: readonly string[],
  {
    now,
    label,
    frame,
    format,
  }: { readonly now: string; readonly label: string; readonly frame: Frame; readonly format: Format },
): unknown {
  const at = times.map(it => Date.parse(it));
  const series = stack<number, Layer>()
    .keys(layers)
    .value((i, layer) => layer.counts[i]!)(times.map((_, i) => i));
  const most = Math.max(1, ...times.map((_, i) => layers.reduce((sum, it) => sum + it.counts[i]!, 0)));
  const x = scaleUtc([at[0]!, at.at(-1)!], [margin.left, frame.width - margin.right]);
  const y = scaleLinear([0, most], [frame.height - margin.bottom, margin.top]).nice(4);
  const path = area<readonly number[]>()
    .x((_, i) => x(at[i]!))
    .y0(it => y(it[0]!))
    .y1(it => y(it[1]!))
    .curve(curveMonotoneX);
  const ahead = x(Date.parse(now));
  return html`<svg class="chart" role="img" aria-label=${label} width=${frame.width} height=${frame.height}>
    ${series.map(it => svg`<path class="layer-${it.key.key}" d=${path(it) ?? ''}><title>${it.key.name}</title></path>`)}
    ${svg`<rect class="ahead" x=${ahead} y=${margin.top} width=${frame.width - margin.right - ahead} height=${frame.height - margin.top - margin.bottom} />`}
    ${axes(frame, x, y, {
      now: new Date(now),
      nowWord: l10n.t('now'),
      value: it => (Number.isInteger(it) ? format.number(it) : ''),
      day: it => format.axisDay(it),
    })}
  </svg>`;
}

import * as l10n from '@vscode/l10n';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import { html, nothing, svg } from 'lit';
import type { CurveEvent, CurvePoint } from '../../src/engine/model/explanation.js';
import type { MemoryPageView } from '../../src/protocol.js';
import type { Formatter } from '../formatter.js';
import { chartAxes, chartMargin, type ChartSize } from './axes.js';

/** A memory's confidence over time: the past as a line, the future dashed, events as points, and thresholds. */
export function curveChart(
  { memory, points, events, now, archivedBelow, floor, fadesAt }: MemoryPageView,
  size: ChartSize,
  formatter: Formatter,
  eventLabel: (event: CurveEvent) => string,
): unknown {
  const time = (iso: string): number => Date.parse(iso);
  const x = scaleUtc(
    [time(points[0]!.at), time(points.at(-1)!.at)],
    [chartMargin.left, size.width - chartMargin.right],
  );
  const y = scaleLinear([0, 100], [size.height - chartMargin.bottom, chartMargin.top]);
  const path = line<CurvePoint>(
    it => x(time(it.at)),
    it => y(it.confidence),
  );
  const past = points.filter(it => it.at <= now);
  // Starts at the last past point, so that the two lines meet.
  const future = points.slice(Math.max(0, past.length - 1));
  // The label is at the left, where the curve is high.
  const thresholdLine = (value: number, name: string): unknown =>
    svg`<line class="threshold" x1=${chartMargin.left} x2=${size.width - chartMargin.right} y1=${y(value)} y2=${y(value)} />
      <text class="threshold-word" x=${chartMargin.left + 6} y=${y(value) - 4}>${name}</text>`;
  // The day itself is drawn too: a note ends with its time, far above the threshold.
  const end =
    memory.keptUntil !== undefined && memory.keptUntil <= (fadesAt ?? memory.keptUntil) ? memory.keptUntil : fadesAt;
  const endLine = (at: string): unknown =>
    svg`<line class="threshold" x1=${x(time(at))} x2=${x(time(at))} y1=${chartMargin.top} y2=${size.height - chartMargin.bottom} />
      <text class="threshold-word" x=${x(time(at)) - 4} y=${chartMargin.top + 10} text-anchor="end">${l10n.t('until {0}', formatter.date(at))}</text>`;
  return html`<svg
    class="chart"
    role="group"
    aria-label=${l10n.t('Confidence over time')}
    width=${size.width}
    height=${size.height}
  >
    ${chartAxes(size, x, y, {
      now: new Date(now),
      nowLabel: l10n.t('now'),
      formatValues: ticks => ticks.map(it => formatter.percent(it)),
      formatTimes: ticks => formatter.axisTimes(ticks),
    })}
    ${thresholdLine(archivedBelow, l10n.t('forgotten below {0}', formatter.percent(archivedBelow)))}
    ${floor > 0 ? thresholdLine(floor, l10n.t('never below {0}', formatter.percent(floor))) : nothing}
    ${end === undefined ? nothing : endLine(end)}
    <path class="past" d=${path(past) ?? ''} />
    <path class="future" d=${path(future) ?? ''} />
    ${events.map(
      it => svg`<circle class="event event-${it.action}" cx=${x(time(it.at))} cy=${y(it.confidence)} r="4.5" tabindex="0" role="img"
        aria-label=${eventLabel(it)}><title>${eventLabel(it)}</title></circle>`,
    )}
  </svg>`;
}

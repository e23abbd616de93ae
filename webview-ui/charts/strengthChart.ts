import * as l10n from '@vscode/l10n';
import { scaleLinear, scaleUtc } from 'd3-scale';
import { line } from 'd3-shape';
import { html } from 'lit';
import type { MemoryPageView } from '../../src/protocol.js';
import type { Formatter } from '../formatter.js';
import { chartAxes, chartMargin, tickCount, type ChartSize } from './axes.js';

/** A memory's strength over time, with as much said and written as there is now. */
export function strengthChart({ strength, now }: MemoryPageView, size: ChartSize, formatter: Formatter): unknown {
  const { curve } = strength;
  const time = (iso: string): number => Date.parse(iso);
  const x = scaleUtc([time(curve[0]!.at), time(curve.at(-1)!.at)], [chartMargin.left, size.width - chartMargin.right]);
  const maxValue = Math.max(...curve.map(it => it.value));
  const y = scaleLinear([0, maxValue], [size.height - chartMargin.bottom, chartMargin.top]).nice(tickCount);
  const path = line<(typeof curve)[number]>(
    it => x(time(it.at)),
    it => y(it.value),
  );
  const past = curve.filter(it => it.at <= now);
  const atNow = { at: now, value: strength.value };
  return html`<svg
    class="chart strength"
    role="img"
    aria-label=${l10n.t('Strength over time: {0} now', formatter.number(strength.value, 2))}
    width=${size.width}
    height=${size.height}
  >
    ${chartAxes(size, x, y, {
      now: new Date(now),
      nowLabel: l10n.t('now'),
      formatValues: ticks => formatter.axisNumbers(ticks),
      formatTimes: ticks => formatter.axisTimes(ticks),
    })}
    <path class="past" d=${path([...past, atNow]) ?? ''} />
    <path class="future" d=${path([atNow, ...curve.slice(past.length)]) ?? ''} />
  </svg>`;
}

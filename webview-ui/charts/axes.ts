import type { ScaleLinear, ScaleTime } from 'd3-scale';
import { svg } from 'lit';

/** Pixels. */
export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels. */
const maxChartWidth = 1_100;
const chartHeight = 240;

/** Widths of the style sheet, in pixels: of the list next to a detail, and up to which only one of the two shows. */
const listWidth = 340;
const maxNarrowWidth = 640;

/** The size of a chart on a page of the inspector as wide as it is now. */
export function chartSize(height: number = chartHeight): ChartSize {
  // 56 = the page's padding, and a scroll bar that may appear.
  return { width: Math.max(180, Math.min(maxChartWidth, window.innerWidth - 56)), height };
}

/** The size of a chart of what is open next to a list. */
export function detailChartSize(height?: number): ChartSize {
  const { width, ...size } = chartSize(height);
  return window.innerWidth <= maxNarrowWidth
    ? { width, ...size }
    : { ...size, width: Math.max(180, Math.min(width, window.innerWidth - listWidth - 56)) };
}

/** Room for the labels of the axes, in pixels. */
export const chartMargin = { top: 16, right: 16, bottom: 24, left: 40 } as const;

/** Approximate number of ticks on the axis of values. */
export const tickCount = 4;
/** Approximate distance of ticks on the time axis. */
const pixelsPerTick = 110;
/** Half the width of the label at now, in pixels. */
const halfLabelWidth = 20;

/** At least two, by which a length of time can be read; a narrow chart asks for a few more until there are two. */
function twoOrMoreTicks(x: ScaleTime<number, number>, count: number): readonly Date[] {
  const maxTries = 4;
  const tries = Array.from({ length: maxTries }, (_, i) => x.ticks(Math.max(2, count) + i));
  return tries.find(it => it.length >= 2) ?? tries.at(-1)!;
}

/** Grid, tick labels and a line at now. Hidden from screen readers, for which each chart has a label. */
export function chartAxes(
  { width, height }: ChartSize,
  x: ScaleTime<number, number>,
  y: ScaleLinear<number, number>,
  options: {
    readonly now: Date;
    readonly nowLabel: string;
    /** Labels of ticks, one each. */
    readonly formatValues: (ticks: readonly number[]) => readonly string[];
    readonly formatTimes: (ticks: readonly Date[]) => readonly string[];
  },
): unknown {
  const bottom = height - chartMargin.bottom;
  const times = twoOrMoreTicks(x, Math.floor(width / pixelsPerTick));
  const timeLabels = options.formatTimes(times);
  const days = times.map((it, i) => ({ at: x(it), text: timeLabels[i]! }));
  const values = y.ticks(tickCount);
  const valueLabels = options.formatValues(values);
  const now = x(options.now);
  // A centered label would overlap the topmost label of the y axis.
  const isNearLeft = now < chartMargin.left + halfLabelWidth;
  return svg`<g class="axes" aria-hidden="true">
    ${values.map(
      (
        it,
        i,
      ) => svg`<line class="grid" x1=${chartMargin.left} x2=${width - chartMargin.right} y1=${y(it)} y2=${y(it)} />
        <text x=${chartMargin.left - 6} y=${y(it) + 4} text-anchor="end">${valueLabels[i]}</text>`,
    )}
    ${days
      .filter((it, i) => it.text !== days[i - 1]?.text)
      .map(it => svg`<text x=${it.at} y=${bottom + 17} text-anchor="middle">${it.text}</text>`)}
    <line class="now" x1=${now} x2=${now} y1=${chartMargin.top} y2=${bottom} />
    <text class="now-word" x=${now} y=${chartMargin.top - 5} text-anchor=${isNearLeft ? 'start' : 'middle'}>${options.nowLabel}</text>
  </g>`;
}

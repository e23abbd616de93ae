import type { ScaleLinear, ScaleTime } from 'd3-scale';
import { svg } from 'lit';

/** Pixels. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

/** Room for the axes' words around a chart, in pixels. */
export const margin = { top: 16, right: 16, bottom: 24, left: 40 } as const;

/** About one mark of the time axis per so many pixels. */
const markEvery = 110;
/** Half the width of a short word, in pixels. */
const wordRoom = 20;

/** Grid, words and a line at now. Decoration: what a chart says, it says in words too. */
export function axes(
  { width, height }: Frame,
  x: ScaleTime<number, number>,
  y: ScaleLinear<number, number>,
  words: {
    readonly now: Date;
    readonly nowWord: string;
    readonly value: (it: number) => string;
    readonly day: (it: Date) => string;
  },
): unknown {
  const bottom = height - margin.bottom;
  const times = x.ticks(Math.max(2, Math.floor(width / markEvery)));
  const now = x(words.now);
  // In the middle it would stand on the topmost word of the other axis.
  const atLeft = now < margin.left + wordRoom;
  return svg`<g class="axes" aria-hidden="true">
    ${y.ticks(4).map(
      it => svg`<line class="grid" x1=${margin.left} x2=${width - margin.right} y1=${y(it)} y2=${y(it)} />
        <text x=${margin.left - 6} y=${y(it) + 4} text-anchor="end">${words.value(it)}</text>`,
    )}
    ${times.map(it => svg`<text x=${x(it)} y=${bottom + 17} text-anchor="middle">${words.day(it)}</text>`)}
    <line class="now" x1=${now} x2=${now} y1=${margin.top} y2=${bottom} />
    <text class="now-word" x=${now} y=${margin.top - 5} text-anchor=${atLeft ? 'start' : 'middle'}>${words.nowWord}</text>
  </g>`;
}

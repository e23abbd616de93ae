/** One band of a stacked plot, or one line of it: a value for each x. */
export interface Series {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly number[];
  /** A dashed line on top instead of a band in the stack. */
  readonly line?: true;
}

export interface Panel {
  readonly title: string;
  readonly series: readonly Series[];
}

const width = 760;
const panelHeight = 250;
const [left, right, top, bottom] = [64, 150, 34, 34];

/** A self-contained SVG of panels below one another over the same x. @param x ascending, at least two */
export function plot(x: readonly number[], xTitle: string, panels: readonly Panel[]): string {
  const height = panels.length * panelHeight + 10;
  const drawn = panels.map((it, i) => `<g transform="translate(0 ${i * panelHeight})">${drawPanel(x, xTitle, it)}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#fff"/>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel(x: readonly number[], xTitle: string, { title, series }: Panel): string {
  const [w, h] = [width - left - right, panelHeight - top - bottom];
  const bands = series.filter(it => it.line === undefined);
  const sums = x.map((_, i) => bands.reduce((sum, it) => sum + it.values[i]!, 0));
  const most = niceAbove(Math.max(...sums, ...series.filter(it => it.line === true).flatMap(it => it.values)));
  const at = (i: number, value: number): string =>
    `${round(left + (w * (x[i]! - x[0]!)) / (x.at(-1)! - x[0]!))},${round(top + h * (1 - value / most))}`;
  const floor = x.map(() => 0);
  const shapes = series.map(({ colour, values, line }) => {
    if (line === true) {
      const points = values.map((value, i) => at(i, value)).join(' ');
      return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.5" stroke-dasharray="5 3"/>`;
    }
    const below = floor.map((value, i) => at(i, value)).reverse();
    for (const [i, value] of values.entries()) floor[i]! += value;
    const points = [...floor.map((value, i) => at(i, value)), ...below].join(' ');
    return `<polygon points="${points}" fill="${colour}"/>`;
  });
  const grid = [0, 0.25, 0.5, 0.75, 1].map(share => {
    const y = round(top + h * (1 - share));
    return `<line x1="${left}" x2="${left + w}" y1="${y}" y2="${y}" stroke="#0002"/><text x="${left - 6}" y="${y + 4}" text-anchor="end">${(most * share).toLocaleString('en-US')}</text>`;
  });
  const days = [x[0]!, x.at(-1)!].map(
    (value, i) =>
      `<text x="${i === 0 ? left : left + w}" y="${top + h + 16}" text-anchor="${i === 0 ? 'start' : 'end'}">${xTitle} ${value}</text>`,
  );
  const legend = [...series].reverse().map(({ name, colour }, i) => {
    const y = top + 12 + i * 18;
    return `<rect x="${left + w + 12}" y="${y - 9}" width="10" height="10" fill="${colour}"/><text x="${left + w + 28}" y="${y}">${name}</text>`;
  });
  return [`<text x="${left}" y="20" font-weight="bold">${title}</text>`, ...shapes, ...grid, ...days, ...legend].join(
    '\n',
  );
}

/** The next 1, 2, 4 or 8 times a power of ten. */
function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 4, 8, 10].map(it => it * power).find(it => it >= value)!;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

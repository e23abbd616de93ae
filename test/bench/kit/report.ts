import { interval, type Interval } from './bootstrap.js';
import { mean, scoreKeys, type Scores } from './metrics.js';

/** Figures by the keys of the table in docs/performance.md: quality in percent, times in milliseconds. */
export type Figures = Readonly<Record<string, number>>;

export interface Report {
  readonly name: string;
  /** Questions asked. */
  readonly n: number;
  readonly figures: Figures;
  /** The same keys for the baseline of the same run. */
  readonly baseline: Figures;
  /** Other programs on the same texts and questions, by name, with the same keys. */
  readonly peers?: Readonly<Record<string, Figures>>;
  /** 95 % intervals: of the figures, and of the gain over the baseline. */
  readonly intervals?: Readonly<Record<string, { readonly figure: Interval; readonly gain: Interval }>>;
  /** The same for parts of the questions. */
  readonly groups?: Readonly<
    Record<string, { readonly n: number; readonly figures: Figures; readonly baseline: Figures }>
  >;
  /** Remarks on this run, one sentence each. */
  readonly notes: readonly string[];
}

/** Scores of several systems for one question. */
export interface ScoredQuestion {
  readonly group: string;
  readonly ours: Scores;
  readonly baseline: Scores;
  readonly peers?: Readonly<Record<string, Scores>>;
}

/** Means, intervals and groups of a quality bench. */
export function buildQualityReport(
  name: string,
  scoredQuestions: readonly ScoredQuestion[],
  notes: readonly string[],
): Report {
  const peerNames = Object.keys(scoredQuestions[0]?.peers ?? {});
  return {
    name,
    n: scoredQuestions.length,
    figures: means(scoredQuestions.map(it => it.ours)),
    baseline: means(scoredQuestions.map(it => it.baseline)),
    peers: Object.fromEntries(peerNames.map(peer => [peer, means(scoredQuestions.map(it => it.peers![peer]!))])),
    intervals: Object.fromEntries(
      scoreKeys.map(key => [key, computeIntervals(scoredQuestions.map(it => [it.ours[key], it.baseline[key]]))]),
    ),
    groups: Object.fromEntries(
      [...new Set(scoredQuestions.map(it => it.group))].sort().map(group => {
        const inGroup = scoredQuestions.filter(it => it.group === group);
        const { length: n } = inGroup;
        return [
          group,
          { n, figures: means(inGroup.map(it => it.ours)), baseline: means(inGroup.map(it => it.baseline)) },
        ];
      }),
    ),
    notes,
  };
}

/** Intervals from pairs of our value and the baseline value, 0-1 each. */
export function computeIntervals(pairs: readonly (readonly [number, number])[]): { figure: Interval; gain: Interval } {
  const inPercent = ([low, high]: Interval): Interval => [percent(low), percent(high)];
  return {
    figure: inPercent(interval(pairs.map(([ours]) => ours))),
    gain: inPercent(interval(pairs.map(([ours, baseline]) => ours - baseline))),
  };
}

/** The share of the items that a test accepts, in percent; 0 without items. */
export function share<T>(items: readonly T[], accepts: (item: T) => boolean): number {
  return items.length === 0 ? 0 : percent(items.filter(accepts).length / items.length);
}

/** A share as percent with two decimals. */
export function percent(share: number): number {
  return Math.round(share * 10_000) / 100;
}

function means(scores: readonly Scores[]): Figures {
  return Object.fromEntries(scoreKeys.map(key => [key, percent(mean(scores.map(it => it[key])))]));
}

/** The object of `--json`, with peers under their names. */
export function toJson({ peers, notes, ...report }: Report): object {
  return { ...report, ...peers, notes };
}

/** The report as text: a table per group with one line per figure. */
export function toText({ name, n, figures, baseline, peers = {}, intervals = {}, groups = {}, notes }: Report): string {
  const others = Object.entries(peers);
  const isCompared = Object.keys(intervals).length > 0;
  const rows = Object.keys(figures).map(key => {
    const ours = figures[key]!;
    const theirs = baseline[key];
    const bounds = intervals[key];
    return [
      key,
      number(ours),
      ...(isCompared && bounds !== undefined && theirs !== undefined
        ? [range(bounds.figure), number(theirs), signed(ours - theirs), range(bounds.gain)]
        : []),
      ...others.map(([, peer]) => (peer[key] === undefined ? '' : number(peer[key]))),
    ];
  });
  const head = [
    '',
    'recollect',
    ...(isCompared ? ['95 %', 'baseline', 'gain', '95 %'] : []),
    ...others.map(([peer]) => peer),
  ];
  const groupKeys = [...new Set(Object.values(groups).flatMap(it => Object.keys(it.figures)))];
  const groupRows = Object.entries(groups).map(([group, it]) => [
    group,
    String(it.n),
    ...groupKeys.map(key => {
      const ours = it.figures[key];
      return ours === undefined ? '' : `${number(ours)} (${signed(ours - (it.baseline[key] ?? 0))})`;
    }),
  ]);
  return [
    `${name}, n = ${n}`,
    table([head, ...rows]),
    ...(groupRows.length === 0 ? [] : ['', table([['by group', 'n', ...groupKeys], ...groupRows])]),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map(it => (it[column] ?? '').length)));
  return rows
    .map(row =>
      row.map((it, column) => (column === 0 ? it.padEnd(widths[0]!) : it.padStart(widths[column]!))).join('  '),
    )
    .map(it => it.trimEnd())
    .join('\n');
}

function number(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value < 10 ? 2 : 1);
}

function signed(value: number): string {
  return (value < 0 ? '−' : '+') + number(Math.abs(value));
}

function range([low, high]: Interval): string {
  return `${low.toFixed(1)}…${high.toFixed(1)}`;
}

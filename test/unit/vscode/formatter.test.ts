import assert from 'node:assert/strict';
import { Formatter } from '../../../webview-ui/formatter.js';

describe('a time in the inspector', () => {
  const now = Date.parse('2026-03-02T09:00:00.000Z');
  const rows: readonly (readonly [days: number, text: string])[] = [
    [60, 'in 2 months'],
    [90, 'in 3 months'],
    [59, 'in 2 months'],
    [29.9, 'in 4 weeks'],
    [1, 'in 24 hours'],
    [0.0001, 'this minute'],
    [-0.0001, 'this minute'],
    [-0.5, '12 hours ago'],
    // It may be the day before yesterday.
    [-1.9, '1 day ago'],
    [-13.9, '13 days ago'],
    [-34, '4 weeks ago'],
    [-45, '6 weeks ago'],
    [-63, '2 months ago'],
    [-400, '1 year ago'],
  ];
  for (const [days, text] of rows) {
    it(`is ${text} after ${days} days`, () => {
      const iso = new Date(now + days * 86_400_000).toISOString();
      assert.equal(new Formatter('en').relativeTime(iso, now), text);
    });
  }
});

describe('a size in the inspector', () => {
  it('keeps its number and its unit on one line', () => {
    const formatter = new Formatter('en');
    assert.deepEqual(
      [formatter.bytes(12), formatter.bytes(2_048), formatter.bytes(32_191_283), formatter.duration(12)],
      ['12\u00a0B', '2\u00a0KB', '30.7\u00a0MB', '12\u00a0ms'],
    );
  });
});

describe('the axes of the inspector', () => {
  const formatter = new Formatter('en');

  it('distinguish their values with as many digits as that takes', () => {
    const rows: readonly (readonly [ticks: readonly number[], labels: readonly string[]])[] = [
      [
        [0, 0.01, 0.02],
        ['0.00', '0.01', '0.02'],
      ],
      [
        [0, 0.05, 0.1],
        ['0.00', '0.05', '0.10'],
      ],
      [
        [0, 0.001, 0.002],
        ['0.000', '0.001', '0.002'],
      ],
      [
        [0, 0.1, 0.2, 0.3],
        ['0.0', '0.1', '0.2', '0.3'],
      ],
      [
        [0, 5, 10],
        ['0', '5', '10'],
      ],
      [[0], ['0']],
    ];
    for (const [ticks, labels] of rows) assert.deepEqual(formatter.axisNumbers(ticks), labels);
  });

  it('name times within days, days within a year, and months beyond', () => {
    const ticksOver = (days: number): readonly Date[] =>
      [0, 1, 2, 3].map(it => new Date(Date.UTC(2026, 10, 27, 12) + (it * days * 86_400_000) / 3));
    for (const days of [0.5, 60, 700]) {
      const labels = formatter.axisTimes(ticksOver(days));
      assert.equal(new Set(labels).size, labels.length, labels.join());
    }
    assert.match(formatter.axisTimes(ticksOver(0.5))[0]!, /\d:\d\d/u);
    assert.match(formatter.axisTimes(ticksOver(700))[0]!, /2026/u);
    assert.deepEqual(formatter.axisTimes([]), []);
  });
});

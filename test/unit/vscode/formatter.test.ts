import assert from 'node:assert/strict';
import { Formatter } from '../../../webview-ui/formatter.js';

describe('a time in the inspector', () => {
  const now = Date.parse('2026-03-02T09:00:00.000Z');
  const rows: readonly (readonly [days: number, text: string])[] = [
    [60, 'in 2 months'],
    [90, 'in 3 months'],
    [59, 'in 2 months'],
    [29.9, 'in 30 days'],
    [1, 'tomorrow'],
    [-0.5, '12 hours ago'],
    [-1.9, '2 days ago'],
    [-400, 'last year'],
  ];
  for (const [days, text] of rows) {
    it(`is ${text} after ${days} days`, () => {
      const iso = new Date(now + days * 86_400_000).toISOString();
      assert.equal(new Formatter('en').relativeTime(iso, now), text);
    });
  }
});

import assert from 'node:assert/strict';
import { dayMs } from '../../../src/engine/model/duration.js';
import { activation } from '../../../src/engine/scoring/activation.js';

const round = (it: number): number => Math.round(it * 1e6) / 1e6;
const now = new Date('2026-03-02T09:00:00.000Z');
const ago = (days: number): string => new Date(now.getTime() - days * dayMs).toISOString();

describe('activation', () => {
  const table: readonly (readonly [string, number, number, number, number])[] = [
    ['is 1 for a new memory', 1, 0, 0, 1],
    ['is 5 after five reinforcements', 5, 0, 0, 5],
    ['halves after a day', 1, 1, 0, 0.5],
    ['halves after ten writes', 1, 0, 10, 0.5],
    ['combines days, writes and reinforcements', 4, 9, 10, 0.2],
    ['ignores a creation time in the future', 1, -5, 0, 1],
    ['ignores a sequence ahead of the store', 1, 0, -5, 1],
  ];
  for (const [name, reinforcementCount, days, lag, expected] of table) {
    it(name, () => {
      assert.equal(
        round(activation({ reinforcementCount, createdAt: ago(days), sequence: 100 }, 100 + lag, now)),
        expected,
      );
    });
  }
});

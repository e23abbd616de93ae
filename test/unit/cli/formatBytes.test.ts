import assert from 'node:assert/strict';
import { formatBytes } from '../../../src/operations/describeMaintenance.js';

describe('formatBytes', () => {
  for (const [bytes, expected] of [
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KB'],
    [512 * 1024, '512.0 KB'],
    [1024 ** 2 - 1, '1.0 MB'],
    [2048 * 1024, '2.0 MB'],
    [1024 ** 3, '1.0 GB'],
    [5000 * 1024 ** 3, '5000.0 GB'],
  ] as const)
    it(`writes ${bytes} bytes as ${expected}`, () => {
      assert.equal(formatBytes(bytes), expected);
    });
});

import assert from 'node:assert/strict';
import { fuzz, fuzzTargets, type FuzzTarget } from '../../bench/kit/fuzz.js';

describe('a parser of what others write', () => {
  for (const name of Object.keys(fuzzTargets) as FuzzTarget[])
    it(`takes any text without an error: ${name}`, () => {
      assert.deepEqual(fuzz(name, 2_000, 1), []);
    });
});

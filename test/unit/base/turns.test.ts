import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Turns } from '../../../src/engine/base/turns.js';

describe('work in turns', () => {
  it('sorts as Array.sort does, equal items in the order they were given', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(50), { maxLength: 300 }),
        fc.integer({ min: 1, max: 60 }),
        async (few, times) => {
          const items = Array.from({ length: times }, () => few)
            .flat()
            .map((key, place) => ({ key, place }));
          const compare = (a: { key: number }, b: { key: number }): number => a.key - b.key;
          assert.deepEqual(await new Turns().sorted(items, compare), [...items].sort(compare));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('lets others have their turn while it sorts', async () => {
    const items = Array.from({ length: 200_000 }, (_, i) => (i * 7_919) % 200_003);
    let turns = 0;
    const other = setInterval(() => turns++, 1);
    await new Turns().sorted(items, (a, b) => a - b);
    clearInterval(other);
    assert.ok(turns >= 3, `${turns} turns`);
  });
});

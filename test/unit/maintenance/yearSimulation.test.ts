import assert from 'node:assert/strict';
import { simulateYear } from '../../bench/kit/yearSimulation.js';

/** The short form of `npm run bench -- year`. */
describe('sixty days of use', function () {
  it('keep everything pinned or recalled, within the quotas', async () => {
    const found = await simulateYear(60);
    assert.deepEqual(
      {
        pinnedLost: found.pinnedLost,
        recalledLost: found.recalledLost,
        quotasBroken: found.quotasBroken,
        problems: found.problems,
      },
      { pinnedLost: 0, recalledLost: 0, quotasBroken: 0, problems: [] },
    );
    const sum = (of: 'faded' | 'expired' | 'quota' | 'pruned'): number =>
      found.runs.reduce((all, it) => all + it.counts[of], 0);
    // Every pass must have had work, or the test proves nothing.
    assert.ok(found.pinned >= 6 && found.recalled > 100 && sum('faded') > 100 && sum('pruned') > 10);
  });
});

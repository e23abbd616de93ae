import assert from 'node:assert/strict';
import fc from 'fast-check';
import { reinforce, penalizeContradiction } from '../../../src/engine/scoring/confidence.js';

describe('confidence', () => {
  const scored = (confidence: number, reinforcementCount: number, pinned = false): Parameters<typeof reinforce>[0] => ({
    confidence,
    reinforcementCount,
    pinned,
  });
  const table: readonly (readonly [string, ReturnType<typeof reinforce>, ReturnType<typeof reinforce>])[] = [
    ['rises by five at a reinforcement', reinforce(scored(80, 1)), { confidence: 85, reinforcementCount: 2 }],
    ['rises to at most 100 at a reinforcement', reinforce(scored(98, 4)), { confidence: 100, reinforcementCount: 5 }],
    [
      'is locked by a pin at a reinforcement',
      reinforce(scored(80, 1, true)),
      { confidence: 80, reinforcementCount: 2 },
    ],
    [
      'falls by 20 at a contradiction of certainty 0',
      penalizeContradiction(scored(80, 2), 0),
      { confidence: 60, reinforcementCount: 1 },
    ],
    [
      'falls by 35 at a contradiction of certainty 0.5',
      penalizeContradiction(scored(80, 2), 0.5),
      { confidence: 45, reinforcementCount: 1 },
    ],
    [
      'falls by 50 at a contradiction of certainty 1',
      penalizeContradiction(scored(80, 2), 1),
      { confidence: 30, reinforcementCount: 1 },
    ],
    [
      'treats a certainty above 1 as 1',
      penalizeContradiction(scored(80, 2), 7),
      { confidence: 30, reinforcementCount: 1 },
    ],
    [
      'treats a negative certainty as 0',
      penalizeContradiction(scored(80, 2), -1),
      { confidence: 60, reinforcementCount: 1 },
    ],
    [
      'falls to at least 0 at a contradiction',
      penalizeContradiction(scored(10, 0), 1),
      { confidence: 0, reinforcementCount: 0 },
    ],
    [
      'is locked by a pin at a contradiction',
      penalizeContradiction(scored(80, 2, true), 1),
      { confidence: 80, reinforcementCount: 2 },
    ],
  ];
  for (const [name, found, expected] of table) {
    it(name, () => {
      assert.deepEqual(found, expected);
    });
  }

  it('stays within 0 and 100 after any sequence of changes', () => {
    const step = fc.oneof(fc.constant('reinforce' as const), fc.double({ noNaN: true, min: -5, max: 5 }));
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.boolean(),
        fc.array(step),
        (confidence, pinned, steps) => {
          const end = steps.reduce<Parameters<typeof reinforce>[0]>(
            (it, what) => ({ pinned, ...(what === 'reinforce' ? reinforce(it) : penalizeContradiction(it, what)) }),
            { confidence, reinforcementCount: 1, pinned },
          );
          assert.ok(end.confidence >= 0 && end.confidence <= 100 && end.reinforcementCount >= 0);
          assert.ok(!pinned || end.confidence === confidence);
        },
      ),
    );
  });
});

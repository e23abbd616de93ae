import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BoundedCache } from '../../../src/engine/base/boundedCache.js';

describe('a bounded cache', () => {
  it('gives up what was not used for longest', () => {
    const cache = new BoundedCache<number>(2, 100);
    cache.set('a', 1, 1);
    cache.set('b', 2, 1);
    cache.get('a');
    cache.set('c', 3, 1);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3]);
  });

  it('keeps to its weight, and does not keep what alone is too heavy', () => {
    const cache = new BoundedCache<number>(10, 10);
    cache.set('a', 1, 6);
    cache.set('b', 2, 4);
    cache.set('c', 3, 5);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, 2, 3]);
    cache.set('b', 4, 11);
    assert.deepEqual([cache.get('b'), cache.get('c'), cache.size], [undefined, 3, 1]);
  });

  it('holds the latest value of each key, never more than it may', () => {
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), set: fc.boolean(), weight: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(step), steps => {
        const cache = new BoundedCache<number>(3, 9);
        const latest = new Map<string, { value: number; weight: number }>();
        for (const [value, { key, set, weight }] of steps.entries()) {
          if (set) {
            cache.set(key, value, weight);
            latest.set(key, { value, weight });
          } else {
            const found = cache.get(key);
            assert.ok(found === undefined || found === latest.get(key)?.value);
          }
          const held = [...latest.keys()].filter(it => cache.get(it) !== undefined);
          assert.ok(held.length === cache.size && held.length <= 3);
          assert.ok(held.reduce((sum, it) => sum + latest.get(it)!.weight, 0) <= 9);
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { int8Scale, toInt8Vector } from '../../../../src/engine/base/int8Vector.js';
import { seeded } from '../../../bench/kit/random.js';
import { VectorIndex } from '../../../../src/engine/search/index/vectorIndex.js';

const component = fc.integer({ min: -int8Scale, max: int8Scale });

describe('VectorIndex', () => {
  it('returns exact dot products and sign distances after any sequence of changes and scans', () => {
    const step = fc.record({
      position: fc.nat(600),
      scan: fc.boolean(),
      vector: fc.option(fc.array(component, { minLength: 140, maxLength: 140 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.constantFrom(4, 16, 20, 140),
        fc.array(component, { minLength: 140, maxLength: 140 }),
        (steps, dimensions, components) => {
          const table = new VectorIndex(dimensions);
          const known = new Map<number, readonly number[]>();
          const query = Int8Array.from(components.slice(0, dimensions));
          const check = (): void => {
            const found = table.scan(query).slice();
            for (const [position, cosine] of found.entries()) {
              const vector = known.get(position) ?? [];
              const dot = vector.reduce((sum, it, i) => sum + it * query[i]!, 0);
              assert.ok(Math.abs(cosine - dot / int8Scale ** 2) < 1e-5, `${cosine} at ${position}`);
            }
            const few = [...found.keys()].filter(it => it % 3 === 0).reverse();
            assert.deepEqual(
              table.cosines(query, few),
              Float32Array.from(few, it => found[it]!),
            );
            const hammingDistance = (position: number): number =>
              query.filter((it, i) => it < 0 !== (known.get(position)?.[i] ?? 0) < 0).length;
            // The mean Hamming distance and three standard deviations.
            const maxDistance = dimensions / 2 + (3 * Math.sqrt(dimensions)) / 2;
            assert.deepEqual(
              [...table.prefilterBySignBits(query, 0)],
              [...found.keys()].filter(it => hammingDistance(it) <= maxDistance),
            );
          };
          for (const { position, vector, scan } of steps) {
            table.reserve(position + 1);
            const cut = vector?.slice(0, dimensions);
            table.set(position, cut && Int8Array.from(cut));
            if (cut === undefined) known.delete(position);
            else known.set(position, cut);
            if (scan) check();
          }
          check();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('returns cosines within 0.01 of those of the float vectors', () => {
    const unit = (seed: number): Float32Array => {
      const raw = Float32Array.from({ length: 384 }, (_, i) => Math.sin(seed * 7919 + i * 104729));
      const length = Math.hypot(...raw);
      return raw.map(it => it / length);
    };
    const table = new VectorIndex(384);
    table.reserve(50);
    for (let i = 0; i < 50; i++) table.set(i, toInt8Vector(unit(i)));
    for (const [i, cosine] of table.scan(toInt8Vector(unit(3))).entries()) {
      const exact = unit(i).reduce((sum, it, d) => sum + it * unit(3)[d]!, 0);
      assert.ok(Math.abs(cosine - exact) < 0.01, `${cosine} for ${exact}`);
    }
  });

  it('prefilters by sign bits to all similar vectors and few others', () => {
    const { query, at } = randomQuery(seeded(5));
    const table = new VectorIndex(384);
    table.reserve(600);
    for (let i = 0; i < 300; i++) table.set(i, at(0.65));
    for (let i = 300; i < 600; i++) table.set(i, at(0.2));
    const found = [...table.prefilterBySignBits(query, 0.6)];
    assert.deepEqual(
      found.filter(it => it < 300),
      Array.from({ length: 300 }, (_, i) => i),
    );
    assert.ok(found.length < 310, `${found.length}`);
  });
});

/** A random query, and a function that makes vectors of a given cosine with it. */
function randomQuery(random: () => number): { readonly query: Int8Array; readonly at: (cosine: number) => Int8Array } {
  const direction = (): number[] => {
    const raw = Array.from(
      { length: 384 },
      () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
    );
    const length = Math.hypot(...raw);
    return raw.map(it => it / length);
  };
  const query = direction();
  const at = (cosine: number): Int8Array => {
    const other = direction();
    const along = other.reduce((sum, it, i) => sum + it * query[i]!, 0);
    const aside = other.map((it, i) => it - along * query[i]!);
    const length = Math.hypot(...aside);
    const sine = Math.sqrt(1 - cosine ** 2);
    return toInt8Vector(Float32Array.from(query, (it, i) => cosine * it + (sine * aside[i]!) / length));
  };
  return { query: toInt8Vector(Float32Array.from(query)), at };
}

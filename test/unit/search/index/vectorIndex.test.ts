import assert from 'node:assert/strict';
import fc from 'fast-check';
import { int8Scale, toInt8Vector } from '../../../../src/engine/base/int8Vector.js';
import { seeded } from '../../../bench/kit/random.js';
import { VectorIndex } from '../../../../src/engine/search/index/vectorIndex.js';

const component = fc.integer({ min: -int8Scale, max: int8Scale });

describe('the table of vectors', () => {
  it('scans to plain dot products and signs, whatever is set, changed or taken away between scans', () => {
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
        (steps, dimensions, asked) => {
          const table = new VectorIndex(dimensions);
          const known = new Map<number, readonly number[]>();
          const query = Int8Array.from(asked.slice(0, dimensions));
          const look = (): void => {
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
            const differing = (position: number): number =>
              query.filter((it, i) => it < 0 !== (known.get(position)?.[i] ?? 0) < 0).length;
            // Half of the signs on average, and three times their deviation.
            const most = dimensions / 2 + (3 * Math.sqrt(dimensions)) / 2;
            assert.deepEqual(
              [...table.prefilterBySignBits(query, 0)],
              [...found.keys()].filter(it => differing(it) <= most),
            );
            // Every fifth is not wanted; what the others have differs by up to 0.8.
            const scores = Float32Array.from(found, (_, i) => (i % 5 === 0 ? -Infinity : (i % 9) / 10));
            const told = [...scores.keys()].map(it => scores[it]! + Math.cos((Math.PI * differing(it)) / dimensions));
            const wanted = [...scores.keys()].filter(it => scores[it] !== -Infinity);
            // The tenth best, or none where there are not so many from 0 on.
            const bar = told.filter(it => it >= 0).sort((a, b) => b - a)[9] ?? -Infinity;
            const margin = (1.5 * Math.PI) / 2 / Math.sqrt(dimensions);
            const { positions, cosines } = table.topKBySignEstimate(query, scores, 10);
            const list = [...positions];
            assert.deepEqual(
              list,
              [...list].sort((a, b) => a - b),
            );
            assert.deepEqual(
              cosines,
              Float32Array.from(list, it => found[it]!),
            );
            for (const it of wanted) {
              if (told[it]! > bar - margin + 0.001) assert.ok(list.includes(it), `${it} is missing`);
            }
            for (const it of list) assert.ok(told[it]! > bar - margin - 1 / 64 - 0.001, `${it} is too far`);
          };
          for (const { position, vector, scan } of steps) {
            table.reserve(position + 1);
            const cut = vector?.slice(0, dimensions);
            table.set(position, cut && Int8Array.from(cut));
            if (cut === undefined) known.delete(position);
            else known.set(position, cut);
            if (scan) look();
          }
          look();
        },
      ),
      { numRuns: 60 },
    );
  });

  it('measures cosines to within a hundredth of what the floats say', () => {
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

  it('finds all that are alike by their signs, and few that are not', () => {
    const { query, at } = around(seeded(5));
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

  it('finds the best by score and cosine together, and compares few of the rest', () => {
    const random = seeded(6);
    const { query, at } = around(random);
    const table = new VectorIndex(384);
    const size = 4_000;
    table.reserve(size);
    const cosines = Float32Array.from({ length: size }, () => Math.min(0.9, 0.35 * random() + 0.35 * random() ** 8));
    for (const [i, it] of cosines.entries()) table.set(i, at(it));
    const scores = Float32Array.from({ length: size }, () => (random() < 0.2 ? 0.5 * random() : 0));
    const sums = cosines.map((it, i) => it + scores[i]!);
    const best = [...sums.keys()].sort((a, b) => sums[b]! - sums[a]!).slice(0, 20);
    const { positions } = table.topKBySignEstimate(query, scores, 100);
    assert.deepEqual(
      best.filter(it => !positions.includes(it)),
      [],
    );
    assert.ok(positions.length < size / 4, `${positions.length}`);
  });
});

/** A direction at random, and vectors at a cosine with it. */
function around(random: () => number): { readonly query: Int8Array; readonly at: (cosine: number) => Int8Array } {
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

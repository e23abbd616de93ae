import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NumericArray, IndexReader } from '../../../../src/engine/search/index/typedArrays.js';
import { TopicIndex } from '../../../../src/engine/search/index/topicIndex.js';

const key = fc.integer({ min: 0, max: 40 }).map(it => `key ${it}`);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ add: fc.uniqueArray(key, { maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.array(fc.nat(300), { maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.constant({ serialize: true }) },
  // Enough entries to trigger a merge.
  { weight: 1, arbitrary: fc.record({ addMany: fc.integer({ min: 300, max: 2_000 }) }) },
);

describe('TopicIndex', () => {
  it('finds positions by key, the last added first, across removals and serialization', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (steps, limit) => {
        let topics = new TopicIndex();
        let known: { readonly key: string; readonly position: number }[] = [];
        let next = 0;
        const add = (keys: readonly string[]): void => {
          topics.add(keys, next);
          known.push(...keys.map(key => ({ key, position: next })));
          next++;
        };
        for (const it of steps) {
          if ('add' in it) add(it.add);
          else if ('addMany' in it) for (let i = 0; i < it.addMany; i++) add([`key ${i % 60}`]);
          else if ('remove' in it) {
            topics.removePositions(new Set(it.remove));
            known = known.filter(({ position }) => !it.remove.includes(position));
          } else topics = roundTrip(topics);
        }
        const isWanted = (position: number): boolean => position % 3 !== 0;
        for (let i = 0; i <= 60; i++) {
          const expected = known.filter(it => it.key === `key ${i}` && isWanted(it.position)).map(it => it.position);
          assert.deepEqual(topics.find(`key ${i}`, limit, isWanted), expected.reverse().slice(0, limit));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('serializes nothing of removed positions', () => {
    const topics = new TopicIndex();
    topics.add(['port', 'gateway'], 7);
    topics.add(['port'], 8);
    topics.removePositions(new Set([7]));
    const { keyHashes, keyPositions } = topics.serialize();
    assert.deepEqual([keyHashes!.length, [...keyPositions!]], [1, [8]]);
  });

  it('scans a limited number of entries that share a key', () => {
    for (const isSerialized of [false, true]) {
      let topics = new TopicIndex();
      for (let position = 0; position < 900; position++) topics.add(['port'], position);
      for (let position = 900; position < 5_000; position++) topics.add(['port'], position);
      if (isSerialized) topics = roundTrip(topics);
      assert.deepEqual(
        topics.find('port', 12, it => it < 900),
        [],
      );
    }
  });
});

/** Serializes an index and restores it. */
function roundTrip(topics: TopicIndex): TopicIndex {
  const arrays: Readonly<Record<string, NumericArray>> = topics.serialize();
  const copies = new Map(Object.entries(arrays).map(([name, it]) => [name, it.slice()]));
  const reader: IndexReader = {
    names: {},
    bytes: name => copies.get(name)!.byteLength,
    read: (name, into) => {
      into.set(copies.get(name)!);
    },
  };
  const restored = new TopicIndex();
  restored.restore(reader);
  return restored;
}

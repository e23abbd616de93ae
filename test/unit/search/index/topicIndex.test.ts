import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { NumericArray, IndexReader } from '../../../../src/engine/search/index/typedArrays.js';
import { TopicIndex } from '../../../../src/engine/search/index/topicIndex.js';

const key = fc.integer({ min: 0, max: 40 }).map(it => `key ${it}`);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ add: fc.uniqueArray(key, { maxLength: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.array(fc.nat(300), { maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.constant({ pack: true }) },
  // So many that what was added is sorted in by itself.
  { weight: 1, arbitrary: fc.record({ addMany: fc.integer({ min: 300, max: 2_000 }) }) },
);

describe('what memories speak of', () => {
  it('is found by key, the last added first, whatever was dropped, packed and read again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (steps, atMost) => {
        let subjects = new TopicIndex();
        let known: { readonly key: string; readonly position: number }[] = [];
        let next = 0;
        const add = (keys: readonly string[]): void => {
          subjects.add(keys, next);
          known.push(...keys.map(key => ({ key, position: next })));
          next++;
        };
        for (const it of steps) {
          if ('add' in it) add(it.add);
          else if ('addMany' in it) for (let i = 0; i < it.addMany; i++) add([`key ${i % 60}`]);
          else if ('drop' in it) {
            subjects.removePositions(new Set(it.drop));
            known = known.filter(({ position }) => !it.drop.includes(position));
          } else subjects = again(subjects);
        }
        const isWanted = (position: number): boolean => position % 3 !== 0;
        for (let i = 0; i <= 60; i++) {
          const its = known.filter(it => it.key === `key ${i}` && isWanted(it.position)).map(it => it.position);
          assert.deepEqual(subjects.find(`key ${i}`, atMost, isWanted), its.reverse().slice(0, atMost));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('leaves nothing of what is dropped in what is packed', () => {
    const subjects = new TopicIndex();
    subjects.add(['port', 'gateway'], 7);
    subjects.add(['port'], 8);
    subjects.removePositions(new Set([7]));
    const { keyHashes, keyPositions } = subjects.serialize();
    assert.deepEqual([keyHashes!.length, [...keyPositions!]], [1, [8]]);
  });

  it('looks at no more than some thousand that share a key', () => {
    for (const isPacked of [false, true]) {
      let subjects = new TopicIndex();
      for (let position = 0; position < 900; position++) subjects.add(['port'], position);
      for (let position = 900; position < 5_000; position++) subjects.add(['port'], position);
      if (isPacked) subjects = again(subjects);
      assert.deepEqual(
        subjects.find('port', 12, it => it < 900),
        [],
      );
    }
  });
});

/** Packed, and read from that. */
function again(subjects: TopicIndex): TopicIndex {
  const packed: Readonly<Record<string, NumericArray>> = subjects.serialize();
  const copies = new Map(Object.entries(packed).map(([name, it]) => [name, it.slice()]));
  const from: IndexReader = {
    names: {},
    bytes: name => copies.get(name)!.byteLength,
    read: (name, into) => {
      into.set(copies.get(name)!);
    },
  };
  const read = new TopicIndex();
  read.restore(from);
  return read;
}

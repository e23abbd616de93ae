import assert from 'node:assert/strict';
import { Shelf } from '../../../src/engine/base/shelf.js';

describe('a shelf', () => {
  const texts = ['short', 'Zwölf Boxkämpfer — 北京 🚢', 'x'.repeat(40_000)];

  it('gives back what was put there, before and after it is written down', () => {
    const shelf = new Shelf<{ readonly text: string }>(JSON.stringify);
    const values = texts.map(text => ({ text }));
    const shelved = values.map(it => shelf.put(it));
    assert.deepEqual(
      shelved.map(it => it.value),
      values,
    );
    shelf.writeDown();
    for (const [i, it] of shelved.entries()) {
      assert.equal(it.value, undefined);
      assert.deepEqual(JSON.parse(it.text), values[i]);
    }
  });

  it('writes down a few at a time, the first ones first', () => {
    const shelf = new Shelf<number[]>(JSON.stringify);
    const shelved = [1, 2, 3, 4, 5].map(it => shelf.put([it]));
    shelf.writeDown();
    assert.deepEqual(
      shelved.map(it => it.value),
      [undefined, undefined, undefined, undefined, [5]],
    );
  });

  it('does not hold on to what was taken away before it was written down', () => {
    const shelf = new Shelf<number[]>(JSON.stringify);
    for (let i = 0; i < 100; i++) shelf.put([i]).takeAway();
    const last = shelf.put([100]);
    shelf.writeDown();
    assert.deepEqual([last.value, last.text], [undefined, '[100]']);
  });

  it('uses the place of what was taken away again, and mixes nothing up', () => {
    const shelf = new Shelf<{ readonly text: string }>(JSON.stringify);
    const first = shelf.put({ text: 'a long one '.repeat(100) });
    const stays = shelf.put({ text: 'stays' });
    shelf.writeDown();
    first.takeAway();
    const second = shelf.put({ text: 'next' });
    const notWritten = shelf.put({ text: 'never written down' });
    notWritten.takeAway();
    shelf.writeDown();
    assert.deepEqual(
      [first, stays, second, notWritten].map(it => it.text),
      ['', '{"text":"stays"}', '{"text":"next"}', ''],
    );
  });
});

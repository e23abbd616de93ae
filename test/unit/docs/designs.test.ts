import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const states = ['works', 'partly', 'different', 'missing', 'out of scope'];

/** The cells of each feature in docs/designs, a page a design: feature, state, where, test. */
const rows = readdirSync('docs/designs')
  .flatMap(it => readFileSync(path.join('docs/designs', it), 'utf8').split('\n'))
  .filter(it => it.startsWith('|'))
  .map(it =>
    it
      .slice(1, -1)
      .split('|')
      .map(cell => cell.trim()),
  )
  .filter(it => it.length === 4 && it[0] !== 'Feature' && !/^-+$/u.test(it[0]!));

describe('the tables of the source designs', () => {
  it('name sources and tests that exist', () => {
    const missing = rows.flatMap(([, , source, test]) =>
      [
        source === '–' ? undefined : ['src', '.'].map(it => path.join(it, source!.slice(1, -1))),
        test === '–' ? undefined : [`test/${test!.slice(1, -1)}.test.ts`],
      ]
        .filter(it => it !== undefined)
        .filter(it => !it.some(file => existsSync(path.resolve(file))))
        .flat(),
    );
    assert.deepEqual(missing, []);
    assert.ok(rows.length > 100);
  });

  it('give each feature a state, with a test where it works, and with a reason where it does not', () => {
    const incomplete = rows.filter(([, cell, , test]) => {
      const state = states.find(it => cell === it || cell!.startsWith(`${it}. `));
      return state === undefined || (state === 'works' ? test === '–' : state !== 'missing' && cell === state);
    });
    assert.deepEqual(incomplete, []);
  });
});

import assert from 'node:assert/strict';
import { compare, readStatement, type Relation } from '../../../src/engine/compare/compare.js';

const table: readonly (readonly [older: string, newer: string, relation: Relation, reason: string])[] = [
  [
    "always start variable names with 'n_'",
    "always start variable names with 'm_'",
    'conflicting',
    "'n_' and now 'm_'",
  ],
  ["always start variable names with 'n_'", "always start function names with 'm_'", 'unrelated', ''],
  ['I use two spaces.', 'i use two spaces', 'same', ''],
];

describe('compare', () => {
  for (const [older, newer, relation, reason] of table) {
    it(`${older} | ${newer} → ${relation}`, () => {
      const verdict = compare(readStatement(older), readStatement(newer));
      assert.equal(verdict.relation, relation);
      assert.ok(verdict.reason.includes(reason), verdict.reason);
    });
  }
});

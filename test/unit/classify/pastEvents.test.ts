import assert from 'node:assert/strict';
import { classify } from '../../../src/engine/classify/classify.js';

const now = new Date('2026-11-25T12:00:00Z');

function isPlan(statement: string, expected: boolean): void {
  it(`${expected ? 'is a plan' : 'is no plan'}: ${statement}`, () => {
    const { gate, dueAt } = classify(statement, now);
    assert.deepEqual([gate === 'promissory', dueAt !== undefined], [expected, expected]);
  });
}

describe('what happened at a time', () => {
  isPlan('The cache limit was raised to 40 in October.', false);
  isPlan('We closed the Bergen depot in June.', false);
  isPlan('The mail gateway was renamed in March 2025.', false);
  isPlan('They switched the printer firmware in December.', false);
  isPlan('Our vendor stopped support in February.', false);
  isPlan('We ran the first trial in May.', false);
  isPlan('Release 4.2 came out in March.', false);
});

describe('what is to happen at a time', () => {
  isPlan('We agreed to ship the map by May.', true);
  isPlan('We need to replace the certificate in March.', true);
  isPlan('Migrate the queue by March.', true);
  isPlan('The crane was ordered and will arrive in February.', true);
});

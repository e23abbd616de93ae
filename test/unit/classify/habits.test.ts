import assert from 'node:assert/strict';
import { classify } from '../../../src/engine/classify/classify.js';

const now = new Date('2026-11-25T09:00:00.000Z');
const isPlan = (statement: string): boolean => classify(statement, now).gate === 'promissory';

describe('when things of a kind happen', () => {
  for (const statement of [
    'Harbour fees are paid within ten days.',
    'Ingrid replies within two days.',
    'A lost buoy is replaced within a week.',
    'Mooring permits expire in May.',
    'Our pilots renew their papers in October.',
    'The sailing season starts in April.',
    'The crane check takes ten minutes.',
    'In March we moved the depot.',
    'The old crane goes away in June.',
    'The new pier opens in March.',
  ]) {
    it(`is no plan: ${statement}`, () => {
      assert.deepEqual([isPlan(statement), classify(statement, now).dueAt], [false, undefined]);
    });
  }

  for (const statement of [
    'Repaint the buoy within two weeks.',
    'We will answer the pilots within two days.',
    'The old crane goes away on 30 June 2027.',
    'Mooring permits of 2025 are due in May.',
    'The new pier opens on 1 March 2027.',
  ]) {
    it(`is a plan: ${statement}`, () => {
      assert.deepEqual([isPlan(statement), classify(statement, now).dueAt !== undefined], [true, true]);
    });
  }
});

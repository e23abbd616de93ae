import assert from 'node:assert/strict';
import { standingGrade } from '../../../src/engine/classify/standing.js';

/** Notes that a classifier of gates takes for facts. */
const gradeOf = (content: string): string =>
  standingGrade({ content, store: 'project', gate: 'epistemic', kind: 'context', lane: 'note' });

describe('a note of the project that was taken for a fact', () => {
  it('is perhaps a rule where it is worded as one: a duty, a ban, a need of each, a form', () => {
    const rules = [
      'A change of the wire format has to keep field numbers.',
      'Generated stubs are never edited by hand.',
      'The clock is injected; no Date.now anywhere else.',
      'Each new screen needs an entry in the sitemap.',
      'Branches are named after the ticket.',
      'Release notes are in the form of one line a change.',
    ];
    assert.deepEqual(
      rules.filter(it => gradeOf(it) !== 'perhaps'),
      [],
    );
  });

  it('is none where it only says what is', () => {
    const facts = [
      'The gateway listens on port 9443.',
      'Inês owns the billing service.',
      'We dropped the queue because it lost messages.',
      'The cache is not shared between the two hosts.',
    ];
    assert.deepEqual(
      facts.filter(it => gradeOf(it) !== 'none'),
      [],
    );
  });
});

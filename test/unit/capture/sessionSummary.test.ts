import assert from 'node:assert/strict';
import type { SessionLine } from '../../../src/engine/capture/sources/sessionLine.js';
import { summarizeSession, reduceLine } from '../../../src/engine/capture/sessionSummary.js';

describe('the summary of a session', () => {
  const line = (kind: 'person' | 'outcome', text: string): SessionLine => ({ kind, text }) as SessionLine;
  const story = (...outcomes: string[]): string | undefined =>
    summarizeSession(
      [line('person', 'Paint the pier blue.'), ...outcomes.map(it => line('outcome', it))].reduce(reduceLine, {}),
      [],
    );

  it('has the first request and the last outcome', () => {
    assert.equal(
      story('I look for paint.', 'The pier is blue now.'),
      'Session. Asked: Paint the pier blue. Outcome: The pier is blue now.',
    );
  });

  it('takes no sentence that only announces another one as the outcome', () => {
    assert.equal(story('The tool said:'), 'Session. Asked: Paint the pier blue.');
    assert.equal(
      story('The pier is blue now.', 'The harbour book says this:'),
      'Session. Asked: Paint the pier blue. Outcome: The pier is blue now.',
    );
  });
});

import assert from 'node:assert/strict';
import { extractFacts } from '../../../src/engine/capture/extractFacts.js';
import { addSigns, isWorthAsking } from '../../../src/engine/capture/sessionAsk.js';
import type { SessionSigns } from '../../../src/engine/capture/captureCursor.js';

function isAsked(...turns: readonly string[]): boolean {
  let signs: SessionSigns | undefined;
  for (const it of turns) signs = addSigns(signs, extractFacts(it));
  return isWorthAsking(signs!);
}

describe('a session that an assistant is asked about', () => {
  it('holds one sentence that lays something down, in any of these forms', () => {
    const laidDown = [
      'From now on, write commit messages in the imperative mood.',
      'no, never `moor link` the second pier. it breaks the first one',
      'and yes, moor the boats yourself, always',
      'you should not be editing charts in the main harbour',
      'the state of the pier must be updated with the crane, not by editing the chart',
      'toute la carte doit rester dans le même cadre, pas de cadre séparé',
      "I'll run the migrations myself.",
    ];
    assert.deepEqual(
      laidDown.filter(it => !isAsked('Paint the pier, please.', it)),
      [],
    );
  });

  it('holds more than tasks, questions, reports and corrections of the moment', () => {
    const moment = [
      'Remember to test the crane thoroughly.',
      "no, that's not right. you painted a second pier.",
      'how can i use #102030 instead of rgba(1, 2, 3, 1)',
      'Then, remember our feedback on its charts to draw the next chart better.',
      'Add a tide table to the board, and run the tests.',
    ];
    assert.deepEqual(
      moment.filter(it => isAsked(it)),
      [],
    );
    assert.equal(isAsked(...moment), false);
  });
});

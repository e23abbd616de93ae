import assert from 'node:assert/strict';
import { storeMemory, TestHost } from '../../support/fixtures.js';

const notes = [
  'Harbour lights are checked by the night shift.',
  'The crane of berth four lifts twelve tonnes.',
  'The tide gauge reports to the lock keeper.',
  'Pilots radio on channel nine.',
  'The night shift ends when the lock opens.',
  'Berth four is dredged by the crane barge.',
  'The keeper of the lock logs every tide.',
  'Channel nine is recorded for a year.',
  'Night pilots board at the outer buoy.',
  'The buoy light runs from the tide mill.',
];

describe('memories that came over one connection', () => {
  it('are ranked as the same memories that came over many', async () => {
    const rankings = await Promise.all(
      [() => 'one', (i: number) => `connection ${i}`].map(async sessionOf => {
        const engine = await new TestHost().open();
        for (const [i, it] of notes.entries()) await storeMemory(engine, it, { session: sessionOf(i) });
        const { trace } = await engine.recall({ query: 'Who checks the lights at night?', isUntracked: true });
        const { hits } = await engine.recall({ query: 'Who checks the lights at night?', withoutCut: true });
        return { features: trace.candidates.map(it => it.factors.features), texts: hits.map(it => it.memory.content) };
      }),
    );
    assert.deepEqual(rankings[0], rankings[1]);
    assert.equal(rankings[0]!.texts[0], notes[0]);
  });
});

import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { storeMemory } from '../../support/fixtures.js';
import { encoderHost, waitForEncoder } from '../../support/encoderHost.js';

const onCall = 'Tobias is on call for the ordering API on weekends.';
const owner = 'Marit owns the driver app.';
const others = [
  'The mobile build needs Xcode 16.4.',
  'The mill in Thun delivers flour on Thursdays.',
  'Route planning uses GraphHopper.',
  'Invoices leave on the last day of a month.',
];

describe('a question with a few words of the caller besides', () => {
  waitForEncoder();
  let engine: MemoryEngine;

  beforeEach(async () => {
    engine = await encoderHost().open();
    for (const it of [onCall, owner, ...others]) await storeMemory(engine, it);
  });

  const first = async (query: string, more: Partial<RecallInput> = {}): Promise<string | undefined> =>
    (await engine.recall({ query, isUntracked: true, ...more })).hits[0]?.memory.content;

  it('finds what the question alone finds, though no memory has those words', async () => {
    const query = 'who is on call for the ordering API';
    for (const more of [{}, { keywords: ['pager'] }, { keywords: ['Fatima', 'Sabine', 'Jonas'] }])
      assert.equal(await first(query, more), onCall, JSON.stringify(more));
    const asOther = { alternatives: ['owner of the application for drivers'] };
    assert.equal(await first('who owns the driver app?', asOther), owner);
  });

  it('finds what an alternative or a keyword alone finds', async () => {
    assert.equal(await first('phone build', { alternatives: ['Which Xcode does the mobile build need?'] }), others[0]);
    assert.equal(await first('bread ingredients', { keywords: ['flour'] }), others[1]);
  });
});

import assert from 'node:assert/strict';
import { Ledger, type ListedMemory, type StoreView } from '../../bench/kit/soakLedger.js';

const north: StoreView = { project: 'north', set: 'red', scope: 'project-then-global' };

describe('the ledger of the soak', () => {
  let ledger: Ledger;
  const kept = (realm: string, at: number): ListedMemory => {
    const { code, content } = ledger.make(realm);
    ledger.acknowledge({ code, realm, content, id: code, at });
    return { content, status: 'active', pinned: false };
  };
  const counted = (): Partial<Record<string, number>> =>
    Object.fromEntries(Object.entries(ledger.counts).filter(([, count]) => count > 0));
  beforeEach(() => {
    ledger = new Ledger(1);
  });

  it('is content with what was acknowledged, and with what was acknowledged since', () => {
    const shown = [kept('northred', 1), kept('globalred', 2), kept('southred', 3)].slice(0, 2);
    kept('northred', 10);
    ledger.checkAll(shown, north, 5);
    ledger.checkAnswer(shown, north, 5);
    assert.deepEqual(counted(), {});
  });

  it('sees a lost memory, a changed text, a lost pin, a lost forgetting and a change without a cause', () => {
    const shown = Array.from({ length: 5 }, () => kept('northred', 1));
    ledger.entries[2]!.pinned = { at: 2 };
    ledger.entries[3]!.forgotten = { at: 2 };
    const changed = { ...shown[1]!, content: shown[1]!.content.replace('holds', 'holds not') };
    ledger.checkAll([changed, shown[2]!, shown[3]!, { ...shown[4]!, status: 'archived' }], north, 5);
    assert.deepEqual(counted(), { lost: 5 });
  });

  it('knows nothing of a change that its process was killed in, or that came after the question', () => {
    const [one, other] = [kept('northred', 1), kept('northred', 1)];
    ledger.entries[0]!.forgotten = 'unknown';
    ledger.entries[1]!.forgotten = { at: 6 };
    ledger.checkAll([{ ...one, status: 'archived' }, other], north, 5);
    ledger.checkAnswer([one, other], north, 5);
    assert.deepEqual(counted(), {});
  });

  it('sees an answer that mixes projects or sets, holds what was forgotten, or misses what was asked for', () => {
    const foreign = [kept('southred', 1), kept('north', 1), kept('global', 1)];
    ledger.checkAnswer(foreign, north, 5);
    const forgotten = kept('northred', 1);
    ledger.entries.at(-1)!.forgotten = { at: 2 };
    ledger.checkAnswer([forgotten], north, 5);
    assert.equal(ledger.checkFound(ledger.entries[0]!, [], 'test'), false);
    assert.equal(ledger.checkFound(ledger.entries[0]!, [foreign[0]!], 'test'), true);
    assert.deepEqual([counted(), ledger.asked, ledger.answered], [{ mixed: 3, stale: 1, missed: 1 }, 2, 1]);
  });
});

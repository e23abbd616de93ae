import assert from 'node:assert/strict';
import { storeMemory, TestHost } from '../../support/fixtures.js';

const query = 'who keeps the lighthouse';

describe('a recall that is cancelled', () => {
  it('rejects at once while it waits, and leaves neither trace nor use nor answer', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The lighthouse keeper is called Solveig.');
    const fresh = await new TestHost({ project: true }).open();
    for (const it of [engine, fresh]) {
      let isAnswered = false;
      const earlier = it
        .recall({ query: 'what is the ferry called', isUntracked: true })
        .then(() => (isAnswered = true));
      const controller = new AbortController();
      const waiting = it.recall({ query }, controller.signal);
      controller.abort();
      await assert.rejects(waiting, { code: 'aborted' });
      assert.ok(!isAnswered, 'it did not wait for the search that was asked for before it');
      await earlier;
    }
    await assert.rejects(engine.context({ query }, AbortSignal.abort()), { code: 'aborted' });
    // What those three were at by then is over when this one is answered.
    const { trace } = await engine.recall({ query }, new AbortController().signal);
    assert.equal(trace.cache, 'miss');
    assert.deepEqual(
      (await engine.traces()).map(it => it.id),
      [trace.id],
    );
    assert.equal((await engine.get(id)).accessCount, 1);
  });

  it('keeps an engine from closing under it', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The lighthouse keeper is called Solveig.');
    const controller = new AbortController();
    const waiting = engine.recall({ query }, controller.signal);
    controller.abort();
    await assert.rejects(waiting, { code: 'aborted' });
    await engine.close();
    assert.deepEqual(host.logLines, []);
  });
});

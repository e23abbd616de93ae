import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';

/** Fake engines that log when they are opened and closed. */
function fakeEngines(): { readonly log: string[]; readonly open: () => Promise<MemoryEngine>; fail: boolean } {
  const log: string[] = [];
  let count = 0;
  const engines = {
    log,
    fail: false,
    open: () => {
      const name = ++count;
      log.push(`open ${name}`);
      if (engines.fail) return Promise.reject(new EngineError('storeBusy', 'Busy.'));
      return Promise.resolve({
        onDidChange: () => ({ dispose: () => undefined }),
        close: () => {
          log.push(`close ${name}`);
          return Promise.resolve();
        },
      } as unknown as MemoryEngine);
    },
  };
  return engines;
}

describe('EngineHolder', () => {
  it('opens one engine, on the first call', async () => {
    const { log, open } = fakeEngines();
    const holder = new EngineHolder(open);
    assert.deepEqual(log, []);
    const [first, second] = await Promise.all([holder.engine(), holder.engine()]);
    assert.equal(first, second);
    assert.deepEqual(log, ['open 1']);
  });

  it('retries after a failure on engine(), but not on engineIfAvailable()', async () => {
    const engines = fakeEngines();
    const holder = new EngineHolder(engines.open);
    engines.fail = true;
    await assert.rejects(holder.engine(), { code: 'storeBusy' });
    assert.equal(holder.state.kind, 'failed');
    assert.equal(await holder.engineIfAvailable(), undefined);
    assert.deepEqual(engines.log, ['open 1']);
    engines.fail = false;
    await holder.engine();
    assert.equal(holder.state.kind, 'open');
    assert.deepEqual(engines.log, ['open 1', 'open 2']);
  });

  it('closes the old engine before it opens one for other folders', async () => {
    const { log, open } = fakeEngines();
    const holder = new EngineHolder(open);
    await holder.reopen();
    assert.deepEqual(log, [], 'an engine that was never opened is not reopened');
    await holder.engine();
    await holder.reopen();
    assert.deepEqual(log, ['open 1', 'close 1', 'open 2']);
  });

  it('closes an engine that is still opening, and rejects later calls', async () => {
    const { log, open } = fakeEngines();
    const holder = new EngineHolder(open);
    const opening = holder.engine();
    await holder.close();
    await opening;
    assert.deepEqual(log, ['open 1', 'close 1']);
    await assert.rejects(holder.engine(), { code: 'closed' });
    assert.equal(await holder.engineIfAvailable(), undefined);
  });

  it('fires its state changes, and a change of memories after each opening', async () => {
    const holder = new EngineHolder(fakeEngines().open);
    const seen: string[] = [];
    holder.onDidChangeState(it => seen.push(it.kind));
    holder.onDidChangeMemories(() => seen.push('memories'));
    await holder.engine();
    await holder.reopen();
    assert.deepEqual(seen, ['open', 'memories', 'closed', 'open', 'memories']);
  });
});

import assert from 'node:assert/strict';
import { EngineError } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { EngineHolder } from '../../../src/vscode/engineHolder.js';

/** Engines that only say when they are opened and closed; what they remember is not asked here. */
function fakes(): { readonly log: string[]; readonly open: () => Promise<MemoryEngine>; fail: boolean } {
  const log: string[] = [];
  let count = 0;
  const made = {
    log,
    fail: false,
    open: () => {
      const name = ++count;
      log.push(`open ${name}`);
      if (made.fail) return Promise.reject(new EngineError('storeBusy', 'Busy.'));
      return Promise.resolve({
        onDidChange: () => ({ dispose: () => undefined }),
        close: () => {
          log.push(`close ${name}`);
          return Promise.resolve();
        },
      } as unknown as MemoryEngine);
    },
  };
  return made;
}

describe('the session', () => {
  it('opens one engine, at the first need', async () => {
    const { log, open } = fakes();
    const session = new EngineHolder(open);
    assert.deepEqual(log, []);
    const [one, other] = await Promise.all([session.engine(), session.engine()]);
    assert.equal(one, other);
    assert.deepEqual(log, ['open 1']);
  });

  it('tries again after a failure, but not for decorations', async () => {
    const made = fakes();
    const session = new EngineHolder(made.open);
    made.fail = true;
    await assert.rejects(session.engine(), { code: 'storeBusy' });
    assert.equal(session.state.kind, 'failed');
    assert.equal(await session.engineIfAvailable(), undefined);
    assert.deepEqual(made.log, ['open 1']);
    made.fail = false;
    await session.engine();
    assert.equal(session.state.kind, 'open');
    assert.deepEqual(made.log, ['open 1', 'open 2']);
  });

  it('closes the old engine before it opens one for other folders', async () => {
    const { log, open } = fakes();
    const session = new EngineHolder(open);
    await session.reopen();
    assert.deepEqual(log, [], 'what was never needed is not opened');
    await session.engine();
    await session.reopen();
    assert.deepEqual(log, ['open 1', 'close 1', 'open 2']);
  });

  it('closes what is still opening, and refuses what comes later', async () => {
    const { log, open } = fakes();
    const session = new EngineHolder(open);
    const opening = session.engine();
    await session.close();
    await opening;
    assert.deepEqual(log, ['open 1', 'close 1']);
    await assert.rejects(session.engine(), { code: 'closed' });
    assert.equal(await session.engineIfAvailable(), undefined);
  });

  it('announces its states and that there are memories to show', async () => {
    const session = new EngineHolder(fakes().open);
    const seen: string[] = [];
    session.onDidChangeState(it => seen.push(it.kind));
    session.onDidChangeMemories(() => seen.push('memories'));
    await session.engine();
    await session.reopen();
    assert.deepEqual(seen, ['open', 'memories', 'closed', 'open', 'memories']);
  });
});

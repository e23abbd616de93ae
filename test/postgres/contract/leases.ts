import assert from 'node:assert/strict';
import { StoreOfTest, type Contract } from './kit.js';

export const leasesContract: Contract = backend => {
  const test = new StoreOfTest(backend);
  const acquire = (task: string, holder: string, ms = 1_000): Promise<boolean> =>
    test.store.acquireLease(task, holder, ms);

  it('grants a task to one holder at a time, and lets that one renew it', async () => {
    assert.deepEqual(
      [await acquire('run', 'a'), await acquire('run', 'b'), await acquire('run', 'a')],
      [true, false, true],
    );
    test.host.time += 600;
    assert.equal(await acquire('run', 'a'), true);
    test.host.time += 600;
    assert.equal(await acquire('run', 'b'), false, 'it was renewed');
  });

  it('grants different tasks to different holders', async () => {
    assert.deepEqual([await acquire('run', 'a'), await acquire('other', 'b')], [true, true]);
  });

  it('ends by itself', async () => {
    await acquire('run', 'a');
    test.host.time += 1_000;
    assert.deepEqual([await acquire('run', 'b'), await acquire('run', 'a')], [true, false]);
  });

  it('is free for others once its holder releases it, and not when another one does', async () => {
    await acquire('run', 'a');
    await test.store.releaseLease('run', 'b');
    assert.equal(await acquire('run', 'b'), false);
    await test.store.releaseLease('run', 'a');
    assert.equal(await acquire('run', 'b'), true);
    await test.store.releaseLease('unknown', 'a');
  });

  it('is free where it was taken by a clock that was set back since', async () => {
    await acquire('run', 'a');
    test.host.time -= 60_000;
    assert.equal(await acquire('run', 'b'), true);
  });

  it('distinguishes holders by their whole names', async () => {
    const name = "it's:a-b/1";
    await acquire('run', name);
    assert.deepEqual([await acquire('run', `${name}2`), await acquire('run', name)], [false, true]);
  });

  it('leaves revision and log as they are', async () => {
    const before = [await test.store.revision(), await test.store.auditHead()];
    await acquire('run', 'a');
    await test.store.releaseLease('run', 'a');
    assert.deepEqual([await test.store.revision(), await test.store.auditHead()], before);
  });

  it('goes to one of many who ask at once', async () => {
    const granted = await Promise.all(Array.from({ length: 8 }, (_, i) => acquire('run', `holder${i}`)));
    assert.equal(granted.filter(it => it).length, 1);
  });
};

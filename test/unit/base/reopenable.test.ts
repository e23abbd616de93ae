import assert from 'node:assert/strict';
import { Reopenable } from '../../../src/engine/base/reopenable.js';

/** Opens numbered resources, and logs each opening and closing. */
class Numbered {
  readonly log: string[] = [];
  private count = 0;

  readonly open = (): Promise<{ readonly name: number; close(): Promise<void> }> => {
    const name = ++this.count;
    this.log.push(`open ${name}`);
    return Promise.resolve({
      name,
      close: () => {
        this.log.push(`close ${name}`);
        return Promise.resolve();
      },
    });
  };
}

describe('Reopenable', () => {
  it('opens one resource for all who ask at once', async () => {
    const { log, open } = new Numbered();
    const lifetime = new Reopenable();
    const [first, second] = await Promise.all([lifetime.get(open), lifetime.get(open)]);
    assert.equal(first, second);
    assert.deepEqual(log, ['open 1']);
  });

  it('closes a released resource, even one still opening, before it opens the next', async () => {
    const { log, open } = new Numbered();
    const lifetime = new Reopenable();
    assert.equal(lifetime.release(), false);
    void lifetime.get(open);
    assert.equal(lifetime.release(), true);
    await lifetime.get(open);
    await lifetime.close();
    assert.deepEqual(log, ['open 1', 'close 1', 'open 2', 'close 2']);
    assert.equal(lifetime.current, undefined);
  });

  it('opens again after a failure, and closes in spite of one', async () => {
    const { log, open } = new Numbered();
    const lifetime = new Reopenable();
    const failing = (): Promise<never> => Promise.reject(new Error('full'));
    await assert.rejects(lifetime.get(failing), /full/u);
    await lifetime.get(open);
    lifetime.release();
    await assert.rejects(lifetime.get(failing), /full/u);
    await lifetime.close();
    assert.deepEqual(log, ['open 1', 'close 1']);
  });

  it('shows an opening whether it is still wanted', async () => {
    const lifetime = new Reopenable();
    const wanted: boolean[] = [];
    const open = async (isWanted: () => boolean): Promise<{ close(): Promise<void> }> => {
      await Promise.resolve();
      wanted.push(isWanted());
      return { close: () => Promise.resolve() };
    };
    const released = lifetime.get(open);
    lifetime.release();
    await released;
    await lifetime.get(open);
    assert.deepEqual(wanted, [false, true]);
  });
});

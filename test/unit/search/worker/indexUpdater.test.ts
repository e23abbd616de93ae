import assert from 'node:assert/strict';
import { IndexUpdater } from '../../../../src/engine/search/worker/indexUpdater.js';
import { TermCache } from '../../../../src/engine/search/neighbors/relatedMemories.js';
import { storeMemory, TestHost } from '../../../support/fixtures.js';

describe('IndexUpdater', () => {
  let updater: IndexUpdater | undefined;
  afterEach(() => updater?.close());

  it('applies rows that were written during an earlier update', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The gateway listens on port 8080.');
    updater = await IndexUpdater.open(host.globalFile, undefined, undefined, new TermCache());
    const held = holdPages(updater);

    const first = await updater.catchUp();
    await held.read;
    await storeMemory(engine, 'Tabs are wide.');
    const second = await updater.catchUp();
    held.release();
    await first.done;
    await second.done;
    assert.equal(updater.index.documents, 2);
    assert.deepEqual((await updater.catchUp()).changedCount, 0);
  });

  it('applies the changes on the next call after a failed query', async () => {
    const host = new TestHost();
    await storeMemory(await host.open(), 'Tabs are wide.');
    updater = await IndexUpdater.open(host.globalFile, undefined, undefined, new TermCache());
    const { read } = updater.database;
    const all = read.all.bind(read);
    read.all = (sql, ...rest) => (isPage(sql) ? Promise.reject(new Error('no such luck')) : all(sql, ...rest));
    await assert.rejects((await updater.catchUp()).done, /no such luck/);
    read.all = all;
    await (
      await updater.catchUp()
    ).done;
    assert.equal(updater.index.documents, 1);
  });
});

function isPage(sql: string): boolean {
  return sql.includes('LIMIT ?');
}

/** Holds back every page of memories that was read, until `release`. */
function holdPages({ database: { read } }: IndexUpdater): { readonly read: Promise<void>; release(): void } {
  let release = (): void => undefined;
  const released = new Promise<void>(resolve => (release = resolve));
  let answered = (): void => undefined;
  const first = new Promise<void>(resolve => (answered = resolve));
  const all = read.all.bind(read);
  read.all = async (sql, ...rest) => {
    const rows = await all(sql, ...rest);
    if (!isPage(sql)) return rows;
    answered();
    await released;
    return rows;
  };
  return { read: first, release };
}

import assert from 'node:assert/strict';
import { IndexFeed } from '../../../../src/engine/store/index/indexFeed.js';
import { Readings, type ToldFact } from '../../../../src/engine/store/index/judge.js';
import { KnownTexts } from '../../../../src/engine/store/index/knownTexts.js';
import { keep, TestHost } from '../../../support/memory.js';

describe('feeding an index', () => {
  let feed: IndexFeed | undefined;
  afterEach(() => feed?.close());

  it('takes in what was written while it was taking in something else', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await keep(engine, 'The gateway listens on port 8080.');
    feed = await IndexFeed.open(host.globalFile, undefined, undefined, new KnownTexts(new Readings()), undefined);
    const held = holdAnswers(feed);

    const first = await feed.catchUp();
    await held.read;
    await keep(engine, 'Tabs are wide.');
    const second = await feed.catchUp();
    held.release();
    await first.done;
    await second.done;
    assert.equal(feed.index.documents, 2);
    assert.deepEqual((await feed.catchUp()).since, 0);
  });

  it('tries again after it has failed', async () => {
    const host = new TestHost();
    await keep(await host.open(), 'Tabs are wide.');
    feed = await IndexFeed.open(host.globalFile, undefined, undefined, new KnownTexts(new Readings()), undefined);
    const { read } = feed.database;
    const all = read.all.bind(read);
    read.all = (sql, ...rest) => (isPage(sql) ? Promise.reject(new Error('no such luck')) : all(sql, ...rest));
    await assert.rejects((await feed.catchUp()).done, /no such luck/);
    read.all = all;
    await (
      await feed.catchUp()
    ).done;
    assert.equal(feed.index.documents, 1);
  });
});

describe('known texts', () => {
  const fact = (content: string, toldAt = '2026-03-02T09:00:00.000Z'): ToldFact => ({
    id: content,
    contentHash: content,
    content,
    toldAt,
  });
  const rowsOf = (texts: KnownTexts, rows: readonly number[]): unknown[] => rows.map(it => texts.get(it)?.fact.toldAt);

  it('are what the file holds, as far as the index has taken it in', () => {
    const texts = new KnownTexts(new Readings());
    const { changes } = texts;
    for (const row of [1, 2, 3, 4, 5]) texts.add(row, fact(`Fact ${row}.`, 'before'), changes);
    for (const row of [1, 2, 3, 4]) texts.add(row, fact(`Fact ${row}.`, 'before'), changes);
    texts.update(1, fact('Fact 1.', 'after'), true);
    texts.update(2, fact('Fact 2.', 'after'), false);
    texts.drop(3);
    // Read from the file before that was taken in.
    texts.add(5, fact('Fact 5.', 'before'), changes);
    assert.deepEqual(rowsOf(texts, [1, 2, 3, 4, 5]), ['after', undefined, undefined, 'before', undefined]);
  });

  it('keep what was used lately, and not everything', () => {
    const texts = new KnownTexts(new Readings());
    for (let row = 0; row < 9_000; row++) {
      for (let time = 0; time < 2; time++) texts.add(row, fact('The same.', `${row}`), texts.changes);
      texts.get(7);
    }
    assert.deepEqual(rowsOf(texts, [0, 7, 8_999]), [undefined, '7', '8999']);
  });

  it('do not keep what is compared with once', () => {
    const texts = new KnownTexts(new Readings());
    const first = texts.add(1, fact('The port is 80.'), texts.changes);
    assert.deepEqual([first.reading.terms, texts.get(1)], [['port', '80'], undefined]);
    const second = texts.add(1, fact('The port is 80.'), texts.changes);
    assert.equal(texts.get(1), second);
    // Read once.
    assert.equal(second.reading.statement, second.reading.statement);
  });
});

function isPage(sql: string): boolean {
  return sql.includes('LIMIT ?');
}

/** Pages of memories that were read wait until they are released. */
function holdAnswers({ database: { read } }: IndexFeed): { readonly read: Promise<void>; release(): void } {
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

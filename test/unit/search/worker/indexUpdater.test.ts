import assert from 'node:assert/strict';
import { IndexUpdater } from '../../../../src/engine/search/worker/indexUpdater.js';
import { ParsedTextCache, type FactInput } from '../../../../src/engine/search/neighbors/classifyCandidates.js';
import { FactCache } from '../../../../src/engine/search/neighbors/factCache.js';
import { keep, TestHost } from '../../../support/memory.js';

describe('feeding an index', () => {
  let feed: IndexUpdater | undefined;
  afterEach(() => feed?.close());

  it('takes in what was written while it was taking in something else', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await keep(engine, 'The gateway listens on port 8080.');
    feed = await IndexUpdater.open(
      host.globalFile,
      undefined,
      undefined,
      new FactCache(new ParsedTextCache()),
      undefined,
    );
    const held = holdAnswers(feed);

    const first = await feed.catchUp();
    await held.read;
    await keep(engine, 'Tabs are wide.');
    const second = await feed.catchUp();
    held.release();
    await first.done;
    await second.done;
    assert.equal(feed.index.documents, 2);
    assert.deepEqual((await feed.catchUp()).changedCount, 0);
  });

  it('tries again after it has failed', async () => {
    const host = new TestHost();
    await keep(await host.open(), 'Tabs are wide.');
    feed = await IndexUpdater.open(
      host.globalFile,
      undefined,
      undefined,
      new FactCache(new ParsedTextCache()),
      undefined,
    );
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
  const fact = (content: string, assertedAt = '2026-03-02T09:00:00.000Z'): FactInput => ({
    id: content,
    contentHash: content,
    content,
    assertedAt,
  });
  const rowsOf = (texts: FactCache, rows: readonly number[]): unknown[] =>
    rows.map(it => texts.get(it)?.fact.assertedAt);

  it('are what the file holds, as far as the index has taken it in', () => {
    const texts = new FactCache(new ParsedTextCache());
    const { version } = texts;
    for (const row of [1, 2, 3, 4, 5]) texts.add(row, fact(`Fact ${row}.`, 'before'), version);
    for (const row of [1, 2, 3, 4]) texts.add(row, fact(`Fact ${row}.`, 'before'), version);
    texts.refresh(1, fact('Fact 1.', 'after'), true);
    texts.refresh(2, fact('Fact 2.', 'after'), false);
    texts.invalidate(3);
    // Read from the file before that was taken in.
    texts.add(5, fact('Fact 5.', 'before'), version);
    assert.deepEqual(rowsOf(texts, [1, 2, 3, 4, 5]), ['after', undefined, undefined, 'before', undefined]);
  });

  it('keep what was used lately, and not everything', () => {
    const texts = new FactCache(new ParsedTextCache());
    for (let row = 0; row < 9_000; row++) {
      for (let time = 0; time < 2; time++) texts.add(row, fact('The same.', `${row}`), texts.version);
      texts.get(7);
    }
    assert.deepEqual(rowsOf(texts, [0, 7, 8_999]), [undefined, '7', '8999']);
  });

  it('do not keep what is compared with once', () => {
    const texts = new FactCache(new ParsedTextCache());
    const first = texts.add(1, fact('The port is 80.'), texts.version);
    assert.deepEqual([first.parsed.terms, texts.get(1)], [['port', '80'], undefined]);
    const second = texts.add(1, fact('The port is 80.'), texts.version);
    assert.equal(texts.get(1), second);
    // Read once.
    assert.equal(second.parsed.statement, second.parsed.statement);
  });
});

function isPage(sql: string): boolean {
  return sql.includes('LIMIT ?');
}

/** Pages of memories that were read wait until they are released. */
function holdAnswers({ database: { read } }: IndexUpdater): { readonly read: Promise<void>; release(): void } {
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

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import { Database } from '../../../src/engine/database/database.js';
import { temporaryFolder } from '../../support/fixtures.js';

describe('a transaction', () => {
  const openSmall = async (): Promise<Database> => {
    const database = await Database.open(path.join(temporaryFolder(), 'full.db'), { readOnly: false, wal: true });
    await database.execOutsideTransaction('CREATE TABLE notes (text); PRAGMA max_page_count = 12;');
    return database;
  };
  const insert = 'INSERT INTO notes VALUES (?)';
  const countNotes = async (database: Database): Promise<unknown> =>
    (await database.read.get('SELECT count(*) AS rows FROM notes'))?.rows;

  it('keeps nothing where the file is full, also of statements that were called beside the one that failed', async () => {
    const database = await openSmall();
    try {
      const texts = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 'small' : 'x'.repeat(9_000)));
      await assert.rejects(
        database.write(tx => Promise.all(texts.map(it => tx.run(insert, it)))),
        it => EngineError.is(it, 'storeFull'),
      );
      assert.equal(await countNotes(database), 0);
      await database.write(tx => tx.run(insert, 'small'));
      assert.equal(await countNotes(database), 1);
    } finally {
      await database.close();
    }
  });

  it('takes nothing more once SQLite has rolled it back', async () => {
    const database = await openSmall();
    try {
      await assert.rejects(
        database.write(async tx => {
          await tx.run(insert, 'x'.repeat(90_000)).catch(() => undefined);
          await tx.run(insert, 'small');
        }),
        it => EngineError.is(it, 'storeFull'),
      );
      assert.equal(await countNotes(database), 0);
    } finally {
      await database.close();
    }
  });
});

describe('opening a database', () => {
  for (const suffix of ['', '-wal', '-journal'])
    it(`names what lies in the place of its file: ${suffix}`, async () => {
      const file = path.join(temporaryFolder(), 'memory.db');
      mkdirSync(file + suffix);
      await assert.rejects(
        Database.open(file, { readOnly: false, wal: true }),
        it => EngineError.is(it, 'storeUnavailable') && it.message.includes(`${file}${suffix} is a folder`),
      );
    });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Database, type Transaction } from '../../../src/engine/store/sqlite/database.js';

describe('a transaction', () => {
  let folder: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'recollect-transaction-'));
    database = await Database.open(join(folder, 'memory.db'), { readOnly: false, wal: true });
    await database.write(tx => tx.exec('CREATE TABLE notes (n INTEGER PRIMARY KEY)'));
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  /** As many statements one after another. */
  const notes = async (tx: Transaction, from: number): Promise<void> => {
    for (let n = from; n < from + 20; n++) await tx.run('INSERT INTO notes VALUES (?)', n);
  };
  const kept = async (): Promise<unknown> => (await database.read.get('SELECT count(*) AS n FROM notes'))!.n;

  it('keeps what statements beside each other wrote', async () => {
    await database.write(async tx => {
      await Promise.all([notes(tx, 0), notes(tx, 100)]);
    });
    assert.equal(await kept(), 40);
  });

  it('keeps nothing of what goes on beside a statement that fails', async () => {
    const failing = database.write(async tx => {
      await Promise.all([notes(tx, 0), tx.run('INSERT INTO notes VALUES (1000), (1000)')]);
    });
    await assert.rejects(failing, { name: 'EngineError' });
    await database.write(tx => tx.run('INSERT INTO notes VALUES (2000)'));
    assert.equal(await kept(), 1);
  });

  it('writes nothing for who holds on to it', async () => {
    const held = await database.write(tx => Promise.resolve(tx));
    await assert.rejects(held.run('INSERT INTO notes VALUES (1)'), { name: 'EngineError' });
    assert.equal(await kept(), 0);
  });
});

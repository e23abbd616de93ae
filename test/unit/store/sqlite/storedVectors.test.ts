import assert from 'node:assert/strict';
import path from 'node:path';
import type { NewMemory } from '../../../../src/engine/store/store.js';
import { Database } from '../../../../src/engine/database/database.js';
import { findMissingVectors } from '../../../../src/engine/store/sqlite/storedVectors.js';
import { writeToStore, storeMemory, TestHost } from '../../../support/fixtures.js';
import { sql } from '../../../support/sqlite.js';

describe('findMissingVectors', () => {
  it('returns memories without a vector newest first, however many have one', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const [known] = await engine.getMany([await storeMemory(engine, 'Paris is sunny.')]);
    const many = Array.from({ length: 2_300 }, (_, i): NewMemory => {
      return { ...known!, id: `many ${i}`, content: `many ${i}`, contentHash: `many ${i}` };
    });
    await writeToStore(host, 'global', host.globalFile, tx => tx.insertMany(many));
    const [model] = await sql(host.globalFile, 'SELECT id FROM models');
    const reader = await Database.openReader(path.resolve(host.globalFile));
    try {
      const found = async (limit: number): Promise<readonly string[]> =>
        (await findMissingVectors(reader.read, model!.id as string, limit)).map(it => it.content);
      const newest = many.map(it => it.content).reverse();
      assert.deepEqual(await found(5_000), newest);
      assert.deepEqual(await found(1_500), newest.slice(0, 1_500));
      await sql(
        host.globalFile,
        `INSERT INTO vectors SELECT number, row, x'00' FROM models, memories
         WHERE models.id = '${model!.id as string}' AND memories.id LIKE 'many %' AND memories.id <> 'many 7'`,
      );
      assert.deepEqual(await found(5_000), ['many 7']);
    } finally {
      await reader.close();
    }
  });
});

import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { EngineError } from '../../../src/engine/base/errors.js';
import { rawMemoryColumns } from '../../../src/engine/store/sqlite/salvage.js';
import { sqliteMigrations } from '../../../src/engine/store/sqlite/migrations.js';
import { memoryInput, storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const fixtures = path.resolve('test/fixtures/stores');
const steps = sqliteMigrations as string[];

/** A host whose global store is a file of a past version. */
function hostOf(version: number): TestHost {
  const host = new TestHost();
  mkdirSync(path.dirname(host.globalFile), { recursive: true });
  copyFileSync(path.join(fixtures, `version-${version}.db`), host.globalFile);
  return host;
}

/** Runs `work` with more steps than there are. */
async function withSteps(more: readonly string[], work: () => Promise<void>): Promise<void> {
  const count = steps.length;
  steps.push(...more);
  try {
    await work();
  } finally {
    steps.length = count;
  }
}

const versionOf = async (file: string): Promise<unknown> => (await sql(file, 'PRAGMA user_version'))[0]?.user_version;
const schemaOf = (file: string): Promise<unknown[]> => sql(file, 'SELECT name, sql FROM sqlite_schema ORDER BY name');
const backupsOf = (host: TestHost): string[] => readdirSync(path.join(path.dirname(host.globalFile), 'backups'));

describe('migrations', () => {
  it('create a new store with our application id and the newest version, and do not change it when it is opened again', async () => {
    const host = new TestHost();
    await (await host.open()).close();
    const bytes = readFileSync(host.globalFile);
    await (await host.open()).close();
    assert.ok(bytes.equals(readFileSync(host.globalFile)));
    assert.deepEqual(await sql(host.globalFile, 'PRAGMA application_id'), [{ application_id: 0x52434c54 }]);
    assert.equal(await versionOf(host.globalFile), sqliteMigrations.length);
  });

  it('hash the memories of a store with an earlier normalized form again, so that a repeated fact stays one', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const [first] = await engine.remember(memoryInput('The relay listens on port 7300.'));
    await engine.close();
    await sql(host.globalFile, "UPDATE memories SET content_hash = 'of an earlier form'");
    await sql(host.globalFile, "DELETE FROM meta WHERE key = 'contentHash'");
    const reopened = await host.open();
    const [again] = await reopened.remember(memoryInput('The relay listens on port 7300'));
    await reopened.close();
    assert.deepEqual([first?.outcome, again?.outcome], ['stored', 'reinforced']);
  });

  it('keep the columns that are read from raw pages of a damaged file first, and in their order', async () => {
    const host = new TestHost();
    await (await host.open()).close();
    const columns = await sql(host.globalFile, "SELECT name FROM pragma_table_info('memories') ORDER BY cid");
    const names = columns.map(it => it.name);
    assert.deepEqual(names.slice(0, rawMemoryColumns.length), rawMemoryColumns);
    assert.deepEqual(names.slice(rawMemoryColumns.length), ['in_degree']);
  });

  it('have a store of every version but the one in the making', () => {
    const made = readdirSync(fixtures)
      .filter(it => it.endsWith('.db'))
      .sort();
    assert.deepEqual(
      made,
      sqliteMigrations.map((_, i) => `version-${i + 1}.db`),
    );
  });

  for (const [i] of sqliteMigrations.entries()) {
    it(`bring a store of version ${i + 1} here with all that is in it`, async () => {
      const host = hostOf(i + 1);
      const before = await sql(
        host.globalFile,
        'SELECT id, content, status, pinned, reinforcement_count FROM memories ORDER BY row',
      );
      const engine = await host.open();
      const { hits } = await engine.recall({ query: 'payments port' });
      await engine.close();
      const fresh = new TestHost();
      await (await fresh.open()).close();
      assert.deepEqual(
        {
          rows: await sql(
            host.globalFile,
            'SELECT id, content, status, pinned, reinforcement_count FROM memories ORDER BY row',
          ),
          found: hits.map(it => it.memory.content),
          schema: await schemaOf(host.globalFile),
          problems: await storeProblems(await host.open()),
        },
        {
          rows: before,
          found: ['The payments service runs on port 8443.'],
          schema: await schemaOf(fresh.globalFile),
          problems: [],
        },
      );
      assert.equal(before.length, 4);
    });
  }

  it('give a store of release 0.1.0 search aids and marks, and keep what it holds', async () => {
    const host = new TestHost();
    mkdirSync(path.dirname(host.globalFile), { recursive: true });
    copyFileSync(path.join(fixtures, '0.1.0', 'global', 'memory.db'), host.globalFile);
    const contents = 'SELECT id, content, status FROM memories ORDER BY row';
    const edges = 'SELECT source, target, type, settled_at FROM edges ORDER BY source, target, type';
    const [version, memories, links] = [
      await versionOf(host.globalFile),
      await sql(host.globalFile, contents),
      await sql(host.globalFile, edges),
    ];
    const engine = await host.open();
    const [memory] = await engine.list();
    await engine.revise({ id: memory!.id, keywords: ['carillon'] }, 'model');
    assert.deepEqual(
      [
        version,
        await versionOf(host.globalFile),
        await sql(host.globalFile, contents),
        await sql(host.globalFile, edges),
        await sql(
          host.globalFile,
          'SELECT count(*) AS n FROM edges WHERE outdated IS NOT NULL OR marked_by IS NOT NULL',
        ),
        (await engine.aids([memory!.id])).get(memory!.id),
        (await engine.recall({ query: 'carillon' })).hits.some(it => it.memory.id === memory!.id),
        await storeProblems(engine),
      ],
      [4, 5, memories, links, [{ n: 0 }], { questions: [], keywords: ['carillon'] }, true, []],
    );
    assert.ok(memories.length > 0);
  });

  it('make a copy of the old state first', async () => {
    const host = hostOf(sqliteMigrations.length);
    const old = await schemaOf(host.globalFile);
    await withSteps(['ALTER TABLE memories ADD COLUMN mood TEXT'], async () => {
      const engine = await host.open();
      assert.equal((await engine.list()).length, 2);
      await engine.close();
    });
    const backups = backupsOf(host);
    assert.deepEqual(backups, [`2026-03-02T09-00-00-000Z-before-version-${sqliteMigrations.length + 1}.db`]);
    const backup = path.join(path.dirname(host.globalFile), 'backups', backups[0]!);
    assert.deepEqual([await versionOf(backup), await schemaOf(backup)], [sqliteMigrations.length, old]);
    assert.equal(await versionOf(host.globalFile), sqliteMigrations.length + 1);
    await assert.rejects(host.open(), it => EngineError.is(it, 'storeTooNew'));
  });

  it('that fail half way leave the old state, and can be tried again', async () => {
    const host = hostOf(sqliteMigrations.length);
    const before = [await schemaOf(host.globalFile), await sql(host.globalFile, 'SELECT * FROM memories')];
    const broken = [
      'ALTER TABLE memories ADD COLUMN mood TEXT',
      "UPDATE memories SET mood = 'fine'; UPDATE memories SET nonsense = 1",
    ];
    await withSteps(broken, async () => {
      await assert.rejects(host.open(), it => EngineError.is(it));
    });
    const after = [await schemaOf(host.globalFile), await sql(host.globalFile, 'SELECT * FROM memories')];
    assert.deepEqual([await versionOf(host.globalFile), after], [sqliteMigrations.length, before]);
    const engine = await host.open();
    await storeMemory(engine, 'It goes on.');
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('of a new store that fail leave nothing behind that stops the next try', async () => {
    const host = new TestHost();
    await withSteps(['nonsense'], async () => {
      await assert.rejects(host.open(), it => EngineError.is(it));
    });
    const engine = await host.open();
    await storeMemory(engine, 'It goes on.');
    assert.deepEqual(await storeProblems(engine), []);
  });
});

describe('backups', () => {
  it('keep the state before the first write of each day, the newest three', async () => {
    const host = new TestHost();
    const kept: string[][] = [];
    const engine = await host.open();
    for (let day = 0; day < 6; day++) {
      for (let i = 0; i < 3; i++) await storeMemory(engine, `Port ${day} ${i}`);
      if (day > 0) kept.push(backupsOf(host));
      host.advanceDays(1);
    }
    const name = (day: number): string => `2026-03-0${2 + day}T09-00-00-000Z-daily.db`;
    assert.deepEqual(
      kept,
      [[1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5]].map(days => days.map(name)),
    );
    const backup = path.join(path.dirname(host.globalFile), 'backups', name(5));
    assert.deepEqual(await sql(backup, 'SELECT count(*) AS n FROM memories'), [{ n: 15 }]);
  });

  it('are made although the clock was in the future once', async () => {
    const host = new TestHost();
    let engine = await host.open();
    await storeMemory(engine, 'Port 1');
    host.advanceDays(1000);
    await storeMemory(engine, 'Port 2');
    host.advanceDays(-998);
    await storeMemory(engine, 'Port 3');
    await engine.close();
    engine = await host.open();
    await storeMemory(engine, 'Port 4');
    host.advanceDays(1);
    await storeMemory(engine, 'Port 5');
    assert.deepEqual(
      backupsOf(host).map(it => it.slice(0, 10)),
      ['2026-03-04', '2026-03-05', '2028-11-26'],
    );
  });

  it('that cannot be made are logged, stop nothing and leave nothing', async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'Port 1');
    mkdirSync(path.join(path.dirname(host.globalFile), 'backups'));
    host.advanceDays(1);
    // A folder where the copy should be made.
    const partial = path.join(path.dirname(host.globalFile), 'backups', '2026-03-03T09-00-00-000Z-daily.db');
    mkdirSync(path.join(partial, 'x'), { recursive: true });
    await storeMemory(engine, 'Port 2');
    assert.deepEqual(
      host.logLines.map(it => it.startsWith(`No backup of ${host.globalFile} could be made`)),
      [true],
    );
    assert.deepEqual(backupsOf(host), [path.basename(partial)]);
    assert.equal((await engine.list()).length, 2);
  });
});

import assert from 'node:assert/strict';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { Checkpoint, RestoreResult } from '../../../src/engine/model/checkpoint.js';
import type { Memory } from '../../../src/engine/model/memory.js';
import {
  interruptedRuns,
  runEngineProcess,
  spawnLiveEngineProcess,
  type EngineProcessPlan,
} from '../../support/spawnEngineProcess.js';
import { storeMemory, storeProblems, memoryInput, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

/** Every memory of the engine's stores, whatever its status, by id. */
async function everything(engine: MemoryEngine): Promise<Record<string, Memory>> {
  const all = await engine.list({ statuses: ['active', 'archived', 'superseded'], limit: 1_000 });
  return Object.fromEntries(all.map(it => [it.id, it]));
}

const found = async (engine: MemoryEngine, query: string): Promise<string[]> =>
  (await engine.recall({ query, isUntracked: true })).hits.map(it => it.memory.content);

/** The derived tables of a store: what a memory's row has in them. */
const derived = (file: string): Promise<unknown> =>
  sql(
    file,
    `SELECT m.id, t.terms, hex(v.vector) AS vector, m.in_degree FROM memories m
     LEFT JOIN memory_terms t ON t.rowid = m.row LEFT JOIN vectors v ON v.row = m.row ORDER BY m.id`,
  );

const failsWith = (code: EngineErrorCode) => (error: unknown) => {
  assert.ok(EngineError.is(error, code), String(error));
  assert.match(error.message, /^[^\n]{20,400}\.$/u);
  return true;
};

describe('checkpoints', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let ferry: string;
  let tide: string;

  beforeEach(async () => {
    host = new TestHost();
    engine = await host.open();
    ferry = await storeMemory(engine, 'The ferry is called Perpetua.');
    tide = await storeMemory(engine, 'Tide tables come from the mapping authority.');
  });

  const make = async (reason?: string): Promise<Checkpoint> => {
    host.time += 1_000;
    return (await engine.checkpoints.make(reason))[0]!;
  };
  const restore = async (id: string): Promise<RestoreResult> => {
    host.time += 1_000;
    return engine.checkpoints.restore(id);
  };
  const changeALot = async (): Promise<void> => {
    await engine.pin(ferry);
    await engine.forget(tide);
    await storeMemory(engine, 'The harbour master is called Inger.');
    await storeMemory(engine, 'The ferry is called Perpetua.', { tags: ['boat'] });
  };

  it('lists checkpoints newest first with size, reason and number of memories', async () => {
    await make('before the regatta');
    await storeMemory(engine, 'The harbour master is called Inger.');
    await make();
    assert.deepEqual(
      (await engine.checkpoints.list()).map(it => [it.store, it.origin, it.reason, it.at, it.memories, it.bytes > 0]),
      [
        ['global', 'person', 'made by hand', '2026-03-02T09:00:02.000Z', 3, true],
        ['global', 'person', 'before the regatta', '2026-03-02T09:00:01.000Z', 2, true],
      ],
    );
  });

  it('brings every memory back exactly, with its terms and vectors, and takes that back exactly', async () => {
    const { id } = await make();
    const [then, thenDerived] = [await everything(engine), await derived(host.globalFile)];
    await changeALot();
    const [now, nowDerived] = [await everything(engine), await derived(host.globalFile)];
    const { before, ...counts } = await restore(id);
    assert.deepEqual([counts.back, counts.gone, counts.changed], [0, 1, 2]);
    assert.deepEqual([await everything(engine), await derived(host.globalFile)], [then, thenDerived]);
    assert.deepEqual(await storeProblems(engine), []);
    const undone = await restore(before.id);
    assert.deepEqual([undone.back, undone.gone, undone.changed], [1, 0, 2]);
    assert.deepEqual([await everything(engine), await derived(host.globalFile)], [now, nowDerived]);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('is noticed by every process that has the store open', async () => {
    const { id } = await make();
    const other = await spawnLiveEngineProcess({ dataDir: host.dataDir });
    const seen = async (): Promise<unknown> => {
      const { hits } = (await other.call('recall', { query: 'who is the harbour master', isUntracked: true })) as {
        hits: { memory: { content: string } }[];
      };
      return hits.map(it => it.memory.content);
    };
    await changeALot();
    const question = 'who is the harbour master';
    assert.deepEqual([await found(engine, question), await seen()].map(String), [
      'The harbour master is called Inger.',
      'The harbour master is called Inger.',
    ]);
    const { before } = await restore(id);
    assert.deepEqual([await found(engine, question), await seen()], [[], []]);
    await restore(before.id);
    assert.deepEqual([await found(engine, question), await seen()].map(String), [
      'The harbour master is called Inger.',
      'The harbour master is called Inger.',
    ]);
    await other.call('remember', memoryInput('The lighthouse was built in 1870.'));
    await other.end();
    assert.deepEqual(await found(engine, 'lighthouse'), ['The lighthouse was built in 1870.']);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('finds another memory in a row that was taken over', async () => {
    const { id } = await make();
    // The row of the last memory is free again, and another takes it.
    await sql(
      host.globalFile,
      'DELETE FROM memory_terms WHERE rowid = 2',
      'DELETE FROM vectors WHERE row = 2',
      'DELETE FROM memories WHERE row = 2',
    );
    await engine.close();
    engine = await host.open();
    await storeMemory(engine, 'Sails are washed in spring.');
    assert.deepEqual(await found(engine, 'sails'), ['Sails are washed in spring.']);
    await restore(id);
    assert.deepEqual(
      [await found(engine, 'sails'), await found(engine, 'tide tables')],
      [[], ['Tide tables come from the mapping authority.']],
    );
  });

  it('keeps the history and records the restoration in it', async () => {
    const { id } = await make();
    const late = await storeMemory(engine, 'The harbour master is called Inger.');
    const lines = async (): Promise<Record<string, unknown>[]> =>
      sql(host.globalFile, 'SELECT seq, action, memory_id FROM audit ORDER BY seq');
    const before = await lines();
    await restore(id);
    const after = await lines();
    assert.deepEqual(after.slice(0, before.length), before);
    assert.deepEqual(
      after.slice(before.length).map(it => [it.action, it.memory_id]),
      [
        ['rollback', null],
        ['rollback', late],
      ],
    );
  });

  it('does not bring back purged memories', async () => {
    const { id } = await make();
    await engine.close();
    await sql(
      host.globalFile,
      'DELETE FROM memory_terms WHERE rowid = 2',
      'DELETE FROM memories WHERE row = 2',
      `INSERT INTO audit SELECT 3, at, 'purge', '${tide}', actor, detail, '' FROM audit WHERE seq = 2`,
      "UPDATE meta SET value = '3:' WHERE key = 'auditHead'",
    );
    engine = await host.open();
    await restore(id);
    assert.deepEqual(Object.keys(await everything(engine)), [ferry]);
  });

  it('keeps the newest of each origin, and the one that undoes a restoration', async () => {
    host.settings = { ...host.settings, checkpoints: { keep: 2 } };
    await engine.close();
    engine = await host.open();
    const kept = [await make('one'), await make('two'), await make('three')];
    await restore(kept[2]!.id);
    assert.deepEqual(
      (await engine.checkpoints.list()).map(it => [it.origin, it.reason.slice(0, 16)]),
      [
        ['engine', 'before restoring'],
        ['person', 'three'],
        ['person', 'two'],
      ],
    );
    await assert.rejects(engine.checkpoints.restore(kept[0]!.id), failsWith('notFound'));
    await engine.checkpoints.delete(kept[1]!.id);
    assert.equal((await engine.checkpoints.list()).length, 2);
  });

  it('goes back to a daily backup, and to a store of an older version', async () => {
    const folder = path.join(path.dirname(host.globalFile), 'backups');
    mkdirSync(folder, { recursive: true });
    copyFileSync('test/fixtures/stores/version-1.db', path.join(folder, '2026-03-01T08-00-00-000Z-daily.db'));
    const [backup] = await engine.checkpoints.list();
    assert.deepEqual(
      [backup?.origin, backup?.reason, backup?.at],
      ['backup', 'daily backup', '2026-03-01T08:00:00.000Z'],
    );
    const { back, gone } = await restore(backup!.id);
    assert.deepEqual([back, gone], [backup!.memories, 2]);
    assert.deepEqual(await storeProblems(engine), []);
    await assert.rejects(engine.checkpoints.delete(backup!.id), failsWith('invalidInput'));
    assert.deepEqual(readdirSync(folder), ['2026-03-01T08-00-00-000Z-daily.db']);
  });

  for (const [name, damage] of [
    [
      'cut off',
      (file: string) => {
        truncateSync(file, 8_192);
      },
    ],
    [
      'no database',
      (file: string) => {
        writeFileSync(file, 'no database');
      },
    ],
    [
      'garbled',
      (file: string) => {
        const bytes = readFileSync(file);
        bytes.fill(7, 4_096, 60_000);
        writeFileSync(file, bytes);
      },
    ],
  ] as const) {
    it(`refuses one that is ${name}, and changes nothing`, async () => {
      const { id, file } = await make();
      await changeALot();
      const before = await everything(engine);
      damage(file);
      await assert.rejects(restore(id), failsWith('storeDamaged'));
      assert.deepEqual(await everything(engine), before);
      assert.deepEqual(await storeProblems(engine), []);
      assert.deepEqual(readdirSync(path.dirname(file)), [path.basename(file)]);
    });
  }

  it('of a newer version are refused', async () => {
    const { id, file } = await make();
    await sql(file, 'PRAGMA user_version = 99');
    await assert.rejects(restore(id), failsWith('storeTooNew'));
  });

  it('can be listed on a read-only disk, but not created or restored', async () => {
    const { id } = await make();
    await engine.close();
    chmodSync(path.dirname(host.dataDir), 0o755);
    for (const it of readdirSync(host.dataDir, { recursive: true, withFileTypes: true }))
      chmodSync(path.join(it.parentPath, it.name), it.isDirectory() ? 0o555 : 0o444);
    chmodSync(host.dataDir, 0o555);
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const answers = await runEngineProcess(
      {
        dataDir: host.dataDir,
        calls: [['checkpoints.list'], ['checkpoints.make'], ['checkpoints.restore', id], ['list']],
      },
      nobody,
    );
    assert.deepEqual(
      answers.map(it => it.error),
      [undefined, undefined, 'storeReadOnly', 'storeReadOnly', undefined, undefined],
    );
    assert.equal((answers[1]!.value as Checkpoint[])[0]!.id, id);
  });

  it('on a full disk fail with a sentence and leave nothing half', async () => {
    const disk = temporaryFolder();
    chmodSync(disk, 0o755);
    const fill = Array.from({ length: 300 }, (_, i) =>
      memoryInput(`Berth number ${i} of the harbour is ${10 + i} metres long and takes ${i % 7} boats.`),
    );
    const answers = await runEngineProcess(
      {
        dataDir: path.join(disk, 'data'),
        calls: [
          ['rememberAll', fill],
          ['checkpoints.make'],
          ['checkpoints.list'],
          ['verify'],
          ['list', { limit: 1_000 }],
        ],
      },
      {
        env: { ...process.env, RECOLLECT_DISK: disk },
        wrapper: `exec unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=1000k none "$RECOLLECT_DISK" && exec "$@"' sh "$@"`,
      },
    );
    assert.deepEqual(
      answers.map(it => it.error),
      [undefined, undefined, 'storeFull', undefined, undefined, undefined, undefined],
    );
    assert.deepEqual([answers[3]!.value, (answers[5]!.value as unknown[]).length], [[], 300]);
  });

  it('are restored whole or not at all when the process is killed', async () => {
    await engine.rememberAll(
      Array.from({ length: 400 }, (_, i) => memoryInput(`Berth number ${i} of the harbour is ${10 + i} metres long.`)),
    );
    const { id } = await make();
    const then = await everything(engine);
    await engine.rememberAll(
      Array.from({ length: 400 }, (_, i) => memoryInput(`Buoy number ${i} of the fairway is ${10 + i} metres deep.`)),
    );
    const now = await everything(engine);
    await engine.close();
    const outcomes = new Set<string>();
    const plan: EngineProcessPlan = { dataDir: host.dataDir, calls: [['list'], ['checkpoints.restore', id]] };
    for await (const { answers, moment } of interruptedRuns(plan, 8)) {
      const checked = await host.open();
      const memories = await everything(checked);
      const isRestored = Object.keys(memories).length === Object.keys(then).length;
      assert.deepEqual(memories, isRestored ? then : now, moment);
      assert.ok(isRestored || answers.length < 3, 'an acknowledged restoration stays');
      assert.deepEqual(await storeProblems(checked), []);
      outcomes.add(isRestored ? 'restored' : 'as before');
      if (isRestored) {
        const before = (await checked.checkpoints.list()).find(it => it.origin === 'engine');
        await checked.checkpoints.restore(before!.id);
        assert.deepEqual(await everything(checked), now);
      }
      await checked.close();
    }
    assert.deepEqual([...outcomes].sort(), ['as before', 'restored']);
    assert.ok(existsSync(host.globalFile));
  });
});

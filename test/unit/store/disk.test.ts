import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { EngineError, type EngineErrorCode } from '../../../src/engine/base/errors.js';
import {
  runEngineProcess,
  spawnEngineProcess,
  type EngineProcessAnswer,
  type EngineProcessPlan,
} from '../../support/spawnEngineProcess.js';
import { storeMemory, storeProblems, memoryInput, temporaryFolder, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';
import { until } from '../../host/ui/kit/until.js';

const facts = Array.from({ length: 200 }, (_, i) => `The port of service number ${i} is ${1000 + i}.`);

/** A closed store of `facts`, or of the first of them. */
async function storeOf(count: number, options?: { project?: boolean }): Promise<TestHost> {
  const host = new TestHost(options);
  const engine = await host.open();
  for (const fact of facts.slice(0, count)) await storeMemory(engine, fact);
  await engine.close();
  return host;
}

/** Opening fails with one sentence and a next step, and changes no byte of any file. */
function refuses(name: string, code: EngineErrorCode, prepare: (host: TestHost) => Promise<void> | void): void {
  it(name, async () => {
    const host = await storeOf(3);
    await prepare(host);
    const before = filesOf(host.dataDir);
    await assert.rejects(host.open(), error => {
      assert.ok(EngineError.is(error, code), String(error));
      assertSentence(error.message);
      return true;
    });
    assert.deepEqual(filesOf(host.dataDir), before);
  });
}

/** One line of one to three sentences, without a stack or a driver's code. */
function assertSentence(message: string): void {
  assert.match(message, /^[^\n]{20,400}[.]$/u);
  assert.doesNotMatch(message, /SQLITE_[A-Z]+: |\bat .+:\d+:\d+|undefined|\[object/u);
}

const hashOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

function filesOf(folder: string): Record<string, string> {
  if (!statSync(folder).isDirectory()) return { [folder]: hashOf(folder) };
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(it => it.isFile())
      .map(it => path.join(it.parentPath, it.name))
      .map(it => [it, hashOf(it)]),
  );
}

describe('a store that cannot be used', () => {
  refuses('is a folder', 'storeUnavailable', host => {
    host.dataDir = path.join(temporaryFolder(), 'data');
    mkdirSync(host.globalFile, { recursive: true });
  });
  refuses('lies where a file is', 'storeUnavailable', host => {
    host.dataDir = path.join(temporaryFolder(), 'data');
    writeFileSync(host.dataDir, 'a file');
  });
  for (const mode of ['wal', 'delete'])
    refuses(`is of a newer version, in journal mode ${mode}`, 'storeTooNew', async host => {
      await sql(host.globalFile, `PRAGMA journal_mode = ${mode}`, 'PRAGMA user_version = 99');
    });
  refuses("is another program's database", 'storeUnavailable', async host => {
    host.dataDir = path.join(temporaryFolder(), 'data');
    mkdirSync(path.dirname(host.globalFile), { recursive: true });
    await sql(host.globalFile, 'CREATE TABLE people (name)', "INSERT INTO people VALUES ('Ada')");
  });
});

interface Damaged {
  readonly bytes: Buffer;
  readonly pageSize: number;
}

/** Damages a store of 200 memories; of them `kept` at least are there afterwards, and the damaged file too. */
function recovers(
  name: string,
  options: { backup: number; kept: number; backupDamaged?: true },
  damage: (it: Damaged) => Buffer,
): void {
  it(name, async () => {
    const host = await storeOf(facts.length);
    const folder = path.dirname(host.globalFile);
    mkdirSync(path.join(folder, 'backups'), { recursive: true });
    if (options.backup > 0) {
      const older = await storeOf(options.backup);
      const backup = path.join(folder, 'backups', '2026-03-01T00-00-00-000Z-daily.db');
      copyFileSync(older.globalFile, backup);
      if (options.backupDamaged === true)
        writeFileSync(path.join(folder, 'backups', '2026-03-02T00-00-00-000Z-daily.db'), 'no database');
    }
    const bytes = readFileSync(host.globalFile);
    const damaged = damage({ bytes, pageSize: bytes.readUInt16BE(16) });
    writeFileSync(host.globalFile, damaged);

    let engine = await host.open().catch((error: unknown) => error);
    assert.ok(!(engine instanceof Error), String(engine));
    engine = await reopenUntilWell(host, engine as Awaited<ReturnType<TestHost['open']>>);
    const opened = engine as Awaited<ReturnType<TestHost['open']>>;
    const memories = await opened.list({ limit: 1_000 });
    await storeMemory(opened, 'The store works again.');
    const { hits } = await opened.recall({ query: 'store works again' });
    const aside = readdirSync(folder).filter(it => /^memory\.damaged-.*\.db$/u.test(it));
    assert.deepEqual(
      {
        enough: memories.length >= options.kept ? 'enough' : memories.length,
        strange: memories.filter(it => !facts.includes(it.content)).length,
        found: hits[0]?.memory.content,
        problems: await storeProblems(opened),
        aside: aside.map(it => readFileSync(path.join(folder, it)).equals(damaged)),
        markers: readdirSync(folder).filter(it => it.endsWith('.damaged')),
      },
      { enough: 'enough', strange: 0, found: 'The store works again.', problems: [], aside: [true], markers: [] },
    );
  });
}

/** As a person would: whatever fails with "damaged" is closed and opened again, as the sentence says. */
async function reopenUntilWell(host: TestHost, engine: Awaited<ReturnType<TestHost['open']>>): Promise<unknown> {
  let notices = engine.notices;
  let now = engine;
  for (let i = 0; i < 2 && notices.length === 0; i++) {
    const uses = [
      now.list({ limit: 1_000 }),
      now.recall({ query: 'port of service' }),
      now.verify().then(it => {
        assert.deepEqual(
          it.flatMap(its => its.problems),
          [],
        );
      }),
    ];
    await Promise.all(uses).catch(() => undefined);
    await now.close();
    now = await host.open();
    notices = now.notices;
  }
  for (const it of notices) assertSentence(String(it));
  assert.equal(notices.length, 1);
  return now;
}

const garbage = (length: number): Buffer => Buffer.alloc(length, 'garbage!');

describe('a damaged store', () => {
  recovers('with a header of garbage and a backup', { backup: 150, kept: 150 }, ({ bytes }) =>
    Buffer.concat([garbage(100), bytes.subarray(100)]),
  );
  recovers(
    'that is garbage, with a damaged newest backup',
    { backup: 120, kept: 120, backupDamaged: true },
    ({ bytes }) => garbage(bytes.length),
  );
  recovers('that is garbage, without a backup', { backup: 0, kept: 0 }, ({ bytes }) => garbage(bytes.length));
  recovers('cut in half', { backup: 150, kept: 150 }, ({ bytes, pageSize }) =>
    bytes.subarray(0, Math.floor(bytes.length / pageSize / 2) * pageSize),
  );
  recovers('with a page of garbage in its middle', { backup: 100, kept: 150 }, ({ bytes, pageSize }) => {
    const page = facts.map(it => Math.floor(bytes.indexOf(it) / pageSize))[100]!;
    return Buffer.concat([
      bytes.subarray(0, page * pageSize),
      garbage(pageSize),
      bytes.subarray((page + 1) * pageSize),
    ]);
  });
  recovers('with a page of garbage in its middle and no backup', { backup: 0, kept: 150 }, ({ bytes, pageSize }) => {
    const page = facts.map(it => Math.floor(bytes.indexOf(it) / pageSize))[100]!;
    return Buffer.concat([
      bytes.subarray(0, page * pageSize),
      garbage(pageSize),
      bytes.subarray((page + 1) * pageSize),
    ]);
  });

  it('keeps the changes that were made after the backup', async () => {
    const host = await storeOf(2);
    let engine = await host.open();
    const [newest, oldest] = await engine.list();
    host.advanceDays(2);
    await storeMemory(engine, 'A third fact makes a backup of the two.');
    await engine.forget(newest!.id);
    await engine.pin(oldest!.id);
    await storeMemory(engine, oldest!.content);
    await engine.close();
    // The last page is none of the memories': an index, so every row can still be read.
    const [index] = await sql(host.globalFile, "SELECT rootpage FROM sqlite_schema WHERE name = 'memories_by_gate'");
    const bytes = readFileSync(host.globalFile);
    const pageSize = bytes.readUInt16BE(16);
    garbage(pageSize).copy(bytes, ((index!.rootpage as number) - 1) * pageSize);
    writeFileSync(host.globalFile, bytes);
    writeFileSync(`${host.globalFile}.damaged`, '');
    engine = await host.open();
    const now = await Promise.all([newest!, oldest!].map(it => engine.get(it.id)));
    assert.deepEqual(
      {
        states: now.map(it => [it.status, it.archiveReason, it.pinned, it.reinforcementCount]),
        memories: (await engine.list()).length,
        problems: await storeProblems(engine),
      },
      {
        states: [
          ['archived', 'forgotten', false, 1],
          ['active', undefined, true, 2],
        ],
        memories: 2,
        problems: [],
      },
    );
  });

  /** The first page of the pages that hold rows of memories below others: damaged, it hides every row. */
  async function damageRoot(host: TestHost): Promise<void> {
    const [table] = await sql(host.globalFile, "SELECT rootpage FROM sqlite_schema WHERE name = 'memories'");
    const bytes = readFileSync(host.globalFile);
    const pageSize = bytes.readUInt16BE(16);
    garbage(pageSize).copy(bytes, ((table!.rootpage as number) - 1) * pageSize);
    writeFileSync(host.globalFile, bytes);
    writeFileSync(`${host.globalFile}.damaged`, '');
  }

  it('loses no memory with the root page of its table, and keeps edges, aids and the audit log', async () => {
    const host = await storeOf(facts.length);
    let engine = await host.open();
    const [last, first] = await engine.list();
    await engine.revise({ id: last!.id, questions: ['Which port has the last one?'] }, 'person');
    await engine.revise({ id: first!.id, replacedBy: last!.id }, 'person');
    const edges = (await sql(host.globalFile, 'SELECT count(*) AS n FROM edges'))[0]!.n as number;
    await engine.goals.add('Move all services to one port');
    const entries = (await engine.verify()).map(it => it.auditEntries);
    await engine.close();
    await damageRoot(host);
    engine = await host.open();
    assert.deepEqual(
      {
        memories: (await engine.list({ limit: 1_000, statuses: ['active', 'superseded'] })).length,
        aids: (await engine.aids([last!.id])).get(last!.id)?.questions,
        edges: (await sql(host.globalFile, 'SELECT count(*) AS n FROM edges'))[0]!.n as number,
        goals: (await engine.goals.list()).length,
        problems: await storeProblems(engine),
        newEntries: (await engine.verify())[0]!.auditEntries - entries[0]!,
      },
      {
        memories: facts.length,
        aids: ['Which port has the last one?'],
        edges,
        goals: 1,
        problems: [],
        newEntries: 1,
      },
    );
  });

  it('says which texts are no longer what was stored, and takes them back from a backup', async () => {
    for (const hasBackup of [true, false]) {
      const host = await storeOf(3);
      const folder = path.dirname(host.globalFile);
      mkdirSync(path.join(folder, 'backups'));
      if (hasBackup) copyFileSync(host.globalFile, path.join(folder, 'backups', '2026-03-01T00-00-00-000Z-daily.db'));
      const bytes = readFileSync(host.globalFile);
      bytes[bytes.indexOf('port of service number 1')]! ^= 0x20; // Another case: the content hash is the same.
      writeFileSync(host.globalFile, bytes);
      let engine = await host.open();
      const changed = (await engine.list()).filter(it => it.damaged);
      assert.deepEqual(
        changed.map(it => it.content),
        ['The Port of service number 1 is 1001.'],
      );
      assert.match((await storeProblems(engine)).join(), /no longer what was stored: 1/u);
      await engine.close();
      engine = await host.open();
      assert.deepEqual(
        {
          contents: (await engine.list()).map(it => it.content).sort(),
          damaged: (await engine.list()).filter(it => it.damaged),
          named: String(engine.notices).includes(`#${changed[0]!.id.slice(-8)}`),
          problems: await storeProblems(engine),
        },
        {
          contents: [facts[0]!, hasBackup ? facts[1]! : 'The Port of service number 1 is 1001.', facts[2]!].sort(),
          damaged: [],
          named: !hasBackup,
          problems: [],
        },
      );
    }
  });

  for (const [name, damage] of [
    [
      'missing',
      (file: string) => {
        rmSync(file);
      },
    ],
    [
      'empty',
      (file: string) => {
        writeFileSync(file, '');
      },
    ],
  ] as const) {
    it(`that is ${name} beside a backup is restored, and said at each opening until a person has seen it`, async () => {
      const host = await storeOf(5);
      const folder = path.dirname(host.globalFile);
      mkdirSync(path.join(folder, 'backups'));
      copyFileSync(host.globalFile, path.join(folder, 'backups', '2026-03-01T00-00-00-000Z-daily.db'));
      damage(host.globalFile);
      for (let opening = 0; opening < 2; opening++) {
        const engine = await host.open();
        assert.equal((await engine.list()).length, 5);
        assert.match(
          String(engine.notices),
          /was missing or empty on 2026-03-02.*the newest being .*-daily\.db: 5\. What was stored after that backup, if anything, is lost/u,
        );
        await engine.close();
      }
      const engine = await host.open();
      await engine.confirmDamage();
      assert.deepEqual(engine.notices, []);
      await engine.close();
      assert.deepEqual((await host.open()).notices, []);
    });
  }

  it('is repaired also when an earlier repair was stopped half way', async () => {
    const host = await storeOf(5);
    const folder = path.dirname(host.globalFile);
    mkdirSync(path.join(folder, 'backups'));
    copyFileSync(host.globalFile, path.join(folder, 'backups', '2026-03-01T00-00-00-000Z-daily.db'));
    renameSync(host.globalFile, path.join(folder, 'memory.damaged-2026-03-02T00-00-00-000Z.db'));
    writeFileSync(`${host.globalFile}.damaged`, '');
    const engine = await host.open();
    assert.deepEqual([(await engine.list()).length, await storeProblems(engine)], [5, []]);
  });

  it('is repaired once when several processes open it at the same time', async () => {
    const host = await storeOf(50);
    const bytes = readFileSync(host.globalFile);
    garbage(100).copy(bytes);
    writeFileSync(host.globalFile, bytes);
    const startAt = Date.now() + 1_000;
    const children = await Promise.all(
      [0, 1, 2].map(child =>
        runEngineProcess({
          dataDir: host.dataDir,
          startAt,
          calls: [0, 1, 2, 3, 4].map(i => ['remember', memoryInput(`Child ${child} says ${i}.`)]),
        }),
      ),
    );
    assert.deepEqual(
      children.flat().filter(it => it.error !== undefined),
      [],
    );
    const engine = await host.open();
    const folder = path.dirname(host.globalFile);
    assert.deepEqual(
      {
        memories: (await engine.list()).length,
        problems: await storeProblems(engine),
        aside: readdirSync(folder).filter(it => /^memory\.damaged-.*\.db$/u.test(it)).length,
      },
      { memories: 65, problems: [], aside: 1 },
    );
  });
});

/** In a child, because root may write everywhere: as a user without rights, or on a disk of its own. */
async function inChild(plan: EngineProcessPlan, wrapper?: string): Promise<readonly EngineProcessAnswer[]> {
  const nobody = wrapper === undefined && process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const answers = await runEngineProcess(plan, { ...nobody, ...(wrapper === undefined ? {} : { wrapper }) });
  for (const it of answers) if (it.error !== undefined) assertSentence(it.message!.replace(/^EngineError: /u, ''));
  return answers;
}

const contents = (answer: EngineProcessAnswer | undefined): readonly string[] =>
  ((answer?.value ?? { hits: [] }) as { hits: { memory: { content: string } }[] }).hits.map(it => it.memory.content);

describe('a read-only disk', () => {
  const calls: EngineProcessPlan['calls'] = [
    ['recall', { query: 'service number 2' }],
    ['remember', memoryInput('The disk is full of facts.')],
    ['list'],
    ['verify'],
  ];
  const expected = [undefined, undefined, 'storeReadOnly', undefined, undefined, undefined];

  async function check(host: TestHost, wrapper?: string, folders = host.workspaceFolders): Promise<void> {
    const before = filesOf(host.dataDir);
    const answers = await inChild({ dataDir: host.dataDir, folders, calls }, wrapper);
    assert.deepEqual(
      { errors: answers.map(it => it.error), best: contents(answers[1])[0] },
      { errors: expected, best: facts[2] },
    );
    assert.deepEqual(filesOf(host.dataDir), before);
  }
  function lock(host: TestHost): void {
    chmodSync(path.dirname(host.dataDir), 0o755);
    for (const it of readdirSync(host.dataDir, { recursive: true, withFileTypes: true })) {
      chmodSync(path.join(it.parentPath, it.name), it.isDirectory() ? 0o555 : 0o444);
    }
    chmodSync(host.dataDir, 0o555);
  }

  it('by the rights of its folder', async () => {
    const host = await storeOf(5);
    lock(host);
    await check(host);
  });

  it('by the rights of its folder, with a project that has no store yet', async () => {
    const host = await storeOf(5);
    lock(host);
    const project = temporaryFolder();
    chmodSync(project, 0o755);
    await check(host, undefined, [project]);
  });

  it('with a write-ahead log left by a program that was killed', async () => {
    const host = await storeOf(5);
    const child = spawnEngineProcess(
      { dataDir: host.dataDir, calls: [['remember', memoryInput('The last words.')], ['list'], ['list']] },
      { onAnswer: count => count === 2 && child.process.kill('SIGKILL') },
    );
    await child.answers;
    assert.ok(existsSync(`${host.globalFile}-wal`));
    lock(host);
    await check(host);
  });
});

/** A disk of its own, of so many kilobytes, at the data folder; gone with the process. Needs Linux. */
const ownDisk = (kilobytes: number, then: string): string =>
  `exec unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=${kilobytes}k none "$RECOLLECT_DISK" && ${then} exec "$@"' sh "$@"`;

describe('a full disk', () => {
  it('refuses writes that do not fit, keeps existing memories, and resumes when there is space', async () => {
    const dataDir = temporaryFolder();
    process.env.RECOLLECT_DISK = dataDir;
    const long = (i: number): string => `Fact ${i}: ${'words that fill a page of the disk '.repeat(200)}.`;
    const answers = await inChild(
      {
        dataDir,
        calls: [
          ...Array.from({ length: 80 }, (_, i): [string, unknown] => ['remember', memoryInput(long(i))]),
          ['recall', { query: 'fact words', limit: 3, tokenBudget: 10_000 }],
          ['list'],
          ['verify'],
        ],
      },
      ownDisk(1_600, ''),
    );
    const remembered = answers.slice(1, 81);
    const stored = remembered.filter(it => it.error === undefined).length;
    const [recalled, listed, verified] = answers.slice(81, 84);
    assert.deepEqual(
      {
        errors: [...new Set(remembered.map(it => it.error))],
        recalled: contents(recalled).length,
        listed: (listed?.value as unknown[]).length,
        problems: (verified?.value as { problems: string[] }[]).flatMap(it => it.problems),
        closed: answers[84]?.error,
      },
      { errors: [undefined, 'storeFull'], recalled: 3, listed: stored, problems: [], closed: undefined },
    );
    assert.ok(stored > 5);
  });

  it('answers recalls when it is opened on a full disk', async () => {
    const host = await storeOf(5);
    process.env.RECOLLECT_DISK = temporaryFolder();
    const answers = await inChild(
      {
        dataDir: process.env.RECOLLECT_DISK,
        calls: [
          ['recall', { query: 'service number 2' }],
          ['remember', memoryInput('One more fact.')],
        ],
      },
      ownDisk(
        400,
        `cp -r "${host.dataDir}/." "$RECOLLECT_DISK" && (cat /dev/zero > "$RECOLLECT_DISK/filler" 2>/dev/null || true) &&`,
      ),
    );
    assert.deepEqual(
      answers.slice(0, 3).map(it => it.error),
      [undefined, undefined, 'storeFull'],
    );
    assert.equal(contents(answers[1])[0], facts[2]);
  });
});

describe('a store that is deleted while it is open', () => {
  const deletions = {
    'with its whole folder': (host: TestHost): void => {
      rmSync(host.dataDir, { recursive: true });
    },
    'and replaced by a copy': (host: TestHost): void => {
      copyFileSync(host.globalFile, `${host.globalFile}.copy`);
      renameSync(`${host.globalFile}.copy`, host.globalFile);
    },
  };
  for (const [how, remove] of Object.entries(deletions)) {
    it(`stores nothing, says so by itself, and is used again once opened: ${how}`, async () => {
      const host = await storeOf(1);
      const engine = await host.open();
      let isAway = false;
      engine.onDidChange(it => {
        isAway ||= it.isAway === true;
      });
      remove(host);
      await assert.rejects(storeMemory(engine, 'The ferry is called Perpetua.'), (error: unknown) => {
        assert.ok(EngineError.is(error, 'storeUnavailable'), String(error));
        assertSentence(error.message);
        return error.message.includes('was deleted or replaced while it was open');
      });
      await until('it says so by itself', () => isAway);
      await engine.close();
      const again = await host.open();
      await storeMemory(again, 'The ferry is called Perpetua.');
      assert.ok((await again.list()).some(it => it.content === 'The ferry is called Perpetua.'));
    });
  }
});

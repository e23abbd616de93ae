import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { rowsOf } from './kit/database.js';
import { matchesGolden } from './kit/golden.js';
import { pairwise } from './kit/pairwise.js';
import { Shell } from './kit/shell.js';
import { readStores, recalledIds, type StoreAnswers } from './kit/storeAnswers.js';

const fixtures = path.resolve('test', 'fixtures');

interface Expected extends StoreAnswers {
  readonly now: string;
}

const releases = readdirSync(path.join(fixtures, 'stores')).filter(it => /^\d+\.\d+\.\d+$/u.test(it));

/** The open conflicts of 0.1.0 were findings of its rules, that are no longer shown; its memories all stand as they did. */
function expectedOf(version: string): Expected {
  const text = readFileSync(path.join(fixtures, 'stores', version, 'expected.json'), 'utf8');
  const expected = JSON.parse(text, withoutFormerField) as Expected;
  return version === '0.1.0' ? { ...expected, conflicts: [] } : expected;
}

/** 0.1.0 had a field `sensitive` that nothing could set. */
function withoutFormerField(key: string, value: unknown): unknown {
  return key === 'sensitive' && value === false ? undefined : value;
}

/** A shell on copies of the stores of a version, at the moment at which they were left. */
function shellWith(version: string): Shell {
  const shell = new Shell();
  for (const it of ['global', 'project'] as const) {
    const source = path.join(fixtures, 'stores', version, it);
    mkdirSync(path.dirname(shell.file(it)), { recursive: true });
    for (const name of readdirSync(source)) {
      copyFileSync(path.join(source, name), path.join(path.dirname(shell.file(it)), name));
    }
  }
  shell.moveTo(expectedOf(version).now);
  return shell;
}

/** Without what depends on how a version ranks: of what is recalled, the best one alone. */
function answersOf({ memories, recalled, conflicts, goals }: StoreAnswers): StoreAnswers {
  return {
    memories,
    recalled: Object.fromEntries(Object.entries(recalled).map(([question, ids]) => [question, ids.slice(0, 1)])),
    conflicts,
    goals,
  };
}

for (const version of releases) {
  describe(`the stores of version ${version}`, function () {
    it('open whole, and list and recall the same memories', async () => {
      const shell = shellWith(version);
      const verified = await shell.run('verify --json');
      const { ok, stores } = JSON.parse(verified.out) as {
        ok: boolean;
        stores: readonly { problems: readonly string[] }[];
      };
      assert.deepEqual([verified.code, ok, stores.flatMap(it => it.problems)], [0, true, []]);
      assert.deepEqual(answersOf(await readStores(shell)), answersOf(expectedOf(version)));
      assert.equal((await shell.run('verify')).code, 0);
    });

    it('take in what is said now, and keep the checkpoints, the merges and the runs that were made then', async () => {
      const shell = shellWith(version);
      assert.equal((await shell.run('remember The crane service runs on port 7003.')).code, 0);
      assert.equal((await shell.run('consolidate --undo')).code, 0);
      const runs = (await shell.json('maintain --runs')) as readonly { readonly id: string }[];
      assert.ok(runs.length >= 2);
      assert.equal((await shell.run(['maintain', '--undo', runs[0]!.id])).code, 0);
      assert.equal((await shell.run('maintain')).code, 0);
      assert.equal((await shell.run('verify')).code, 0);
    });

    it('hold every sort of thing that the tests are about', async () => {
      const shell = shellWith(version);
      const counts: Record<string, number> = {};
      const tables = ['memories', 'vectors', 'edges', 'traces', 'audit', 'records', 'memory_terms'];
      for (const it of tables) {
        counts[it] = (await rowsOf(shell.file('project'), `SELECT count(*) AS count FROM ${it}`))[0]!.count as number;
      }
      for (const [table, count] of Object.entries(counts)) assert.ok(count > 0, `${table} is empty`);
    });

    it('are recalled from alike with the index file of that version, without it, and with a damaged one', async () => {
      const shell = shellWith(version);
      const index = `${shell.file('project')}-index`;
      const whole = readFileSync(index);
      const question = 'Which port has the payments service?';
      const right = await recalledIds(shellWith(version), question);
      assert.equal(right[0], expectedOf(version).recalled[question]![0]);
      const damaged: Readonly<Record<string, () => void>> = {
        'as it was left': () => undefined,
        'not there': () => {
          rmSync(index);
        },
        'of another layout': () => {
          writeFileSync(index, Buffer.concat([Buffer.from([whole[0]! ^ 1]), whole.subarray(1)]));
        },
        'with texts read in another way': () => {
          writeFileSync(
            index,
            withBasis(whole, basis => ({ ...basis, reading: 'another' })),
          );
        },
        'of another model': () => {
          writeFileSync(
            index,
            withBasis(whole, basis => ({ ...basis, model: 'another' })),
          );
        },
        'of another history': () => {
          writeFileSync(
            index,
            withBasis(whole, basis => ({ ...basis, audit: { seq: 1, hash: 'another' } })),
          );
        },
        'with a damaged header': () => {
          writeFileSync(index, Buffer.concat([whole.subarray(0, 40), Buffer.from('~'), whole.subarray(41)]));
        },
        'with damaged arrays': () => {
          const bytes = Buffer.from(whole);
          for (let at = bytes.length >> 1; at < bytes.length; at += 16) bytes[at]! ^= 0x55;
          writeFileSync(index, bytes);
        },
        'cut in the middle': () => {
          writeFileSync(index, whole.subarray(0, whole.length >> 1));
        },
        empty: () => {
          writeFileSync(index, '');
        },
      };
      for (const [how, damage] of Object.entries(damaged)) {
        damage();
        assert.deepEqual(await recalledIds(shell, question), right, `an index file ${how}`);
        // What was no use is replaced by one that is.
        assert.ok(existsSync(index), `no index file after one ${how}`);
        // A rebuilt file has the layout of this version, whose header names its parts in other words.
        const { manifest } = headerOf(readFileSync(index)) as unknown as {
          readonly manifest: Readonly<Record<string, unknown>>;
        };
        assert.equal(manifest.model, headerOf(whole).basis.model, `an index file ${how}`);
        assert.notDeepEqual(manifest.audit, { seq: 1, hash: 'another' });
      }
      assert.equal((await shell.run('verify')).code, 0);
    });
  });

  describe(`the export of version ${version}`, function () {
    const file = path.join(fixtures, 'exports', `${version}.jsonl`);

    it('gives the same memories when it is imported into empty stores, and nothing more the second time', async () => {
      const shell = new Shell();
      const { now, memories, conflicts, recalled } = expectedOf(version);
      shell.moveTo(now);
      await shell.json(['import', file, '--own']);
      const found = await readStores(shell);
      // What is superseded is updated once more when it comes in.
      const undated = (all: StoreAnswers['memories']): unknown[] => all.map(({ updatedAt, ...rest }) => rest);
      assert.deepEqual(undated(found.memories), undated(memories));
      assert.deepEqual(found.conflicts.map(String).sort(), conflicts.map(String).sort());
      assert.deepEqual(
        Object.values(found.recalled).map(it => it[0]),
        Object.values(recalled).map(it => it[0]),
      );
      const again = (await shell.json(['import', file, '--own'])) as { sources: readonly { fresh: number }[] };
      assert.deepEqual(
        again.sources.map(it => it.fresh),
        [0],
      );
      assert.equal((await shell.run('verify')).code, 0);
    });

    it('is what the stores of that version export today, but for the counts of what reads them', async () => {
      const shell = shellWith(version);
      const { out } = await shell.run('export');
      const lines = (text: string): unknown[] =>
        text
          .trimEnd()
          .split('\n')
          .map(line => {
            const rest = JSON.parse(line, withoutFormerField) as Record<string, unknown>;
            // A hash is made again where a version reads texts in another way.
            for (const key of ['at', 'accessCount', 'accessedAt', 'contentHash']) Reflect.deleteProperty(rest, key);
            return rest;
          });
      assert.deepEqual(lines(out), lines(readFileSync(file, 'utf8')));
    });
  });
}

describe('the stores of schemas 1 to 4', function () {
  it('open whole, and list and recall what was kept in them', async () => {
    const found = await pairwise([1, 2, 3, 4], async version => {
      const shell = new Shell();
      mkdirSync(path.dirname(shell.file('global')), { recursive: true });
      copyFileSync(path.join(fixtures, 'stores', `version-${version}.db`), shell.file('global'));
      const memories = (await shell.json('list --status active superseded archived --scope global-only')) as readonly {
        readonly id: string;
        readonly content: string;
        readonly gate: string;
        readonly status: string;
        readonly pinned: boolean;
      }[];
      const hits = await recalledIds(shell, 'payments port');
      return {
        schema: version,
        memories: memories.map(({ content, gate, status, pinned }) => ({ content, gate, status, pinned })),
        recalled: hits.map(id => memories.find(it => it.id === id)?.content),
        verify: (await shell.run('verify')).code,
        version: await rowsOf(shell.file('global'), 'PRAGMA user_version'),
      };
    });
    matchesGolden('old-schemas.json', found);
  });

  it('are turned away when a newer version has written them, and stay as they are', async () => {
    const shell = new Shell();
    mkdirSync(path.dirname(shell.file('global')), { recursive: true });
    copyFileSync(path.join(fixtures, 'stores', 'version-4.db'), shell.file('global'));
    await rowsOf(shell.file('global'), 'PRAGMA user_version = 1000');
    const before = readFileSync(shell.file('global'));
    const { code, err } = await shell.run('list --scope global-only');
    assert.equal(code, 1);
    assert.match(err, /was written by a newer Recollect/u);
    assert.deepEqual(readFileSync(shell.file('global')), before);
  });
});

interface Basis {
  readonly model: string;
  readonly reading: string;
  readonly audit: unknown;
}

/** The header of an index file: mark, length and checksum, then JSON. */
function headerOf(bytes: Buffer): { readonly basis: Basis; readonly length: number } {
  const length = bytes.readUInt32LE(4);
  return { ...(JSON.parse(bytes.subarray(12, 12 + length).toString()) as { basis: Basis }), length };
}

/** The same file with another basis in its header, and a checksum that is right. */
function withBasis(bytes: Buffer, change: (basis: Basis) => object): Buffer {
  const length = bytes.readUInt32LE(4);
  const header = JSON.parse(bytes.subarray(12, 12 + length).toString()) as { basis: Basis };
  const changed = Buffer.from(JSON.stringify({ ...header, basis: change(header.basis) }));
  const aligned = (at: number): number => Math.ceil(at / 8) * 8;
  const prefix = Buffer.alloc(12);
  bytes.copy(prefix, 0, 0, 4);
  prefix.writeUInt32LE(changed.length, 4);
  prefix.writeUInt32LE(crc32(changed), 8);
  const head = Buffer.concat([prefix, changed]);
  const padding = Buffer.alloc(aligned(head.length) - head.length);
  return Buffer.concat([head, padding, bytes.subarray(aligned(12 + length))]);
}

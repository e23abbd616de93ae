import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';
import { auditHash, type AuditEntry } from '../../../src/engine/store/audit.js';

/** Waits until the head outside the store is that of an entry of the audit log. */
async function waitForHead({ dataDir }: TestHost, entry: number): Promise<void> {
  const heads = path.join(dataDir, 'heads');
  // A draft of it has another name.
  const isHead = (name: string): boolean =>
    name.endsWith('.txt') && readFileSync(path.join(heads, name), 'utf8').startsWith(`${entry}:`);
  const isThere = (): boolean => existsSync(heads) && readdirSync(heads).some(isHead);
  while (!isThere()) await new Promise(resolve => setTimeout(resolve, 50));
}

/** Edits the store's file behind the engine's back and says what `verify` finds. */
function check(
  name: string,
  edit: (rows: readonly Record<string, unknown>[]) => readonly string[],
  problems: readonly (string | RegExp)[],
): void {
  it(name, async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'The build runs on Node 20.');
    await storeMemory(engine, 'The docs are in docs/.');
    await engine.pin(id);
    await engine.unpin(id);
    assert.deepEqual(await storeProblems(engine), []);
    await engine.close();
    await sql(host.globalFile, ...edit(await sql(host.globalFile, 'SELECT * FROM audit ORDER BY seq')));
    const again = await host.open();
    const found = await storeProblems(again);
    assert.equal(found.length, problems.length, found.join('\n'));
    for (const [i, it] of problems.entries())
      if (typeof it === 'string') assert.equal(found[i], it);
      else assert.match(found[i]!, it);
  });
}

const rehashed = (rows: readonly Record<string, unknown>[], seq: number): string => {
  const row = rows[seq - 1]!;
  const entry: Omit<AuditEntry, 'hash'> = {
    seq,
    at: row.at as string,
    action: row.action as AuditEntry['action'],
    memoryId: (row.memory_id as string | null) ?? undefined,
    actor: 'someone else',
    detail: row.detail as string,
  };
  const before = (rows[seq - 2]?.hash as string | undefined) ?? '';
  return `UPDATE audit SET actor = 'someone else', hash = '${auditHash(before, entry)}' WHERE seq = ${seq}`;
};

describe('audit', () => {
  const end = 'The end of the audit log is missing or was replaced.';
  check('nothing', () => ['SELECT 1'], []);
  for (const column of ['at', 'action', 'memory_id', 'actor', 'detail']) {
    check(`an altered ${column}`, () => [`UPDATE audit SET ${column} = 'other' WHERE seq = 3`], [
      'Audit entry 3 was altered.',
    ]);
  }
  check('a memory taken off its entry', () => ['UPDATE audit SET memory_id = NULL WHERE seq = 3'], [
    'Audit entry 3 was altered.',
  ]);
  check('an altered hash', () => ["UPDATE audit SET hash = 'x' WHERE seq = 2"], [
    'Audit entry 2 was altered.',
    'Audit entry 3 was altered.',
  ]);
  check('an entry replaced with a right hash of its own', rows => [rehashed(rows, 2)], ['Audit entry 3 was altered.']);
  check('the last entry replaced with a right hash of its own', rows => [rehashed(rows, 4)], [end]);
  check('a missing entry', () => ['DELETE FROM audit WHERE seq = 3'], ['Audit entries 3 to 3 are missing.']);
  check('the first entry missing', () => ['DELETE FROM audit WHERE seq = 1'], [
    'Audit entries 1 to 1 are missing.',
    'Memories without a line in the audit log: 1.',
  ]);
  check('the end cut off', () => ['DELETE FROM audit WHERE seq > 2'], [end]);
  check('all of it gone', () => ['DELETE FROM audit'], [end, 'Memories without a line in the audit log: 2.']);
  check('an entry too many', () => ["INSERT INTO audit VALUES (5, '', 'pin', NULL, '', '{}', '')"], [
    'Audit entry 5 was altered.',
    end,
  ]);
  check(
    'two entries that changed places',
    () => [
      'UPDATE audit SET seq = 9 WHERE seq = 2',
      'UPDATE audit SET seq = 2 WHERE seq = 3',
      'UPDATE audit SET seq = 3 WHERE seq = 9',
    ],
    ['Audit entry 2 was altered.', 'Audit entry 3 was altered.', 'Audit entry 4 was altered.'],
  );
  check(
    'a head that was set back to hide the cut',
    () => ['DELETE FROM audit', "UPDATE meta SET value = '' WHERE key = 'auditHead'"],
    ['Memories without a line in the audit log: 2.'],
  );
  check(
    'a memory written past the engine',
    () => [
      "INSERT INTO memories SELECT NULL, 'x', content, summary, gate, kind, lane, decay_class, confidence, priority, pinned, reinforcement_count, access_count, useful_count, feedback, tags, sensitive, status, archive_reason, scope_id, sequence, due_at, expires_at, retention_score, scoring_version, 'x', source, session, uri, provenance, created_at, updated_at, reinforced_at, accessed_at, archived_at, change, in_degree FROM memories LIMIT 1",
    ],
    [
      'Memories without a line in the audit log: 1.',
      'Memories missing from the search index: 1.',
      'Memories whose text is no longer what was stored: 1 (#x). Close every program that uses the memory and open it again: what a backup has of them is restored.',
    ],
  );
  check('a memory taken out of the index', () => ['DELETE FROM memory_terms WHERE rowid = 1'], [
    'Memories missing from the search index: 1.',
  ]);
  const changedRow =
    /^Memories whose lane, pin or confidence is not what was last written: 1 \(#[0-9a-f]{8}\)\. Another program/u;
  for (const change of ["lane = 'note'", 'pinned = 1', 'confidence = 99'])
    check(`a memory changed past the engine: ${change}`, () => [`UPDATE memories SET ${change} WHERE row = 1`], [
      changedRow,
    ]);
  check('a memory deleted past the engine', () => ['DELETE FROM memories WHERE row = 1'], [
    'Memories gone without a line in the audit log: 1.',
  ]);

  it('finds nothing wrong while others write', async () => {
    const engine = await new TestHost().open();
    const writes = Array.from({ length: 100 }, (_, i) => storeMemory(engine, `The port of service ${i} is ${i}.`));
    const found = await Promise.all(writes.map(async write => (await write, storeProblems(engine))));
    assert.deepEqual(found.flat(), []);
  });

  it('has a line for every action and never the text', async () => {
    const host = new TestHost();
    const engine = await host.open();
    const id = await storeMemory(engine, 'The build runs on Node 20.', { lane: 'note' });
    await storeMemory(engine, 'The build runs on Node 20.', { lane: 'note' });
    for (const verb of ['pin', 'unpin', 'forget', 'restore', 'promote', 'markCritical'] as const)
      await engine[verb](id);
    await engine.feedback(id, true);
    await engine.recall({ query: 'build' });
    await engine.traces();
    for await (const chunk of engine.exchange.export('jsonl')) assert.ok(chunk.length > 0);
    const rows = await sql(host.globalFile, 'SELECT * FROM audit ORDER BY seq');
    assert.deepEqual(
      rows.map(it => it.action),
      ['create', 'reinforce', 'pin', 'unpin', 'archive', 'restore', 'promote', 'edit', 'feedback', 'export'],
    );
    assert.ok(!/build|Node/iu.test(JSON.stringify(rows)));
  });

  it('finds nothing wrong after a checkpoint was restored in which a memory was pinned', async () => {
    const engine = await new TestHost().open();
    const id = await storeMemory(engine, 'The build runs on Node 20.');
    await engine.pin(id);
    const [checkpoint] = await engine.checkpoints.make('before');
    await engine.unpin(id);
    await engine.checkpoints.restore(checkpoint!.id);
    assert.equal((await engine.get(id)).pinned, true);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('keeps the head of a process that is never closed within a second of its last write', async () => {
    const host = new TestHost();
    const engine = await host.open();
    for (const it of ['The build runs on Node 20.', 'The docs are in docs/.', 'The tests are in test/.'])
      await storeMemory(engine, it);
    await waitForHead(host, 3);
  });

  it('notices a write-ahead log that was cut after its process was killed', async () => {
    const host = new TestHost();
    const engine = await host.open();
    for (let i = 0; i < 6; i++) await storeMemory(engine, `Berth ${i} takes boats of ${i + 5} metres.`);
    await waitForHead(host, 6);
    // What a killed process leaves behind.
    const left = new TestHost();
    cpSync(host.dataDir, left.dataDir, { recursive: true });
    const log = `${left.globalFile}-wal`;
    truncateSync(log, statSync(log).size / 2);
    const reopened = await left.open();
    assert.ok((await reopened.list()).length < 6);
    assert.match((await storeProblems(reopened)).join(), /^This is an older copy .* entry 6 of the audit log/u);
  });

  it('notices an older copy of the whole store, also after it was written to, until a person confirms it', async () => {
    const host = new TestHost();
    let engine = await host.open();
    await storeMemory(engine, 'The build runs on Node 20.');
    await engine.close();
    const older = readFileSync(host.globalFile);
    engine = await host.open();
    await storeMemory(engine, 'The docs are in docs/.');
    const anchor = await engine.auditAnchor();
    await engine.close();
    writeFileSync(host.globalFile, older);
    engine = await host.open();
    await storeMemory(engine, 'The tests are in test/.');
    await engine.close();
    engine = await host.open();
    assert.match((await storeProblems(engine)).join(), /^This is an older copy .* entry 2 of the audit log/u);
    assert.deepEqual(await engine.maintenance.olderCopies(), await storeProblems(engine));
    // Who has seen the notices has not seen this.
    await engine.confirmDamage();
    await engine.maintenance.confirmAlerts();
    assert.match((await storeProblems(engine)).join(), /^This is an older copy/u);
    await engine.confirmDamage({ alsoOlderCopies: true });
    assert.deepEqual([await storeProblems(engine), await engine.maintenance.olderCopies()], [[], []]);
    assert.deepEqual(
      (await engine.verify(anchor)).flatMap(it => it.problems),
      [
        'Entry 2 of the audit log, which the anchor of 2026-03-02 holds, is not in the store: it was replaced or rewritten since.',
      ],
    );
    assert.deepEqual(
      (await engine.verify(await engine.auditAnchor())).flatMap(it => it.problems),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  appendAccesses,
  readAccesses,
  readGivenMemories,
  summarizeClients,
  toolsListed,
} from '../../../src/engine/access/accessLog.js';
import { storeMemory, temporaryFolder, TestHost } from '../../support/fixtures.js';

const at = new Date('2026-03-02T09:00:00.000Z');

describe('the log of reads', () => {
  const newFolder = (): string => {
    const folder = path.join(temporaryFolder(), 'data');
    mkdirSync(folder);
    return folder;
  };

  it('has a line for each recall and list, with memories of every store, and never their text', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const mine = await storeMemory(engine, 'The person likes short quay names.', { store: 'global' });
    const ours = await storeMemory(engine, 'The quay opens at six.', { store: 'project' });
    await engine.recall({ query: 'quay' });
    engine.activity.noteCall('list', [{ id: ours }]);
    const reads = await engine.activity.reads();
    assert.deepEqual(
      reads.map(it => [it.client, it.via, [...it.ids].sort()]),
      [
        ['test', 'recall', [mine, ours].map(it => it.slice(-8)).sort()],
        ['test', 'list', [ours.slice(-8)]],
      ],
    );
    assert.ok(!JSON.stringify(reads).includes('quay'));
    assert.deepEqual(await engine.activity.reads({ client: 'other' }), []);
    assert.deepEqual(await engine.activity.reads({ since: '2030-01-01' }), []);
  });

  it("keeps a person's own look, which is no call of the program they look in", async () => {
    const host = new TestHost();
    const engine = await host.open();
    await storeMemory(engine, 'The quay opens at six.');
    await engine.recall({ query: 'quay' });
    assert.deepEqual(
      (await engine.activity.reads()).map(it => it.byPerson),
      [true],
    );
    assert.deepEqual(await engine.activity.clients(), []);
    await engine.recall({ query: 'quay', asker: 'model' });
    assert.deepEqual(
      (await engine.activity.clients()).map(it => [it.client, it.calls]),
      [['test', 1]],
    );
  });

  it('lists the changes of every store beside the reads', async () => {
    const host = new TestHost({ project: true });
    const engine = await host.open();
    const mine = await storeMemory(engine, 'The person likes tea.', { store: 'global' });
    host.time += 1_000;
    const ours = await storeMemory(engine, 'The quay opens at six.', { store: 'project' });
    host.time += 1_000;
    await engine.pin(ours);
    assert.deepEqual(
      (await engine.activity.changes()).map(it => [it.store, it.action, it.memoryId]),
      [
        ['global', 'create', mine],
        ['project', 'create', ours],
        ['project', 'pin', ours],
      ],
    );
  });

  it('knows what a session was given since its start, by its hash', async () => {
    const folder = newFolder();
    const [a, b] = ['aaaa0000aaaa0000', 'bbbb0000bbbb0000'];
    const give = (session: string | undefined, via: string, minute: number, ...ids: readonly string[]): Promise<void> =>
      appendAccesses(folder, [
        {
          client: 'hook',
          session,
          via,
          at: new Date(at.getTime() + minute * 60_000),
          memories: ids.map(id => ({ id })),
        },
      ]);
    assert.deepEqual(await readGivenMemories(folder, a), []);
    await give(a, 'session-start', 0, 'quay-001');
    await give(a, 'recall', 1, 'quay-002', 'quay-001');
    await give(b, 'recall', 2, 'quay-003');
    await give(undefined, 'recall', 3, 'quay-004', a);
    assert.deepEqual(await readGivenMemories(folder, a), [
      { id: 'quay-001', at: '2026-03-02T09:01:00.000Z' },
      { id: 'quay-002', at: '2026-03-02T09:01:00.000Z' },
    ]);
    await give(a, 'session-start', 4, 'quay-005');
    assert.deepEqual(await readGivenMemories(folder, a), [{ id: 'quay-005', at: '2026-03-02T09:04:00.000Z' }]);
    assert.equal((await readGivenMemories(folder, b)).length, 1);
    assert.deepEqual(
      (await readAccesses(folder)).map(it => it.session),
      [a, a, b, undefined, a],
    );
  });

  it('has forgotten what a session was given once the file was set aside', async () => {
    const folder = newFolder();
    const session = 'aaaa0000aaaa0000';
    const give = (id: string): Promise<void> =>
      appendAccesses(folder, [{ client: 'hook', session, via: 'recall', at, memories: [{ id }] }]);
    await give('quay-001');
    appendFileSync(path.join(folder, 'access', 'reads.jsonl'), `${'x'.repeat(2_000_000)}\n`);
    await give('quay-002');
    assert.deepEqual(await readGivenMemories(folder, session), []);
    await give('quay-003');
    assert.equal((await readGivenMemories(folder, session)).length, 1);
  });

  it('sets a full file aside, compressed, and reads it again with the current one', async () => {
    const folder = newFolder();
    const read = (client: string, time: Date): Promise<void> =>
      appendAccesses(folder, [{ client, via: 'recall', at: time, memories: [] }]);
    await read('first', at);
    appendFileSync(path.join(folder, 'access', 'reads.jsonl'), `${'x'.repeat(2_000_000)}\n`);
    await read('second', at);
    await read('third', new Date(at.getTime() + 1_000));
    const files = readdirSync(path.join(folder, 'access')).sort();
    assert.deepEqual(files, ['reads-2026-03-02T09-00-00-000Z.jsonl.gz', 'reads.jsonl']);
    assert.deepEqual(
      (await readAccesses(folder)).map(it => it.client),
      ['first', 'second', 'third'],
    );
    if (process.platform !== 'win32')
      for (const it of files) assert.equal(statSync(path.join(folder, 'access', it)).mode & 0o077, 0);
  });

  it('makes no data folder', async () => {
    const folder = path.join(temporaryFolder(), 'none');
    await assert.rejects(appendAccesses(folder, [{ client: 'zed', via: 'recall', at, memories: [] }]));
    assert.ok(!existsSync(folder));
    assert.deepEqual(await readAccesses(folder), []);
  });

  it('sums up who has called, the latest first', () => {
    const line = (client: string, minute: number, refused = false, via = 'recall') => ({
      at: `2026-03-02T09:0${minute}:00.000Z`,
      client,
      via,
      ids: [],
      ...(refused ? ({ refused: true } as const) : {}),
    });
    assert.deepEqual(
      summarizeClients([
        line('mcp:zed', 1),
        line('mcp:new', 2, false, toolsListed),
        line('hook', 2),
        line('mcp:claude-code', 4, true),
        line('mcp:zed', 3),
        line('mcp:zed', 5, false, toolsListed),
      ]),
      [
        { client: 'claude-code', lastCall: '2026-03-02T09:04:00.000Z', calls: 1, refused: 1 },
        {
          client: 'zed',
          lastCall: '2026-03-02T09:03:00.000Z',
          toolsSeen: '2026-03-02T09:05:00.000Z',
          calls: 2,
          refused: 0,
        },
        { client: 'new', toolsSeen: '2026-03-02T09:02:00.000Z', calls: 0, refused: 0 },
      ],
    );
  });
});

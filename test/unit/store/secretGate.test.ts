import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { TestHost } from '../../support/fixtures.js';
import { newMemory } from '../../support/newMemory.js';
import { SearchWorkerClient } from '../../../src/engine/search/worker/searchWorkerClient.js';
import { openSqliteStore } from '../../../src/engine/store/sqlite/openSqliteStore.js';
import type { RecordKind, Store } from '../../../src/engine/store/store.js';

const token = `ghp_${'aB3dE5fG7h'.repeat(4).slice(0, 36)}`;
const at = '2026-03-02T09:00:00.000Z';

/** By construction: a kind that is added later does not compile without a line here. */
const recordKinds: Readonly<Record<RecordKind, true>> = {
  goal: true,
  run: true,
  proposal: true,
  request: true,
  likelyConflict: true,
  formerText: true,
  cursor: true,
  indexedFile: true,
  modelUse: true,
  takenBack: true,
  syncedFile: true,
  sensitive: true,
  import: true,
  capture: true,
  review: true,
  sharedLine: true,
  receivedShare: true,
  teamLine: true,
  teamOutbox: true,
  state: true,
};

function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => path.join(it.parentPath, it.name))
    .filter(it => readFileSync(it).includes(text));
}

describe('the gate in front of a store', () => {
  let host: TestHost;
  let indexes: SearchWorkerClient;
  let store: Store;

  beforeEach(async () => {
    host = new TestHost();
    indexes = new SearchWorkerClient(host.bundleDir, { modelDir: undefined });
    store = await openSqliteStore('global', path.dirname(host.globalFile), host, indexes);
  });

  afterEach(async () => {
    await store.close();
    await indexes.close();
  });

  it('keeps a secret out of every string of a record of every kind, names included', async () => {
    const body = { plain: token, label: token, list: ['a', token], deep: { deeper: [{ note: token }] }, [token]: 1 };
    for (const kind of Object.keys(recordKinds) as RecordKind[]) {
      await store.write('test', tx => tx.putRecord(kind, 'one', body));
      const read = await store.record<Record<string, unknown>>(kind, 'one');
      assert.ok(!JSON.stringify(read).includes(token), kind);
      assert.match(JSON.stringify(read), /\[secret: GitHub token\]/u, kind);
      await assert.rejects(
        store.write('test', tx => tx.putRecord(kind, `a ${token}`, {})),
        /GitHub token/u,
      );
    }
    assert.deepEqual(filesWith(host.dataDir, token), []);
  });

  it('keeps a secret out of every string of a memory, of its aids, its edges and its lines in the log', async () => {
    const id = '01956a00-0000-7000-8000-000000000001';
    const other = '01956a00-0000-7000-8000-000000000002';
    const plain = newMemory(id, 'The pier opens at six.', at);
    const tainted = {
      content: `The pier opens at six with ${token}.`,
      summary: `The pier ${token}`,
      tags: [token, 'pier'],
      scopeId: `set ${token}`,
      provenance: { source: 'explicit', client: token, session: token, uri: `https://pier.example/${token}` } as const,
    };
    await store.write('test', async tx => {
      await tx.insertMany([{ ...plain, ...tainted }, newMemory(other, 'The ferry leaves at two.', at)]);
      await tx.setAids(id, { questions: [`When? ${token}`], keywords: [token] });
      await tx.link([{ source: id, target: other, type: 'derived_from', strength: 1, reason: `as ${token} says` }]);
      await tx.log('maintain', { because: token });
    });
    await store.write('test', async tx => {
      const memory = (await tx.get(other))!;
      await tx.update({ ...memory, content: `The ferry ${token}` }, 'edit', { change: token });
      await tx.markOutdated({ outdated: other, replacement: id, type: 'contradicts', by: 'person', reason: token });
    });
    await assert.rejects(
      store.write('test', tx => tx.insertMany([newMemory(token, 'The pier closes at ten.', at)])),
      /GitHub token/u,
    );
    const [stored] = await store.get([id]);
    assert.match(stored!.content, /^The pier opens at six with \[secret: GitHub token\]/u);
    assert.deepEqual((await store.verify()).problems, []);
    assert.deepEqual(filesWith(host.dataDir, token), []);
  });

  it('leaves what is stored as it is, and a sensitive text to its key', async () => {
    const bytes = { key: 'k', nonce: token, data: token, label: 'the pier' };
    await store.write('test', tx => tx.putRecord('sensitive', 'one', bytes));
    assert.deepEqual((await store.record('sensitive', 'one'))?.body, bytes);
    const body = { paths: ['src/pier/index.ts'], hash: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA', at };
    await store.write('test', tx => tx.putRecord('state', 'one', body));
    assert.deepEqual((await store.record('state', 'one'))?.body, body);
  });
});

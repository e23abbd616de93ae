import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { SearchAids } from '../../../src/engine/model/memory.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { waitForEncoder } from '../../support/encoderHost.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

const bell = 'The harbour gate has a brass bell.';
/** No word of these is in the memory's own text. */
const aids: SearchAids = { questions: ['Welches Instrument läutet?'], keywords: ['carillon', 'Glockenspiel'] };

describe('words beside the question and the memory', () => {
  waitForEncoder();
  let host: TestHost;
  let engine: MemoryEngine;
  let id: string;

  beforeEach(async () => {
    host = new TestHost();
    host.settings = { ...host.settings, embeddings: 'off' };
    engine = await host.open();
    for (let i = 0; i < 12; i++) await storeMemory(engine, `Berth ${i} takes boats of ${i + 5} metres.`);
    id = await storeMemory(engine, bell, { aids });
  });

  afterEach(async () => {
    assert.deepEqual(await storeProblems(engine), []);
  });

  const found = async (query: string, more: Partial<RecallInput> = {}): Promise<string[]> =>
    (await engine.recall({ query, isUntracked: true, ...more })).hits.map(it => it.memory.content);
  const aidsOf = async (): Promise<SearchAids | undefined> => (await engine.aids([id])).get(id);

  it('find a memory by search aids, whose words it does not contain', async () => {
    for (const query of ['carillon', 'glockenspiel', 'Instrument']) assert.deepEqual(await found(query), [bell], query);
  });

  it('find a memory by the word of another region, in a store whose memories came with a session', async () => {
    const port = '服务器监听端口 8443。';
    const inSession = await new TestHost().open();
    for (const it of ['部署在周二进行。', port]) await storeMemory(inSession, it, { session: 'one' });
    const { hits } = await inSession.recall({ query: '伺服器', isUntracked: true });
    assert.deepEqual(
      hits.map(it => it.memory.content),
      [port],
    );
  });

  it('put a memory with the word in its own text above one that has it in its search aids', async () => {
    const own = await storeMemory(engine, 'The harbour gate has a carillon.');
    const { hits } = await engine.recall({ query: 'carillon' });
    assert.deepEqual(
      hits.map(it => it.memory.id),
      [own, id],
    );
  });

  it('find more with alternatives or keywords than with the question alone', async () => {
    const query = 'Was ertönt am Eingang?';
    assert.deepEqual(
      [
        await found(query),
        await found(query, { alternatives: ['Which bell hangs at the gate?'] }),
        await found(query, { keywords: ['brass'] }),
      ],
      [[], [bell], [bell]],
    );
  });

  it('find what one alternative asks in the memory’s own question, however far it is from the task', async () => {
    await engine.close();
    host.settings = { ...host.settings, embeddings: 'built-in' };
    engine = await host.open();
    const requests = 'Pull requests have a screenshot of each change that a user sees.';
    const reviewers = 'Lorin Vital is the second reader for the backend, Amina Sow for the app.';
    await storeMemory(engine, requests, {
      aids: { questions: ['What does a pull request contain?'], keywords: ['pull request', 'screenshot'] },
    });
    await storeMemory(engine, reviewers, { aids: { questions: ['Who reviews?'], keywords: ['review', 'reader'] } });
    await engine.embedMissing();
    const query = 'commit my change of the invoice screen and open the pull request';
    const keywords = ['commit', 'branch', 'pull request', 'screenshot', 'invoice'];
    const contents = 'what a pull request contains';
    assert.deepEqual(await found(query, { alternatives: [contents], keywords }), [requests]);
    assert.deepEqual(await found(query, { alternatives: [contents, 'who reviews'], keywords }), [requests, reviewers]);
    assert.deepEqual(await found(query, { alternatives: [contents, 'who pays'], keywords }), [requests]);
  });

  it('find a memory with the built-in model too, and leave out what does not answer', async () => {
    await engine.close();
    host.settings = { ...host.settings, embeddings: 'built-in' };
    engine = await host.open();
    await engine.embedMissing();
    const more = { alternatives: ['What bell does the harbour gate have?'], keywords: ['brass', 'bell'] };
    assert.deepEqual(await found('What rings at the entrance?', more), [bell]);
    assert.deepEqual(
      await found('Who pays the pilots?', { alternatives: ['salary of pilots'], keywords: ['wage'] }),
      [],
    );
  });

  it('are part of what a cached answer is the answer to', async () => {
    const query = 'Was ertönt am Eingang?';
    assert.deepEqual([await found(query), await found(query, { keywords: ['brass'] })], [[], [bell]]);
    assert.deepEqual([await found(query), await found(query, { keywords: ['brass'] })], [[], [bell]]);
  });

  it('are never in the context, in an export or in the memory itself', async () => {
    const { context, hits } = await engine.recall({ query: 'carillon' });
    const listed = await engine.list({ limit: 100 });
    assert.ok(context.includes(bell));
    for (const text of [context, JSON.stringify(hits), JSON.stringify(listed)]) {
      for (const it of [...aids.questions, ...aids.keywords]) assert.ok(!text.includes(it), it);
    }
  });

  it('are found again after the engine was opened again, from the snapshot of the index', async () => {
    // Enough changes that closing writes a snapshot, with the memory in it.
    for (let i = 20; i < 40; i++) await storeMemory(engine, `Berth ${i} takes boats of ${i + 5} metres.`);
    await found('carillon');
    await engine.close();
    assert.ok(existsSync(`${host.globalFile}-index`));
    engine = await host.open();
    assert.deepEqual(await found('carillon'), [bell]);
  });

  it('come back when a checkpoint is restored, and are found by', async () => {
    host.time += 1_000;
    const [checkpoint] = await engine.checkpoints.make('before');
    host.time += 1_000;
    await engine.revise({ id, questions: ['Is it loud?'], keywords: ['clapper'] }, 'person');
    assert.deepEqual([await found('clapper'), await found('carillon')], [[bell], []]);
    host.time += 1_000;
    await engine.checkpoints.restore(checkpoint!.id);
    assert.deepEqual([await aidsOf(), await found('clapper'), await found('carillon')], [aids, [], [bell]]);
  });

  it('are gone from every file when their memory is purged, and stay away when a checkpoint is restored', async () => {
    const traces = (): string[] =>
      readdirSync(host.dataDir, { recursive: true, encoding: 'utf8' }).filter(name => {
        const file = path.join(host.dataDir, name);
        return statSync(file).isFile() && readFileSync(file).toString('latin1').toLowerCase().includes('carillon');
      });
    host.time += 1_000;
    const [checkpoint] = await engine.checkpoints.make('before');
    assert.ok(traces().length >= 2, traces().join());
    await engine.deletion.purge([id]);
    assert.deepEqual([traces(), await aidsOf(), await found('carillon')], [[], undefined, []]);
    host.time += 1_000;
    await engine.checkpoints.restore(checkpoint!.id);
    assert.deepEqual([traces(), await found('carillon')], [[], []]);
  });
});

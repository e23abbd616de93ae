import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeMemory, storeProblems } from '../../support/fixtures.js';
import { answersWith, fails, MessagesServer, stalls } from '../../support/messagesApiServer.js';
import { ModelHost } from '../llm/modelHost.js';

const ferry = 'The night ferry takes lorries only.';

describe('missing search aids', () => {
  let server: MessagesServer;
  let host: ModelHost;
  let engine: MemoryEngine;

  beforeEach(async () => {
    server = new MessagesServer();
    await server.start();
    host = new ModelHost();
    host.messagesUrl = server.url;
    host.model = {};
    engine = await host.open();
  });

  afterEach(async () => {
    await engine.close();
    await server.stop();
  });

  const aidsOf = (number: number, ...keywords: string[]): unknown => ({
    number,
    questions: ['Which vehicles may board after dark?'],
    keywords,
  });
  const missing = async (): Promise<readonly string[]> =>
    (await engine.list({ withoutAids: true })).map(it => it.content);
  const countMissing = async (): Promise<number | undefined> =>
    (await engine.maintenance.metrics()).stores[0]?.withoutAids;

  it('are of active memories with neither questions nor keywords, except of code', async () => {
    await storeMemory(engine, 'Pier two is closed in winter.', { aids: { questions: [], keywords: ['jetty'] } });
    await storeMemory(engine, 'moorings.ts lists the moorings.', { kind: 'code-description', source: 'code-index' });
    await engine.forget(await storeMemory(engine, 'Pier nine has a crane.'));
    await storeMemory(engine, ferry);
    assert.deepEqual([await missing(), await countMissing()], [[ferry], 1]);
  });

  it('are asked for in one call of the model, and find the memory in other words', async () => {
    const id = await storeMemory(engine, ferry);
    await storeMemory(engine, 'The harbour office opens at seven.');
    server.answers = [answersWith({ notes: [aidsOf(2, 'trucks', 'overnight'), aidsOf(1, 'reception')] })];
    assert.deepEqual(await engine.missingAids.complete(), { completed: 2, waiting: 0 });
    assert.equal(server.seen.length, 1);
    assert.match(server.seen[0]!.body.messages[0]!.content, /^1\. "The harbour office.+\n2\. "The night ferry/u);
    assert.deepEqual((await engine.aids([id])).get(id), {
      questions: ['Which vehicles may board after dark?'],
      keywords: ['trucks', 'overnight'],
    });
    const { hits } = await engine.recall({ query: 'overnight trucks', withoutCut: true });
    assert.equal(hits[0]?.memory.id, id);
    assert.equal((await engine.get(id)).content, ferry);
    assert.deepEqual([await missing(), await countMissing()], [[], 0]);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('are filled by capped lists without secrets', async () => {
    const id = await storeMemory(engine, ferry);
    const words = Array.from({ length: 20 }, (_, i) => `word${i}`);
    server.answers = [answersWith({ notes: [aidsOf(1, 'ghp_0123456789abcdefghijABCDEFGHIJ012345', ...words)] })];
    await engine.missingAids.complete();
    assert.deepEqual((await engine.aids([id])).get(id)?.keywords, words.slice(0, 10));
  });

  it('are left to an assistant that gave some while the model was thinking', async () => {
    const id = await storeMemory(engine, ferry);
    server.answers = [
      (response, seen) => {
        void engine.revise({ id, keywords: ['wagons'] }, 'model').then(() => {
          answersWith({ notes: [aidsOf(1, 'trucks')] })(response, seen);
        });
      },
    ];
    await engine.missingAids.complete();
    assert.deepEqual((await engine.aids([id])).get(id)?.keywords, ['wagons']);
  });

  it('are asked for once by a process if the model gives nothing', async () => {
    await storeMemory(engine, ferry);
    server.answers = [answersWith({ notes: [] })];
    assert.deepEqual(await engine.missingAids.complete(), { completed: 0, waiting: 1 });
    assert.deepEqual(await engine.missingAids.complete(), { completed: 0, waiting: 1 });
    assert.equal(server.seen.length, 1);
  });

  it('leave half of the daily budget to other work', async () => {
    for (let i = 0; i < 21; i++) await storeMemory(engine, `Buoy ${i} marks the wreck of the vessel number ${i}.`);
    host.model = { dailyTokens: 20_000 };
    const notes = Array.from({ length: 20 }, (_, i) => aidsOf(i + 1, 'beacon'));
    server.answers = [answersWith({ notes }, { usage: { input_tokens: 9_000, output_tokens: 1_000 } })];
    assert.deepEqual(await engine.missingAids.complete(), { completed: 20, waiting: 1 });
    assert.equal(server.seen.length, 1);
    host.advanceDays(1);
    assert.deepEqual(await engine.missingAids.complete(), { completed: 1, waiting: 0 });
  });

  it('stay missing if the model fails, and are asked for again', async () => {
    await storeMemory(engine, ferry);
    server.answers = [fails(400, 'invalid_request_error')];
    await assert.rejects(engine.missingAids.complete());
    server.answers = [answersWith({ notes: [aidsOf(1, 'trucks')] })];
    assert.deepEqual(await engine.missingAids.complete(), { completed: 1, waiting: 0 });
  });

  it('do not delay the end of a process', async () => {
    await storeMemory(engine, ferry);
    server.answers = [stalls];
    engine.missingAids.schedule();
    await server.nextRequest();
    await engine.close();
  });

  it('are not asked for if no model is enabled', async () => {
    host.model = { provider: 'none' };
    await storeMemory(engine, ferry);
    assert.deepEqual(await engine.missingAids.complete(), { completed: 0, waiting: 1 });
    engine.missingAids.schedule();
    assert.equal(server.seen.length, 0);
  });
});

import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { storeMemory, storeProblems } from '../../support/fixtures.js';
import { fails, MessagesServer, answersWith } from '../../support/messagesApiServer.js';
import { ModelHost } from '../llm/modelHost.js';

/** Two statements that the rules cannot compare with certainty. */
const older = 'Delete soft: set `deleted_at` instead of removing rows';
const newer = 'rows are hard-deleted, we took out the deleted_at column';

describe('uncertain contradictions', () => {
  let server: MessagesServer;
  let host: ModelHost;
  let engine: MemoryEngine;
  let ids: string[];

  beforeEach(async () => {
    server = new MessagesServer();
    await server.start();
    host = new ModelHost();
    host.messagesUrl = server.url;
    host.model = {};
    engine = await host.open();
    ids = [];
  });

  afterEach(async () => {
    await engine.close();
    await server.stop();
  });

  const tell = async (...texts: string[]): Promise<void> => {
    for (const it of texts) ids.push(await storeMemory(engine, it));
  };
  const verdict = (relation: string, certainty: number): unknown => ({
    verdicts: [{ pair: 1, relation, certainty, reason: 'Each reports to the other.' }],
  });
  const confidences = async (): Promise<number[]> => (await engine.getMany(ids)).map(it => it.confidence);

  it('are settled by one call of the model, which weakens the older memory and links both', async () => {
    server.answers = [answersWith(verdict('conflicting', 0.9))];
    await tell(older);
    const before = await confidences();
    await tell(newer);
    await engine.uncertainPairs.resolveAll();
    const [now] = await confidences();
    assert.equal(now, before[0]! - 47);
    assert.deepEqual(
      (await engine.conflicts.list()).map(it => [it.newer.memory.content, it.older.memory.content, it.reason]),
      [[newer, older, 'Each reports to the other.']],
    );
    assert.deepEqual(await engine.uncertainPairs.resolveAll(), { judged: 0, conflicting: 0, waiting: 0 });
    assert.equal(server.seen.length, 1);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('change nothing if the model is unsure, sees no contradiction or gives an invalid answer', async () => {
    for (const it of [verdict('conflicting', 0.3), verdict('unrelated', 1), verdict('supersedes', 1)]) {
      server.answers = [answersWith(it)];
      await tell(older);
      const before = await confidences();
      await tell(newer);
      await engine.uncertainPairs.resolveAll();
      assert.deepEqual((await confidences()).slice(0, ids.length - 1), before);
      assert.deepEqual(await engine.conflicts.list(), []);
      for (const id of ids.splice(0)) await engine.forget(id);
    }
  });

  it('stay queued while the budget is used up', async () => {
    host.model = { dailyTokens: 700 };
    server.answers = [answersWith({ ready: true })];
    await engine.testModel();
    const asked = server.seen.length;
    await tell(older, newer);
    const { judged, waiting, until } = await engine.uncertainPairs.resolveAll();
    assert.deepEqual([judged, waiting, until?.toISOString()], [0, 1, '2026-03-03T00:00:00.000Z']);
    assert.equal(server.seen.length, asked);
    host.model = {};
    server.answers = [answersWith(verdict('conflicting', 1))];
    assert.deepEqual(await engine.uncertainPairs.resolveAll(), { judged: 1, conflicting: 1, waiting: 0 });
  });

  it('stay queued if the model fails', async () => {
    server.answers = [fails(400, 'invalid_request_error')];
    await tell(older, newer);
    await assert.rejects(engine.uncertainPairs.resolveAll());
    server.answers = [answersWith(verdict('conflicting', 1))];
    assert.deepEqual(await engine.uncertainPairs.resolveAll(), { judged: 1, conflicting: 1, waiting: 0 });
  });

  it('are not queued if no model is enabled', async () => {
    host.model = { provider: 'none' };
    await tell(older, newer);
    assert.deepEqual(await engine.uncertainPairs.resolveAll(), { judged: 0, conflicting: 0, waiting: 0 });
    assert.equal(server.seen.length, 0);
  });
});

import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import { defaultConfig } from '../../../src/engine/model/config.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';
import { sql } from '../../support/sqlite.js';

const content = 'Run make ship on the release branch.';
const aids = { questions: ['How do I publish a new version?', 'What puts the app live?'], keywords: ['release'] };

describe('the questions that a memory answers', () => {
  let host: TestHost;
  let engine: MemoryEngine;
  let id: string;
  beforeEach(async () => {
    host = new TestHost();
    host.settings = defaultConfig;
    engine = await host.open();
    id = await storeMemory(engine, content, { aids });
    await storeMemory(engine, 'The harbour office opens at six.');
    await engine.embedMissing();
  });

  /** Bytes of the vectors of the global store, of texts and of questions. */
  const stored = async (): Promise<readonly unknown[]> => {
    const rows = await sql(
      host.globalFile,
      `SELECT id LIKE '%#questions' AS ofQuestions, length(vector) AS bytes FROM vectors JOIN models ON model = number
       ORDER BY ofQuestions, row`,
    );
    return rows.map(it => [it.ofQuestions, it.bytes]);
  };
  const texts = [
    [0, 384],
    [0, 384],
  ];
  /** How near the question is to those of the memory, as the trace of its recall says it. */
  const nearness = async (query: string): Promise<number> => {
    const { trace } = await engine.recall({ query, isUntracked: true, mode: 'fresh' });
    return trace.candidates.find(it => it.id === id)?.factors.features.queryQuestion ?? 0;
  };

  it('are embedded with it, and a question is compared with them', async () => {
    assert.deepEqual(await stored(), [...texts, [1, 2 * (4 + 384)]]);
    assert.ok((await nearness('What puts the app live?')) > 0.98);
  });

  it('are embedded again when they or its text change', async () => {
    await engine.revise({ id, questions: ['Which command deploys?'] }, 'person');
    assert.ok((await nearness('Which command deploys?')) < 0.98);
    await engine.embedMissing();
    assert.ok((await nearness('Which command deploys?')) > 0.98);
    await engine.editText(id, { content: 'Run make ship on the main branch.', before: content });
    await engine.embedMissing();
    assert.ok((await nearness('Which command deploys?')) > 0.98);
    assert.equal((await stored()).length, 3);
  });

  it('are those of the checkpoint after a way back', async () => {
    host.time += 1_000;
    const [checkpoint] = await engine.checkpoints.make();
    await engine.revise({ id, questions: ['Which command deploys?'] }, 'person');
    await engine.embedMissing();
    host.time += 1_000;
    await engine.checkpoints.restore(checkpoint!.id);
    await engine.embedMissing();
    assert.ok((await nearness('What puts the app live?')) > 0.98);
    assert.ok((await nearness('Which command deploys?')) < 0.98);
    assert.deepEqual(await storeProblems(engine), []);
  });

  it('leave nothing when it is deleted for good', async () => {
    await engine.deletion.purge([id]);
    assert.deepEqual(await stored(), [[0, 384]]);
    assert.deepEqual(await storeProblems(engine), []);
  });
});

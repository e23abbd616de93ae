import assert from 'node:assert/strict';
import type { MemoryEngine } from '../../../src/engine/engine.js';
import type { RecallInput } from '../../../src/engine/model/query.js';
import { Database } from '../../../src/engine/database/database.js';
import { waitForEncoder } from '../../support/encoderHost.js';
import { storeMemory, storeProblems, TestHost } from '../../support/fixtures.js';

const mast = 'The pilot boat needs a new mast.';
/** None of its words but "the" is in the memory's own text. */
const said = 'tell the chandler to hurry, our sailing dinghy is crippled';

describe("the user's own words, kept with a memory", () => {
  waitForEncoder();
  for (const embeddings of ['off', 'built-in'] as const) {
    describe(`with embeddings ${embeddings}`, () => {
      let host: TestHost;
      let engine: MemoryEngine;
      let id: string;

      beforeEach(async () => {
        host = new TestHost();
        host.settings = { ...host.settings, embeddings };
        engine = await host.open();
        for (let i = 0; i < 12; i++) await storeMemory(engine, `Berth ${i} takes boats of ${i + 5} metres.`);
        id = await storeMemory(engine, mast, { said, lane: 'note', source: 'mcp' });
        await engine.embedMissing();
      });

      afterEach(async () => {
        assert.deepEqual(await storeProblems(engine), []);
      });

      const found = async (query: string, more: Partial<RecallInput> = {}): Promise<string[]> =>
        (await engine.recall({ query, isUntracked: true, ...more })).hits.map(it => it.memory.content);

      it('are found by a question that shares no word with its text', async () => {
        for (const query of ['chandler', 'Which dinghy is crippled?', 'Who should the chandler hurry for?'])
          assert.ok((await found(query)).includes(mast), query);
        assert.ok((await found('chandler', { keywords: ['dinghy'] })).includes(mast));
        await engine.close();
        engine = await host.open();
        assert.ok((await found('chandler')).includes(mast), 'opened again');
        await engine.deletion.purge([id]);
        assert.ok(!(await found('chandler')).includes(mast));
      });

      it('put it below a memory whose own text answers, and change nothing where its own text does', async () => {
        const own = 'The chandler opens at seven.';
        await storeMemory(engine, own);
        await engine.embedMissing();
        assert.equal((await found('When does the chandler open?'))[0], own);
        assert.deepEqual((await found('chandler')).slice(0, 2), [own, mast]);
        const { hits } = await engine.recall({ query: 'Which boat needs a new mast?', isUntracked: true });
        const plain = new TestHost();
        plain.settings = host.settings;
        const withoutWords = await plain.open();
        for (let i = 0; i < 12; i++) await storeMemory(withoutWords, `Berth ${i} takes boats of ${i + 5} metres.`);
        await storeMemory(withoutWords, mast, { lane: 'note', source: 'mcp' });
        await storeMemory(withoutWords, own);
        await withoutWords.embedMissing();
        const { hits: expected } = await withoutWords.recall({
          query: 'Which boat needs a new mast?',
          isUntracked: true,
        });
        assert.deepEqual(
          hits.map(it => [it.memory.content, it.probability]),
          expected.map(it => [it.memory.content, it.probability]),
        );
      });

      it('vouch for nothing: the lane, what is related and what is embedded are those of the text', async () => {
        const memory = await engine.get(id);
        assert.deepEqual([memory.lane, memory.provenance.said], ['note', said]);
        const plain = new TestHost();
        plain.settings = host.settings;
        const withoutWords = await plain.open();
        for (let i = 0; i < 12; i++) await storeMemory(withoutWords, `Berth ${i} takes boats of ${i + 5} metres.`);
        await storeMemory(withoutWords, mast, { lane: 'note', source: 'mcp' });
        const outcomes = await Promise.all(
          [engine, withoutWords].map(async it => {
            await it.embedMissing();
            const content = 'Our sailing dinghy is crippled, so the chandler has to hurry.';
            const [outcome] = await it.remember({ content, source: 'mcp', store: 'global', whole: true });
            assert.ok(outcome?.outcome === 'stored');
            return outcome.related?.map(related => related.content);
          }),
        );
        assert.deepEqual(outcomes[0], outcomes[1]);
        if (embeddings === 'off') return;
        const vectors = await Promise.all(
          [host, plain].map(async it => {
            const database = await Database.openReader(it.globalFile);
            const row = await database.read.get(
              'SELECT vector FROM vectors v JOIN memories m ON m.row = v.row WHERE m.content = ?',
              mast,
            );
            await database.close();
            return row?.vector;
          }),
        );
        assert.ok(vectors[0] instanceof Uint8Array);
        assert.deepEqual(vectors[0], vectors[1]);
      });
    });
  }
});

import assert from 'node:assert/strict';
import path from 'node:path';
import { SearchWorkerClient } from '../../../../src/engine/search/worker/searchWorkerClient.js';
import { analyzeQuestion } from '../../../../src/engine/text/questionAnalysis.js';
import { keep, TestHost } from '../../../support/memory.js';

describe('the index thread', () => {
  it('tells the shortlist of a search before its answer, with the same rows', async () => {
    const host = new TestHost();
    const engine = await host.open();
    for (const port of ['Oslo', 'Bergen', 'Tromsø', 'Bodø']) {
      await keep(engine, `The ferry to ${port} is called ${port} Star.`);
    }
    const indexes = new SearchWorkerClient(host.bundleDir, { modelDir: path.join(host.modelsDir, 'built-in') });
    try {
      const told: (readonly number[])[] = [];
      const answer = await indexes.search(
        {
          file: host.globalFile,
          model: undefined,
          dimensions: undefined,
          query: {
            ...analyzeQuestion('the ferry to Bergen'),
            preferredDates: [],
            vector: undefined,
            scopeId: '',
            limit: 3,
          },
          textToEmbed: undefined,
          filter: undefined,
          refreshFirst: true,
        },
        rows => told.push(rows),
      );
      assert.ok('rows' in answer);
      assert.equal(answer.rows.length, 3);
      assert.deepEqual(
        told.map(it => [...it].sort()),
        [[...answer.rows].sort()],
      );
    } finally {
      await indexes.close();
    }
  });

  it('answers what it was asked before it ends', async () => {
    const host = new TestHost();
    const indexes = new SearchWorkerClient(host.bundleDir, { modelDir: path.join(host.modelsDir, 'built-in') });
    const asked = indexes.embed(['The ferry to Bergen leaves at noon.']);
    await indexes.close();
    assert.equal((await asked).length, 384);
  });
});
